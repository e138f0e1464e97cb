# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for Numba where it is not installed: its types, and numba.cuda."""

from nereid.threads.function import NumbaPerformanceWarning
from nereid.threads.names import TYPES as _TYPES

globals().update(_TYPES)
__version__ = "0.61.2"


def _needs_numba(name):

    def refuse(*args, **kwargs):
        raise ImportError(f"numba.{name} compiles for CPUs, which Numba itself does; it is not installed")

    return refuse


jit, njit, prange = map(_needs_numba, ("jit", "njit", "prange"))


def vectorize(signatures=(), *, target="cpu", **options):
    return _of_cuda("vectorize", target)(signatures, **options)


def guvectorize(*signatures_and_layout, target="cpu", **options):
    return _of_cuda("guvectorize", target)(*signatures_and_layout, **options)


def _of_cuda(name, target):
    return getattr(cuda, name) if target == "cuda" else _needs_numba(name)()


from . import cuda, types  # noqa: E402
