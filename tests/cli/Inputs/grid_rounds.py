# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that wait for one another again and again."""

from numba import cuda


@cuda.jit
def rounds(x):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    for n in range(8):
        left = x[i - 1] if i > 0 else 0.0
        grid.sync()
        x[i] = left * 0.5 + x[i] * 0.5
        grid.sync()
