# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def loops(x, y, out, n, rounds, BLOCK: tl.constexpr):
    """A loop that only computes, one that loads and reduces, and what stands in a branch."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    for _ in range(rounds):
        v = v * 0.5 + 1.0
    total = 0.0
    for r in range(rounds):
        w = tl.load(y + r * BLOCK + tl.arange(0, BLOCK))
        total += tl.sum(w * v)
    if total > 0.0:
        tl.store(out + i, v + total, mask=i < n)


@triton.jit
def counted(x, counts, steps, n, BLOCK: tl.constexpr):
    """Atomics, and a loop of which nobody knows how long it is."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i, mask=i < n, other=0)
    length = tl.zeros([BLOCK], dtype=tl.int32)
    while tl.max(left, 0) > 0:
        length += tl.where(left > 0, 1, 0)
        left = left // 2
    tl.atomic_add(counts + length % 16, 1, mask=i < n)
    tl.store(steps + i, length, mask=i < n)


@triton.jit
def picked(x, places, out, BLOCK: tl.constexpr):
    """A number that is loaded, and addresses that depend on it."""
    place = tl.load(places + tl.program_id(0))
    if place >= 0:
        i = tl.arange(0, BLOCK)
        tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(x + place * BLOCK + i))


@triton.jit
def scan(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    v = tl.load(x + row + i, mask=i < n, other=0.0)
    tl.store(out + row + i, tl.cumsum(v, 0), mask=i < n)
    tl.debug_barrier()
    tl.store(out + row + (n - 1 - i), v, mask=(i < n) & (v > 100.0))
