# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Products whose factors lie in memory either way around.
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, LEFT_BY_COLUMNS: tl.constexpr,
            RIGHT_BY_COLUMNS: tl.constexpr):
    i, j, k = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    rows = tl.num_programs(0) * M
    total = tl.zeros((M, N), dtype=c.dtype.element_ty)
    for at in range(0, K, D):
        if LEFT_BY_COLUMNS:
            left = tl.load(a + (at + k)[:, None] * rows + i[None, :]).T
        else:
            left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        if RIGHT_BY_COLUMNS:
            right = tl.load(b + j[:, None] * K + (at + k)[None, :]).T
        else:
            right = tl.load(b + (at + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def added_product(a, b, first, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Sums begin with what is loaded, and are used in two ways."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.load(first + i[:, None] * N + j[None, :])
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        right = tl.load(b + (at + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * N + j[None, :], total - tl.max(total, 1)[:, None] + i[:, None])


@triton.jit
def two_of_one(a, b, d, c, K, stride, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Both products of a round share their left factor; its last columns may be none."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    first = tl.zeros((M, N), tl.float32)
    second = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * stride + (at + k)[None, :], (at + k < K)[None, :], 0.0)
        up = tl.load(b + (at + k)[:, None] * N + j[None, :], (at + k < K)[:, None], 0.0)
        down = tl.load(d + (at + k)[:, None] * N + j[None, :], (at + k < K)[:, None], 0.0)
        first = tl.dot(left, up, first)
        second = tl.dot(left, down, second)
    tl.store(c + i[:, None] * N + j[None, :], first * 2 - second)


@triton.jit
def by_warps_beside_warpgroups(a, b, c, d, out, rounds, M: tl.constexpr, N: tl.constexpr,
                               D: tl.constexpr, STEP: tl.constexpr):
    """A left factor of few rows that stays, beside a product that warpgroups compute."""
    i, j, k, l = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D), tl.arange(0, 64)
    left = tl.load(a + i[:, None] * D + k[None, :])
    few, many = tl.zeros((M, N), tl.float32), tl.zeros((64, N), tl.float32)
    for at in range(rounds):
        of_few = (k[:, None] * N + j[None, :]) * STEP
        few = tl.dot(left, tl.load(b + at * D * N * STEP + of_few), few)
        rows = tl.load(c + at * 64 * 64 * STEP + (l[:, None] * 64 + l[None, :]) * STEP)
        right = tl.load(d + at * 64 * N * STEP + (l[:, None] * N + j[None, :]) * STEP)
        many = tl.dot(rows, right, many)
    tl.store(out + i[:, None] * N + j[None, :], few)
    tl.store(out + M * N + l[:, None] * N + j[None, :], many)


@triton.jit
def in_a_branch(a, b, c, n, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, ROUNDS: tl.constexpr):
    """All rounds multiply, some add, and none takes away."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    sums = tl.zeros((M, N), tl.float32)
    for at in range(ROUNDS):
        left = tl.load(a + i[:, None] * ROUNDS * D + (at * D + k)[None, :])
        left = (left * 0.5).to(tl.float16)
        right = tl.load(b + (at * D + k)[:, None] * N + j[None, :])
        if at >= 0:
            sums += tl.dot(left, right)
            if at >= ROUNDS:
                sums -= 1
        if at < n:
            sums += at
    tl.store(c + i[:, None] * N + j[None, :], sums)


@triton.jit
def unpacked(x, packed, scales, out, depth, n, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Weights of 4 bits, eight to a word, and each round's row of scales: 2 beyond the n-th."""
    m, j, d, word = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D), tl.arange(0, N // 8)
    shifts = tl.reshape(tl.broadcast_to((tl.arange(0, 8) * 4)[None, :], (N // 8, 8)), (N,))
    sum = tl.zeros((M, N), tl.float32)
    for first in range(0, depth, D):
        k = first + d
        left = tl.load(x + m[:, None] * depth + k[None, :])
        w = tl.load(packed + k[:, None] * (N // 8) + word[None, :], mask=(k < depth - 3)[:, None], other=0)
        w = tl.interleave(w, w)
        w = tl.interleave(w, w)
        w = tl.interleave(w, w)
        scale = tl.load(scales + first // D * N + j, mask=j < n, other=2.0)
        right = ((w >> shifts[None, :]) & 15).to(tl.float16) * scale[None, :]
        sum = tl.dot(left, right, sum)
    tl.store(out + m[:, None] * N + j[None, :], sum)


@triton.jit
def scaled_by_groups(x, packed, scales, out, depth, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Weights of 4 bits, two to a byte, of which 16 of a row have a scale."""
    m, j, d, byte = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D), tl.arange(0, N // 2)
    group = tl.arange(0, N // 16)
    sum = tl.zeros((M, N), tl.float32)
    for first in range(0, depth, D):
        k = first + d
        left = tl.load(x + m[:, None] * depth + k[None, :])
        w = tl.load(packed + k[:, None] * (N // 2) + byte[None, :])
        scale = tl.load(scales + k[:, None] * (N // 16) + group[None, :])
        both = tl.join((w & 15).to(tl.float16), (w >> 4).to(tl.float16))
        right = tl.reshape(both, (D, N // 16, 16)) * scale.to(tl.float16)[:, :, None]
        sum = tl.dot(left, tl.reshape(right, (D, N)), sum)
    tl.store(out + m[:, None] * N + j[None, :], sum)


@triton.jit
def quantized(x, y, out, depth, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Each round's left factor by what is most in its rows."""
    m, j, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    sum = tl.zeros((M, N), tl.float32)
    for first in range(0, depth, D):
        k = first + d
        left = tl.load(x + m[:, None] * depth + k[None, :]).to(tl.float32)
        scale = tl.max(tl.abs(left), axis=1) / 8.0
        right = tl.load(y + k[:, None] * N + j[None, :])
        sum += tl.dot((left / scale[:, None]).to(tl.float16), right) * scale[:, None]
    tl.store(out + m[:, None] * N + j[None, :], sum)


@triton.jit
def sparse_rows(table, x, rows, out, count, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Rows that a list says for each round; none, and zeros, where it ends."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    sum = tl.zeros((M, N), tl.float32)
    left = tl.load(x + m[:, None] * D + d[None, :])
    for first in range(0, count, N):
        row = tl.load(rows + first + n, mask=first + n < count, other=-1)
        right = tl.load(table + row[None, :] * D + d[:, None], mask=(row >= 0)[None, :], other=0.0)
        s = tl.dot(left, right)
        sum += tl.where((row >= 0)[None, :], s, 3.0)
    tl.store(out + m[:, None] * N + n[None, :], sum)


@triton.jit
def of_nibbles(x, words, out, depth, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """A right factor that each round makes of words of eight numbers."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    sum = tl.zeros((M, N), tl.float32)
    for k in range(0, depth, D):
        left = tl.load(x + m[:, None] * depth + k + d[None, :])
        packed = tl.load(words + ((k + d) // 8)[:, None] * N + n[None, :])
        sum += tl.dot(left, (((packed >> (d % 8 * 4)[:, None]) & 15) - 8).to(x.dtype.element_ty))
    tl.store(out + m[:, None] * N + n[None, :], sum)
