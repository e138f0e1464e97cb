# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels without loops, of which a single launch is compiled quickly, and one with a loop."""

import triton
import triton.language as tl


@triton.jit
def lanes(x_ptr, y_ptr, out_ptr, bytes_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=-1.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=2.0)
    value = tl.where(x > 0, tl.exp(x) * y + x, tl.log(tl.abs(x) + 1) / y - tl.sqrt(y * y + 1))
    value += (x.to(tl.float16) * y.to(tl.float16)).to(tl.float32) + x.to(tl.bfloat16).to(tl.float32)
    value += (offsets // 7 % 5).to(tl.float32) + tl.erf(x) + tl.sin(y)
    tl.store(out_ptr + offsets, value, mask=mask)
    tl.store(bytes_ptr + offsets, (value * 16).to(tl.int8), mask=mask & (offsets % 3 != 0))


@triton.jit
def rows(x_ptr, out_ptr, sums_ptr, counts_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.arange(0, BN)
    inside = (row[:, None] < M) & (column[None, :] < N)
    x = tl.load(x_ptr + row[:, None] * N + column[None, :], mask=inside, other=float("-inf"))
    power = tl.exp(x - tl.max(x, axis=1)[:, None])
    share = power / tl.sum(power, axis=1)[:, None]
    tl.store(out_ptr + column[:, None] * M + row[None, :], tl.trans(tl.cumsum(share, axis=1)), mask=tl.trans(inside))
    tl.store(sums_ptr + row, tl.argmax(x, axis=1), mask=row < M)
    tl.atomic_add(counts_ptr + tl.argmax(x, axis=1) % 4, 1, mask=row < M)


@triton.jit
def rounds(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + tl.arange(0, BLOCK), total)
