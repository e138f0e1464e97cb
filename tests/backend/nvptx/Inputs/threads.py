# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

from numba import cuda


@cuda.jit
def normalize(out, a):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] / math.sqrt(a[i] * a[i] + a[0])


@cuda.jit
def neighbours(out, a):
    i = cuda.grid(1)
    value = cuda.shfl_xor_sync(0xffffffff, a[i], 1)
    who = cuda.ballot_sync(0xffffffff, value > 0)
    cuda.syncwarp()
    out[i] = value + who + cuda.syncthreads_count(value > 1)
