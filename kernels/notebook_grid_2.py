# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The notebook's broadcast over a grid, second form.
from numba import cuda


# T7, notebook: the same over one axis of blocks and threads (exercise, completed).
# run: grid=7 block=7 out=empty:i64[7,7] a=arange:i64[7,1] b=arange:i64[1,7] size=7
@cuda.jit
def broadcast_grid_kernel(out, a, b, size):
    k = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    i = k // size
    j = k % size
    if i < size:
        out[i, j] = a[i, 0] + b[0, j]
