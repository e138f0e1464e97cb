# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads without a mistake, whose threads work together: close to those of ../bugs, and right.
import numba
from numba import cuda, float32, float64, int32, int64


# run: grid=1 block=8,8 a=rand:f32[8,8]
@cuda.jit
def transposes_in_place_behind_a_barrier(a):
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    v = a[x, y]
    cuda.syncthreads()
    a[y, x] = v


# run: grid=3,2 block=16,4 out=empty:f32[40,25] a=rand:f32[25,40]
@cuda.jit
def transposes_by_padded_tiles(out, a):
    tile = cuda.shared.array((16, 17), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    for part in range(0, 16, 4):
        y = cuda.blockIdx.y * 16 + ty + part
        x = cuda.blockIdx.x * 16 + tx
        if y < a.shape[0] and x < a.shape[1]:
            tile[ty + part, tx] = a[y, x]
    cuda.syncthreads()
    for part in range(0, 16, 4):
        y = cuda.blockIdx.x * 16 + ty + part
        x = cuda.blockIdx.y * 16 + tx
        if y < out.shape[0] and x < out.shape[1]:
            out[y, x] = tile[tx, ty + part]


# run: grid=2 block=64 out=empty:f32[128] a=rand:f32[128]
@cuda.jit
def scans_in_two_buffers(out, a):
    sums = cuda.shared.array((2, 64), float32)
    t = cuda.threadIdx.x
    sums[0, t] = a[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    now = 0
    while step < 64:
        v = sums[now, t]
        if t >= step:
            v += sums[now, t - step]
        now = 1 - now
        sums[now, t] = v
        cuda.syncthreads()
        step *= 2
    out[cuda.grid(1)] = sums[now, t]


# run: grid=1 block=64 out=empty:i32[64] a=rand:i32[64]
@cuda.jit
def scans_with_two_barriers(out, a):
    sums = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    sums[t] = a[t]
    cuda.syncthreads()
    step = 1
    while step < 64:
        v = sums[t - step] if t >= step else 0
        cuda.syncthreads()
        sums[t] += v
        cuda.syncthreads()
        step *= 2
    out[t] = sums[t]


# run: grid=2 block=96 out=empty:i32[192] a=rand:i32[192]
@cuda.jit
def scans_by_warps(out, a):
    totals = cuda.shared.array(3, int32)
    t = cuda.threadIdx.x
    lane = cuda.laneid
    v = a[cuda.grid(1)]
    step = 1
    while step < 32:
        below = cuda.shfl_up_sync(0xffffffff, v, step)
        if lane >= step:
            v += below
        step *= 2
    if lane == 31:
        totals[t // 32] = v
    cuda.syncthreads()
    for w in range(t // 32):
        v += totals[w]
    out[cuda.grid(1)] = v


# run: grid=2,2 block=8,8 c=empty:f32[13,15] a=rand:f32[13,21] b=rand:f32[21,15]
@cuda.jit
def product_of_tiles(c, a, b):
    left = cuda.shared.array((8, 8), float32)
    right = cuda.shared.array((8, 8), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    x, y = cuda.grid(2)
    total = float32(0)
    for k in range(0, a.shape[1], 8):
        left[ty, tx] = a[y, k + tx] if y < a.shape[0] and k + tx < a.shape[1] else 0
        right[ty, tx] = b[k + ty, x] if k + ty < b.shape[0] and x < b.shape[1] else 0
        cuda.syncthreads()
        for j in range(8):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


# run: grid=4 block=16 partial=empty:f32[4] ready=zeros:i32[1] out=zeros:f32[1] a=rand:f32[64]
@cuda.jit
def last_to_arrive_adds_all(partial, ready, out, a):
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        total = float32(0)
        for k in range(16):
            total += a[b * 16 + k]
        partial[b] = total
        cuda.threadfence()
        if cuda.atomic.add(ready, 0, 1) == cuda.gridDim.x - 1:
            cuda.threadfence()
            total = float32(0)
            for k in range(4):
                total += partial[k]
            out[0] = total


# run: grid=2 block=32 histogram=zeros:i32[8] a=arange:i32[64]
@cuda.jit
def flushes_when_all_have_counted(histogram, a):
    bins = cuda.shared.array(8, int32)
    t = cuda.threadIdx.x
    if t < 8:
        bins[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(bins, a[cuda.grid(1)] % 8, 1)
    cuda.syncthreads()
    if t < 8:
        cuda.atomic.add(histogram, t, bins[t])


# run: grid=2 block=16 out=zeros:f32[32] a=rand:f32[64]
@cuda.jit
def clears_the_total_in_time(out, a):
    total = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    for k in range(2):
        if t == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, a[k * 32 + cuda.grid(1)])
        cuda.syncthreads()
        out[cuda.grid(1)] += total[0]
        cuda.syncthreads()


# run: grid=1 block=16 out=zeros:f32[16] a=rand:f32[64]
@cuda.jit
def changes_the_other_buffer(out, a):
    held = cuda.shared.array((2, 16), float32)
    t = cuda.threadIdx.x
    held[0, t] = a[t]
    cuda.syncthreads()
    for k in range(1, 4):
        held[k % 2, t] = a[k * 16 + t]
        out[t] += held[1 - k % 2, 15 - t]
        cuda.syncthreads()
    out[t] += held[1, 15 - t]


# run: grid=1 block=40 out=zeros:f32[1] a=rand:f32[40]
@cuda.jit
def halves_a_block_of_forty(out, a):
    held = cuda.shared.array(40, float32)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncthreads()
    left = 40
    while left > 1:
        half = (left + 1) // 2
        if t < left - half:
            held[t] += held[t + half]
        cuda.syncthreads()
        left = half
    if t == 0:
        out[0] = held[0]


# run: grid=3 block=16 out=empty:f32[48] a=rand:f32[48]
@cuda.jit
def fetches_the_halo(out, a):
    held = cuda.shared.array(18, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t + 2] = a[i]
    if t < 2:
        held[t] = a[i - 2] if i >= 2 else 0
    cuda.syncthreads()
    out[i] = held[t] + held[t + 1] + held[t + 2]


# run: grid=1 block=32 out=zeros:i32[32] a=rand:i32[32]
@cuda.jit
def all_go_as_often_as_the_longest(out, a):
    t = cuda.threadIdx.x
    left = t % 5 + 1
    while cuda.syncthreads_or(left > 0):
        if left > 0:
            out[t] += a[t]
            left -= 1


# run: grid=1 block=32 out=zeros:i32[32] limit=5
@cuda.jit
def all_break_together(out, limit):
    t = cuda.threadIdx.x
    for k in range(8):
        if k == limit:
            break
        out[t] += k
        cuda.syncthreads()


# run: grid=1 block=16 out=zeros:i32[16] a=rand:i32[16]
@cuda.jit
def barrier_that_all_reach_in_a_function(out, a):
    held = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    out[t] = turned(held, t, a[t])


@cuda.jit(device=True)
def turned(held, t, v):
    held[t] = v
    cuda.syncthreads()
    return held[15 - t]


# run: grid=3 block=32 out=zeros:f32[80] a=rand:f32[80]
@cuda.jit
def guards_around_the_barrier(out, a):
    held = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < a.size:
        held[t] = a[i]
    cuda.syncthreads()
    if i < a.size:
        out[i] = held[t ^ 1] if i ^ 1 < a.size else 0


# run: grid=3 block=32 out=zeros:i64[3]
@cuda.jit
def whole_blocks_return(out):
    if cuda.blockIdx.x == 1:
        return
    cuda.syncthreads()
    count = cuda.syncthreads_count(cuda.threadIdx.x % 3 == 0)
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = count


# run: grid=1 block=32 out=empty:i32[32] a=rand:i32[32]
@cuda.jit
def warp_syncs_between(out, a):
    held = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncwarp()
    out[t] = held[31 - t]


# run: grid=1 block=32 out=empty:i32[32]
@cuda.jit
def halves_sync_for_themselves(out):
    held = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    held[t] = t * t
    if t < 16:
        cuda.syncwarp(0x0000ffff)
        out[t] = held[15 - t]
    else:
        cuda.syncwarp(0xffff0000)
        out[t] = held[47 - t]


# run: grid=2 block=32 out=empty:f32[64] a=rand:f32[64]
@cuda.jit
def butterfly(out, a):
    i = cuda.grid(1)
    v = a[i]
    for step in (16, 8, 4, 2, 1):
        v = max(v, cuda.shfl_xor_sync(0xffffffff, v, step))
    out[i] = v


# run: grid=1 block=64 out=empty:f64[64] a=rand:f64[64]
@cuda.jit
def shuffles_of_64_bits(out, a):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_sync(0xffffffff, a[t], (t * 7 + 3) % 32) - cuda.shfl_down_sync(0xffffffff, a[t], 5)


# run: grid=1 block=32 out=empty:i64[32] a=rand:i32[32]
@cuda.jit
def votes_before_some_leave(out, a):
    t = cuda.threadIdx.x
    alive = True
    for k in range(4):
        who = cuda.ballot_sync(0xffffffff, alive)
        out[t] = cuda.popc(who)
        if a[t] % 4 == k:
            alive = False


# run: grid=1 block=64 out=empty:i64[64] a=rand:i32[64]
@cuda.jit
def equals_in_a_warp(out, a):
    t = cuda.threadIdx.x
    same = cuda.match_any_sync(0xffffffff, a[t] % 5)
    out[t] = cuda.popc(same)


# run: grid=1 block=64 out=empty:i64[64] a=rand:i32[64]
@cuda.jit
def all_votes(out, a):
    t = cuda.threadIdx.x
    odd = a[t] % 2 == 1
    v = 0
    if cuda.all_sync(0xffffffff, a[t] >= 0):
        v += 1
    if cuda.any_sync(0xffffffff, odd):
        v += 2
    if cuda.eq_sync(0xffffffff, t // 32 == 0):
        v += 4
    if cuda.syncthreads_and(a[t] >= 0):
        v += 8
    out[t] = v


# run: grid=4 block=64 out=zeros:i32[1] lock=zeros:i32[1]
@cuda.jit
def one_thread_of_a_block_takes_the_lock(out, lock):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(lock, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        out[0] += cuda.blockIdx.x + 1
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)


# run: grid=2 block=32 most=zeros:i32[1] least=zeros:i32[1] bits=zeros:u32[3] a=rand:i32[64]
@cuda.jit
def atomics_of_every_kind(most, least, bits, a):
    i = cuda.grid(1)
    cuda.atomic.max(most, 0, a[i])
    cuda.atomic.min(least, 0, -a[i])
    cuda.atomic.or_(bits, 0, 1 << a[i] % 32)
    cuda.atomic.xor(bits, 1, 1 << a[i] % 32)
    cuda.atomic.sub(bits, 2, 1)


# run: grid=2 block=32 out=zeros:f64[2,3] a=rand:f64[64]
@cuda.jit
def atomics_of_a_matrix(out, a):
    i = cuda.grid(1)
    cuda.atomic.max(out, (cuda.blockIdx.x, i % 3), a[i])


# run: grid=2 block=32 out=zeros:i32[8] tail=zeros:i32[1] a=arange:i32[64] # in any order: out
@cuda.jit
def keeps_some_in_any_order(out, tail, a):
    i = cuda.grid(1)
    if a[i] % 8 == 3:
        out[cuda.atomic.add(tail, 0, 1)] = a[i]


# run: grid=1 block=32 out=empty:i32[32] a=rand:i32[32]
@cuda.jit
def sorts_by_turns(out, a):
    held = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncthreads()
    for turn in range(32):
        if t % 2 == turn % 2 and t < 31:
            low, high = held[t], held[t + 1]
            if low > high:
                held[t], held[t + 1] = high, low
        cuda.syncthreads()
    out[t] = held[t]


# run: grid=1 block=64 out=empty:i32[64] a=rand:i32[64]
@cuda.jit
def bitonic_sort(out, a):
    held = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncthreads()
    size = 2
    while size <= 64:
        step = size // 2
        while step > 0:
            other = t ^ step
            if other > t:
                rises = t & size == 0
                if (held[t] > held[other]) == rises:
                    held[t], held[other] = held[other], held[t]
            cuda.syncthreads()
            step //= 2
        size *= 2
    out[t] = held[t]


# run: grid=2 block=16 shared=192 out=empty:f64[32] a=rand:f64[32]
@cuda.jit
def two_views_of_the_memory_of_a_launch(out, a):
    held = cuda.shared.array(0, float64)
    words = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t] = a[i]
    words[32 + t] = t
    cuda.syncthreads()
    out[i] = held[15 - t] + words[47 - t]
