# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose right factor is a matrix that a number in memory chooses: of an expert, of a page."""

import triton
import triton.language as tl


@triton.jit
def experts(a, b, c, numbers, M, N, K, count, below, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The number of the matrix is between -below and count, and b + below is the one whose number is 0."""
    number = tl.load(numbers + tl.program_id(0)) % count
    expert = tl.where(number < below, number - below, number)
    b += below * N * K
    b += expert.to(tl.int64) * N * K
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(tl.cdiv(K, BK)):
        depth = step * BK + k
        x = tl.load(a + i[:, None] * K + depth[None, :], mask=(i[:, None] < M) & (depth[None, :] < K), other=0)
        y = tl.load(b + j[None, :] * K + depth[:, None], mask=(j[None, :] < N) & (depth[:, None] < K), other=0)
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * N + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def pages(q, keys, out, table, rounds, count, below, stride_page, M: tl.constexpr, PAGE: tl.constexpr, D: tl.constexpr):
    """The sum of q times each page that the table names, in its order."""
    i, j, d = tl.arange(0, M), tl.arange(0, PAGE), tl.arange(0, D)
    x = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros((M, PAGE), tl.float32)
    for number in range(rounds):
        page = tl.load(table + number) % count
        page = tl.where(page < below, page - below, page)
        y = tl.load(keys + below * stride_page + page * stride_page + j[None, :] * D + d[:, None])
        total = tl.dot(x, y, total)
    tl.store(out + i[:, None] * PAGE + j[None, :], total)


@triton.jit
def written_pages(q, keys, out, table, rounds, count, stride_page, M: tl.constexpr, PAGE: tl.constexpr, D: tl.constexpr):
    """The table is written in each round, so that its numbers must be read in their rounds."""
    i, j, d = tl.arange(0, M), tl.arange(0, PAGE), tl.arange(0, D)
    x = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros((M, PAGE), tl.float32)
    for number in range(rounds):
        page = tl.load(table + number) % count
        y = tl.load(keys + page * stride_page + j[None, :] * D + d[:, None])
        total = tl.dot(x, y, total)
        tl.store(table + number + 1, page + 1)
    tl.store(out + i[:, None] * PAGE + j[None, :], total)
