# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms, losses, pictures, scans and orders that are measured on CPUs, as a tutorial would write them."""

import triton
import triton.language as tl


@triton.jit
def rms_norm(x_ptr, weight_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + offsets, mask=mask, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    tl.store(out_ptr + row + offsets, x * scale * tl.load(weight_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def cross_entropy(x_ptr, target_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    row = x_ptr + tl.program_id(0) * columns
    x = tl.load(row + offsets, mask=offsets < columns, other=-float("inf"))
    most = tl.max(x, axis=0)
    wanted = tl.load(row + tl.load(target_ptr + tl.program_id(0)))
    tl.store(out_ptr + tl.program_id(0), most + tl.log(tl.sum(tl.exp(x - most), axis=0)) - wanted)


@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    kept = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(kept, tl.load(x_ptr + offsets, mask=mask) / (1 - p), 0.0), mask=mask)


@triton.jit
def greyscale(picture_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Three bytes a point, red, green and blue, to one."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    red = tl.load(picture_ptr + 3 * offsets, mask=mask).to(tl.float32)
    green = tl.load(picture_ptr + 3 * offsets + 1, mask=mask).to(tl.float32)
    blue = tl.load(picture_ptr + 3 * offsets + 2, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, (0.25 * red + 0.625 * green + 0.125 * blue).to(tl.uint8), mask=mask)


@triton.jit
def topk(x_ptr, out_ptr, columns, K: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * columns + offsets, mask=offsets < columns, other=-float("inf"))
    tl.store(out_ptr + tl.program_id(0) * K + tl.arange(0, K), tl.topk(x, K))


@triton.jit
def cumsum(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    row = tl.program_id(0) * columns
    tl.store(out_ptr + row + offsets, tl.cumsum(tl.load(x_ptr + row + offsets, mask=mask, other=0.0), axis=0), mask=mask)


@triton.jit
def conv2d(x_ptr, weight_ptr, out_ptr, N, C, H, W, K, R: tl.constexpr, S: tl.constexpr, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, BLOCK_C: tl.constexpr):
    """x: N, H, W, C; weight: R, S, C, K; out: N, H, W, K; one point of padding for each that R and S reach beyond. A product of
    points by channels for each place of the filter."""
    points = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    filters = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    image, row, column = points // (H * W), points // W % H, points % W
    inner = tl.arange(0, BLOCK_C)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for r in range(R):
        for s in range(S):
            y, x = row + r - R // 2, column + s - S // 2
            inside = (image < N) & (y >= 0) & (y < H) & (x >= 0) & (x < W)
            at = ((image * H + y) * W + x) * C
            for c in range(0, C, BLOCK_C):
                a = tl.load(x_ptr + at[:, None] + (c + inner)[None, :], mask=inside[:, None] & (c + inner < C)[None, :], other=0.0)
                b = tl.load(weight_ptr + ((r * S + s) * C + c + inner)[:, None] * K + filters[None, :],
                            mask=(c + inner < C)[:, None] & (filters < K)[None, :], other=0.0)
                acc = tl.dot(a, b, acc)
    tl.store(out_ptr + points[:, None] * K + filters[None, :], acc, mask=(points < N * H * W)[:, None] & (filters < K)[None, :])
