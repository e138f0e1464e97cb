# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What users write, and what choices of policy.def decide that no other kernel of the tests asks for (scripts/ablate).
import triton
import triton.language as tl


@triton.jit
def rotary(x, out, start, HEADS: tl.constexpr, D: tl.constexpr):
    """Angles of positions computed where they are used: little work, which each layout may do anew."""
    token = tl.program_id(0)
    half = tl.arange(0, D // 2)
    angle = (start + token) * tl.exp2(half.to(tl.float32) * (-26.575424759098898 / D))
    cosine, sine = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
    at = token * HEADS * D + tl.arange(0, HEADS)[:, None] * D + half[None, :]
    a, b = tl.load(x + at).to(tl.float32), tl.load(x + at + D // 2).to(tl.float32)
    tl.store(out + at, (a * cosine - b * sine).to(tl.float16))
    tl.store(out + at + D // 2, (b * cosine + a * sine).to(tl.float16))


@triton.jit
def sorted_row(x, out, N: tl.constexpr):
    """As a sampler sorts the best of a vocabulary."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.sort(tl.load(x + at), descending=True))


@triton.jit
def gradients_of_keys(q, k, v, out_grad, logs, deltas, key_grads, value_grads, N, scale, BLOCK: tl.constexpr,
                      STEP: tl.constexpr, D: tl.constexpr):
    """Sums for keys and for values, which together are more than registers hold for all rows."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    step, d = tl.arange(0, STEP), tl.arange(0, D)
    base = tl.program_id(1) * N
    at = (base + rows[:, None]) * D + d[None, :]
    keys, values = tl.load(k + at), tl.load(v + at)
    key_grad = tl.zeros([BLOCK, D], dtype=tl.float32)
    value_grad = tl.zeros([BLOCK, D], dtype=tl.float32)
    for start in range(0, N, STEP):
        i = base + start + step
        queries, grad = tl.load(q + i[:, None] * D + d[None, :]), tl.load(out_grad + i[:, None] * D + d[None, :])
        power = tl.math.exp2(tl.dot(keys, tl.trans(queries)) * scale - tl.load(logs + i)[None, :])
        value_grad = tl.dot(power.to(tl.float16), grad, value_grad)
        change = power * (tl.dot(values, tl.trans(grad)) - tl.load(deltas + i)[None, :])
        key_grad = tl.dot(change.to(tl.float16), queries, key_grad)
    tl.store(key_grads + at, key_grad.to(tl.float16))
    tl.store(value_grads + at, value_grad.to(tl.float16))


@triton.jit
def scaled_scores(q, k, out, scale, N: tl.constexpr, BLOCK: tl.constexpr, D: tl.constexpr):
    """Each round scales the same queries, as generated code does."""
    i, j, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, BLOCK), tl.arange(0, D)
    for start in range(0, N, BLOCK):
        queries = (tl.load(q + i[:, None] * D + d[None, :]) * scale).to(tl.float16)
        keys = tl.load(k + (start + j)[:, None] * D + d[None, :])
        tl.store(out + i[:, None] * N + (start + j)[None, :], tl.dot(queries, tl.trans(keys)))


@triton.jit
def added_bias(x, bias, out, n, columns, BLOCK: tl.constexpr):
    """As torch.compile writes it: what is read again stays in caches, what is not goes first."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < n, eviction_policy="evict_first")
    tl.store(out + at, value + tl.load(bias + at % columns, at < n, eviction_policy="evict_last"), at < n)


@triton.jit
def kept_of_bytes(x, kept, out, scale, n, BLOCK: tl.constexpr):
    """A dropout's backward: bytes say what was kept, and four of them are four bytes."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keeps = tl.load(kept + at, at < n, 0) != 0
    tl.store(out + at, tl.where(keeps, tl.load(x + at, at < n, 0.0) * scale, 0.0), at < n)


@triton.jit
def few_rows(a, b, out, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """A product of few rows in rounds of which two, but not three, leave room for another block."""
    i, j, k = tl.arange(0, M), tl.program_id(0) * N + tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        total = tl.dot(left, tl.load(b + j[None, :] * K + (at + k)[:, None]), total)
    tl.store(out + i[:, None] * N * tl.num_programs(0) + j[None, :], total)


@triton.jit
def row_for_all(x, out, step, R: tl.constexpr, C: tl.constexpr):
    """A row whose elements lie anywhere, of which each lane wants all."""
    i, j = tl.arange(0, R), tl.arange(0, C)
    row = tl.load(x + i * step)
    tl.store(out + tl.program_id(0) * R * C + i[:, None] * C + j[None, :], row[:, None] * j[None, :])


@triton.jit
def one_or_scaled(x, out, centered, n, BLOCK: tl.constexpr):
    """A weight that is scaled and moved, or is not: two operations of each element."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < n)
    if centered > 0:
        value = value * 2.0 + 1.0
    tl.store(out + at, value, at < n)


@triton.jit
def sum_and_largest(x, out, n, BLOCK: tl.constexpr):
    """Two results of one row, neither of which waits for the other."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + at, at < n, other=0.0)
    tl.store(out + 2 * row, tl.sum(value, 0))
    tl.store(out + 2 * row + 1, tl.max(tl.where(at < n, value * value, 0.0), 0))


@triton.jit
def bytes_by_rows(a, b, out, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """A right factor of bytes, which instructions read by columns alone."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.int32)
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        total = tl.dot(left, tl.load(b + (at + k)[:, None] * N + j[None, :]), total, out_dtype=tl.int32)
    tl.store(out + i[:, None] * N + j[None, :], total)


@triton.jit
def bytes_of_product(a, b, c, out, N, M: tl.constexpr, B: tl.constexpr, D: tl.constexpr, BY_COLUMNS: tl.constexpr):
    """A left factor of bytes that is made of a product's sums, and a right one that instructions read by columns alone."""
    i, j, d = tl.arange(0, M), tl.arange(0, B), tl.arange(0, D)
    left = tl.load(a + i[:, None] * D + d[None, :])
    total = tl.zeros((M, D), tl.int32)
    for at in range(0, N, B):
        sums = tl.dot(left, tl.load(b + (at + j)[:, None] * D + d[None, :]).T, out_dtype=tl.int32)
        if BY_COLUMNS:
            right = tl.load(c + (at + j)[:, None] + d[None, :] * N)
        else:
            right = tl.load(c + (at + j)[:, None] * D + d[None, :])
        total = tl.dot((sums & 63).to(tl.int8), right, total, out_dtype=tl.int32)
    tl.store(out + i[:, None] * D + d[None, :], total)


@triton.jit
def parts_of_depth(a, b, sums, N, ROUNDS: tl.constexpr, M: tl.constexpr, K: tl.constexpr):
    """Programs that each have a part of a product's depth, whose sums meet in memory."""
    i, j, k = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, M), tl.arange(0, K)
    total = tl.zeros((M, M), tl.float32)
    for step in range(tl.program_id(1) * ROUNDS, (tl.program_id(1) + 1) * ROUNDS):
        left = tl.load(a + i[:, None] * N + (step * K + k)[None, :])
        total = tl.dot(left, tl.load(b + (step * K + k)[:, None] * M + j[None, :]), total)
    tl.atomic_add(sums + i[:, None] * M + j[None, :], total, sem="relaxed")


@triton.jit
def gradient_of_norm(x, weight, grad, factors, x_grad, weight_grad, rows, N: tl.constexpr):
    """What a thread holds across a sum and from round to round, which is more than one warp's threads have registers."""
    i = tl.arange(0, N)
    row = tl.program_id(0) * rows
    w = tl.load(weight + i).to(tl.float32)
    sums = tl.zeros((N,), tl.float32)
    for at in range(row, row + rows):
        factor = tl.load(factors + at)
        normed = tl.load(x + at * N + i).to(tl.float32) * factor
        from_out = tl.load(grad + at * N + i).to(tl.float32)
        sums += from_out * normed
        scaled = from_out * w
        common = tl.sum(normed * scaled, 0) / N
        tl.store(x_grad + at * N + i, ((scaled - normed * common) * factor).to(x_grad.dtype.element_ty))
    tl.store(weight_grad + tl.program_id(0) * N + i, sums)


@triton.jit
def rows_of_loaded_length(a, b, c, length, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A product whose rows begin where memory says, so that nobody knows at multiples of what."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :])
    product = tl.dot(left, tl.load(b + k[:, None] * N + j[None, :]))
    tl.store(c + i[:, None] * tl.load(length) + j[None, :], product.to(tl.float16))
