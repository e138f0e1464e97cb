# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Accesses whose addresses go with the bits of places and have no run along any axis.
import triton
import triton.language as tl


@triton.jit
def turned(LOG: tl.constexpr):
    at = tl.arange(0, 1 << LOG)
    result = at * 0
    for bit in tl.static_range(LOG):
        result |= ((at >> bit) & 1) << (LOG - 1 - bit)
    return result


@triton.jit
def reverse_bits(x, out, LOG: tl.constexpr):
    """Loads in the order of reversed bits."""
    row = tl.program_id(0) << LOG
    tl.store(out + row + tl.arange(0, 1 << LOG), tl.load(x + row + turned(LOG)) + 1)


@triton.jit
def scatter_reversed(x, out, LOG: tl.constexpr):
    """Stores in that order."""
    row = tl.program_id(0) << LOG
    tl.store(out + row + turned(LOG), tl.load(x + row + tl.arange(0, 1 << LOG)) + 1)


@triton.jit
def masked_reversed(x, out, n, LOG: tl.constexpr):
    at = turned(LOG)
    tl.store(out + at, tl.load(x + at, mask=at < n, other=7) * 2, mask=at < n - 3)


@triton.jit
def interleave(x, out, H: tl.constexpr, W: tl.constexpr):
    """Of a square, whose rows and columns take turns in the address: rows first."""
    at = tl.arange(0, H)[:, None] * 0 + tl.arange(0, W)[None, :] * 0
    row, column = tl.arange(0, H)[:, None], tl.arange(0, W)[None, :]
    for bit in tl.static_range(4):
        at |= ((row >> bit) & 1) << (2 * bit)
        at |= ((column >> bit) & 1) << (2 * bit + 1)
    tl.store(out + row * W + column, tl.load(x + at))


@triton.jit
def turn_square(x, out, S: tl.constexpr):
    """One row of addresses, which go down a square's columns."""
    at = tl.arange(0, S * S)
    tl.store(out + at, tl.load(x + at % S * S + at // S))


@triton.jit
def reverse_rows(x, out, stride, ROWS: tl.constexpr, LOG: tl.constexpr):
    """Of rows as far apart as the launch says."""
    row, column = tl.arange(0, ROWS)[:, None], tl.arange(0, 1 << LOG)[None, :]
    tl.store(out + row * stride + column, tl.load(x + row * stride + turned(LOG)[None, :]))
