# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels that move elements between threads in each way there is.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def sums_so_far(x, out, n, BLOCK: tl.constexpr, REVERSE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0)
    tl.store(out + offs, tl.cumsum(v, 0, reverse=REVERSE), mask=offs < n)


@triton.jit
def sums_along(x, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), AXIS, reverse=REVERSE))


@triton.jit
def products_3d(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr):
    at = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    tl.store(out + at, tl.cumprod(tl.load(x + at), AXIS))


@triton.jit
def _after(a1, b1, a2, b2):
    # x -> a x + b, one after the other: does not commute
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, out, M: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    factors, terms = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 1, _after, reverse=REVERSE)
    tl.store(out + at, terms)
    tl.store(out + M * N + at, factors)


@triton.jit
def gathered(x, index, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, AXIS: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if AXIS == 0:
        at = tl.arange(0, K)[:, None] * N + tl.arange(0, N)[None, :]
    else:
        at = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out + at, tl.gather(v, tl.load(index + at) % (M if AXIS == 0 else N), AXIS))


@triton.jit
def counted(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0) % BINS
    tl.store(out + tl.arange(0, BINS), tl.histogram(v, BINS, mask=offs < n))


@triton.jit
def zipped(x, y, out, back, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    pairs = tl.join(tl.load(x + offs), tl.load(y + offs))
    both = tl.reshape(pairs, (2 * BLOCK,))
    tl.store(out + tl.arange(0, 2 * BLOCK), both)
    first, second = tl.split(pairs)
    tl.store(back + offs, first - second)


@triton.jit
def halves(x, out, M: tl.constexpr, N: tl.constexpr):
    # The pairs lie along lanes: they must meet in one thread.
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    even, odd = tl.split(tl.reshape(tl.trans(v), (N, M // 2, 2)))
    place = tl.arange(0, N)[:, None] * (M // 2) + tl.arange(0, M // 2)[None, :]
    tl.store(out + place, even * 2 + odd)


@triton.jit
def appended(x, y, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    both = tl.cat(tl.load(x + offs), tl.load(y + offs), can_reorder=True)
    tl.store(out, tl.sum(both, 0))
    tl.store(out + 1 + tl.arange(0, 2 * BLOCK), tl.interleave(tl.load(x + offs), tl.load(y + offs)))


@triton.jit
def sorted_rows(x, out, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), 1, descending=DESCENDING))


@triton.jit
def largest(x, out, N: tl.constexpr, K: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(out + tl.arange(0, K), tl.topk(v, K))
    tl.store(out + K + tl.arange(0, N), tl.flip(v, 0))


@triton.jit
def reshaped(x, out, M: tl.constexpr, N: tl.constexpr, P: tl.constexpr, Q: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    w = tl.reshape(v, (P, Q))
    tl.store(out + tl.arange(0, P)[:, None] * Q + tl.arange(0, Q)[None, :], w + tl.sum(w, 0)[None, :])


@triton.jit
def scalars_joined(x, out):
    a, b = tl.split(tl.join(tl.sum(tl.load(x + tl.arange(0, 32))), 5.0))
    tl.store(out + tl.arange(0, 2), tl.join(b, a))


@triton.jit
def large_sum(x, y, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=m) * 2 + tl.load(y + offs, mask=m), mask=m)


@triton.jit
def large_softmax(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    m = offs < n
    at = tl.program_id(0) * n + offs
    v = tl.load(x + at, mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + at, e / tl.sum(e, 0), mask=m)


@triton.jit
def large_extremes(x, out, at, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.store(out, tl.max(v, 0))
    tl.store(out + 1, tl.min(v, 0))
    tl.store(at, tl.argmax(v, 0))


@triton.jit
def bf16_sums(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.atomic_add(out + offs % 3, tl.load(x + offs, mask=offs < n), mask=offs < n)


@triton.jit
def quotients(x, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs) + 1
    tl.store(out + offs, 1 / v + tl.div_rn(3.0, v) + tl.sqrt(v) + tl.sqrt_rn(v + 1) + libdevice.rcp_rn(v))


@triton.jit
def circular(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    m = offs < n
    v = tl.load(x + offs, mask=m)
    large = v * 100000.0
    tl.store(out + offs, tl.sin(v), mask=m)
    tl.store(out + n + offs, tl.cos(large), mask=m)
    tl.store(out + 2 * n + offs, tl.sin(large), mask=m)
    tl.store(out + 3 * n + offs, libdevice.tan(v), mask=m)
    tl.store(out + 4 * n + offs, libdevice.atan2(v, large), mask=m)
    tl.store(out + 5 * n + offs, libdevice.asin(v / 8), mask=m)
    tl.store(out + 6 * n + offs, libdevice.acos(v / 8), mask=m)


@triton.jit
def exponential(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    m = offs < n
    v = tl.load(x + offs, mask=m)
    positive = tl.abs(v) + 0.5
    tl.store(out + offs, tl.exp(v), mask=m)
    tl.store(out + n + offs, tl.log(positive), mask=m)
    tl.store(out + 2 * n + offs, tl.log2(positive), mask=m)
    tl.store(out + 3 * n + offs, libdevice.pow(positive, v), mask=m)
    tl.store(out + 4 * n + offs, libdevice.expm1(v), mask=m)
    tl.store(out + 5 * n + offs, libdevice.log1p(positive), mask=m)
    tl.store(out + 6 * n + offs, libdevice.cbrt(v), mask=m)


@triton.jit
def sigmoidal(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    m = offs < n
    v = tl.load(x + offs, mask=m)
    tl.store(out + offs, tl.erf(v), mask=m)
    tl.store(out + n + offs, libdevice.tanh(v), mask=m)
    tl.store(out + 2 * n + offs, libdevice.erfc(v), mask=m)
    tl.store(out + 3 * n + offs, libdevice.sinh(v), mask=m)
    tl.store(out + 4 * n + offs, libdevice.asinh(v), mask=m)
    tl.store(out + 5 * n + offs, libdevice.fmod(v * 1000.0, tl.abs(v) + 0.25), mask=m)
    tl.store(out + 6 * n + offs, tl.sigmoid(v), mask=m)


@triton.jit
def printed(x, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.device_print("v", v)
    print("sum", tl.sum(v, 0))


@triton.jit
def shifted(out, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    # Each round reads what another thread wrote in the round before.
    offs = tl.arange(0, BLOCK)
    for i in range(ROUNDS):
        p = out + offs + i
        tl.store(p, tl.load(p) * 2 + offs)


@triton.jit
def _steps_to_one(x, most):
    steps = 0
    while x > 1:
        if steps >= most:
            return -1
        x = 3 * x + 1 if x % 2 == 1 else x // 2
        steps += 1
    return steps


@triton.jit
def _sum_to(x, y):
    sum = 0
    for i in range(x, y, 2):
        if i == 5:
            continue
        sum += i
    return sum


@triton.jit
def each_for_itself(x, y, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v, most = tl.load(x + offs) & 63, tl.load(y + offs) & 31
    steps = tl.map_elementwise(_steps_to_one, v, most)
    tl.store(out + offs, steps * 1000 + tl.map_elementwise(_sum_to, most, v))


@triton.jit(floor_division=True)
def divided(x, y, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v, w = tl.load(x + offs), tl.load(y + offs) | 1
    tl.store(out + offs, v // w + v % w * 7)


@triton.jit
def without_negative_zero(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs)
    tl.store(out + offs, v.to(tl.float8e4b8).to(tl.float32) + v.to(tl.float8e5b16).to(tl.float32))


@triton.jit
def half_sums(a, b, c, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.arange(0, K)
    product = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + i[None, :]), out_dtype=tl.float16)
    tl.store(c + i[:, None] * N + i[None, :], product)


@triton.jit
def asserted(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1.0)
    tl.device_assert(v > 0, "positive")
    tl.store(out + i, v, mask=i < n)
    tl.device_assert(n > 3, "enough of them")


@triton.jit
def small_product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, LEFT: tl.constexpr, RIGHT: tl.constexpr,
                  MOST: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :]).to(LEFT)
    right = tl.load(b + k[:, None] * N + j[None, :]).to(RIGHT)
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(left, right, max_num_imprecise_acc=MOST))


@triton.jit
def exact_product(a, b, first, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROUNDS: tl.constexpr):
    # Not on tensor cores, but of f64: more of the factors than registers hold.
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    sums = tl.load(first + i[:, None] * N + j[None, :])
    for round in range(ROUNDS):
        left = tl.load(a + i[:, None] * (K * ROUNDS) + round * K + k[None, :])
        right = tl.load(b + (round * K + k[:, None]) * N + j[None, :])
        sums = tl.dot(left, right, sums, input_precision="ieee", out_dtype=sums.dtype)
    tl.store(c + i[:, None] * N + j[None, :], sums)


@triton.jit
def turned_exact_product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.trans(tl.load(a + k[:, None] * M + i[None, :]))
    right = tl.trans(tl.load(b + j[:, None] * K + k[None, :]))
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(left, right, input_precision="ieee"))


@triton.jit
def exact_products(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    n, i, j, k = tl.arange(0, B)[:, None, None], tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + (n * M + i[None, :, None]) * K + k[None, None, :])
    right = tl.load(b + (n * K + k[None, :, None]) * N + j[None, None, :])
    tl.store(c + (n * M + i[None, :, None]) * N + j[None, None, :], tl.dot(left, right, input_precision="ieee"))


@triton.jit
def scaled_product(q, k, scales, shifts, out, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    # Rows beside the factors, of which the last round has a part: one is zero behind it, the other is not.
    i, j, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    left = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros((M, D), dtype=tl.float32)
    for first in range(0, length, N):
        rows = first + j
        keys = tl.load(k + rows[:, None] * D + d[None, :], mask=rows[:, None] < length, other=0.0)
        scale = tl.load(scales + rows, mask=rows < length, other=0.0)
        shift = tl.load(shifts + rows, mask=rows < length, other=3.0)
        weights = tl.dot(left, keys.T) * scale[None, :] - shift[None, :]
        total = tl.dot((weights * 0.0625).to(tl.float16), keys, total)
    tl.store(out + i[:, None] * D + d[None, :], total)


@triton.jit
def sides(out, shift, period, N: tl.constexpr):
    # Of neighbours that multiples of 16 say nothing about: remainders below zero, quotients of numbers that wrapped.
    i = tl.arange(0, N)
    j = (i - shift) % period
    quotient = ((tl.program_id(0) + 2) * 1073741824 + i) // 8
    tl.store(out + i, tl.where(j < 0, j + period, j) + (quotient < -268435448).to(tl.int32) * 4096)


@triton.jit
def changed_product(q, w, k, v, out, sums, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    # One factor of a round is read by a product that goes on into the next round, then by one that is awaited in this.
    i, j, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    left, weights = tl.load(q + at), tl.load(w + i[:, None] * N + j[None, :])
    total = tl.zeros((M, D), dtype=tl.float32)
    second = tl.zeros((M, D), dtype=tl.float32)
    for first in range(0, length, N):
        place = (first + j)[:, None] * D + d[None, :]
        keys, values = tl.load(k + place), tl.load(v + place)
        second = tl.dot(weights, values, second)
        change = tl.dot(left, values.T) * 0.125
        total = tl.dot(change.to(tl.float16), keys, total)
    tl.store(out + at, total)
    tl.store(sums + at, second)


@triton.jit
def weighed_product(q, w, k, shifts, out, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    # Two products that need not wait for one another, and a third of what comes of both.
    i, j, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    left, other = tl.load(q + at), tl.load(w + at)
    total = tl.zeros((M, D), dtype=tl.float32)
    for first in range(0, length, N):
        rows = length - N - first + j  # backwards: no boxes
        keys = tl.load(k + rows[:, None] * D + d[None, :])
        scores = tl.dot(left, keys.T) + tl.load(shifts + rows)[None, :]
        weights = tl.dot(other, keys.T)
        total = tl.dot((scores * weights * 0.0625).to(tl.float16), keys, total)
    tl.store(out + at, total)


@triton.jit
def masked_product(q, k, out, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, SHIFT: tl.constexpr, MORE: tl.constexpr):
    # Later programs have more rounds; those in front of the diagonal need no mask.
    first = tl.program_id(0) * M
    i, j, d = first + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    left = tl.load(q + i[:, None] * D + d[None, :])
    keys_at = k + j[:, None] * D + d[None, :]
    total = tl.zeros((M, D), dtype=tl.float32)
    for start in range(0, first + M + MORE, N):
        keys = tl.load(keys_at)
        scores = tl.where(i[:, None] + SHIFT > (start + j)[None, :], tl.dot(left, keys.T) * 0.0625, 0.0)
        total = tl.dot(scores.to(tl.float16), keys, total)
        keys_at += N * D
    tl.store(out + i[:, None] * D + d[None, :], total)


@triton.jit
def product_in_parts(a, b, c, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    i, k = tl.arange(0, N), tl.arange(0, K)
    left, right = tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + i[None, :])
    tl.store(c + i[:, None] * N + i[None, :], tl.dot(left, right, input_precision=PRECISION))


@triton.jit
def turned_product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """The product, rounded to half, by rows and by columns."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    p = tl.dot(tl.load(a + m[:, None] * K + k), tl.load(b + k[:, None] * N + n)).to(tl.float16)
    tl.store(c + m[:, None] * N + n, p)
    tl.store(c + M * N + n[None, :] * M + m[:, None], p)


@triton.jit
def two_sums(q, x, a, b, n, M: tl.constexpr, D: tl.constexpr, K: tl.constexpr):
    """Two sums over the rows of x: of the first n those that a comparison chooses, of n more all."""
    i, j, k = tl.arange(0, M), tl.arange(0, D), tl.arange(0, K)
    left = tl.load(q + i[:, None] * D + j[None, :])
    first, second = tl.zeros((M, D), dtype=tl.float32), tl.zeros((M, D), dtype=tl.float32)
    rows_at = x + k[:, None] * D + j[None, :]
    for start in range(0, n, K):
        rows = tl.load(rows_at)
        scores = tl.where(tl.dot(left, rows.T) > 0, 1.0, -0.25)
        scores = tl.where(i[:, None] >= (start + k)[None, :], scores, 0.0)
        first += tl.dot(scores.to(tl.float16), rows)
        second = tl.dot((scores * 0.5).to(tl.float16), rows, second)
        rows_at += K * D
    for start in range(0, n, K):
        rows = tl.load(rows_at)
        scores = tl.where(tl.dot(left, rows.T) > 0, i[:, None].to(tl.float32) * 0.125, 0.5)
        first += tl.dot(scores.to(tl.float16), rows)
        second = tl.dot((scores * 0.5).to(tl.float16), rows, second)
        rows_at += K * D
    tl.store(a + i[:, None] * D + j[None, :], first)
    tl.store(b + i[:, None] * D + j[None, :], (second * 0.25).to(tl.float16), mask=i[:, None] < M - 1)


@triton.jit
def long_shifts(x, amounts, out):
    """By less than 64, by a little more, and by numbers of more than 32 bits whose lower half is small."""
    i = tl.arange(0, 32)
    value = tl.load(x + i)
    amount = tl.load(amounts + i).to(value.dtype)
    amount = tl.where(i % 3 == 0, (amount & 7) << 33, tl.where(i % 3 == 1, amount & 63, (amount & 3) + 62))
    tl.store(out + i, value << amount)
    tl.store(out + 32 + i, value >> amount)


@triton.jit
def uneven_sums(q, x, a, b, n, M: tl.constexpr, D: tl.constexpr, K: tl.constexpr):
    """Two sums that differ in how many rows they have."""
    i, j, k = tl.arange(0, M), tl.arange(0, D), tl.arange(0, K)
    i2 = tl.arange(0, 2 * M)
    left = tl.load(q + i[:, None] * D + j[None, :])
    first, second = tl.zeros((M, D), dtype=tl.float32), tl.zeros((2 * M, D), dtype=tl.float32)
    for start in range(0, n, K):
        rows = tl.load(x + (start + k)[:, None] * D + j[None, :])
        s = tl.where(tl.dot(left, rows.T) > 0, 1.0, 0.5).to(tl.float16)
        first += tl.dot(s, rows)
        t = (i2[:, None] % 3 + (start + k)[None, :] * 0).to(tl.float16)
        second += tl.dot(t, rows)
    tl.store(a + i[:, None] * D + j[None, :], first)
    tl.store(b + i2[:, None] * D + j[None, :], second)


@triton.jit
def meeting_behind(x, y, out, rounds, N: tl.constexpr, M: tl.constexpr):
    """What the loop's condition is computed from is read while the sum behind the loop is begun."""
    v = tl.load(x + tl.arange(0, N)) & 7
    n = 0
    while tl.max(v, 0) > 0:
        v = tl.maximum(v - 1, 0)
        n += 1
        tl.debug_barrier()
    rows, columns = tl.arange(0, M), tl.arange(0, 128)
    tl.store(out + columns, tl.max(tl.load(y + rows[:, None] * 128 + columns[None, :]), 0))
    tl.store(rounds, n)


@triton.jit
def two_layers(x, up, down, out, done, K, H, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, COUNTED: tl.constexpr):
    """A loop with products in a loop with products; what the outer multiplies is loaded before the inner."""
    if COUNTED:  # an order that a warp of its own, which fetches ahead, would not keep
        tl.atomic_add(done, 1)
    i, k, h, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, D), dtype=tl.float32)
    for first in range(0, H, N):
        weights = tl.load(down + (first + h)[:, None] * D + d[None, :])
        hidden = tl.zeros((M, N), dtype=tl.float32)
        for at in range(0, K, N):
            left = tl.load(x + i[:, None] * K + (at + k)[None, :])
            hidden = tl.dot(left, tl.load(up + (at + k)[:, None] * H + (first + h)[None, :]), hidden)
        total = tl.dot((tl.maximum(hidden, 0.0) * 0.0625).to(tl.float16), weights, total)
    tl.store(out + i[:, None] * D + d[None, :], total)


@triton.jit
def faded_and_full(q, k, v, w, faded, full, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Of two products made from another, one is changed in each round, the other one only grows."""
    i = tl.program_id(0) * M + tl.arange(0, M)
    j, d = tl.arange(0, N), tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    total, second = tl.zeros((M, D), dtype=tl.float32), tl.zeros((M, D), dtype=tl.float32)
    for start in range(0, length, N):
        rows = (start + j)[:, None] * D + d[None, :]
        power = (tl.maximum(tl.dot(queries, tl.load(k + rows).T), 0.0) * 0.0625).to(tl.float16)
        total = tl.dot(power, tl.load(v + rows), total * 0.5)
        second = tl.dot(power, tl.load(w + rows), second)
    tl.store(faded + i[:, None] * D + d[None, :], total)
    tl.store(full + i[:, None] * D + d[None, :], second)


@triton.jit
def first_come(done, x, out, N: tl.constexpr):
    """Programs race for who stores, and in what order is left open."""
    if tl.load(done) == 0:
        tl.store(out + tl.program_id(0), tl.sum(tl.load(x + tl.arange(0, N)), 0))
        tl.store(done, 1)


@triton.jit
def product_into_branch(a, b, c, n, N: tl.constexpr):
    """A product that feeds another one in a branch: whole rows stay with a warp for both."""
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    left, right = tl.load(a + at), tl.load(b + at)
    total = tl.dot(left, right)
    factor = (total * 0.125).to(left.dtype)
    if n > 0:
        total = tl.dot(factor, right)
    tl.store(c + at, total)


@triton.jit
def shifted_product(a, b, c, K, SHIFT: tl.constexpr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Matrices that begin anywhere in a row."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, K, D):
        left = tl.load(a + tl.program_id(0) * SHIFT + i[:, None] * 256 + (at + k)[None, :])
        right = tl.load(b + (at + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + tl.program_id(0) * (M * 256 + SHIFT) + i[:, None] * 256 + j[None, :], total)


@triton.jit
def least_absolute(x, out, sums, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    least = tl.where(i % 3 == 0, -(1 << (v.dtype.primitive_bitwidth - 1)), v.to(tl.int32)).to(v.dtype)
    tl.store(out + i, tl.abs(least).to(tl.int32))
    tl.store(sums, tl.sum(tl.abs(least).to(tl.int64), 0))


@triton.jit
def extremes_of_negated(x, out, N: tl.constexpr):
    """ptxas makes one instruction of each two."""
    i = tl.arange(0, N)
    v = tl.load(x + i)
    a = tl.where(i % 3 == 0, -(1 << (v.dtype.primitive_bitwidth - 1)), v.to(tl.int64)).to(v.dtype)
    b, c = tl.load(x + N + i), tl.load(x + 2 * N + i)
    tl.store(out + i, tl.maximum(tl.maximum(b, -a), c))
    tl.store(out + N + i, tl.minimum(tl.minimum(-b, -a), -c))
    tl.store(out + 2 * N + i, tl.maximum(tl.maximum(tl.abs(a), b), -c))
    tl.store(out + 3 * N + i, tl.minimum(tl.minimum(tl.maximum(b, -c), -a), -b))
    tl.store(out + 4 * N, tl.max(-a, 0))


@triton.jit
def left_in_registers(a, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, MADE: tl.constexpr):
    """A round writes its left factor while the product of the round before goes on."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, K, D):
        if MADE:
            left = ((i[:, None] * 7 + (at + k)[None, :]) % 5).to(tl.float16)
        else:
            left = tl.load(a + i[:, None] * K + (at + k)[None, :]) * 2
        total = tl.dot(left, tl.load(b + (at + k)[:, None] * N + j[None, :]), total)
    tl.store(c + i[:, None] * N + j[None, :], total)
