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


jit, njit, vectorize, guvectorize, prange = map(_needs_numba, ("jit", "njit", "vectorize", "guvectorize", "prange"))

from . import cuda, types  # noqa: E402
