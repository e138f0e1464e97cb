# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of a job whose ranks share memory: each rank is told where everybody's buffers lie, as integers."""

import triton
import triton.language as tl


@triton.jit
def _address_of(table, rank, place, type: tl.constexpr):
    return tl.load(table.to(tl.pointer_type(tl.uint64)) + rank).to(tl.pointer_type(type)) + place


@triton.jit
def meet(signals, rank, WORLD: tl.constexpr):
    """Returns when this program of every rank is here. What they stored before is seen behind it."""
    block = tl.program_id(0)
    tl.debug_barrier()
    for peer in tl.static_range(WORLD):
        theirs = _address_of(signals, peer, block * WORLD + rank, tl.int32)
        while tl.atomic_cas(theirs, 0, 1, sem="release", scope="sys") != 0:
            pass
    for peer in tl.static_range(WORLD):
        own = _address_of(signals, rank, block * WORLD + peer, tl.int32)
        while tl.atomic_cas(own, 1, 0, sem="acquire", scope="sys") != 1:
            pass
    tl.debug_barrier()


@triton.jit
def _sum_of(buffers, places, mask, WORLD: tl.constexpr):
    total = tl.zeros(places.shape, tl.float32)
    for peer in tl.static_range(WORLD):
        total += tl.load(_address_of(buffers, peer, 0, tl.float32) + places, mask=mask)
    return total


@triton.jit
def all_reduce_in_one_shot(buffers, signals, out, n, rank, WORLD: tl.constexpr, BLOCK: tl.constexpr):
    """Every rank reads everybody's elements."""
    meet(signals, rank, WORLD)
    for begin in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        places = begin + tl.arange(0, BLOCK)
        tl.store(out + places, _sum_of(buffers, places, places < n, WORLD), mask=places < n)
    meet(signals, rank, WORLD)


@triton.jit
def all_reduce_in_two_shots(buffers, signals, out, n, rank, WORLD: tl.constexpr, BLOCK: tl.constexpr):
    """Every rank sums a share and stores it to everybody. `n` is a multiple of WORLD; the buffers are overwritten."""
    share = n // WORLD
    meet(signals, rank, WORLD)
    for begin in range(tl.program_id(0) * BLOCK, share, tl.num_programs(0) * BLOCK):
        inside = begin + tl.arange(0, BLOCK)
        places = rank * share + inside
        total = _sum_of(buffers, places, inside < share, WORLD)
        for peer in tl.static_range(WORLD):
            tl.store(_address_of(buffers, peer, 0, tl.float32) + places, total, mask=inside < share)
    meet(signals, rank, WORLD)
    own = _address_of(buffers, rank, 0, tl.float32)
    for part in tl.static_range(WORLD):
        for begin in range(tl.program_id(0) * BLOCK, share, tl.num_programs(0) * BLOCK):
            inside = begin + tl.arange(0, BLOCK)
            total = tl.load(own + part * share + inside, mask=inside < share)
            tl.store(out + part * share + inside, total, mask=inside < share)
    meet(signals, rank, WORLD)


@triton.jit
def product_of_parts(a, b, c, arrived, M, N, K, rank, PART: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     BK: tl.constexpr):
    """c = a @ b, where PART rows of `a` are there as soon as `arrived` has a 1 for them: first the rank's own. The grid
    leaves room for what brings the others. M, N and K are multiples of the tile's extents."""
    columns_of_tiles = N // BN
    rows_of_tiles = M // BM
    for tile in range(tl.program_id(0), rows_of_tiles * columns_of_tiles, tl.num_programs(0)):
        row = (tile // columns_of_tiles + rank * (PART // BM)) % rows_of_tiles
        while tl.atomic_add(arrived + row * BM // PART, 0, sem="acquire", scope="sys") == 0:
            pass
        tl.debug_barrier()
        rows = row * BM + tl.arange(0, BM)
        columns = tile % columns_of_tiles * BN + tl.arange(0, BN)
        depth = tl.arange(0, BK)
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            left = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
            right = tl.load(b + (k + depth)[:, None] * N + columns[None, :])
            total = tl.dot(left, right, total)
        tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


@triton.jit
def scaled_copy(x, out, factor, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + places, tl.load(x + places, mask=places < n) * factor, mask=places < n)
