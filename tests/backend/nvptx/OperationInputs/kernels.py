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
def far_or_half(pairs, far, out, N: tl.constexpr):
    # Elements a sector apart lie as their neighbours do, which come of a tile of another shape.
    at = tl.arange(0, N)
    even, odd = tl.split(tl.load(pairs + 2 * at[:, None] + tl.arange(0, 2)[None, :]))
    tl.store(out + at, tl.where(even > 0, tl.load(far + at * 16), odd))


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
def greater(a, b):
    return tl.where(a < b, b, a)


@triton.jit
def many_rows(x, out, at, M: tl.constexpr, N: tl.constexpr):
    # A warp has several rows, whose sums its lanes share among them.
    rows = tl.arange(0, M)
    v = tl.load(x + rows[:, None] * N + tl.arange(0, N)[None, :])
    greatest, where = tl.max(v, 1, return_indices=True)
    tl.store(at + rows, where)
    tl.store(out + rows, greatest)
    tl.store(out + M + rows, tl.sum(v, 1))
    tl.store(out + 2 * M + rows, tl.reduce(v, 1, greater))


@triton.jit
def negated_and_widened(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at) + (at * 257 - 32768).to(tl.int16)  # the least among them
    tl.store(out + at, (v * -2).to(tl.int32) + (-v).to(tl.int32))


@triton.jit
def opposite_differences(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.load(x + at), tl.load(y + at)
    more, less = tl.maximum(a - b, 0), tl.maximum(b - a, 0)
    tl.store(out + at, more * 3 + less * 5 + tl.minimum(tl.maximum(a - 238, 0), tl.maximum(238 - b, 0)))
    tl.store(out + N + at, tl.minimum(tl.maximum(b - 238, 0), tl.maximum(238 - a, 0)))


@triton.jit
def one_of_a_batch(x, counts, out, M: tl.constexpr, N: tl.constexpr):
    # Dimensions of one element everywhere, before what must know them as well.
    b = tl.program_id(0) + tl.zeros([1], tl.int32)
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    at = b[:, None, None] * (M * N) + rows[None, :, None] * N + columns[None, None, :]
    v = tl.load(x + at, mask=(rows < M - 1)[None, :, None], other=1)
    sums = tl.cumsum(tl.cumsum(v, 0), 2)
    greatest, first = tl.max(v, 0, return_indices=True)
    turned = tl.permute(tl.permute(sums, (2, 0, 1)) + tl.trans(v, 2, 0, 1), (1, 2, 0))
    even, odd = tl.split(tl.join(v, turned))
    row = tl.sum(turned, 2)
    turns = 0
    while turns < 3:
        row = row * 0.5 + tl.sum(even + odd, axis=2)
        turns += 1
    tl.atomic_add(counts + b[:, None, None] + tl.zeros([1, 1, 1], tl.int32), 3)
    tl.atomic_add(counts + 1 + (first[None, :, :] + rows[None, :, None] % 4), 1)
    tl.store(out + at, turned + row[:, :, None] + greatest[None, :, :])


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
    tl.store(out + 7 * n + offs, tl.log(tl.where(offs % 5 == 0, 0, v)), mask=m)
    tl.store(out + 8 * n + offs, libdevice.log10(positive), mask=m)


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
    tl.store(out + 7 * n + offs, libdevice.atan(v), mask=m)
    tl.store(out + 8 * n + offs, libdevice.cosh(v), mask=m)


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
def asserted(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1.0)
    tl.device_assert(v > 0, "positive")
    tl.store(out + i, v, mask=i < n)
    tl.device_assert(n > 3, "enough of them")


@triton.jit
def sides(out, shift, period, N: tl.constexpr):
    # Of neighbours that multiples of 16 say nothing about: remainders below zero, quotients of numbers that wrapped.
    i = tl.arange(0, N)
    j = (i - shift) % period
    quotient = ((tl.program_id(0) + 2) * 1073741824 + i) // 8
    tl.store(out + i, tl.where(j < 0, j + period, j) + (quotient < -268435448).to(tl.int32) * 4096)


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
def first_come(done, x, out, N: tl.constexpr):
    """Programs race for who stores, and in what order is left open."""
    if tl.load(done) == 0:
        tl.store(out + tl.program_id(0), tl.sum(tl.load(x + tl.arange(0, N)), 0))
        tl.store(done, 1)


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
def ordered(x, y, N: tl.constexpr):
    """Loads and stores that are atomic, of neighbours in one word."""
    i = tl.arange(0, N)
    v = tl.atomic_load(x + i, mask=i < N - 3, sem="relaxed")
    tl.store(y + i, v, mask=i < N - 3)
    tl.debug_barrier()
    tl.atomic_store(x + i, v + 1, mask=(i < N - 3) & (i % 3 != 1), scope="sys")
    tl.debug_barrier()
    tl.store(y + N + i, tl.atomic_load(x + i))
    if tl.atomic_load(x + 1) == tl.load(y + 1):
        tl.atomic_store(x, tl.to_tensor(5).to(x.dtype.element_ty))


@triton.jit
def added_neighbours(x, out, n, BLOCK: tl.constexpr):
    """Sums into memory that nobody asks for, of neighbours; a few under a mask that cuts a vector."""
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * BLOCK + offs)
    tl.atomic_add(out + offs, v, sem="relaxed")
    tl.atomic_add(out + offs, v, mask=offs < n)


