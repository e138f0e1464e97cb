# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads whose loops, indices and shuffles executors write in forms of their own: rounds that go together,
# indices that are known not to be negative, neighbours in memory that are read while they are overwritten.
from numba import cuda, float32, int32, int64


# run: grid=1 block=32 out=zeros:i64[32] a=rand:i64[300] step=1
# run: grid=1 block=32 out=zeros:i64[32] a=rand:i64[40] step=11
# run: grid=1 block=32 out=zeros:i64[32] a=rand:i64[300] step=97
# run: grid=1 block=32 out=zeros:i64[32] a=rand:i64[300] step=0
# run: grid=1 block=32 out=zeros:i64[32] a=rand:i64[300] step=-3
# run: grid=1 block=32 out=zeros:i64[32] a=rand:i64[300] step=9223372036854775807
# run: grid=1 block=32 out=zeros:i64[32] a=rand:i64[300] step=2305843009213693953
@cuda.jit
def sums_by_steps(out, a, step):
    own = 0
    if step > 0:
        for i in range(cuda.grid(1), a.size, step):
            own = own * 3 + a[i]
    out[cuda.grid(1)] = own


# run: grid=2 block=8 out=zeros:f32[16] a=rand:f32[0]
# run: grid=2 block=8 out=zeros:f32[16] a=rand:f32[15]
# run: grid=2 block=8 out=zeros:f32[16] a=rand:f32[49]
# run: grid=2 block=8 out=zeros:f32[16] a=rand:f32[64]
# run: grid=2 block=8 out=zeros:f32[16] a=rand:f32[117]
# run: grid=2 block=8 out=zeros:f32[16] a=rand:f32[143]
@cuda.jit
def sums_by_the_grid(out, a):
    own = float32(0)
    last = int32(-1)
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        own += a[i] if i % 3 else -a[i]
        last = i
    out[cuda.grid(1)] = own + last


# run: grid=1 block=16 out=zeros:i64[16] n=0 first=0
# run: grid=1 block=16 out=zeros:i64[16] n=37 first=-5
# run: grid=1 block=16 out=zeros:i64[16] n=40 first=0
# run: grid=1 block=16 out=zeros:i64[16] n=-3 first=2
@cuda.jit
def counts_up_and_down(out, n, first):
    t = cuda.threadIdx.x
    own = 0
    for i in range(first, n):
        own = own * 5 + i * t
    for i in range(n, first, -1):
        own = own * 7 - i
    for i in range(first, n + t, 3):
        own = own ^ i
    out[t] = own


