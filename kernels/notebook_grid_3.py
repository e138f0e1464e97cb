# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The notebook's broadcast over a grid, third form.
from numba import cuda


# T8, notebook: the same over two axes of blocks and threads (exercise, completed).
# run: grid=4,4 block=2,2 out=empty:i64[7,7] a=arange:i64[7,1] b=arange:i64[1,7] size=7
@cuda.jit
def broadcast_grid_kernel(out, a, b, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i < size and j < size:
        out[i, j] = a[i, 0] + b[0, j]
