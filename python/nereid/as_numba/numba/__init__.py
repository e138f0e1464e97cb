# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for Numba where it is not installed: its types, and numba.cuda."""

from nereid.threads.function import NumbaPerformanceWarning
from nereid.threads.names import TYPES as _TYPES
from nereid.threads.ufuncs import GUFunc, UFunc

globals().update(_TYPES)
__version__ = "0.61.2"


def _needs_numba(name):

    def refuse(*args, **kwargs):
        raise ImportError(f"numba.{name} compiles for CPUs, which Numba itself does; it is not installed")

    return refuse


jit, njit, prange = map(_needs_numba, ("jit", "njit", "prange"))


def vectorize(signatures=(), *, target="cpu", identity=None, **options):
    if target != "cuda":
        return _needs_numba("vectorize")()
    return _of_arrays(lambda function: UFunc(function, identity), signatures)


def guvectorize(*signatures_and_layout, target="cpu", identity=None, **options):
    if target != "cuda":
        return _needs_numba("guvectorize")()
    *signatures, layout = signatures_and_layout
    return _of_arrays(lambda function: GUFunc(function, layout, identity), signatures[0] if signatures else ())


def _of_arrays(make, signatures):
    """A decorator, for signatures of which each is one for the arrays."""

    def decorate(function):
        made = make(function)
        for signature in [signatures] if isinstance(signatures, str) else signatures:
            made.add(signature)
        return made

    return decorate


from . import cuda, types  # noqa: E402