# run: grid=1 block=64 out=empty:i32[64] a=rand:i32[64]
# run: grid=1 block=100 out=empty:i32[100] a=rand:i32[100]
# run: grid=3 block=256 out=empty:i32[700] a=rand:i32[700]
@cuda.jit
def prefix_sums(out, a):
    sums = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    sums[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    distance = 1
    while distance < cuda.blockDim.x:
        before = sums[t - distance] if t >= distance else 0
        cuda.syncthreads()
        sums[t] += before
        cuda.syncthreads()
        distance *= 2
    if i < a.size:
        out[i] = sums[t]


# run: grid=1 block=64 out=empty:i64[64] a=rand:i64[64] distance=0
# run: grid=1 block=64 out=empty:i64[64] a=rand:i64[64] distance=5
# run: grid=1 block=96 out=empty:i64[96] a=rand:i64[96] distance=40
# run: grid=1 block=64 out=empty:i64[64] a=rand:i64[64] distance=-7
@cuda.jit
def adds_what_is_behind_and_ahead(out, a, distance):
    held = cuda.shared.array(256, int64)
    t = cuda.threadIdx.x
    for i in range(t, 256, cuda.blockDim.x):
        held[i] = a[i] if i < a.size else i
    cuda.syncthreads()
    if distance >= 0:
        ahead = held[t + distance]
        cuda.syncthreads()
        held[t] = ahead * 3 + held[t]
        cuda.syncthreads()
    far = distance * distance
    behind = held[t - far] if t >= far else t
    cuda.syncthreads()
    held[t] -= behind
    cuda.syncthreads()
    both = held[t - 1 if t > 0 else 0] + held[t + 1]
    cuda.syncthreads()
    held[t] = both
    cuda.syncthreads()
    out[t] = held[t]


# run: grid=2 block=32 out=empty:f32[50] a=rand:f32[50] low=3
# run: grid=2 block=32 out=empty:f32[50] a=rand:f32[50] low=-3
# run: grid=2 block=32 out=empty:f32[50] a=rand:f32[50] low=0
@cuda.jit
def guarded_indices(out, a, low):
    i = cuda.grid(1)
    if i < a.size:
        left = a[i - 1] if i >= 1 else 0
        right = a[i + 1] if i < a.size - 1 else float32(-0.0)
        inside = a[i - low] if low <= i and i - low < a.size else 2
        end = a[i - a.size]
        kept = left
        j = i
        while j > 0 and a[j - 1] < kept:
            kept = a[j - 1]
            j //= 2
        out[i] = left + 3 * right - inside + end * kept


# run: grid=1 block=64 out=empty:f32[64] whole=empty:i64[64] a=rand:f32[64] b=rand:i64[64] far=3
# run: grid=1 block=32,2 out=empty:f32[64] whole=empty:i64[64] a=rand:f32[64] b=rand:i64[64] far=31
# run: grid=1 block=4,4,4 out=empty:f32[64] whole=empty:i64[64] a=rand:f32[64] b=rand:i64[64] far=32
# run: grid=1 block=64 out=empty:f32[64] whole=empty:i64[64] a=rand:f32[64] b=rand:i64[64] far=-1
# run: grid=1 block=64 out=empty:f32[64] whole=empty:i64[64] a=rand:f32[64] b=rand:i64[64] far=70
@cuda.jit
def shuffles_by_distance(out, whole, a, b, far):
    t = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    v = a[t]
    distance = cuda.warpsize // 2
    while distance > 0:
        v += cuda.shfl_down_sync(-1, v, distance)
        distance //= 2
    for bit in range(5):
        v = v * 2 - cuda.shfl_xor_sync(-1, v, 1 << bit)
    v = v - cuda.shfl_up_sync(-1, v, 1) + 2 * cuda.shfl_down_sync(-1, v, 31) - cuda.shfl_up_sync(-1, v, 32)
    v += cuda.shfl_down_sync(-1, v, 32)
    if far >= 0:
        v += cuda.shfl_up_sync(-1, v, far) + 5 * cuda.shfl_down_sync(-1, v, far)
    w = b[t]
    w = w * 3 + cuda.shfl_down_sync(-1, w, 2) - cuda.shfl_up_sync(-1, w, 7) * 5 + cuda.shfl_xor_sync(-1, w, 31)
    if 0 <= far < 32:
        w = w * 7 - cuda.shfl_sync(-1, w, far) + cuda.shfl_xor_sync(-1, w, far)
    out[t] = v
    whole[t] = w


# run: grid=2 block=48 out=empty:f32[96] a=rand:f32[90] b=rand:i16[70] c=rand:f64[96]
@cuda.jit
def zero_where_nothing_is(out, a, b, c):
    i = cuda.grid(1)
    x = a[i] if i < a.size else 0
    y = b[i] if i < b.size else 0
    z = c[i] if c[i] > 0 else 0.0
    w = a[i] if i < a.size and a[i] > 0 else -0.0
    out[i] = x + y * z - 1 / w if w != 0 else x


# run: grid=2 block=24 out=zeros:i64[48] a=rand:i64[200] n=200 low=0
# run: grid=2 block=24 out=zeros:i64[48] a=rand:i64[200] n=23 low=5
# run: grid=2 block=24 out=zeros:i64[48] a=rand:i64[200] n=-1 low=40
# run: grid=2 block=12,2 out=zeros:i64[48] a=rand:i64[200] n=131 low=-2
# run: grid=2 block=24 out=zeros:i64[48] a=rand:i64[200] n=9223372036854775807 low=48
@cuda.jit
def strides_of_the_block(out, a, n, low):
    t = cuda.threadIdx.x + cuda.threadIdx.y * cuda.blockDim.x
    i = cuda.blockIdx.x * 24 + t
    threads = cuda.blockDim.x * cuda.blockDim.y
    own = i
    if i >= low:
        last = -1
        for j in range(t, n, threads):
            if j < a.size:
                own = own * 3 + a[j]
            last = j
            if j > 500:
                break
        for j in range(t, min(n, a.size), threads * 2):
            for k in range(j % 3):
                own += a[j] * k
            a_last = j
            last ^= a_last
        for j in range(3 + t, min(n, a.size), threads):
            own ^= a[j - 3]
        own += last
    out[i] = own


# run: grid=2 block=32 out=zeros:f64[150] count=zeros:i32[3] a=rand:f32[150]
@cuda.jit
def writes_by_strides(out, count, a):
    first = int32(cuda.grid(1))
    for i in range(first, int32(a.size), int32(cuda.gridsize(1))):
        out[i] = a[i] * 2 if a[i] > 0 else a[a.size - 1 - i]
    for i in range(cuda.threadIdx.x, 150, 32):
        if cuda.blockIdx.x == 1:
            cuda.atomic.add(count, i // 50, 1)


# Rounds that count in memory of the block: what they load comes first, four rounds at a time.
# run: grid=2 block=32 out=zeros:i32[16] a=rand:f64[1000] low=0.0 high=0.75
@cuda.jit
def counted(out, a, low, high):
    counts = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if t < 16:
        counts[t] = 0
    cuda.syncthreads()
    scale = 16 / (high - low)
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        place = int((a[i] - low) * scale)
        if place >= 0 and place < 16:
            cuda.atomic.add(counts, place, i & 3)
        elif a[i] > 0.9:
            cuda.atomic.add(counts, 15, 5)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(out, t, counts[t])


# Rounds that count where they load from: each sees what those before it did.
# run: grid=1 block=1 a=arange:i32[64] n=50
@cuda.jit
def counted_in_place(a, n):
    step = n // 50
    for i in range(step, n, step):
        before = a[i]
        cuda.atomic.add(a, i + 1, before & 7)
