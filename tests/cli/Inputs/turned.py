# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    mask = (i < rows)[:, None] & (j < columns)[None, :]
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=mask)
    tl.store(out_ptr + j[None, :] * rows + i[:, None], x, mask=mask)


@triton.jit
def channels_last(x_ptr, out_ptr, Y: tl.constexpr, X: tl.constexpr):
    """As Inductor writes it: a row's number is split into image and channel."""
    y = tl.program_id(1) * Y + tl.arange(0, Y)[:, None]
    x = tl.program_id(0) * X + tl.arange(0, X)[None, :]
    mask = (y < 128) & (x < 100)
    value = tl.load(x_ptr + (x + 100 * y), mask)
    tl.store(out_ptr + (y % 64 + 64 * x + 6400 * (y // 64)), value, mask)


@triton.jit
def many(x_ptr, out_ptr, TIMES: tl.constexpr):
    i = tl.arange(0, 256)
    j = tl.arange(0, 16)
    for t in tl.static_range(TIMES):
        x = tl.load(x_ptr + i[:, None] * 16 + j[None, :] + t)
        tl.store(out_ptr + j[None, :] * 256 + i[:, None] + t, x)


@triton.jit
def turned_and_summed(x_ptr, out_ptr, RUN: tl.constexpr):
    """What is loaded across is stored for a scan as well."""
    rows, columns = tl.arange(0, 32), tl.arange(0, 32)
    tile = tl.load(x_ptr + (rows // RUN * 256 + rows % RUN)[:, None] + columns[None, :] * RUN)
    tl.store(out_ptr + rows[:, None] * 32 + columns[None, :], tile + tl.cumsum(tile, 1))
