# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads of the notebook "Programming on GPUs", its exercises completed.
import numba
from numba import cuda


# T1, notebook: a + 10 (exercise, completed).
# run: grid=1 block=33 out=empty:f32[33] a=arange:f32[33]
@cuda.jit
def map_kernel(out, a):
    # Get the thread index
    i = cuda.threadIdx.x
    # Each thread adds 10 to one element
    out[i] = a[i] + 10


# T2, notebook: a + b (exercise, completed); with more threads than elements it leaves the arrays.
# run: grid=1 block=33 out=empty:f64[33] a=arange:i64[33] b=arange:i64[33]
@cuda.jit
def zip_kernel(out, a, b):
    # Get the thread index
    i = cuda.threadIdx.x
    out[i] = a[i] + b[i]


# T3, notebook: a + b, of those threads that have an element (exercise, completed).
# run: grid=1 block=66 out=empty:f64[33] a=arange:i64[33] b=arange:i64[33] size=33
@cuda.jit
def zip_guard_kernel(out, a, b, size):
    # Get the thread index
    i = cuda.threadIdx.x
    if i < size:
        out[i] = a[i] + b[i]


# T4, notebook: a + 10 by a block of two axes (exercise, completed).
# run: grid=1 block=8,8 out=empty:i64[7,7] a=arange:i64[7,7] size=7
@cuda.jit
def map_2d_kernel(out, a, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    if i < size and j < size:
        out[i, j] = a[i, j] + 10


# T5, notebook: a column and a row make a matrix (exercise, completed).
# run: grid=1 block=14,21 out=empty:i64[7,7] a=arange:i64[7,1] b=arange:i64[1,7] size=7
@cuda.jit
def broadcast_kernel(out, a, b, size):
    i = cuda.threadIdx.x
    j = cuda.threadIdx.y
    if i < size and j < size:
        out[i, j] = a[i, 0] + b[0, j]


# T6 to T8, the three forms of broadcast_grid_kernel: notebook_grid_1.py to notebook_grid_3.py.


# T9, notebook: each element and the two before it.
# run: grid=3 block=4 out=empty:f64[9] a=arange:i64[9] size=9
@cuda.jit
def pool_kernel(out, a, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < size:
        # Manually compute sum - can't use slicing in CUDA!
        temp_sum = 0.0
        for k in range(max(i - 2, 0), i + 1):
            temp_sum += a[k]  # Use global memory
        out[i] = temp_sum


TPB = 4  # Threads per block
SharedMem = TPB + 2 # cannot be computed at runtime


# T10, notebook: the same, from shared memory (exercise, completed).
# run: grid=3 block=4 out=empty:f64[9] a=arange:i64[9] size=9
@cuda.jit
def pool_kernel_shared(out, a, size):
    # Allocate shared memory with HALO (extra elements for boundary)
    # Need TPB + 2 extra elements (for the 2-element lookback)
    shared = cuda.shared.array(SharedMem, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    if i < size:
        shared[t + 2] = a[i]
    # The first two threads fetch what lies before the block; before the array there is nothing to add
    if t < 2:
        shared[t] = a[i - 2] if i >= 2 and i - 2 < size else 0
    cuda.syncthreads()
    if i < size:
        out[i] = shared[t] + shared[t + 1] + shared[t + 2]


# T11, notebook: dot product, a tree in each block and one addition for each block (exercise, completed).
# run: grid=4 block=256 a=rand:f32[800] b=rand:f32[800] out=zeros:f32[1] size=800
@cuda.jit
def dot_kernel_numba(a, b, out, size):
    shared = cuda.shared.array(256, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    # Threads behind the end add nothing, but take part: all must come by the barriers
    shared[t] = a[i] * b[i] if i < size else 0
    cuda.syncthreads()
    stride = cuda.blockDim.x // 2
    while stride > 0:
        if t < stride:
            shared[t] += shared[t + stride]
        cuda.syncthreads()
        stride //= 2
    if t == 0:
        cuda.atomic.add(out, 0, shared[0])
