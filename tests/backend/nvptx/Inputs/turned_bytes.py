# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Products of bytes whose factors lie along the result in memory, which warps turn on their way to registers.
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            LEFT_BY_ROWS: tl.constexpr, RIGHT_BY_ROWS: tl.constexpr, SUM: tl.constexpr, TYPE: tl.constexpr = tl.int8,
            RIGHT: tl.constexpr = None):
    """Whatever a tile has beyond the factors' ends is zero. Bytes may be floats."""
    if TYPE != tl.int8:
        a = tl.multiple_of(a.to(tl.pointer_type(TYPE)), 16)
        b = tl.multiple_of(b.to(tl.pointer_type(RIGHT or TYPE)), 16)
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), SUM)
    for at in range(0, K, BLOCK_K):
        if LEFT_BY_ROWS:
            left_at = a + i[:, None] * K + (at + k)[None, :]
        else:
            left_at = a + i[:, None] + (at + k)[None, :] * M
        if RIGHT_BY_ROWS:
            right_at = b + (at + k)[:, None] * N + j[None, :]
        else:
            right_at = b + (at + k)[:, None] + j[None, :] * K
        left = tl.load(left_at, (i < M)[:, None] & (at + k < K)[None, :], 0)
        right = tl.load(right_at, (at + k < K)[:, None] & (j < N)[None, :], 0)
        total = tl.dot(left, right, total, out_dtype=SUM)
    tl.store(c + i[:, None] * N + j[None, :], total.to(c.dtype.element_ty), (i < M)[:, None] & (j < N)[None, :])


@triton.jit
def scaled_product(a, b, scales, c, N: tl.constexpr, K, M: tl.constexpr, D: tl.constexpr):
    """Of e4m3, the right factor along the result; each round's product is scaled before it is added."""
    a = tl.multiple_of(a.to(tl.pointer_type(tl.float8e4nv)), 16)
    b = tl.multiple_of(b.to(tl.pointer_type(tl.float8e4nv)), 16)
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        right = tl.load(b + (at + k)[:, None] * N + j[None, :])
        total += tl.dot(left, right) * tl.load(scales + i)[:, None]
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def looked_up_product(a, b, rows, c, N: tl.constexpr, K, M: tl.constexpr, D: tl.constexpr):
    """No boxes of e4m3: rows of the right factor lie anywhere."""
    a = tl.multiple_of(a.to(tl.pointer_type(tl.float8e4nv)), 16)
    b = tl.multiple_of(b.to(tl.pointer_type(tl.float8e4nv)), 16)
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        row = tl.load(rows + at + k)
        right = tl.load(b + row[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def single_product(a, b, c, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Of e4m3, without rounds."""
    a = tl.multiple_of(a.to(tl.pointer_type(tl.float8e4nv)), 16)
    b = tl.multiple_of(b.to(tl.pointer_type(tl.float8e4nv)), 16)
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    left = tl.load(a + i[:, None] * D + k[None, :])
    right = tl.load(b + k[:, None] * N + j[None, :])
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(left, right))


@triton.jit
def chained_product(q, k, v, out, N, M: tl.constexpr, B: tl.constexpr, D: tl.constexpr, E: tl.constexpr):
    """A product of what a product gives, as in attention: values lie along their columns."""
    i, j, d, e = tl.arange(0, M), tl.arange(0, B), tl.arange(0, D), tl.arange(0, E)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros((M, E), tl.int32)
    for at in range(0, N, B):
        keys = tl.load(k + (at + j)[:, None] * D + d[None, :])
        scores = tl.dot(queries, keys.T, out_dtype=tl.int32)
        values = tl.load(v + (at + j)[:, None] * E + e[None, :])
        total = tl.dot((scores & 63).to(tl.int8), values, total * 2, out_dtype=tl.int32)
    tl.store(out + i[:, None] * E + e[None, :], total)


@triton.jit
def kept_product(a, b, c, ROUNDS, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """A right factor along the result that no round makes."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    right = tl.load(b + k[:, None] * N + j[None, :])
    total = tl.zeros((M, N), tl.int32)
    for at in range(ROUNDS):
        left = tl.load(a + (at * M + i)[:, None] * D + k[None, :])
        total = tl.dot(left, right, total, out_dtype=tl.int32)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def attention(q, k, v, out, N, scale, M: tl.constexpr, B: tl.constexpr, D: tl.constexpr, STRIDE: tl.constexpr,
              BY_COLUMNS: tl.constexpr):
    """Of e4m3, over as many keys as there are: the last tile of them is no whole one."""
    q = tl.multiple_of(q.to(tl.pointer_type(tl.float8e4nv)), 16)
    k = tl.multiple_of(k.to(tl.pointer_type(tl.float8e4nv)), 16)
    v = tl.multiple_of(v.to(tl.pointer_type(tl.float8e4nv)), 16)
    i, j, d = tl.arange(0, M), tl.arange(0, B), tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    peak = tl.full([M], -1e30, dtype=tl.float32)
    weight = tl.zeros([M], dtype=tl.float32)
    total = tl.zeros([M, D], dtype=tl.float32)
    for at in range(0, N, B):
        is_key = at + j < N
        keys = tl.load(k + (at + j)[:, None] * D + d[None, :], is_key[:, None], 0)
        scores = tl.where(is_key[None, :], tl.dot(queries, keys.T) * scale, -1e30)
        higher = tl.maximum(peak, tl.max(scores, 1))
        power = tl.exp2(scores - higher[:, None])
        fade = tl.exp2(peak - higher)
        weight = weight * fade + tl.sum(power, 1)
        if BY_COLUMNS:
            values = tl.load(v + (at + j)[:, None] + d[None, :] * STRIDE, is_key[:, None], 0)
        else:
            values = tl.load(v + (at + j)[:, None] * D + d[None, :], is_key[:, None], 0)
        total = tl.dot(power.to(tl.float8e4nv), values, total * fade[:, None])
        peak = higher
    tl.store(out + i[:, None] * D + d[None, :], total / weight[:, None])
