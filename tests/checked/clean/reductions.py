# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Correct kernels that combine elements: reductions, scans, products.
import triton
import triton.language as tl


# run: grid=4 x=rand:f32[4,100] out=empty:f32[4,100] n=100 BLOCK=128
@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    v = tl.load(x + row + offs, mask=offs < n, other=-float('inf'))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + offs, e / tl.sum(e, axis=0), mask=offs < n)


# run: grid=1 x=rand:f32[100] out=empty:f32[1] n=100 BLOCK=128
@triton.jit
def sum_with_other(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + offs, mask=offs < n, other=0.0), axis=0))


# run: grid=4 x=rand:f32[1000] y=rand:f32[1000] out=zeros:f32[1] n=1000 BLOCK=256
@triton.jit
def dot_product_that_counts_on_zeros(x, y, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    products = tl.load(x + offs, mask=mask) * tl.load(y + offs, mask=mask)
    tl.atomic_add(out, tl.sum(products))


# run: grid=1 x=rand:f32[100] out=empty:f32[1] n=100 BLOCK=128
@triton.jit
def sum_with_where(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)
    tl.store(out, tl.sum(tl.where(offs < n, v, 0.0), axis=0))


# run: grid=4 x=rand:f32[4,100] w=ones:f32[100] b=zeros:f32[100] out=empty:f32[4,100] n=100 BLOCK=128
@triton.jit
def layer_norm(x, w, b, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    row = tl.program_id(0) * n
    v = tl.load(x + row + offs, mask=mask, other=0.0)
    mean = tl.sum(v, axis=0) / n
    centred = tl.where(mask, v - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n
    scale = tl.load(w + offs, mask=mask)
    shift = tl.load(b + offs, mask=mask)
    tl.store(out + row + offs, centred / tl.sqrt(variance + 1e-5) * scale + shift, mask=mask)


# run: grid=4 x=rand:f32[4,300] out=empty:f32[4] n=300 BLOCK=128
@triton.jit
def row_sums_in_pieces(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        acc += tl.load(x + row * n + offs, mask=offs < n, other=0.0)
    tl.store(out + row, tl.sum(acc, axis=0))


# run: grid=1 x=rand:f32[100] out=empty:f32[100] n=100 BLOCK=128
@triton.jit
def cumulative_sum(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)
    tl.store(out + offs, tl.cumsum(v, axis=0), mask=offs < n)


# run: grid=(2,2) a=rand:f32[50,40] b=rand:f32[40,60] c=empty:f32[50,60] M=50 N=60 K=40 B=32
@triton.jit
def matmul(a, b, c, M, N, K, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    inner = tl.arange(0, B)
    acc = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, B):
        ks = k + inner
        x = tl.load(a + rows[:, None] * K + ks[None, :],
                    mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
        y = tl.load(b + ks[:, None] * N + columns[None, :],
                    mask=(ks[:, None] < K) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * N + columns[None, :], acc,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


# run: grid=4 a=rand:f32[50,32] b=rand:f32[32,60] c=empty:f32[50,60] M=50 N=60 K=32 B=32
@triton.jit
def matmul_with_wrapped_rows(a, b, c, M, N, K, B: tl.constexpr):
    pid = tl.program_id(0)
    rows = (pid // 2 * B + tl.arange(0, B)) % M
    columns = (pid % 2 * B + tl.arange(0, B)) % N
    inner = tl.arange(0, B)
    x = tl.load(a + rows[:, None] * K + inner[None, :])
    y = tl.load(b + inner[:, None] * N + columns[None, :])
    acc = tl.dot(x, y)
    r = pid // 2 * B + tl.arange(0, B)
    s = pid % 2 * B + tl.arange(0, B)
    tl.store(c + r[:, None] * N + s[None, :], acc, mask=(r[:, None] < M) & (s[None, :] < N))


# run: grid=1 a=rand:f32[32,20] b=rand:f32[20,32] c=empty:f32[20,20] K=20
@triton.jit
def dot_whose_rows_are_left_out(a, b, c, K):
    r = tl.arange(0, 32)
    x = tl.load(a + r[:, None] * K + r[None, :], mask=r[None, :] < K, other=0.0)
    y = tl.load(b + r[:, None] * 32 + r[None, :], mask=r[:, None] < K, other=0.0)
    inside = (r[:, None] < K) & (r[None, :] < K)
    tl.store(c + r[:, None] * K + r[None, :], tl.dot(x, y), mask=inside)


# run: grid=1 x=rand:f32[50] out=empty:f32[50] n=50
@triton.jit
def sorted_with_padding(x, out, n):
    offs = tl.arange(0, 64)
    v = tl.load(x + offs, mask=offs < n, other=float('inf'))
    tl.store(out + offs, tl.sort(v), mask=offs < n)


# run: grid=1 x=rand:f32[64] best=empty:i32[1]
@triton.jit
def index_of_the_maximum(x, best):
    tl.store(best, tl.argmax(tl.load(x + tl.arange(0, 64)), axis=0))


# run: grid=2 x=rand:f32[2,16,16] out=empty:f32[2,16,16]
@triton.jit
def transposed(x, out):
    r = tl.arange(0, 16)
    at = tl.program_id(0) * 256 + r[:, None] * 16 + r[None, :]
    tl.store(out + at, tl.trans(tl.load(x + at)))


# run: grid=4 x=rand:f32[4,100] target=zeros:i32[4] loss=empty:f32[4] n=100 BLOCK=128
@triton.jit
def cross_entropy(x, target, loss, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + offs, mask=offs < n, other=-float('inf'))
    m = tl.max(v, axis=0)
    total = tl.log(tl.sum(tl.exp(v - m), axis=0)) + m
    chosen = tl.load(x + row * n + tl.load(target + row))
    tl.store(loss + row, total - chosen)


# run: grid=2 q=randn:f32[64,16] k=randn:f32[64,16] v=randn:f32[64,16] out=empty:f32[64,16] n=50
@triton.jit
def attention(q, k, v, out, n):
    rows = tl.program_id(0) * 32 + tl.arange(0, 32)
    d = tl.arange(0, 16)
    query = tl.load(q + rows[:, None] * 16 + d[None, :])
    m = tl.full((32,), -float('inf'), tl.float32)
    total = tl.zeros((32,), tl.float32)
    acc = tl.zeros((32, 16), tl.float32)
    for start in range(0, n, 32):
        columns = start + tl.arange(0, 32)
        inside = columns < n
        key = tl.load(k + columns[:, None] * 16 + d[None, :], mask=inside[:, None], other=0.0)
        value = tl.load(v + columns[:, None] * 16 + d[None, :], mask=inside[:, None], other=0.0)
        score = tl.dot(query, tl.trans(key))
        score = tl.where(inside[None, :], score, -float('inf'))
        best = tl.maximum(m, tl.max(score, axis=1))
        p = tl.exp(score - best[:, None])
        old = tl.exp(m - best)
        total = total * old + tl.sum(p, axis=1)
        acc = acc * old[:, None] + tl.dot(p, value)
        m = best
    tl.store(out + rows[:, None] * 16 + d[None, :], acc / total[:, None])


# run: grid=1 x=rand:i32[50] out=zeros:i32[8] n=50
@triton.jit
def histogram_of_part(x, out, n):
    offs = tl.arange(0, 64)
    v = tl.load(x + offs, mask=offs < n)
    tl.store(out + tl.arange(0, 8), tl.histogram(v % 8, 8, mask=offs < n))


# run: grid=1 x=rand:f32[3,50] out=empty:f32[50] n=50
@triton.jit
def columns_summed_under_row_mask(x, out, n):
    r = tl.arange(0, 4)
    c = tl.arange(0, 64)
    v = tl.load(x + r[:, None] * n + c[None, :], mask=(r[:, None] < 3) & (c[None, :] < n), other=0.0)
    tl.store(out + c, tl.sum(v, axis=0), mask=c < n)


# run: grid=1 x=rand:f32[4,50] out=empty:f32[50] n=50
@triton.jit
def columns_left_out_stay_out(x, out, n):
    r = tl.arange(0, 4)
    c = tl.arange(0, 64)
    v = tl.load(x + r[:, None] * n + c[None, :], mask=(c < n)[None, :])
    tl.store(out + c, tl.sum(v, axis=0), mask=c < n)


# run: grid=4 x=rand:f32[4,64] mean=empty:f32[4] deviation=empty:f32[4]
@triton.jit
def welford(x, mean, deviation):
    row = tl.program_id(0)
    m = 0.0
    s = 0.0
    for i in range(0, 64):
        v = tl.load(x + row * 64 + i)
        d = v - m
        m += d / (i + 1)
        s += d * (v - m)
    tl.store(mean + row, m)
    tl.store(deviation + row, tl.sqrt(s / 64))


# run: grid=1 x=arange:i32[64] out=empty:i32[1]
@triton.jit
def hash_of_all(x, out):
    h = tl.load(x + tl.arange(0, 64)) * 1640531527
    tl.store(out, tl.sum(h, axis=0))


# run: grid=1 x=arange:i32[64] out=zeros:i32[64]
@triton.jit
def bucket_of_a_wrapped_sum(x, out):
    h = tl.cumsum(tl.load(x + tl.arange(0, 64)) * 1640531527, axis=0)
    tl.atomic_add(out + (h & 63), 1)


# run: grid=1 x=arange:i32[33] out=zeros:i32[33] n=33
@triton.jit
def kept_elements_move_together(x, out, n):
    lanes = tl.arange(0, 64)
    v = tl.load(x + lanes, mask=lanes < n, other=0)
    keep = (lanes < n) & (v % 3 == 1)
    at = tl.cumsum(keep.to(tl.int32), axis=0) - 1
    tl.store(out + at, v, mask=keep)


# run: grid=1 x=arange:i32[33] out=zeros:i32[64] n=33
@triton.jit
def sizes_left_out_count_as_zero(x, out, n):
    lanes = tl.arange(0, 64)
    size = tl.load(x + lanes, mask=lanes < n) % 2
    tl.store(out + tl.sum(size, axis=0), 1)
    tl.store(out + tl.cumsum(size, axis=0), 1, mask=lanes < n)


# run: grid=1 x=arange:i32[64] out=empty:i32[64]
@triton.jit
def quotients_that_are_not_chosen(x, out):
    lanes = tl.arange(0, 64)
    tl.store(out + lanes, tl.associative_scan(tl.load(x + lanes) % 3, 0, divide_safely))


@triton.jit
def divide_safely(a, b):
    return tl.where(b == 0, a, a // b)
