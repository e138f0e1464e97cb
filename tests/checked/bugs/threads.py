# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads: barriers that are missing or missed, memory of blocks.
import numba
from numba import cuda, float32, int32


# run: grid=1 block=64 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def reads_before_the_barrier(out, a):
    cache = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    cache[t] = a[t]  # BUG data_race
    out[t] = cache[63 - t]  # BUG unwritten_read # BUG data_race


# run: grid=1 block=48 out=zeros:f32[48] a=rand:f32[48]
@cuda.jit
def neighbours_without_a_barrier(out, a):
    t = cuda.threadIdx.x
    out[t] = a[t]
    if t > 0:
        out[t] += out[t - 1]  # BUG data_race


# run: grid=2 block=64 out=zeros:f32[1] a=rand:f32[128]
@cuda.jit
def reduces_without_the_last_barrier(out, a):
    cache = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    cache[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            cache[t] += cache[t + half]  # BUG data_race
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, cache[0])


# run: grid=1 block=64 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def barrier_in_a_branch(out, a):
    t = cuda.threadIdx.x
    if t < 32:
        cuda.syncthreads()  # BUG barrier_missed
    out[t] = a[t]


# run: grid=1 block=64 out=zeros:f32[40] a=rand:f32[40]
@cuda.jit
def returns_before_the_barrier(out, a):
    t = cuda.threadIdx.x
    if t >= a.size:
        return
    cuda.syncthreads()  # BUG barrier_missed
    out[t] = a[t]


# run: grid=1 block=8,8 out=zeros:f32[8,8] a=rand:f32[8,8]
@cuda.jit
def two_barriers_at_once(out, a):
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    if x < y:
        cuda.syncthreads()
    else:
        cuda.syncthreads()  # BUG barrier_missed
    out[y, x] = a[y, x]


# run: grid=1 block=16 out=zeros:i32[16] n=3
@cuda.jit
def barrier_in_a_loop_of_its_own_length(out, n):
    t = cuda.threadIdx.x
    for i in range(t % n + 1):
        out[t] = i
        cuda.syncthreads()  # BUG barrier_missed


# run: grid=1 block=64 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def reads_what_no_thread_wrote(out, a):
    cache = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    if t < 40:
        cache[t] = a[t]
    cuda.syncthreads()
    out[t] = cache[t]  # BUG unwritten_read


# run: grid=3 block=32 out=zeros:f32[96] a=rand:f32[96]
@cuda.jit
def counts_on_the_block_before(out, a):
    cache = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        cache[t] = a[t]
    cuda.syncthreads()
    out[cuda.grid(1)] = cache[t]  # BUG unwritten_read


# run: grid=1 block=64 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def shared_array_too_short(out, a):
    cache = cuda.shared.array(60, float32)
    t = cuda.threadIdx.x
    cache[t] = a[t]  # BUG out_of_bounds
    out[t] = a[t]


# run: grid=1 block=64 shared=252 out=zeros:f32[64] a=rand:f32[64]
@cuda.jit
def launch_gives_too_little(out, a):
    cache = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    cache[t] = a[t]  # BUG out_of_bounds
    out[t] = a[t]


# run: grid=1 block=32 shared=256 out=zeros:f32[32] a=rand:f32[32]
@cuda.jit
def two_arrays_of_the_launch_are_one(out, a):
    values = cuda.shared.array(0, float32)
    sums = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    values[t] = a[t]  # BUG data_race
    sums[31 - t] = a[t]  # BUG data_race
    cuda.syncthreads()
    out[t] = values[t] + sums[t]


# run: grid=1 block=64 out=zeros:i32[1]
@cuda.jit
def counts_lanes_that_are_elsewhere(out):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        mask = cuda.activemask()
        if t % 4 == 0:
            cuda.atomic.add(out, 0, cuda.shfl_sync(mask, t, 2))  # BUG warp_missed


# run: grid=1 block=20 out=zeros:i64[20]
@cuda.jit
def local_array_too_short(out):
    stack = cuda.local.array(4, numba.int64)
    t = cuda.threadIdx.x
    for i in range(t % 6):
        stack[i] = i  # BUG out_of_bounds
    out[t] = t


# run: grid=1 block=20 out=zeros:i64[20]
@cuda.jit
def local_array_of_nothing(out):
    stack = cuda.local.array(4, numba.int64)
    t = cuda.threadIdx.x
    if t % 2:
        stack[0] = t
    out[t] = stack[0]  # BUG unwritten_read


# run: grid=5 block=7 out=zeros:f32[30] a=rand:f32[30]
@cuda.jit
def no_guard(out, a):
    i = cuda.grid(1)
    out[i] = a[i]  # BUG out_of_bounds