@triton.jit
def first_of_rows(x, out, order, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DESCENDING: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    to = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    v = tl.load(x + at)
    tl.store(out + to, tl.topk(v, K, descending=DESCENDING))
    tl.store(order + at, tl.argsort(v, descending=DESCENDING))


@triton.jit
def rounded_to_bytes(x, out, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0) * 300.0
    v = tl.where(offs == 5, float("nan"), tl.where(offs == 6, float("-inf"), tl.where(offs == 7, -0.0, v)))
    tl.store(out + offs, v.to(TYPE).to(tl.int8, bitcast=True), mask=offs < n)


@triton.jit
def dropped(x, out, kept, seed, n, BLOCK: tl.constexpr):
    """Random numbers that are wanted in two layouts."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, offs) > 0.3
    tl.debug_barrier()
    tl.store(out + offs, tl.where(keep, tl.load(x + offs, mask=offs < n, other=0.0), 0.0), mask=offs < n)
    tl.store(kept + offs, keep, mask=offs < n)


@triton.jit
def gathered_across(x, out, M: tl.constexpr, N: tl.constexpr, MASK: tl.constexpr):
    """Partners that are known, in registers, lanes and warps; and one for all lanes."""
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    at = rows * N + columns
    v = tl.load(x + at)
    across = tl.gather(v, tl.broadcast_to(columns ^ MASK, (M, N)), 1)
    down = tl.gather(v, tl.broadcast_to(rows ^ MASK, (M, N)), 0)
    first = tl.gather(v, tl.broadcast_to(tl.arange(0, 1)[:, None] ^ 1, (M, N)), 0)
    tl.store(out + at, across + 100 * down + 10000 * first)


@triton.jit
def best_with_places(x, values, places, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DESCENDING: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    v = tl.load(x + rows * N + tl.arange(0, N)[None, :])
    best, where = tl.topk(v, K, descending=DESCENDING, return_indices=True)
    to = rows * K + tl.arange(0, K)[None, :]
    tl.store(values + to, best)
    tl.store(places + to, where)


@triton.jit
def sums_of_columns(x, scale, out, n, rows, M: tl.constexpr, N: tl.constexpr):
    """What is one number for a whole row lies as the rows do; caches hear what is read again, and what is not."""
    columns = tl.program_id(0) * N + tl.arange(0, N)[:, None]
    inside = columns < n
    total = tl.zeros((N, M), tl.float32)
    for first in range(0, rows, M):
        row = first + tl.arange(0, M)[None, :]
        v = tl.load(x + columns + n * row, mask=inside & (row < rows), other=0.0, eviction_policy="evict_first")
        total += v * tl.load(scale + row + 0 * columns, mask=row < rows, other=0.0, eviction_policy="evict_last")
    tl.store(out + columns, tl.sum(total, 1)[:, None], mask=inside, eviction_policy="evict_last")


@triton.jit
def adds_last(x, out, n, BLOCK: tl.constexpr):
    """An atomic that orders nothing."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + offs % 16, tl.load(x + offs, mask=offs < n, other=0), mask=offs < n)
