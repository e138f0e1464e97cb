# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What warps leave for one another in shared memory, and what pieces of a tile leave for whole tiles."""

import triton
import triton.language as tl


@triton.jit
def of_three(a, b, c, a1, b1, c1):
    return tl.maximum(a, a1), tl.minimum(b, b1), c + c1


@triton.jit
def three_results(x, y, z, out, M: tl.constexpr):
    i = tl.arange(0, M)
    a, b, c = tl.reduce((tl.load(x + i), tl.load(y + i), tl.load(z + i)), 0, of_three)
    tl.store(out, a.to(tl.float32))
    tl.store(out + 1, b.to(tl.float32))
    tl.store(out + 2, c.to(tl.float32))


@triton.jit
def largest(x, most, where, M: tl.constexpr):
    value, place = tl.max(tl.load(x + tl.arange(0, M)), 0, return_indices=True)
    tl.store(most, value)
    tl.store(where, place)


@triton.jit
def three_of_columns(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    a, b, c = tl.reduce((tile, tile, tile), 0, of_three)
    tl.store(out + j, a)
    tl.store(out + N + j, b)
    tl.store(out + 2 * N + j, c)


@triton.jit
def stored_and_loaded(a, b, y, z, w, R: tl.constexpr, C: tl.constexpr):
    """What is stored is loaded again, in pieces and whole."""
    i, j = tl.arange(0, R), tl.arange(0, C)
    tl.store(y + i, tl.load(a + i) + tl.load(b + i))
    again = tl.load(y + i)
    tl.store(w + i, again * 2)
    tl.store(z + i[:, None] * C + j[None, :], again[:, None] + j[None, :])


@triton.jit
def stored_loaded_and_added_up(a, b, c, y, z, R: tl.constexpr):
    i = tl.arange(0, R)
    tl.store(y + i, tl.load(a + i) + tl.load(b + i))
    again = tl.load(y + i)
    tl.store(z + i, again * tl.max(again, 0) + tl.load(c + i))


@triton.jit
def both(a, b):
    return a & b


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def in_one_step(x, out, words, BLOCK: tl.constexpr):
    """Whole numbers of all lanes, signed and not, by each operation that has an instruction."""
    v = tl.load(x + tl.arange(0, BLOCK))
    w = v.to(tl.uint32, bitcast=True)
    tl.store(out + 0, tl.sum(v))
    tl.store(out + 1, tl.min(v))
    tl.store(out + 2, tl.max(v))
    tl.store(out + 3, tl.xor_sum(v))
    tl.store(out + 4, tl.reduce(v | 5, 0, both))
    tl.store(out + 5, tl.reduce(v & 0x70F0F0F0, 0, either))
    tl.store(out + 6, tl.sum((v > 0).to(tl.int32)))
    tl.store(words + 0, tl.min(w))
    tl.store(words + 1, tl.max(w))


@triton.jit
def in_one_step_of_rows(x, out, M: tl.constexpr, N: tl.constexpr):
    """Of each row, whose lanes it may have for itself, or share."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + i, tl.sum(v, 1) + tl.max(v, 1))
