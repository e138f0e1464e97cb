# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is used as it was loaded, or is loaded by few: texts that could have it change hands.
import triton
import triton.language as tl


@triton.jit
def sum_of_types(x, r, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n, 0.0).to(tl.float32) + tl.load(r + at, at < n, 0.0), at < n)


@triton.jit
def keys_by_columns(q, keys, out, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    i, j, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    key = tl.where((j < N - tl.program_id(0))[None, :], tl.load(keys + j[None, :] * D + d[:, None]) * scale, 0.0)
    product = tl.dot(tl.load(q + i[:, None] * D + d[None, :]), key.to(q.dtype.element_ty))
    tl.store(out + i[:, None] * N + j[None, :], product)


@triton.jit
def scaled_columns(a, b, scales, out, K, n, GROUP: tl.constexpr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    i, k = tl.arange(0, M), tl.arange(0, D)
    j = (tl.program_id(0) * N + tl.arange(0, N)) % n
    rounds = tl.cdiv(K, D)
    total = tl.zeros((M, N), tl.float32)
    for step in range(rounds):
        left = tl.load(a + i[:, None] * K + (step * D + k)[None, :])
        right = tl.load(b + j[None, :] * K + (step * D + k)[:, None])
        total += tl.dot(left, right) * tl.load(scales + j // GROUP * rounds + step)[None, :]
    tl.store(out + i[:, None] * n + j[None, :], total)


@triton.jit
def four_bits(packed, zero, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    word = tl.load(packed + at // 8, at < n, 0)
    number = (word >> at % 8 * 4 & 15) - (tl.load(zero) & 15)
    tl.store(out + at, number.to(out.dtype.element_ty), at < n)


@triton.jit
def any_number(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n, 0).to(out.dtype.element_ty), at < n)


@triton.jit
def norm_of_sum(x, residual, weight, sums, out, centred, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + at, at < n, 0.0).to(tl.float32) + tl.load(residual + at, at < n, 0.0)
    tl.store(sums + at, row, at < n)
    mean = tl.sum(row, 0) / n
    apart = tl.where(at < n, row - mean, 0.0)
    variance = tl.sum(apart * apart, 0) / n
    scale = tl.load(weight + at, at < n, 0.0).to(tl.float32)
    if centred:
        scale += 1.0
    tl.store(out + at, (row - mean) / tl.sqrt(variance + 1e-5) * scale, at < n)


@triton.jit
def halves_of_bytes(packed, out, K: tl.constexpr, N: tl.constexpr):
    k, j = tl.arange(0, K), tl.arange(0, N)
    byte = tl.load(packed + (k // 2)[:, None] + j[None, :] * (K // 2))
    tl.store(out + k[:, None] * N + j[None, :], (byte >> (k % 2 * 4)[:, None] & 15).to(tl.float32))


@triton.jit
def short_rows(x, out, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * 8 + tl.arange(0, 8), tl.arange(0, BLOCK)
    tl.store(out + i[:, None] * WIDTH + j[None, :],
             tl.load(x + i[:, None] * WIDTH + j[None, :], (j < WIDTH)[None, :], 0.0) * 2, (j < WIDTH)[None, :])


@triton.jit
def looked_up(packed, table, row, out, WORDS: tl.constexpr, NIBBLES: tl.constexpr):
    word, nibble = tl.arange(0, WORDS), tl.arange(0, NIBBLES)
    index = (tl.load(packed + word)[:, None] >> (nibble * 4)[None, :]) & 15
    factor = tl.load(table + index) * tl.load(row + word[:, None] * NIBBLES + nibble[None, :])
    tl.store(out, tl.sum(tl.sum(factor, 1), 0))


@triton.jit
def looked_up_by_columns(packed, table, x, out, rounds, M: tl.constexpr, N: tl.constexpr):
    """The numbers that are looked up are stored along the other dimension than they are read."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M,), tl.float32)
    for round in range(rounds):
        byte = tl.load(packed + (round * N + j)[None, :] * M + i[:, None])
        total += tl.sum(tl.load(table + (byte & 15)) * tl.load(x + round * N + j)[None, :], 1)
    tl.store(out + i, total)


@triton.jit
def of_any_distance(x, out, s, t, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tl.store(out + i[:, None] * N + j[None, :], tl.load(x + i[:, None] * s + j[None, :] * t) * 2)


@triton.jit
def norm_of_rows(x, residual, weight, out, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0) * n, tl.arange(0, BLOCK)
    first = tl.load(x + row + at, at < n, 0.0).to(tl.float32)
    v = first + tl.load(residual + row + at, at < n, 0.0).to(tl.float32)
    mean = tl.sum(v, 0) / n
    apart = tl.where(at < n, v - mean, 0.0)
    scale = tl.rsqrt(tl.sum(apart * apart, 0) / n + 1e-5)
    tl.store(out + row + at, apart * scale * tl.load(weight + at, at < n, 0.0), at < n)


@triton.jit
def sum_of_both(x, y, out, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0) * n, tl.arange(0, BLOCK)
    v = tl.load(x + row + at, at < n, 0.0) + tl.load(y + row + at, at < n, 0.0)
    tl.store(out + tl.program_id(0), tl.sum(v, 0))


@triton.jit
def row_twice(x, whole, wide, n, R: tl.constexpr, C: tl.constexpr):
    """A row whose elements lie anywhere, stored as it is, then wanted by all lanes."""
    at, j = tl.arange(0, R), tl.arange(0, C)
    row = tl.load(x + at * 7 % n)
    tl.store(whole + at, row)
    tl.store(wide + at[:, None] * C + j[None, :], row[:, None] + j[None, :])


@triton.jit
def row_thrice(x, whole, wide, turned, n, R: tl.constexpr, C: tl.constexpr):
    """In three layouts; as it is at last."""
    at, j = tl.arange(0, R), tl.arange(0, C)
    row = tl.load(x + at * 7 % n)
    tl.store(wide + at[:, None] * C + j[None, :], row[:, None] + j[None, :])
    tl.store(turned + j[:, None] * R + at[None, :], row[None, :] * j[:, None])
    tl.store(whole + at, row)


@triton.jit
def divided(x, quotients, rests, d, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + at, at < n, 1)
        tl.store(quotients + at, v // d, at < n)
        tl.store(rests + at, v % d, at < n)


@triton.jit
def most_of_columns(x, most, where, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(most + j, tl.max(tile, 0))
    tl.store(where + j, tl.argmin(tile, 0))


@triton.jit
def narrow_rows(x, out, s, M: tl.constexpr, N: tl.constexpr):
    """More than registers hold, of rows that are somewhere."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    at = i[:, None] * s + j[None, :]
    tl.store(out + at, tl.load(x + at).to(tl.float32) * 2, (i % 5 != 0)[:, None])


@triton.jit
def rounded(x, whole, wide, small, n, BLOCK: tl.constexpr):
    """Halves among them, and what is beyond 448."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = (tl.load(x + at, at < n, 0) % 4001).to(tl.float32) / 2
    tl.store(whole + at, tl.extra.cuda.libdevice.round(v), at < n)
    tl.store(wide + at, tl.extra.cuda.libdevice.round(v.to(tl.float64) / 1024), at < n)
    bounded = tl.clamp(v, -448.0, 448.0).to(tl.float8e4nv)
    tl.store(small + at, bounded.to(tl.uint8, bitcast=True), at < n)


@triton.jit
def gathered(x, places, weights, out, K: tl.constexpr, BLOCK: tl.constexpr):
    """Few rounds, each of which asks first."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(K):
        place = tl.load(places + row * K + k)
        if place % 3 != 0:
            total += tl.load(x + (place & 15) * BLOCK + at) * tl.load(weights + row * K + k)
    tl.store(out + row * BLOCK + at, total)


@triton.jit
def columns_among_rows(columns, bias, rows, out, M: tl.constexpr, N: tl.constexpr):
    """One tile lies by columns, and all that it meets by rows."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    sums = tl.load(columns + i + j * M) + tl.load(bias + i * N + j)
    tl.store(out + i * N + j, tl.where(i % 3 == 0, tl.load(rows + i * N + j), sums))


@triton.jit
def of_channels(x, weight, out, n, channels, BLOCK: tl.constexpr):
    """A weight for each run of neighbours, as long as only the launch knows."""
    at = tl.arange(0, BLOCK)
    w = tl.load(weight + at // (n // channels), at < n)
    tl.store(out + at, tl.load(x + at, at < n, 0) * w, at < n)


@triton.jit
def summed_ahead(x, out, rows, n, STAGES: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Of rounds that the author has ahead, none, one, or as many as do not go together evenly."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros([M, N], tl.float32)
    for k in tl.range(0, rows, M, num_stages=STAGES):
        there = (k + i < rows)[:, None] & (j < n)[None, :]
        total += tl.load(x + (k + i)[:, None] * n + j[None, :], there, 0) * (k + 1)
    tl.store(out + j, tl.sum(total, 0), j < n)


@triton.jit
def scattered_ahead(x, places, out, K: tl.constexpr, BLOCK: tl.constexpr):
    """Rounds that load a number alone, which their author has ahead."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    kept = tl.load(x + row * BLOCK + at)
    for k in tl.range(0, K, 1, num_stages=4):
        place = tl.load(places + row * K + k)
        if place >= 0:
            tl.store(out + (row * K + k) * BLOCK + at, kept * place)


@triton.jit
def either_turned(x, y, weights, xs, ys, M, D: tl.constexpr):
    """Where rows go is chosen by a branch; who meets whom in them is known."""
    rows, c = tl.program_id(0) // 2 * 4 + tl.arange(0, 4), tl.arange(0, D)
    mask = (rows < M)[:, None]
    if tl.program_id(0) % 2 == 0:
        tile = tl.load(x + rows[:, None] * D + c[None, :], mask, 0) * tl.load(weights + c)[None, :]
        out = xs + rows[:, None] * D
    else:
        tile = tl.load(y + rows[:, None] * D + c[None, :], mask, 0)
        out = ys + rows[:, None] * D
    partner = tl.minimum(tl.maximum(tl.where(c < D // 2, c + D // 2, c - D // 2), 0), D - 1)
    other = tl.gather(tile, tl.broadcast_to(partner[None, :], (4, D)), axis=1)
    tl.store(out + c[None, :], tile + 2 * other, mask)


@triton.jit
def partners(x, out, D: tl.constexpr, WHICH: tl.constexpr):
    """Some of which are an exchange, and some not."""
    r, c = tl.arange(0, 4), tl.arange(0, D)
    if WHICH == 0:
        to = D - 1 - c
    elif WHICH == 1:
        to = (c + 1) % D
    elif WHICH == 2:
        to = tl.where(c % 2 == 0, c | 1, c & ~1)
    else:
        to = c // 2
    tile = tl.load(x + r[:, None] * D + c[None, :])
    other = tl.gather(tile, tl.broadcast_to(to[None, :], (4, D)), axis=1)
    tl.store(out + r[:, None] * D + c[None, :], tile - 3 * other)


@triton.jit
def turned_by_places(x, rates, out, D: tl.constexpr):
    """What is costly is made of a row for all rows, and meets what is loaded."""
    r, c = tl.program_id(0) * 8 + tl.arange(0, 8), tl.arange(0, D)
    at = r[:, None] * D + c[None, :]
    angle = r[:, None].to(tl.float32) * tl.load(rates + c % (D // 2)).to(tl.float32)[None, :]
    tl.store(out + at, tl.load(x + at).to(tl.float32) * tl.cos(angle) + tl.sin(angle))


@triton.jit
def stored_by_columns(x, y, most, out, rows, M: tl.constexpr, N: tl.constexpr, SWAPPED: tl.constexpr):
    """Loaded along rows, stored as bytes along columns, and the sum along rows once more."""
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    largest = tl.max(tl.abs(v).to(tl.float32))
    tl.store(most + tl.program_id(0), largest)
    small = (v * (100 / largest)).to(tl.int8)
    stride = tl.num_programs(0) * M
    if SWAPPED:
        tl.store(out + j[:, None] * stride + i[None, :], tl.trans(small), (j < N - 1)[:, None])
    else:
        tl.store(out + j[None, :] * stride + i[:, None], small, (j < N - 1)[None, :])
    tl.store(rows + i[:, None] * N + j[None, :], v.to(tl.float32) + tl.load(y + i[:, None] * N + j[None, :]))


@triton.jit
def requantised_in_place(x, out, n, M: tl.constexpr, N: tl.constexpr):
    """Read whole, stored as bytes the other way round, and cleared up to a column: one pointer, two masks."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    at = x + i[:, None] * N + j[None, :]
    v = tl.load(at)
    tl.store(out + j[None, :] * M + i[:, None], (v * 20).to(tl.int8))
    tl.store(at, v * 0, (j < n)[None, :])


@triton.jit
def added_behind(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def states(x, rates, arriving, out, rounds, T: tl.constexpr, C: tl.constexpr, S: tl.constexpr, BACK: tl.constexpr):
    """What a scan takes repeats a tile of channels and one of states."""
    t, c, s = tl.arange(0, T), tl.arange(0, C), tl.arange(0, S)
    rate = tl.load(rates + c[:, None] * S + s[None, :])[None, :, :]
    kept = tl.zeros((C, S), tl.float32)
    for i in range(rounds):
        at = (i * T + t)[:, None] * C + c[None, :]
        value = tl.load(x + at).to(tl.float32)
        more = tl.load(arriving + (i * T + t)[:, None] * S + s[None, :])[:, None, :].to(tl.float32)
        decay, state = tl.associative_scan((tl.exp(-tl.abs(value[:, :, None] * rate)), value[:, :, None] * more), 0, added_behind,
                                           reverse=BACK)
        state += decay * kept[None, :, :]
        tl.store(out + at, tl.sum(state, 2))
        kept = tl.sum(tl.where(t[:, None, None] == (0 if BACK else T - 1), state, 0.0), 0)


@triton.jit
def products_summed_along(x, y, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tl.store(out + i[:, None] * N + j[None, :], tl.cumsum(tl.load(x + i)[:, None] * tl.load(y + j)[None, :], 1))


@triton.jit
def distances(x, centres, out, sums, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Sums of rows and of columns meet a product, of which they are but a part."""
    i, j, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    a = tl.load(x + i[:, None] * D + d[None, :])
    b = tl.load(centres + j[:, None] * D + d[None, :])
    apart = tl.sum(a * a, 1)[:, None] + tl.sum(b * b, 1)[None, :] - 2 * tl.dot(a, tl.trans(b), input_precision="ieee")
    tl.store(sums + i, tl.sum(tl.exp(-apart), 1))
    tl.store(out + tl.program_id(0), tl.max(tl.max(apart, 1), 0))


@triton.jit
def apart_from_before(x, out, BLOCK: tl.constexpr):
    """What is loaded wide meets twice what each thread loads by itself."""
    at = tl.arange(0, BLOCK)
    own, before = tl.load(x + at), tl.load(x + tl.maximum(at - 1, 0))
    tl.store(out + at, tl.maximum(own, before) - tl.minimum(own, before))


@triton.jit
def scanned_lines(x, y, sums, kept, M: tl.constexpr, N: tl.constexpr, BACK: tl.constexpr):
    """Whole numbers, and pairs whose order counts."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(sums + at, tl.cumsum(tl.load(x + at), 1, reverse=BACK))
    rate, state = tl.associative_scan((tl.load(y + at), tl.load(y + at) + 1), 1, added_behind, reverse=BACK)
    tl.store(kept + at, rate + state)


@triton.jit
def steps_of_picture(picture, steps, signs, H, W, BH: tl.constexpr, BW: tl.constexpr):
    """Loads that begin at no multiple of anything meet one that does, and results of two sizes."""
    y = (tl.program_id(1) * BH + tl.arange(0, BH))[:, None]
    x = (tl.program_id(0) * BW + tl.arange(0, BW))[None, :]
    own = (y < H) & (x < W)
    here = tl.load(picture + y * W + x, mask=own, other=0).to(tl.float32)
    left = tl.load(picture + y * W + x - 1, mask=own & (x >= 1), other=0).to(tl.float32)
    right = tl.load(picture + y * W + x + 1, mask=own & (x + 1 < W), other=0).to(tl.float32)
    step = right - left
    tl.store(steps + y * W + x, step * here, mask=own)
    tl.store(signs + y * W + x, (step >= 0).to(signs.dtype.element_ty), mask=own)


@triton.jit
def groups_as_bytes(x, scales, out, M: tl.constexpr, GROUPS: tl.constexpr, GROUP: tl.constexpr):
    """Loaded wider than it is stored, with reductions of groups and a reshape in between."""
    row = tl.arange(0, M)
    at = row[:, None] * (GROUPS * GROUP) + tl.arange(0, GROUPS * GROUP)[None, :]
    v = tl.reshape(tl.load(x + at), (M, GROUPS, GROUP)).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v), 2), 1e-4) / 127
    tl.store(scales + row[:, None] * GROUPS + tl.arange(0, GROUPS)[None, :], scale)
    q = (v / scale[:, :, None]).to(tl.int8)
    tl.store(out + at, tl.reshape(q, (M, GROUPS * GROUP)))
