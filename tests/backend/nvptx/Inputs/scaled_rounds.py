# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose sums each round multiplies by numbers that it loads."""

import triton
import triton.language as tl


@triton.jit
def scaled_rounds(a, b, c, rows, blocks, N, K, steps, M: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MASKED: tl.constexpr):
    """A scale for each row, and one for the round, of `steps` rounds."""
    i, j, k = tl.arange(0, M), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((M, BN), tl.float32)
    for step in range(steps):
        depth = step * BK + k
        x = tl.load(a + i[:, None] * K + depth[None, :])
        y = tl.load(b + j[None, :] * K + depth[:, None], mask=j[None, :] < N, other=0)
        if MASKED:
            scale = tl.load(rows + step * M + i, mask=i < M - step, other=0.5)
        else:
            scale = tl.load(rows + step * M + i)
        total += tl.dot(x, y) * (scale * tl.load(blocks + step))[:, None]
    tl.store(c + i[:, None] * N + j[None, :], total, mask=j[None, :] < N)


@triton.jit
def moving_scales(a, b, c, scales, N, K, steps, M: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The place of the scales is carried from round to round, and which one is looked up."""
    i, j, k = tl.arange(0, M), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((M, BN), tl.float32)
    place = scales
    for step in range(0, steps * 3, 3):
        depth = step // 3 * BK + k
        x = tl.load(a + i[:, None] * K + depth[None, :])
        y = tl.load(b + j[None, :] * K + depth[:, None], mask=j[None, :] < N, other=0)
        total += tl.dot(x, y) * tl.load(place + i)[:, None]
        place += (tl.load(scales + step % 8) * 100).to(tl.int32) % 5
    tl.store(c + i[:, None] * N + j[None, :], total, mask=j[None, :] < N)


@triton.jit
def written_scales(a, b, c, scales, N, K, steps, M: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each round writes the scale of the next one, which may not be loaded before."""
    i, j, k = tl.arange(0, M), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((M, BN), tl.float32)
    for step in range(steps):
        depth = step * BK + k
        x = tl.load(a + i[:, None] * K + depth[None, :])
        y = tl.load(b + j[None, :] * K + depth[:, None])
        scale = tl.load(scales + step)
        total += tl.dot(x, y) * scale
        tl.store(scales + step + 1, scale * 0.5 + 1)
    tl.store(c + i[:, None] * N + j[None, :], total)
