# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands for arrays that are not there yet: in a call, and while it is prepared."""

import dataclasses
import math

import numpy as np
from jax import tree_util

from .. import _native, driver

_APART = 44  # bits: no array is as long as that


def strides_from_shape(shape):
    """In elements, of an array in row-major order."""
    return tuple(math.prod(shape[place + 1:]) for place in range(len(shape)))


@dataclasses.dataclass(frozen=True)
class Operand:
    """Stands for an array among a call's arguments."""
    number: int


@dataclasses.dataclass(frozen=True)
class Result:
    """Stands for an output."""
    number: int


class Buffer:
    """One of a call's buffers while the call is prepared: at an address of its own, as XLA's allocations are, and a
    multiple of 16."""

    def __init__(self, number, aval):
        self.number = number
        self.shape, self.dtype = tuple(aval.shape), np.dtype(aval.dtype)
        self.ndim, self.size = len(self.shape), math.prod(self.shape)

    def data_ptr(self):
        return self.number + 1 << _APART

    @staticmethod
    def number_at(address):
        """Whose address it is."""
        return (address >> _APART) - 1

    def stride(self, dimension=None):
        strides = strides_from_shape(self.shape)
        return strides if dimension is None else strides[dimension]

    def numel(self):
        return self.size

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize


def buffers_of(operands, outputs):
    """A Buffer for each Operand and each Result of a call."""
    operands = {Operand(number): Buffer(number, aval) for number, aval in enumerate(operands)}
    return operands | {Result(number): Buffer(len(operands) + number, aval) for number, aval in enumerate(outputs)}


def with_buffers(arguments, buffers):
    """The arguments of a call, with Buffers for arrays."""
    return {name: tree_util.tree_map(lambda leaf: buffers[leaf] if isinstance(leaf, (Operand, Result)) else leaf, value)
            for name, value in arguments.items()}


class Scratch(Buffer):
    """A buffer with memory, of zeros, which the tuner may launch on, zero and put back."""

    def __init__(self, buffer, cuda_device):
        super().__init__(buffer.number, buffer)
        self.device = f"cuda:{cuda_device}" if cuda_device >= 0 else "cpu"
        on = driver.device_of(cuda_device, is_checked=False)
        self._memory = _native.DeviceMemory(on, self.nbytes)
        self._stream = _native.Stream.open(on)
        self[...] = 0

    def data_ptr(self):
        return self._memory.address

    def copy(self):
        kept = np.empty(self.nbytes, np.uint8)
        if self.nbytes:
            self._memory.copy_to(kept, 0, self._stream)
            self._stream.synchronize()
        return kept

    def __setitem__(self, everything, value):
        """Bytes of copy(), or 0."""
        source = np.zeros(self.nbytes, np.uint8) if isinstance(value, int) else value
        if self.nbytes:
            self._memory.copy_from(source, 0, self._stream)
            self._stream.synchronize()
