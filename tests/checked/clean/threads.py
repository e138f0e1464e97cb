# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads without a mistake.
import math

import numba
from numba import cuda, float32, float64, int32


# run: grid=2 block=64 out=zeros:f32[100] a=rand:f32[100]
@cuda.jit
def reverses_in_shared_memory(out, a):
    cache = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    cache[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    if i < a.size:
        out[i] = cache[63 - t]


# run: grid=3 block=32 out=zeros:f32[1] a=rand:f32[96]
@cuda.jit
def reduces_in_shared_memory(out, a):
    cache = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    cache[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            cache[t] += cache[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, cache[0])


# run: grid=3 block=32 out=zeros:f32[1] a=rand:f32[192] partial=empty:f32[3] counter=zeros:i32[1]
@cuda.jit
def last_block_sums(out, a, partial, counter):
    isLast = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        s = float32(0)
        for k in range(64):
            s += a[cuda.blockIdx.x * 64 + k]
        partial[cuda.blockIdx.x] = s
        cuda.threadfence()
        isLast[0] = cuda.atomic.add(counter, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if isLast[0]:
        cuda.threadfence()
        if t == 0:
            s = float32(0)
            for k in range(cuda.gridDim.x):
                s += partial[k]
            out[0] = s


# run: grid=1 block=16 flag=zeros:i32[1] out=zeros:i32[16]
@cuda.jit
def waits_for_a_thread_of_its_block(flag, out):
    t = cuda.threadIdx.x
    if t == 11:
        cuda.atomic.exch(flag, 0, 1)
    if t == 3:
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass
    out[t] = 1


# run: grid=4 block=8 histogram=zeros:i32[4] a=arange:i32[32]
@cuda.jit
def histogram_of_blocks(histogram, a):
    bins = cuda.shared.array(4, int32)
    t = cuda.threadIdx.x
    if t < 4:
        bins[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(bins, a[cuda.grid(1)] % 4, 1)
    cuda.syncthreads()
    if t < 4:
        cuda.atomic.add(histogram, t, bins[t])


# run: grid=1 block=5,3,2 out=zeros:i32[30]
@cuda.jit
def three_axes(out):
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    z = cuda.threadIdx.z
    out[x + 5 * (y + 3 * z)] = x * y - z


# run: grid=7 block=33 out=zeros:i64[222]
@cuda.jit
def stack_of_digits(out):
    i = cuda.grid(1)
    stack = cuda.local.array(8, numba.int64)
    if i < out.size:
        top = 0
        while i > 0:
            stack[top] = i % 3
            i //= 3
            top += 1
        s = 0
        while top > 0:
            top -= 1
            s = s * 10 + stack[top]
        out[cuda.grid(1)] = s


# run: grid=3,3 block=4,4 out=zeros:f32[10,7] a=rand:f32[10,7]
@cuda.jit
def guards_both_axes(out, a):
    y, x = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1] and a[y, x] > 0.5:
        out[y, x] = math.sqrt(a[y, x])


# run: grid=2 block=8 out=zeros:f32[50] a=rand:f32[50]
@cuda.jit
def strides_over_the_grid(out, a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        out[i] = a[i] * 2


# run: grid=1 block=16 a=rand:f32[16]
@cuda.jit
def rounds_of_neighbours(a):
    t = cuda.threadIdx.x
    for i in range(5):
        v = a[(t + 1) % 16]
        cuda.syncthreads()
        a[t] = v
        cuda.syncthreads()


# run: grid=3 block=96 out=zeros:f32[1] a=rand:f32[200]
@cuda.jit
def sums_by_warps(out, a):
    i = cuda.grid(1)
    v = a[i] if i < a.size else float32(0)
    step = 16
    while step > 0:
        v += cuda.shfl_down_sync(0xffffffff, v, step)
        step //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, v)


# run: grid=1 block=64 out=zeros:i32[64] a=rand:i32[64]
@cuda.jit
def neighbours_of_a_warp(out, a):
    cache = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    for i in range(3):
        cache[t] = a[t] + i
        cuda.syncwarp()
        out[t] += cache[t ^ 1]
        cuda.syncwarp()


# run: grid=2 block=32 out=zeros:i32[64] count=zeros:i32[1] a=rand:i32[64]
@cuda.jit
def keeps_those_that_hold(out, count, a):
    i = cuda.grid(1)
    holds = a[i] > 50
    who = cuda.ballot_sync(0xffffffff, holds)
    first = 0
    if cuda.laneid == 0:
        first = cuda.atomic.add(count, 0, cuda.popc(who))
    first = cuda.shfl_sync(0xffffffff, first, 0)
    if holds:
        out[first + cuda.popc(who & cuda.lanemask_lt())] = a[i]


# run: grid=1 block=32 out=zeros:f32[32] a=rand:f32[32]
@cuda.jit
def halves_go_different_ways(out, a):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_xor_sync(0x0000ffff, a[t], 1)
    else:
        out[t] = cuda.shfl_xor_sync(0xffff0000, a[t], 2)


# run: grid=1 block=40 out=zeros:i32[40] a=rand:i32[40]
@cuda.jit
def counts_until_none_is_left(out, a):
    t = cuda.threadIdx.x
    left = a[t] % 7
    rounds = 0
    while cuda.syncthreads_or(left > 0):
        left = max(left - 1, 0)
        rounds += 1
    out[t] = rounds + cuda.syncthreads_count(left == 0)


# run: grid=2 block=64 shared=512 out=zeros:f64[128] a=rand:f64[128]
@cuda.jit
def memory_of_the_launch(out, a):
    cache = cuda.shared.array(0, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    cache[t] = a[i]
    cuda.syncthreads()
    out[i] = cache[cache.size - 1 - t]


# run: grid=2 block=96 out=zeros:i32[1] a=rand:f32[150]
@cuda.jit
def one_addition_for_the_lanes_here(out, a):
    i = cuda.grid(1)
    if i < a.size and a[i] > 0:
        mask = cuda.activemask()
        if cuda.laneid == cuda.ffs(mask) - 1:
            cuda.atomic.add(out, 0, cuda.popc(mask))


# run: grid=2 block=64 out=zeros:u32[1] drawn=zeros:u32[128] # in any order: drawn
@cuda.jit
def numbers_that_go_round(out, drawn):
    drawn[cuda.grid(1)] = cuda.atomic.inc(out, 0, 9)
