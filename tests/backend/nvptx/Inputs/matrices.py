# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptors of three dimensions, a block of which is a part of one matrix."""
import triton
import triton.language as tl


@triton.jit
def batch(a, b, c, chosen, batches, rows, columns, depth, FLIP: tl.constexpr, M: tl.constexpr,
          N: tl.constexpr, K: tl.constexpr):
    """Of chosen matrices, of which some are none; the right factor is of all."""
    which = tl.load(chosen + tl.program_id(1)) ^ FLIP
    row = tl.program_id(0) * M
    lefts = tl.make_tensor_descriptor(a, [batches, rows, depth], [rows * depth, depth, 1], [1, M, K])
    rights = tl.make_tensor_descriptor(b, [depth, columns], [columns, 1], [K, N])
    results = tl.make_tensor_descriptor(c, [batches, rows, columns], [rows * columns, columns, 1], [1, M, N])
    sums = tl.zeros((M, N), tl.float32)
    for k in range(0, depth, K):
        left = tl.reshape(lefts.load([which, row, k]), [M, K])
        sums = tl.dot(left, rights.load([k, 0]), sums)
    before = tl.reshape(results.load([which, row, 0]), [M, N])
    results.store([which, row, 0], tl.reshape((sums + before).to(tl.float16), [1, M, N]))


@triton.jit
def halved(a, b, c, depth, K: tl.constexpr):
    which, row = tl.program_id(1), tl.program_id(0) * 64
    sums = tl.zeros((64, 64), tl.float32)
    for k in range(0, depth, K):
        sums = tl.dot(tl.reshape(a.load([which, row, k]), [64, K]), b.load([k, 0]), sums)
    c.store([which, row, 0], tl.reshape((sums * 0.5).to(tl.float16), [1, 64, 64]))
