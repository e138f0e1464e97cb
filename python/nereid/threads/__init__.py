# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of threads, in the syntax of numba.cuda: what `from numba import cuda` means under `python -m nereid --numba`."""
