# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Products of tiles: each type, and each way in which factors come, change and go on.
import triton
import triton.language as tl


@triton.jit
def half_sums(a, b, c, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.arange(0, K)
    product = tl.dot(tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + i[None, :]), out_dtype=tl.float16)
    tl.store(c + i[:, None] * N + i[None, :], product)


@triton.jit
def added_half_sums(a, b, c, rounds, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    sums = tl.zeros((M, N), tl.float32)
    for r in range(rounds):
        left = tl.load(a + i[:, None] * (rounds * K) + r * K + k[None, :])
        right = tl.load(b + (r * K + k[:, None]) * N + j[None, :])
        sums = sums * 0.5
        sums += tl.dot(left, right, out_dtype=tl.float16)
    tl.store(c + i[:, None] * N + j[None, :], sums)


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
def products_of_batch(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ROUNDS: tl.constexpr):
    # As many matrices as warps or not; each is a product of tensor cores of its own.
    n, i, j, k = tl.arange(0, B)[:, None, None], tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    sums = tl.zeros((B, M, N), c.dtype.element_ty)
    for round in range(ROUNDS):
        left = tl.load(a + (n * M + i[None, :, None]) * (K * ROUNDS) + round * K + k[None, None, :])
        right = tl.load(b + (n * (K * ROUNDS) + round * K + k[None, :, None]) * N + j[None, None, :])
        sums = tl.dot(left, right, sums, out_dtype=sums.dtype)
    tl.store(c + (n * M + i[None, :, None]) * N + j[None, None, :], sums)


@triton.jit
def converted_right(a, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    # Each round reads what was fetched, and gives it back to shared memory in another type.
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    sums = tl.zeros((M, N), tl.float32)
    for first in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (first + k)[None, :])
        right = tl.load(b + (first + k)[:, None] * N + j[None, :])
        sums = tl.dot(left, right.to(left.dtype), sums)
    tl.store(c + i[:, None] * N + j[None, :], sums)


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
def left_in_registers(a, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, MADE: tl.constexpr):
    """Each round makes its left factor in registers."""
    i, j, k = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, K, D):
        if MADE:
            left = ((i[:, None] * 7 + (at + k)[None, :]) % 5).to(tl.float16)
        else:
            left = tl.load(a + i[:, None] * K + (at + k)[None, :]) * 2
        total = tl.dot(left, tl.load(b + (at + k)[:, None] * N + j[None, :]), total)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def left_of_outer_product(x, y, scales, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """A left factor that each round makes of a product, but not of one of its own."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    base = tl.dot(tl.load(x + i[:, None] * D + k[None, :]), tl.load(y + k[:, None] * D + k[None, :]))
    total = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, K, D):
        left = (base * tl.load(scales + at + k)[None, :]).to(tl.float16)
        total = tl.dot(left, tl.load(b + (at + k)[:, None] * N + j[None, :]), total)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def turned_in_round(a, b, c, K, M: tl.constexpr, D: tl.constexpr):
    """Threads exchange more in each round than rings leave them at first."""
    i, k = tl.arange(0, M), tl.arange(0, D)
    total = tl.zeros((M, M), dtype=tl.float32)
    for at in range(0, K, D):
        product = tl.dot(tl.load(a + i[:, None] * K + (at + k)[None, :]), tl.load(b + (at + k)[:, None] * M + i[None, :]))
        total += product + tl.trans(product)
    tl.store(c + i[:, None] * M + i[None, :], total)


@triton.jit
def left_of_exact_product(q, k, v, out, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """A left factor that each round makes of a product that threads compute: nobody waits for it."""
    i, d, n = tl.arange(0, M), tl.arange(0, D), tl.arange(0, N)
    first = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros((M, D), dtype=tl.float32)
    for at in range(0, length, N):
        scores = tl.dot(first, tl.load(k + d[:, None] * length + (at + n)[None, :]), input_precision="ieee")
        total = tl.dot(scores.to(tl.float16), tl.load(v + (at + n)[:, None] * D + d[None, :]), total)
    tl.store(out + i[:, None] * D + d[None, :], total)


@triton.jit
def differences_of_products(q, k, r, weights, v, out, length, stride, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Factors of float32 whose rows begin anywhere: each round has rooms of its own for them."""
    i, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    first = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros((M, D), dtype=tl.float32)
    for at in range(0, length, N):
        one = tl.dot(first, tl.trans(tl.load(k + (at + n)[:, None] * D + d[None, :])))
        other = tl.dot(first, tl.trans(tl.load(r + (at + n)[:, None] * 131 + d[None, :])))
        scores = tl.minimum(tl.maximum((one - other) * tl.load(weights + at + n)[None, :], -2.0), 2.0)
        total = tl.dot(scores, tl.load(v + (at + n)[:, None] * stride + d[None, :]), total)
    tl.store(out + i[:, None] * D + d[None, :], total)


@triton.jit
def few_in_rounds(a, b, c, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    sums = tl.zeros([M, N], tl.float32)
    for first in range(0, depth, D):
        k = first + tl.arange(0, D)
        x = tl.load(a + i[:, None] * K + k[None, :], mask=(k < depth)[None, :], other=0.0)
        y = tl.load(b + j[None, :] * K + k[:, None], mask=(k < depth)[:, None], other=0.0)
        sums = tl.dot(x, y, sums, input_precision="ieee")
    tl.store(c + i[:, None] * N + j[None, :], sums)


@triton.jit
def kept_left(a, b, c, d, rounds, N: tl.constexpr):
    i = tl.arange(0, N)
    along = i[:, None] * N + i[None, :]
    w = tl.load(a + i[:, None] + i[None, :] * N)
    sums = tl.zeros([N, N], tl.float32)
    for r in range(rounds):
        x = tl.load(b + r * N * N + along)
        wide = tl.load(d + along).to(tl.float32)
        sums = tl.dot(w, x, sums) + wide
        tl.store(d + along, (wide + sums).to(tl.float16))
    last = tl.dot(w, tl.dot(w, w).to(tl.float16))
    tl.store(c + along, sums + last)


@triton.jit
def rows_looked_up(table, x, rows, out, depth, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Rows whose numbers are loaded, more of them than a warp has lanes, and copied ahead."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    sum = tl.zeros((M, N), tl.float32)
    for first in range(0, depth, D):
        row = tl.load(rows + m) * 1
        left = tl.load(table + row[:, None] * depth + (first + d)[None, :])
        sum = tl.dot(left, tl.load(x + (first + d)[:, None] * N + n[None, :]), sum)
    tl.store(out + m[:, None] * N + n[None, :], sum)


@triton.jit
def rows_known_before(table, x, rows, out, depth, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """The same, of which each round makes addresses anew."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    known = tl.load(rows + m)
    sum = tl.zeros((M, N), tl.float32)
    for first in range(0, depth, D):
        row = known * 2 + m % 2
        left = tl.load(table + row[:, None] * depth + (first + d)[None, :])
        sum = tl.dot(left, tl.load(x + (first + d)[:, None] * N + n[None, :]), sum)
    tl.store(out + m[:, None] * N + n[None, :], sum)


@triton.jit
def pages_looked_up(q, cache, table, more, out, first, length, PAGE: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
                    KIND: tl.constexpr):
    """Rows of pages whose numbers a table has: of each row, or one of the round, that a second table may have for the first."""
    i, j, d = tl.arange(0, 16), tl.arange(0, N), tl.arange(0, D)
    query = tl.load(q + i[:, None] * D + d[None, :])
    sums = tl.zeros((16, D), tl.float32)
    seen = 0
    for start in range(first, length, N):
        n = start + j
        if KIND == "rows":
            page = tl.load(table + n // PAGE, mask=n < length, other=0)
        elif KIND == "counted":
            page = tl.load(table + n // PAGE, mask=n < length, other=0)
            seen += tl.sum(tl.where(n < length, page, 0).to(tl.int32))
        elif KIND == "number":
            page = tl.load(table + start // PAGE)
        elif KIND == "both":
            page = tl.load(more + tl.load(table + n // PAGE, mask=n < length, other=0)) + tl.load(table + start // N) % 2
        row = page * PAGE + n % PAGE
        keys = tl.load(cache + row[None, :] * D + d[:, None], mask=n[None, :] < length, other=0.0)
        weights = tl.where(n[None, :] < length, tl.dot(query, keys), 0.0)
        values = tl.load(cache + row[:, None] * D + d[None, :], mask=n[:, None] < length, other=0.0)
        sums += tl.dot(weights.to(tl.float16), values)
    tl.store(out + i[:, None] * D + d[None, :], sums + seen)


@triton.jit
def parts_joined(parts, logs, out, length, SPLITS: tl.constexpr, D: tl.constexpr):
    """Parts of a sum over a request's pages, of which short requests have fewer."""
    row = tl.program_id(0)
    d = tl.arange(0, D)
    share = tl.cdiv(length, SPLITS)
    most = -float("inf")
    weight = 0.0
    total = tl.zeros([D], dtype=tl.float32)
    for split in range(0, SPLITS):
        if share * split < length:
            log = tl.load(logs + row * SPLITS + split)
            part = tl.load(parts + (row * SPLITS + split) * D + d)
            now = tl.maximum(most, log)
            fade = tl.exp(most - now)
            power = tl.exp(log - now)
            total = total * fade + power * part
            weight = weight * fade + power
            most = now
    tl.store(out + row * D + d, total / weight)


@triton.jit
def wide_rows_looked_up(q, table, rows, out, length, N: tl.constexpr, D: tl.constexpr, E: tl.constexpr):
    i, j, d, e = tl.arange(0, 16), tl.arange(0, N), tl.arange(0, D), tl.arange(0, E)
    left, first = tl.load(q + i[:, None] * D + d[None, :]), tl.load(q + i[:, None] * D + e[None, :])
    sums = tl.zeros((16, D), tl.float32)
    for n in range(0, length, N):
        row = tl.load(rows + n + j, mask=n + j < length, other=0)
        products = tl.dot(left, tl.load(table + row[None, :] * D + d[:, None]))
        products += tl.dot(first, tl.load(table + row[None, :] * D + e[:, None]))
        weights = tl.where(n + j[None, :] < length, tl.where(products < 0, -1.0, 1.0), 0.0)
        sums += tl.dot(weights.to(tl.float16), tl.load(table + row[:, None] * D + d[None, :]))
    tl.store(out + i[:, None] * D + d[None, :], sums)


@triton.jit
def gradients_joined(q, k, v, out_grad, logs, sums, key_grads, value_grads, length, N: tl.constexpr, M: tl.constexpr, D: tl.constexpr):
    """Of attention, in one loop: each program adds its part of the queries' gradients to what others have added."""
    own, step, d = tl.program_id(0) * N + tl.arange(0, N), tl.arange(0, M), tl.arange(0, D)
    own_at = own[:, None] * D + d[None, :]
    keys, values = tl.load(k + own_at), tl.load(v + own_at)
    key_grad = tl.zeros([N, D], dtype=tl.float32)
    value_grad = tl.zeros([N, D], dtype=tl.float32)
    for start in range(0, length, M):
        at = (start + step)[:, None] * D + d[None, :]
        queries, grad = tl.load(q + at), tl.load(out_grad + at)
        power = tl.math.exp2(tl.dot(keys, tl.trans(queries)) * 0.25 - tl.load(logs + start + step)[None, :])
        value_grad = tl.dot(power.to(grad.dtype), grad, value_grad)
        change = (power * tl.dot(values, tl.trans(grad))).to(queries.dtype)
        key_grad = tl.dot(change, queries, key_grad)
        tl.atomic_add(sums + at, tl.dot(tl.trans(change), keys), sem="relaxed")
    tl.store(key_grads + own_at, key_grad)
    tl.store(value_grads + own_at, value_grad)


@triton.jit
def begins_at_its_end(x, w, out, programs, N, M: tl.constexpr, K: tl.constexpr, D: tl.constexpr):
    """Some programs have no rounds: where theirs would begin is a multiple of nothing."""
    i, k, d = tl.arange(0, M), tl.arange(0, K), tl.arange(0, D)
    program = tl.program_id(0)
    total = tl.zeros((M, D), tl.float32)
    for at in range(tl.where(program < programs, program * K, N), N, K):
        is_there = at + k < N
        left = tl.load(x + i[:, None] * 64 + (at + k)[None, :], is_there[None, :], 0.0)
        right = tl.load(w + d[:, None] * 64 + (at + k)[None, :], is_there[None, :], 0.0)
        total = tl.dot(left, right.T, total)
    tl.store(out + (program * M + i)[:, None] * D + d[None, :], total)
