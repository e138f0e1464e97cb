# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def strided(x, y, n, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * STRIDE))


@triton.jit
def repeated(x, y, n, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i // TIMES))


# A tile of rows is read as it lies and written as the other array's columns, which threads hold
# one beside the other.
@triton.jit
def transpose_naive(x, y, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(x + r * cols + c, mask=c < cols)
    tl.store(y + c * rows + r, row, mask=c < cols)


@triton.jit
def transpose_tiled(x, y, rows, cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    tile = tl.load(x + r[:, None] * cols + c[None, :], mask=inside)
    turned = tl.trans(tile)
    back = (c[:, None] < cols) & (r[None, :] < rows)
    tl.store(y + c[:, None] * rows + r[None, :], turned, mask=back)


@triton.jit
def gather(x, index, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(y + i, tl.load(x + at, mask=i < n), mask=i < n)


@triton.jit
def row_sum(x, y, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(y + r, tl.sum(tl.load(x + r * cols + i, mask=i < cols, other=0.0), axis=0))


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (first + k)[None, :],
                       mask=(m[:, None] < M) & ((first + k)[None, :] < K), other=0.0)
        right = tl.load(b + (first + k)[:, None] * N + n[None, :],
                        mask=((first + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums.to(tl.float16),
             mask=(m[:, None] < M) & (n[None, :] < N))


# Each sum is held by several threads, of which one stores it.
@triton.jit
def sums_of_rows(x, y, cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    tile = tl.load(x + r[:, None] * cols + c[None, :], mask=c[None, :] < cols, other=0.0)
    tl.store(y + r, tl.sum(tile, axis=1))


@triton.jit
def rounds(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(x + i)
    for _ in range(n):
        s = tl.exp2(s)
    tl.store(y + i, s)


@triton.jit
def sums_of_rounds(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        s += tl.load(x + k * BLOCK + i)
    tl.store(y + i, s)


@triton.jit
def sums_in_two_passes(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        s += tl.load(x + k * BLOCK + i)
    squares = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        v = tl.load(x + (n + k) * BLOCK + i) - s
        squares += v * v
    tl.store(y + i, squares)


# Each program reads the same twice.
@triton.jit
def scaled_by_sums(x, y, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * n * BLOCK + tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        s += tl.load(x + first + k * BLOCK)
    for k in range(n):
        tl.store(y + first + k * BLOCK, tl.load(x + first + k * BLOCK) * s)


@triton.jit
def copied_rows(x, y, cols, pitch, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    first = tl.program_id(0) * pitch
    tl.store(y + first + i, tl.load(x + first + i, mask=i < cols), mask=i < cols)


@triton.jit
def totals_of_rounds(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = 0.0
    for k in range(n):
        s += tl.sum(tl.load(x + k * BLOCK + i))
    tl.store(y, s)


@triton.jit
def copy_by_rounds(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for k in range(n):
        tl.store(y + k * BLOCK + i, tl.load(x + k * BLOCK + i) * 2)


@triton.jit
def chain(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for _ in range(n):
        i = tl.load(x + i)
    tl.store(y + tl.arange(0, BLOCK), i)


@triton.jit
def through_scratch(x, scratch, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    first = tl.program_id(0) * BLOCK
    tl.store(scratch + first + i, tl.load(x + first + i))
    tl.debug_barrier()
    tl.store(y + first + i, tl.load(scratch + first + BLOCK - 1 - i))


@triton.jit
def add_to_rows(x, channel, sums, area, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    factor = tl.load(channel + i // area)
    tl.atomic_add(sums + i, tl.load(x + tl.program_id(0) * BLOCK + i) * factor)


@triton.jit
def histogram(x, counts, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i), 1)


# One number says where all of them begin.
@triton.jit
def rows_by_number(x, index, y, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(y + p * BLOCK + i, tl.load(x + tl.load(index + p) * BLOCK + i))


# The sides of a kernel that arithmetic bounds.
@triton.jit
def divided(x, y, d, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for k in range(32):
        v = (v * 31 + 7) // d + v % (d + k)
    tl.store(y + i, v)


@triton.jit
def of_sines(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for k in range(32):
        v = tl.exp(v) * 0.1 + tl.sin(v)
    tl.store(y + i, v)


@triton.jit
def of_exponentials(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for k in range(32):
        v = tl.exp(v * -0.5)
    tl.store(y + i, v)


@triton.jit
def of_sums(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for k in range(512):
        v = v * 1.0001 + 0.5
    tl.store(y + i, v)


@triton.jit
def of_doubles(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i).to(tl.float64)
    for k in range(64):
        v = v * 1.0001 + 0.5
    tl.store(y + i, v.to(tl.float32))


@triton.jit
def endless(x, n):
    k = n
    while k > 0:
        k = k + 0
        tl.store(x, k)


# Programs read as often as an array says.
@triton.jit
def ragged(x, lengths, y, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(tl.load(lengths + pid)):
        total += tl.load(x + k * BLOCK + i)
    tl.store(y + pid * BLOCK + i, total)


@triton.jit
def by_address(addresses, y, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(addresses + pid).to(tl.pointer_type(tl.float32))
    tl.store(y + pid * BLOCK + i, tl.load(x + i))
