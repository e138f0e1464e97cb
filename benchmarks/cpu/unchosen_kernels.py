# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small and middle kernels as users write them, one thing each, of which nobody chose tiles or sizes: elements, rows, orders of memory."""

import triton
import triton.language as tl


@triton.jit
def bias_relu(x_ptr, bias_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask) + tl.load(bias_ptr + at % columns, mask=mask)
    tl.store(out_ptr + at, tl.maximum(x, 0.0), mask=mask)


@triton.jit
def channel_scale(x_ptr, scale_ptr, out_ptr, n, points, C, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=mask) * tl.load(scale_ptr + at // points % C, mask=mask), mask=mask)


@triton.jit
def outer_add(a_ptr, b_ptr, c_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    at = rows[:, None] * N + columns[None, :]
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    a, b = tl.load(a_ptr + rows, mask=rows < M), tl.load(b_ptr + columns, mask=columns < N)
    tl.store(out_ptr + at, a[:, None] * b[None, :] + tl.load(c_ptr + at, mask=mask), mask=mask)


@triton.jit
def leaky_relu(x_ptr, out_ptr, n, slope, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.where(x > 0, x, x * slope), mask=at < n)


@triton.jit
def lerp(x_ptr, y_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x, y, w = tl.load(x_ptr + at, mask=mask), tl.load(y_ptr + at, mask=mask), tl.load(w_ptr + at, mask=mask)
    tl.store(out_ptr + at, x + w * (y - x), mask=mask)


@triton.jit
def sine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.sin(tl.load(x_ptr + at, mask=at < n)), mask=at < n)


@triton.jit
def convert(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n).to(out_ptr.dtype.element_ty), mask=at < n)


@triton.jit
def dequantize(q_ptr, scale_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    q = tl.load(q_ptr + row * columns + at, mask=at < columns)
    tl.store(out_ptr + row * columns + at, q.to(tl.float32) * tl.load(scale_ptr + row), mask=at < columns)


@triton.jit
def quantize(x_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.floor(tl.load(x_ptr + at, mask=at < n) * scale + 0.5)
    tl.store(out_ptr + at, tl.minimum(tl.maximum(x, -128.0), 127.0).to(tl.int8), mask=at < n)


@triton.jit
def buckets(x_ptr, out_ptr, n, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + at, ((x * 40503) & 0x7fffffff) % count, mask=at < n)


@triton.jit
def masked_fill(x_ptr, where_ptr, out_ptr, n, value, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    where = tl.load(where_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.where(where, value, tl.load(x_ptr + at, mask=at < n)), mask=at < n)


@triton.jit
def complex_product(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    a, b = tl.load(x_ptr + 2 * at, mask=mask), tl.load(x_ptr + 2 * at + 1, mask=mask)
    c, d = tl.load(y_ptr + 2 * at, mask=mask), tl.load(y_ptr + 2 * at + 1, mask=mask)
    tl.store(out_ptr + 2 * at, a * c - b * d, mask=mask)
    tl.store(out_ptr + 2 * at + 1, a * d + b * c, mask=mask)


@triton.jit
def rotary(x_ptr, cos_ptr, sin_ptr, out_ptr, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < half
    x = x_ptr + row * 2 * half + at
    first, second = tl.load(x, mask=mask), tl.load(x + half, mask=mask)
    cos, sin = tl.load(cos_ptr + row * half + at, mask=mask), tl.load(sin_ptr + row * half + at, mask=mask)
    out = out_ptr + row * 2 * half + at
    tl.store(out, first * cos - second * sin, mask=mask)
    tl.store(out + half, second * cos + first * sin, mask=mask)


@triton.jit
def softplus(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.maximum(x, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(x))), mask=at < n)


@triton.jit
def swiglu(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = at < columns
    gate = tl.load(x_ptr + row * 2 * columns + at, mask=mask).to(tl.float32)
    up = tl.load(x_ptr + row * 2 * columns + columns + at, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * columns + at, gate / (1.0 + tl.exp(-gate)) * up, mask=mask)


@triton.jit
def every_third(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + 3 * at + 1, mask=at < n), mask=at < n)


@triton.jit
def gather(x_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + at, tl.load(x_ptr + index, mask=at < n), mask=at < n)


@triton.jit
def scatter(x_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + index, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def flip(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + n - 1 - at, mask=at < n), mask=at < n)


@triton.jit
def embedding(table_ptr, index_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(index_ptr + tl.program_id(0))
    tl.store(out_ptr + tl.program_id(0) * columns + at, tl.load(table_ptr + row * columns + at, mask=at < columns), mask=at < columns)


@triton.jit
def transpose(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :], mask=mask)
    tl.store(out_ptr + columns[:, None] * M + rows[None, :], tl.trans(x), mask=tl.trans(mask))


@triton.jit
def upper(x_ptr, out_ptr, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    at = rows[:, None] * N + columns[None, :]
    mask = (rows < N)[:, None] & (columns < N)[None, :]
    x = tl.load(x_ptr + at, mask=mask & (rows[:, None] <= columns[None, :]), other=0.0)
    tl.store(out_ptr + at, x, mask=mask)


@triton.jit
def channels_first(x_ptr, out_ptr, n, points, C, BLOCK: tl.constexpr):
    """Points by channels to channels by points, each element's place by quotients."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channel, point = at // points, at % points
    tl.store(out_ptr + at, tl.load(x_ptr + point * C + channel, mask=at < n), mask=at < n)


@triton.jit
def max_pool(x_ptr, out_ptr, W, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = at < width
    upper, lower = x_ptr + 2 * row * W + 2 * at, x_ptr + (2 * row + 1) * W + 2 * at
    above = tl.maximum(tl.load(upper, mask=mask), tl.load(upper + 1, mask=mask))
    below = tl.maximum(tl.load(lower, mask=mask), tl.load(lower + 1, mask=mask))
    tl.store(out_ptr + row * width + at, tl.maximum(above, below), mask=mask)


@triton.jit
def upsample(x_ptr, out_ptr, W, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + row * 2 * W + at, tl.load(x_ptr + row // 2 * W + at // 2, mask=at < 2 * W), mask=at < 2 * W)


@triton.jit
def five_points(x_ptr, out_ptr, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < W
    x = x_ptr + row * W + at
    left, right = tl.load(x - 1, mask=inside & (at > 0), other=0.0), tl.load(x + 1, mask=at + 1 < W, other=0.0)
    above, below = tl.load(x - W, mask=inside & (row > 0), other=0.0), tl.load(x + W, mask=inside & (row + 1 < H), other=0.0)
    tl.store(out_ptr + row * W + at, left + right + above + below - 4 * tl.load(x, mask=inside), mask=inside)


@triton.jit
def filter7(x_ptr, weight_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(7):
        acc += tl.load(weight_ptr + k) * tl.load(x_ptr + at + k, mask=at < n)
    tl.store(out_ptr + at, acc, mask=at < n)
