# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The notebook's broadcast over a grid, first form.
from numba import cuda


# T6, notebook: a column and a row make a matrix, one thread in each block of a grid of two axes (exercise, completed).
# run: grid=7,7 block=1 out=empty:i64[7,7] a=arange:i64[7,1] b=arange:i64[1,7] size=7
@cuda.jit
def broadcast_grid_kernel(out, a, b, size):
    i = cuda.blockIdx.x 
    j = cuda.blockIdx.y
    if i < size and j < size:
        out[i, j] = a[i, 0] + b[0, j]
