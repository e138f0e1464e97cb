# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

from numba import cuda, float32, float64, int32


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


@cuda.jit
def reverse(out, a):
    held = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncthreads()
    out[t] = held[cuda.blockDim.x - 1 - t]


@cuda.jit
def much(out, a):
    given = cuda.shared.array(0, float64)
    fixed = cuda.shared.array(2000, float64)
    t = cuda.threadIdx.x
    given[t] = a[t]
    fixed[t] = a[t]
    cuda.syncthreads()
    out[t] = given[127 - t] + fixed[t ^ 1]


@cuda.jit
def rounds(counter, out):
    i = cuda.grid(1)
    if i < out.size:
        here = cuda.activemask()
        out[i] = cuda.atomic.inc(counter, 0, 9) + cuda.popc(here)


@cuda.jit
def counts(out, a):
    bins = cuda.shared.array(128, int32)
    t = cuda.threadIdx.x
    bins[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(bins, int(a[t] * 100.0), 1)
    cuda.syncthreads()
    out[t] = bins[t]


@cuda.jit
def relaxed(out, a, rounds):
    """All blocks meet after each round, so that all must run at once; shared memory lets two share an SM."""
    near = cuda.shared.array(12000, float64)
    grid = cuda.cg.this_grid()
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    for k in range(rounds):
        near[t] = a[i]
        cuda.syncthreads()
        out[i] = 0.5 * (near[t] + near[(t + 1) % cuda.blockDim.x])
        grid.sync()
        a[i] = out[i]
