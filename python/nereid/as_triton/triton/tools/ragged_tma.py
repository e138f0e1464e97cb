# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptors of rows in groups of unlike sizes: what lies outside a group is neither read nor written.

One descriptor serves all groups. Two axes stand before the array's own, whose steps send an address through all of 64
bits and back, so that every group ends where the axis of rows ends: row r of a group of n that begins at b is the
element (2**30, b + n, 2**30 - n + r), and addresses (b + r) rows, modulo 2**64."""

from nereid import jit
from nereid import language as tl
from nereid.tensor_descriptor import TensorDescriptor

_ROWS = 1 << 30
_LARGEST = 0x7FFF0000
_AROUND = 1 << 34  # times _ROWS: once round


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """Of a tensor of two or three axes, whose axis `ragged_dim` is that of the rows."""
    shape, steps = list(T.shape), list(T.stride())
    ragged_dim %= len(shape)
    assert len(block_shape) == len(shape) <= 3, "blocks have the rank of the tensor, which is at most 3"
    assert ragged_dim < len(shape) - 1, "the last axis cannot be that of the rows"
    assert shape[ragged_dim] <= _ROWS, "there are at most 2**30 rows"
    step = steps[ragged_dim]
    shape[ragged_dim] = _ROWS
    return TensorDescriptor(T, [_LARGEST, _LARGEST, *shape], [_AROUND - step, step, *steps], [1, 1, *block_shape])


@jit
def to_ragged_indices(batch_offset, batch_size, row):
    rows: tl.constexpr = 1073741824
    return rows, batch_offset + batch_size, rows - batch_size + row


@jit
def _places(batch_offset, batch_size, coords, ragged_dim: tl.constexpr):
    first, second, row = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    return (first, second) + coords[:ragged_dim] + (row,) + coords[ragged_dim + 1:]


@jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at `coords` of a group of `batch_size` rows from `batch_offset`; zero outside of it."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2)
    block = TMA.load(_places(batch_offset, batch_size, coords, ragged_dim))
    return tl.reshape(block, block.shape[2:])


@jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    TMA.store(_places(batch_offset, batch_size, coords, ragged_dim), tl.reshape(data, [1, 1] + data.shape))


@jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    TMA.atomic_add(_places(batch_offset, batch_size, coords, ragged_dim), tl.reshape(data, [1, 1] + data.shape))
