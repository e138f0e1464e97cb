# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One loop over the depths of all tiles that a program computes: a branch goes to the next tile."""
import triton
import triton.language as tl


@triton.jit
def persistent(a, b, c, rows, columns, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
               PROGRAMS: tl.constexpr):
    across = tl.cdiv(columns, N)
    tiles, rounds = tl.cdiv(rows, M) * across, tl.cdiv(depth, K)
    own = tiles // PROGRAMS + (tl.program_id(0) < tiles % PROGRAMS).to(tl.int32)
    tile = tl.program_id(0) - PROGRAMS
    k = -1
    row, column = 0, 0
    of_left, of_right = tl.arange(0, M), tl.arange(0, N)
    sums = tl.zeros((M, N), tl.float32)
    for _ in range(0, rounds * own):
        k = tl.where(k == rounds - 1, 0, k + 1)
        if k == 0:
            tile += PROGRAMS
            row, column = tile // across * M, tile % across * N
            of_left, of_right = row + tl.arange(0, M), column + tl.arange(0, N)
            of_left = tl.where(of_left < rows, of_left, 0)
            of_right = tl.where(of_right < columns, of_right, 0)
        along = k * K + tl.arange(0, K)
        left = tl.load(a + of_left[:, None] * depth + along[None, :], along[None, :] < depth, other=0.0)
        right = tl.load(b + along[:, None] + of_right[None, :] * depth, along[:, None] < depth, other=0.0)
        sums = tl.dot(left, right, sums)
        if k == rounds - 1:
            i, j = row + tl.arange(0, M), column + tl.arange(0, N)
            tl.store(c + i[:, None] * columns + j[None, :], sums.to(tl.float16),
                     (i < rows)[:, None] & (j < columns)[None, :])
            sums = tl.zeros((M, N), tl.float32)


@triton.jit
def summed_so_far(a, b, c, depth, M: tl.constexpr, K: tl.constexpr):
    """The branch leads through a product: what it says is not known ahead."""
    i, k = tl.arange(0, M), tl.arange(0, K)
    start = 0
    sums = tl.zeros((M, M), tl.float32)
    for d in range(0, depth):
        left = tl.load(a + i[:, None] * 1024 + start + k[None, :])
        right = tl.load(b + k[:, None] + i[None, :] * K)
        sums = tl.dot(left, right, sums)
        if tl.max(tl.max(sums, 1), 0) > 20.0:
            start += K
            sums = tl.zeros((M, M), tl.float32)
    tl.store(c + i[:, None] * M + i[None, :], sums)


@triton.jit
def walked_down(a, b, c, steps, depth, M: tl.constexpr, K: tl.constexpr):
    """The branch has a loop without a count, whose step is loaded: in a round that there is not it would not end."""
    i, k = tl.arange(0, M), tl.arange(0, K)
    at = 0
    sums = tl.zeros((M, M), tl.float32)
    for d in range(0, depth):
        step = tl.load(steps + d)
        if d % 2 == 0:
            at = 60 + d
            while at > 64:
                at -= step
        left = tl.load(a + i[:, None] * 1024 + at + k[None, :])
        sums = tl.dot(left, tl.load(b + k[:, None] + i[None, :] * K), sums)
    tl.store(c + i[:, None] * M + i[None, :], sums)
