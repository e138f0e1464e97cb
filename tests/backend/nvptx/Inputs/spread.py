# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that several blocks share, and rows that they cannot."""
import triton
import triton.language as tl


@triton.jit
def norm_backward(x, grad, weight, out, n, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    i = tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + row + i, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(value, 0) / n
    centred = tl.where(mask, value - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + epsilon)
    change = tl.load(grad + row + i, mask=mask, other=0.0).to(tl.float32) * tl.load(weight + i, mask=mask, other=0.0)
    along = tl.sum(change * centred, 0) * scale * scale / n
    result = (change - tl.sum(change, 0) / n - centred * along) * scale
    tl.store(out + row + i, result.to(out.dtype.element_ty), mask=mask)


@triton.jit
def in_place(x, n, BLOCK: tl.constexpr):
    row = (tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)) * n
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(x + row + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def place_of_most(x, out, places, n, BLOCK: tl.constexpr):
    """The first of several that are alike: parts are brought together in their order."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-1)
    most, place = tl.max(v, 0, return_indices=True)
    tl.store(out + tl.program_id(0), most)
    tl.store(places + tl.program_id(0), place)


@triton.jit
def row_after_row(x, sums, rows, n, BLOCK: tl.constexpr):
    """Rounds take turns in the places where blocks tell one another what they have."""
    i = tl.arange(0, BLOCK)
    total = 0
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(x + row * n + i, mask=i < n, other=0)
        total += tl.sum(v, 0)
        if row % 2 == 0:
            total += tl.max(v, 0)
    tl.store(sums + tl.program_id(0), total)


@triton.jit
def counted_once(x, out, n, BLOCK: tl.constexpr):
    """What is no row's is added once, whoever adds it; of the row each block adds its part."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0)
    k = tl.arange(0, 16)
    tl.atomic_add(out + i % 64, v, mask=i < n, sem="relaxed")
    tl.atomic_add(out + 64, tl.sum(v, 0), sem="relaxed")
    tl.atomic_add(out + 65 + k, k + tl.min(v, 0), sem="relaxed")


@triton.jit
def read_behind(x, y, n, BLOCK: tl.constexpr):
    """A block reads what another one wrote."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(y + i, v + tl.sum(v, 0), mask=i < n)
    w = tl.load(y + (n - 1 - i), mask=i < n, other=0)
    tl.store(x + i, w, mask=i < n)


@triton.jit
def sums_so_far(x, out, n, BLOCK: tl.constexpr):
    """A scan goes from one block to the next."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, tl.cumsum(v, 0) - tl.max(v, 0), mask=i < n)


@triton.jit
def shifted_down(x, n, rounds, BLOCK: tl.constexpr):
    """What a round reads, other parts of the row wrote in the round before."""
    i = tl.arange(0, BLOCK)
    for k in range(rounds):
        places = x + (rounds - k) + i
        row = tl.load(places, mask=i < n, other=0)
        tl.store(places, row + (tl.sum(row, 0) & 7), mask=i < n)


@triton.jit
def steps_back(x, y, n, rounds, BLOCK: tl.constexpr):
    """Rounds write rows that overlap."""
    i = tl.arange(0, BLOCK)
    row = tl.load(x + i, mask=i < n, other=0)
    total = tl.sum(row, 0)
    for k in range(rounds):
        tl.store(y + (rounds - k) * 100 + i, row + total + k, mask=i < n)


@triton.jit
def in_rounds_of_rounds(x, out, rows, inner, n, BLOCK: tl.constexpr):
    """Of loops in one another and of branches, of none of which the number of exchanges is known."""
    i = tl.arange(0, BLOCK)
    total = 0
    for row in range(rows):
        for k in range(inner + row):
            v = tl.load(x + ((row + k) % 4) * n + i, mask=i < n, other=0)
            s = tl.sum(v, 0)
            if s % 2 == 0:
                total += tl.max(v, 0) + k
            else:
                total += tl.min(tl.where(i < n, v, 1000), 0) * 3
        w = tl.load(x + row * n + i, mask=i < n, other=0)
        total += tl.sum(w ^ 5, 0)
    tl.store(out, total)


@triton.jit
def one_further(x, y, n, BLOCK: tl.constexpr):
    """Both may be one array: then a block writes what another one reads."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(y + i + 1, v + tl.sum(v, 0), mask=i < n)


@triton.jit
def from_anywhere(x, places, out, n, BLOCK: tl.constexpr):
    """Each block reads what lies in others' parts, and stores into them."""
    i = tl.arange(0, BLOCK)
    p = tl.load(places + i, mask=i < n, other=0)
    v = tl.load(x + (p * 37 + i) % n, mask=i < n, other=0)
    s = tl.sum(v, 0)
    tl.store(out + (n - 1 - i), v + s + tl.load(x + s % n), mask=i < n)
