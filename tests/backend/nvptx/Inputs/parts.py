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
