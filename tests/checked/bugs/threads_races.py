# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads: what threads do to one another: races, barriers, warps, order.
import numba
from numba import cuda, float32, int32


# run: grid=1 block=8,8 a=rand:f32[8,8]
@cuda.jit
def transposes_in_place(a):
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    a[y, x] = a[x, y]  # BUG data_race


# run: grid=1 block=64 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def scans_in_one_buffer(out, a):
    sums = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    sums[t] = a[t]
    cuda.syncthreads()
    step = 1
    while step < 64:
        if t >= step:
            sums[t] += sums[t - step]  # BUG data_race
        cuda.syncthreads()
        step *= 2
    out[t] = sums[t]


# run: grid=1 block=8,8 c=zeros:f32[8,8] a=rand:f32[8,24] b=rand:f32[24,8]
@cuda.jit
def product_without_its_second_barrier(c, a, b):
    left = cuda.shared.array((8, 8), float32)
    right = cuda.shared.array((8, 8), float32)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    total = float32(0)
    for k in range(3):
        left[y, x] = a[y, k * 8 + x]  # BUG data_race
        right[y, x] = b[k * 8 + y, x]  # BUG data_race
        cuda.syncthreads()
        for j in range(8):
            total += left[y, j] * right[j, x]  # BUG data_race
    c[y, x] = total


# run: grid=4 block=16 partial=zeros:f32[4] ready=zeros:i32[4] out=zeros:f32[1] a=rand:f32[64]
@cuda.jit
def says_ready_without_an_atomic(partial, ready, out, a):
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        total = float32(0)
        for k in range(16):
            total += a[b * 16 + k]
        partial[b] = total
        cuda.threadfence()
        ready[b] = 1
        if b == 3:
            for k in range(4):
                if ready[k]:  # BUG data_race
                    out[0] += partial[k]  # BUG data_race


# run: grid=2 block=32 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def takes_a_barrier_for_all_blocks(out, a):
    i = cuda.grid(1)
    a[i] = a[i] * 2  # BUG data_race
    cuda.syncthreads()
    out[i] = a[63 - i]  # BUG data_race


# run: grid=1 block=32 out=zeros:i32[32] total=zeros:i32[1] a=rand:i32[32]
@cuda.jit
def reads_while_others_add(out, total, a):
    t = cuda.threadIdx.x
    cuda.atomic.add(total, 0, a[t])  # BUG data_race
    out[t] = total[0]