# run: grid=3,3 block=4,4 out=zeros:f32[10,7] a=rand:f32[10,7]
@cuda.jit
def guards_one_axis(out, a):
    y, x = cuda.grid(2)
    if y < a.shape[0]:
        out[y, x] = a[y, x] + y  # BUG data_race # BUG out_of_bounds


# run: grid=4 block=8 out=zeros:f32[1] a=rand:f32[32]
@cuda.jit
def adds_without_an_atomic(out, a):
    out[0] += a[cuda.grid(1)]  # BUG data_race


# run: grid=2 block=8 out=zeros:f32[8] a=rand:f32[16]
@cuda.jit
def blocks_write_one_place(out, a):
    out[cuda.threadIdx.x] = a[cuda.grid(1)]  # BUG data_race


# run: grid=1 block=32 histogram=zeros:i32[4] a=arange:i32[32]
@cuda.jit
def clears_without_a_barrier(histogram, a):
    bins = cuda.shared.array(4, int32)
    t = cuda.threadIdx.x
    if t < 4:
        bins[3 - t] = 0  # BUG data_race
    cuda.atomic.add(bins, a[t] % 4, 1)  # BUG data_race # BUG unwritten_read
    cuda.syncthreads()
    if t < 4:
        histogram[t] = bins[t]


# run: grid=1 block=16 flag=zeros:i32[1] out=zeros:i32[16]
@cuda.jit
def thread_waits_for_nobody(flag, out):
    t = cuda.threadIdx.x
    if t == 3:
        while cuda.atomic.add(flag, 0, 0) == 0:  # BUG endless_wait
            pass
    out[t] = 1


# run: grid=2 block=16 out=zeros:i32[32] n=0
@cuda.jit
def divides_threads_among_none(out, n):
    i = cuda.grid(1)
    if i % n == 0:  # BUG division_by_zero
        out[i] = 1


# run: grid=1 block=8 out=zeros:i32[8] n=5
@cuda.jit
def asserts_too_much(out, n):
    t = cuda.threadIdx.x
    assert t < n  # BUG assertion_failed
    out[t] = t


# run: grid=1 block=32 out=zeros:f32[32] a=rand:f32[32]
@cuda.jit
def asks_a_lane_that_the_mask_leaves_out(out, a):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_sync(0xffff, a[t], t + 1)  # BUG warp_missed


# run: grid=1 block=20 out=zeros:f32[20] a=rand:f32[20]
@cuda.jit
def sums_a_warp_that_is_not_full(out, a):
    t = cuda.threadIdx.x
    v = a[t]
    v += cuda.shfl_down_sync(0xffffffff, v, 16)  # BUG warp_missed
    out[t] = v


# run: grid=1 block=64 out=zeros:f32[40] a=rand:f32[40]
@cuda.jit
def returns_before_the_shuffle(out, a):
    t = cuda.threadIdx.x
    if t >= a.size:
        return
    v = a[t]
    v += cuda.shfl_xor_sync(0xffffffff, v, 8)  # BUG warp_missed
    out[t] = v


# run: grid=1 block=32 out=zeros:i32[32]
@cuda.jit
def half_a_warp_votes_with_all(out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.ballot_sync(0xffffffff, t % 3)  # BUG warp_missed
    cuda.syncthreads()


# run: grid=1 block=32 out=zeros:i32[32]
@cuda.jit
def votes_without_being_named(out):
    t = cuda.threadIdx.x
    out[t] = cuda.any_sync(0x0fffffff, t == 3)  # BUG warp_missed


# run: grid=1 block=32 out=zeros:i32[32] a=rand:i32[32]
@cuda.jit
def trusts_the_warp_to_keep_step(out, a):
    cache = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    cache[t] = a[t]  # BUG data_race
    out[t] = cache[t ^ 1]  # BUG data_race # BUG unwritten_read


# run: grid=1 block=64 out=zeros:i32[64] a=rand:i32[64]
@cuda.jit
def syncs_warps_for_a_block(out, a):
    cache = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    cache[t] = a[t]
    cuda.syncwarp()
    out[t] = cache[63 - t]  # BUG data_race


# run: grid=1 block=32 out=zeros:i32[32] a=rand:i32[32]
@cuda.jit
def takes_a_shuffle_for_a_barrier(out, a):
    cache = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    cache[t] = a[t]
    v = cuda.shfl_xor_sync(0xffffffff, a[t], 1)
    out[t] = cache[t ^ 1] + v  # BUG data_race


# run: grid=1 block=16 out=zeros:i32[16] a=rand:i32[16] n=12
@cuda.jit
def counts_in_a_branch(out, a, n):
    t = cuda.threadIdx.x
    if t < n:
        out[t] = cuda.syncthreads_count(a[t] > 50)  # BUG barrier_missed
