# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose programs do as much as an array says: what `unequal.py` predicts and measures."""

import triton
import triton.language as tl


@triton.jit
def shared_rows(x, lengths, out, BLOCK: tl.constexpr):
    """All programs read the same rows, as many of them as their length says: L1 and L2 have them."""
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(tl.load(lengths + program)):
        total += tl.load(x + k * BLOCK + i)
    tl.store(out + program * BLOCK + i, total)


@triton.jit
def own_rows(x, begins, lengths, out, BLOCK: tl.constexpr):
    """Each program reads rows of its own: memory has them."""
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    first = tl.load(begins + program)
    for k in range(tl.load(lengths + program)):
        total += tl.load(x + (first + k) * BLOCK + i)
    tl.store(out + program * BLOCK + i, total)


@triton.jit
def powers(x, lengths, out, BLOCK: tl.constexpr):
    """Nothing is loaded in rounds: arithmetic alone."""
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    for k in range(tl.load(lengths + program)):
        value = tl.math.exp2(value * 0.5) * 0.5
    tl.store(out + i, value)


@triton.jit
def products(a, b, lengths, out, TILE: tl.constexpr, DEPTH: tl.constexpr):
    """Tiles of a product whose depth is each program's own."""
    row, column = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, TILE)
    j = tl.arange(0, DEPTH)
    depth = 4096
    total = tl.zeros((TILE, TILE), tl.float32)
    a_tile = a + (row * TILE + i)[:, None] * depth + j[None, :]
    b_tile = b + (column * TILE + i)[None, :] * depth + j[:, None]
    for k in range(tl.load(lengths + row)):
        total = tl.dot(tl.load(a_tile), tl.load(b_tile), total)
        a_tile += DEPTH
        b_tile += DEPTH
    at = (row * TILE + i)[:, None] * (tl.num_programs(1) * TILE) + (column * TILE + i)[None, :]
    tl.store(out + at, total.to(tl.float16))