# run: grid=1 block=32 out=zeros:i32[16]
@cuda.jit
def two_threads_for_one_place(out):
    held = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    held[t // 2] = t  # BUG data_race
    cuda.syncthreads()
    if t < 16:
        out[t] = held[t]


# run: grid=1 block=48 a=rand:f32[50]
@cuda.jit
def smooths_in_place(a):
    i = cuda.threadIdx.x + 1
    a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3  # BUG data_race


# run: grid=1 block=64 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def one_thread_reads_for_all(out, a):
    first = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    if t == 0:
        first[0] = a[0]
    out[t] = a[t] - first[0]  # BUG data_race


# run: grid=1 block=64 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def takes_a_fence_for_a_barrier(out, a):
    held = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    held[t] = a[t]  # BUG data_race
    cuda.threadfence_block()
    out[t] = held[63 - t]  # BUG data_race # BUG unwritten_read


# run: grid=1 block=16 out=zeros:f32[16] a=rand:f32[64]
@cuda.jit
def changes_the_buffer_that_is_read(out, a):
    held = cuda.shared.array((2, 16), float32)
    t = cuda.threadIdx.x
    held[0, t] = a[t]
    cuda.syncthreads()
    for k in range(1, 4):
        held[0, t] = a[k * 16 + t]  # BUG data_race
        out[t] += held[0, 15 - t]  # BUG data_race
        cuda.syncthreads()


# run: grid=2 block=32 histogram=zeros:i32[8] a=arange:i32[64]
@cuda.jit
def flushes_before_all_have_counted(histogram, a):
    bins = cuda.shared.array(8, int32)
    t = cuda.threadIdx.x
    if t < 8:
        bins[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(bins, a[cuda.grid(1)] % 8, 1)  # BUG data_race
    if t < 8:
        cuda.atomic.add(histogram, t, bins[t])


# run: grid=1 block=32 out=zeros:i32[32]
@cuda.jit
def half_a_warp_is_in_step(out):
    held = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    held[t] = t
    if t < 16:
        cuda.syncwarp(0xffff)
    out[t] = held[31 - t]  # BUG data_race


# run: grid=2 block=16 out=zeros:f32[32] a=rand:f32[64]
@cuda.jit
def clears_the_total_too_early(out, a):
    total = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    for k in range(2):
        if t == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, a[k * 32 + cuda.grid(1)])
        cuda.syncthreads()
        out[cuda.grid(1)] += total[0]  # BUG data_race


# run: grid=1 block=32 out=zeros:i32[32] a=rand:i32[32]
@cuda.jit
def barrier_in_a_loop_until_done(out, a):
    t = cuda.threadIdx.x
    left = t % 5 + 1
    while left > 0:
        left -= 1
        cuda.syncthreads()  # BUG barrier_missed
    out[t] = a[t]


# run: grid=1 block=32 out=zeros:i32[32]
@cuda.jit
def breaks_before_the_barrier(out):
    t = cuda.threadIdx.x
    for k in range(8):
        if k == t:
            break
        cuda.syncthreads()  # BUG barrier_missed
    out[t] = t


# run: grid=1 block=16 out=zeros:i32[16] a=rand:i32[16]
@cuda.jit
def barrier_of_a_device_function(out, a):
    held = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if a[t] % 2 == 0:
        out[t] = exchanged(held, t, a[t])


@cuda.jit(device=True)
def exchanged(held, t, v):
    held[t] = v
    cuda.syncthreads()  # BUG barrier_missed
    return held[15 - t]  # BUG unwritten_read


# run: grid=1 block=32 out=zeros:i32[32] a=rand:i32[32]
@cuda.jit
def asks_the_block_only_sometimes(out, a):
    t = cuda.threadIdx.x
    if a[t] > 50 and cuda.syncthreads_or(t == 7):  # BUG barrier_missed
        out[t] = 1


# run: grid=3 block=32 out=zeros:f32[80] a=rand:f32[80]
@cuda.jit
def guards_the_barrier(out, a):
    held = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < a.size:
        held[t] = a[i]
        cuda.syncthreads()  # BUG barrier_missed
        out[i] = held[t]


# run: grid=1 block=48 out=zeros:i32[48] a=rand:i32[48]
@cuda.jit
def last_warp_is_half(out, a):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_sync(0xffffffff, a[t], 20)  # BUG warp_missed


# run: grid=1 block=32 out=zeros:i32[32] a=rand:i32[32]
@cuda.jit
def asks_the_half_that_is_away(out, a):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_xor_sync(0x0000ffff, a[t], 16)  # BUG warp_missed


# run: grid=1 block=32 out=zeros:i64[32] a=rand:i32[32]
@cuda.jit
def looks_for_equals_in_a_branch(out, a):
    t = cuda.threadIdx.x
    if a[t] % 3 == 0:
        out[t] = cuda.match_any_sync(0xffffffff, a[t])  # BUG warp_missed
    cuda.syncthreads()


# run: grid=1 block=32 out=zeros:i64[32] a=rand:i32[32]
@cuda.jit
def votes_after_some_have_left(out, a):
    t = cuda.threadIdx.x
    for k in range(4):
        if a[t] % 4 == k:
            break
        out[t] = cuda.ballot_sync(0xffffffff, a[t] > 9)  # BUG warp_missed
    cuda.syncthreads()


# run: grid=1 block=32 out=zeros:i32[32]
@cuda.jit
def steps_with_lanes_elsewhere(out):
    t = cuda.threadIdx.x
    if t < 8:
        cuda.syncwarp()  # BUG warp_missed
    cuda.syncthreads()
    out[t] = t


# run[order]: grid=2 block=16 out=zeros:i32[1]
@cuda.jit
def last_one_wins(out):  # BUG order_dependence
    cuda.atomic.exch(out, 0, cuda.grid(1))


# run[order]: grid=2 block=16 out=zeros:i32[32] count=zeros:i32[1] a=rand:i32[32]
@cuda.jit
def keeps_them_as_they_come(out, count, a):  # BUG order_dependence
    i = cuda.grid(1)
    if a[i] > 50:
        out[cuda.atomic.add(count, 0, 1)] = a[i]


# run[order]: grid=2 block=32 owner=zeros:i32[4]
@cuda.jit
def first_one_owns(owner):  # BUG order_dependence
    i = cuda.grid(1)
    cuda.atomic.cas(owner, i % 4, 0, i + 1)


# run[order]: grid=4 block=32 out=zeros:f32[1] a=randn:f32[128]
@cuda.jit
def sum_in_the_order_of_arrival(out, a):  # BUG order_dependence
    cuda.atomic.add(out, 0, a[cuda.grid(1)])


# run: grid=1 block=8 lock=zeros:i32[1] out=zeros:i32[1]
@cuda.jit
def never_gives_the_lock_back(lock, out):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:  # BUG endless_wait
        pass
    out[0] += 1


# run: grid=1 block=32 out=zeros:i32[1]
@cuda.jit
def meets_for_ever(out):
    while cuda.syncthreads_or(out[0] == 0):  # BUG endless_wait
        pass
