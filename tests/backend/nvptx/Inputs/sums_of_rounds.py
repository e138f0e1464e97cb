# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose rounds add what they reduce, or do almost that."""

import triton
import triton.language as tl


@triton.jit
def by_key(keys, values, sums, counts, least, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    """Three results of a round, in registers of all threads."""
    g = tl.arange(0, GROUPS)
    total, count = tl.zeros((GROUPS,), tl.float32), tl.zeros((GROUPS,), tl.int32)
    low = tl.full((GROUPS,), 2147483647, tl.int32)
    for part in range(ROUNDS):
        i = (tl.program_id(0) * ROUNDS + part) * BLOCK + tl.arange(0, BLOCK)
        key = tl.load(keys + i, mask=i < N, other=-1).to(tl.int32) % GROUPS
        v = tl.load(values + i, mask=i < N, other=0)
        own = (key[:, None] == g[None, :]) & (i < N)[:, None]
        total += tl.sum(tl.where(own, v.to(tl.float32)[:, None], 0.0), 0)
        count += tl.sum(own.to(tl.int32), 0)
        low = tl.minimum(low, tl.min(tl.where(own, v[:, None], 2147483647), 0))
    at = tl.program_id(0) * GROUPS + g
    tl.store(sums + at, total)
    tl.store(counts + at, count)
    tl.store(least + at, low)


@triton.jit
def of_row(x, out, n, rounds, BLOCK: tl.constexpr):
    """Numbers, of as many rounds as the launch says: none leaves what was there before."""
    at = tl.arange(0, BLOCK)
    first = tl.load(x).to(tl.float32)
    total, most, least, bits = first, first, first, tl.full((), 5, tl.int32)
    for part in range(rounds):
        value = tl.load(x + part * BLOCK + at, mask=part * BLOCK + at < n, other=0.0)
        total += tl.sum(value)
        most = tl.maximum(tl.max(value), most)
        least = tl.minimum(least, tl.min(value))
        bits ^= tl.xor_sum(value.to(tl.int32), 0)
    tl.store(out, total)
    tl.store(out + 1, most)
    tl.store(out + 2, least)
    tl.store(out + 3, bits.to(tl.float32))


@triton.jit
def twice_a_round(x, y, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr, rounds):
    """A round adds two tiles' sums to one, and those of an inner loop to another."""
    row, column = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    kept: tl.constexpr = COLUMNS if AXIS == 0 else ROWS
    total, inner = tl.zeros((kept,), tl.float32), tl.full((kept,), 1, tl.float32)
    for part in range(rounds):
        at = (part * ROWS + row) * COLUMNS + column
        total += tl.sum(tl.load(x + at), AXIS)
        total += tl.sum(tl.load(y + at).to(tl.float32), AXIS)
        for more in range(part):
            inner += tl.sum(tl.load(x + (more * ROWS + row) * COLUMNS + column), AXIS)
    tl.store(out + tl.arange(0, kept), total)
    tl.store(out + kept + tl.arange(0, kept), inner)


@triton.jit
def asked_in_between(x, out, BLOCK: tl.constexpr, rounds):
    """Each round's sum is stored; and a sum that rounds multiply is none that they only add to."""
    total, faded = 0.0, 0.0
    for part in range(rounds):
        value = tl.load(x + part * BLOCK + tl.arange(0, BLOCK))
        total += tl.sum(value)
        faded = faded * 0.5 + tl.sum(value)
        tl.store(out + 1 + part, total)
    tl.store(out, faded)


@triton.jit
def in_doubles(x, out, BLOCK: tl.constexpr, rounds):
    """Elements of 8 bytes; products; bits that all have."""
    total, product = tl.full((), 0, tl.int64), tl.full((), 1, tl.int32)
    for part in range(rounds):
        value = tl.load(x + part * BLOCK + tl.arange(0, BLOCK))
        total += tl.sum(value)
        product *= tl.reduce((value | 1).to(tl.int32), 0, multiplied)
    tl.store(out, total)
    tl.store(out + 1, product.to(tl.int64))


@triton.jit
def multiplied(a, b):
    return a * b


@triton.jit
def picked_rows(starts, places, weights, x, out, B: tl.constexpr):
    """Rows that numbers of an array name: addresses of these numbers follow the round."""
    row, at = tl.program_id(0), tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for e in range(tl.load(starts + row), tl.load(starts + row + 1)):
        total += tl.load(weights + e) * tl.load(x + tl.load(places + e) * B + at)
    tl.store(out + row * B + at, total)


@triton.jit
def up_to_the_end(out, first, last, step):
    """Counters of which one more step would be no number; and down to the least."""
    rounds, sum = 0, 0
    for i in range(first, last, step):
        tl.store(out + 2 + rounds, i)
        rounds += 1
        sum ^= i
    tl.store(out, rounds)
    tl.store(out + 1, sum)
