# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that lose time as kernels do, each beside a form that follows the advice: what `advice.py` measures."""

import triton
import triton.language as tl


@triton.jit
def column_sums(x, out, rows, cols, ROWS: tl.constexpr):
    """A program for each column: neighbouring lanes lie a row apart."""
    column = tl.program_id(0)
    total = tl.zeros((ROWS,), tl.float32)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        total += tl.load(x + row * cols + column, row < rows, 0)
    tl.store(out + column, tl.sum(total))


@triton.jit
def column_sums_of_tiles(x, out, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr, PART: tl.constexpr):
    """A program for a strip of columns and a part of the rows, as they lie."""
    column = tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for first in range(0, PART, ROWS):
        row = tl.program_id(1) * PART + first + tl.arange(0, ROWS)
        inside = (row < rows)[:, None] & (column < cols)[None, :]
        total += tl.load(x + row[:, None] * cols + column[None, :], inside, 0)
    tl.atomic_add(out + column, tl.sum(total, 0), column < cols)


@triton.jit
def scale_rows(x, scale, out, cols, pitch, BLOCK: tl.constexpr):
    """Rows of a matrix that lie `pitch` apart."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    factor = tl.load(scale + row)
    value = tl.load(x + row * pitch + at, at < cols)
    tl.store(out + row * pitch + at, value * factor, at < cols)


@triton.jit
def pixels_to_planes_by_tiles(x, out, n, BLOCK: tl.constexpr):
    """Four channels side by side: loaded as they lie, turned over, stored as they lie."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, 4)
    pixels = tl.load(x + 4 * at[:, None] + channel[None, :], (at < n)[:, None])
    tl.store(out + channel[:, None] * n + at[None, :], tl.trans(pixels), (at < n)[None, :])


@triton.jit
def row_totals(x, out, cols, PART: tl.constexpr, BLOCK: tl.constexpr):
    """Sums of parts of rows; a program for each part."""
    row, part = tl.program_id(0), tl.program_id(1)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, PART, BLOCK):
        at = part * PART + first + tl.arange(0, BLOCK)
        total += tl.load(x + row * cols + at, at < cols, 0)
    tl.atomic_add(out + row, tl.sum(total))


@triton.jit
def decays(x, out, n, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """A sum of exponentials of multiples, each by itself."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < n)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(COUNT):
        total += tl.exp(-value * (k + 1))
    tl.store(out + at, total, at < n)


@triton.jit
def decays_by_powers(x, out, n, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """The same from half as many exponentials: each gives two terms."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, at < n)
    once = tl.exp(-value)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(COUNT // 2):
        term = tl.exp2(-value * (1.4426950408889634 * (2 * k + 1)))
        total += term + term * once
    tl.store(out + at, total, at < n)


@triton.jit
def sums_of_rounds(x, out, n, BLOCK: tl.constexpr):
    """Each round waits for its load, and a program has nothing else to do meanwhile."""
    at = tl.arange(0, BLOCK)
    first = x + tl.program_id(0) * n * BLOCK
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        total += tl.load(first + k * BLOCK + at)
    tl.store(out + tl.program_id(0) * BLOCK + at, total)


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + row[:, None] * K + (k + depth)[None, :], (row < M)[:, None] & (k + depth < K)[None, :], 0)
        right = tl.load(b + (k + depth)[:, None] * N + column[None, :], (k + depth < K)[:, None] & (column < N)[None, :], 0)
        total = tl.dot(left, right, total, input_precision=PRECISION)
    tl.store(c + row[:, None] * N + column[None, :], total.to(c.dtype.element_ty), (row < M)[:, None] & (column < N)[None, :])
