# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As unchosen_kernels.py: reductions, scans, softmaxes, losses, counts and small products."""

import triton
import triton.language as tl


@triton.jit
def greatest(a, b):
    return tl.maximum(a, b)


@triton.jit
def row_most(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    tl.store(out_ptr + row, tl.max(tl.abs(x), axis=0))


@triton.jit
def column_sums(x_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_N,), tl.float32)
    for first in range(0, M, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)
        x = tl.load(x_ptr + rows[:, None] * N + columns[None, :], mask=(rows < M)[:, None] & (columns < N)[None, :], other=0.0)
        acc += tl.sum(x, axis=0)
    tl.store(out_ptr + columns, acc, mask=columns < N)


@triton.jit
def variance(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    away = tl.where(at < columns, x - tl.sum(x, axis=0) / columns, 0.0)
    tl.store(out_ptr + row, tl.sum(away * away, axis=0) / columns)


@triton.jit
def normalize(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    length = tl.sqrt(tl.sum(x * x, axis=0))
    tl.store(out_ptr + row * columns + at, x / tl.maximum(length, 1e-12), mask=at < columns)


@triton.jit
def row_argmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(out_ptr + row, tl.argmax(x, axis=0))


@triton.jit
def short_sums(x_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :], mask=(rows < M)[:, None] & (columns < N)[None, :], other=0.0)
    tl.store(out_ptr + rows, tl.sum(x, axis=1), mask=rows < M)


@triton.jit
def logsumexp(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf")).to(tl.float32)
    most = tl.max(x, axis=0)
    tl.store(out_ptr + row, most + tl.log(tl.sum(tl.exp(x - most), axis=0)))


@triton.jit
def row_products(x_ptr, y_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        acc += (tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
                * tl.load(y_ptr + row * columns + at, mask=at < columns, other=0.0))
    tl.store(out_ptr + row, tl.sum(acc, axis=0))


@triton.jit
def positives(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum((x > 0).to(tl.int32), axis=0))


@triton.jit
def whole_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0), axis=0))


@triton.jit
def running_most(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(out_ptr + row * columns + at, tl.associative_scan(x, 0, greatest), mask=at < columns)


@triton.jit
def sums_from_end(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    tl.store(out_ptr + row * columns + at, tl.cumsum(x, axis=0, reverse=True), mask=at < columns)


@triton.jit
def histogram(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x_ptr + at, mask=at < n, other=0).to(tl.int32), 256, mask=at < n)
    tl.atomic_add(out_ptr + tl.arange(0, 256), counts)


@triton.jit
def scatter_add(x_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + at, mask=at < n, other=0)
    tl.atomic_add(out_ptr + index, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def small_product(a_ptr, b_ptr, out_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    batch = tl.program_id(0)
    rows, columns, inner = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    a = tl.load(a_ptr + batch * M * K + rows[:, None] * K + inner[None, :], mask=(rows < M)[:, None] & (inner < K)[None, :], other=0.0)
    b = tl.load(b_ptr + batch * K * N + inner[:, None] * N + columns[None, :], mask=(inner < K)[:, None] & (columns < N)[None, :], other=0.0)
    at = batch * M * N + rows[:, None] * N + columns[None, :]
    tl.store(out_ptr + at, tl.dot(a, b).to(out_ptr.dtype.element_ty), mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def matrix_vector(a_ptr, x_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    acc = tl.zeros((BLOCK_M,), tl.float32)
    for first in range(0, N, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        a = tl.load(a_ptr + rows[:, None] * N + columns[None, :], mask=(rows < M)[:, None] & (columns < N)[None, :], other=0.0)
        acc += tl.sum(a * tl.load(x_ptr + columns, mask=columns < N, other=0.0)[None, :], axis=1)
    tl.store(out_ptr + rows, acc, mask=rows < M)


@triton.jit
def causal_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at <= row % columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    tl.store(out_ptr + row * columns + at, x - tl.log(tl.sum(tl.exp(x), axis=0)), mask=at < columns)


@triton.jit
def short_softmax(x_ptr, out_ptr, M, N, heat, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    at = rows[:, None] * N + columns[None, :]
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=-float("inf")) / heat
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(out_ptr + at, e / tl.sum(e, axis=1)[:, None], mask=mask)


@triton.jit
def mean_square(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    away = tl.load(x_ptr + at, mask=at < n, other=0.0) - tl.load(y_ptr + at, mask=at < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(away * away, axis=0) / n)


@triton.jit
def logit_loss(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at, mask=at < n), tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.maximum(x, 0.0) - x * y + tl.log(1.0 + tl.exp(-tl.abs(x))), mask=at < n)


@triton.jit
def smooth_l1(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    away = tl.abs(tl.load(x_ptr + at, mask=at < n) - tl.load(y_ptr + at, mask=at < n))
    tl.store(out_ptr + at, tl.where(away < 1.0, 0.5 * away * away, away - 0.5), mask=at < n)


@triton.jit
def cosine(x_ptr, y_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    y = tl.load(y_ptr + row * columns + at, mask=at < columns, other=0.0)
    lengths = tl.sqrt(tl.sum(x * x, axis=0)) * tl.sqrt(tl.sum(y * y, axis=0))
    tl.store(out_ptr + row, tl.sum(x * y, axis=0) / tl.maximum(lengths, 1e-8))


@triton.jit
def distances(a_ptr, b_ptr, out_ptr, M, N, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, D)
    a = tl.load(a_ptr + rows[:, None] * D + inner[None, :], mask=(rows < M)[:, None], other=0.0)
    b = tl.load(b_ptr + columns[:, None] * D + inner[None, :], mask=(columns < N)[:, None], other=0.0)
    sums = tl.sum(tl.abs(a[:, None, :] - b[None, :, :]), axis=2)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], sums, mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def sort_rows(x_ptr, out_ptr, columns: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, columns)
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at)))
