# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in a GPU's memory. Copies come in the order of a stream's work. Without a stream that is the default one's, and
they are done when the call returns; with one, only a copy of what lies together on both sides goes on meanwhile."""

import ctypes
import math

import numpy

from .. import _native
from . import devices
from .streams import external_stream, stream_handle, stream_of


def require_same(device, host):
    if numpy.shape(host) != device.shape:
        raise ValueError(f"incompatible shape: {numpy.shape(host)} vs. {device.shape}")
    if numpy.asarray(host).dtype != device.dtype:
        raise TypeError(f"incompatible dtype: {numpy.asarray(host).dtype} vs. {device.dtype}")


def packed_strides(shape, itemsize, order):
    """In bytes, of elements that lie side by side."""
    strides, step = [0] * len(shape), itemsize
    for axis in reversed(range(len(shape))) if order == "C" else range(len(shape)):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def _is_basic(item):
    """Whether an index gives a view, and is no array of places."""
    parts = item if isinstance(item, tuple) else (item, )
    return all(part is Ellipsis or part is None or isinstance(part, slice)
               or (hasattr(part, "__index__") and not isinstance(part, (bool, numpy.ndarray))) for part in parts)


def _as_held(dtype, shape, strides):
    """Element type, shape and strides as launches know an array: of complex numbers their parts, along an axis more, and
    so of elements with fields, and of texts, their bytes."""
    if dtype.kind in "mM":
        return "int64", list(shape), list(strides)
    if dtype.names or dtype.kind in "US":
        return "int8", [*shape, dtype.itemsize], [*strides, 1]
    if dtype.kind != "c":
        return str(dtype), list(shape), list(strides)
    size = dtype.itemsize // 2
    return f"float{size * 8}", [*shape, 2], [*strides, size]


class GpuArray(_native.HeldArray):
    """An array in a GPU's memory, or a part of one."""

    __cuda_ndarray__ = True
    _owner = None  # of memory that is not ours

    def __init__(self, memory, shape, strides, dtype, offset=0, number=0, stream=0):
        super().__init__(memory.address + offset, *_as_held(numpy.dtype(dtype), shape, strides), number)
        self._memory, self._offset, self._number, self.stream = memory, offset, number, stream
        self.shape, self.strides, self.dtype = tuple(shape), tuple(strides), numpy.dtype(dtype)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    alloc_size = property(lambda self: self._memory.bytes)
    gpu_data = property(lambda self: self)
    device_ctypes_pointer = property(lambda self: ctypes.c_void_p(self.__cuda_array_interface__["data"][0] or None))
    flags = property(lambda self: self._stand_in().flags)

    @property
    def __cuda_array_interface__(self):
        stream = getattr(self.stream, "handle", None)
        return {"shape": self.shape, "strides": None if self.is_c_contiguous() else self.strides,
                "typestr": self.dtype.str, "data": (self._memory.address + self._offset if self.size else 0, False),
                "version": 3, "stream": getattr(stream, "value", None) or 1}

    # Copies

    def _reach(self):
        """Where its bytes begin in the memory, and how many there are up to the last."""
        steps = [(extent - 1) * stride for extent, stride in zip(self.shape, self.strides)]
        below = sum(step for step in steps if step < 0)
        return self._offset + below, sum(map(abs, steps)) + self.itemsize if self.size else 0

    def _staged(self, stream):
        """All bytes within its reach in the host's memory, and what it sees of them."""
        begin, count = self._reach()
        held = numpy.empty(count, numpy.uint8)
        self._memory.copy_to(held, begin, stream._native)
        stream._native.synchronize()
        return held, numpy.ndarray(self.shape, self.dtype, held.data, self._offset - begin, self.strides)

    def _lies_as(self, host):
        """Whether both have their elements side by side in the same order."""
        return (host.flags.c_contiguous and self.is_c_contiguous()) or (host.flags.f_contiguous
                                                                        and self.is_f_contiguous())

    def _order(self, stream):
        """The stream of a copy, and whether its end is waited for: unless the call names one."""
        is_named = stream_handle(stream) is not None
        return stream_of(stream if is_named else self.stream, self._number), not is_named

    def copy_to_host(self, ary=None, stream=0):
        if ary is None:
            ary = numpy.empty(self.shape, self.dtype, "C" if self.is_c_contiguous() else "F")
        require_same(self, ary)
        if not self.size:
            return ary
        order, waits = self._order(stream)
        if self._lies_as(ary):
            self._memory.copy_to(ary if ary.flags.c_contiguous else ary.T, self._reach()[0], order._native)
            if waits:
                order.synchronize()
        else:
            ary[...] = self._staged(order)[1]
        return ary

    def copy_to_device(self, ary, stream=0):
        order, waits = self._order(stream)
        if isinstance(ary, GpuArray):
            order.synchronize()
            ary = ary.copy_to_host()
        ary = numpy.asarray(ary)
        require_same(self, ary)
        if not self.size:
            return
        begin = self._reach()[0]
        if not self._lies_as(ary) and (self.is_c_contiguous() or self.is_f_contiguous()):
            ary = numpy.array(ary, order="C" if self.is_c_contiguous() else "F")
        if self._lies_as(ary):
            self._memory.copy_from(ary if ary.flags.c_contiguous else ary.T, begin, order._native)
        else:
            held, seen = self._staged(order)
            seen[...] = ary
            self._memory.copy_from(held, begin, order._native)
        if waits:
            order.synchronize()

    # Views: a stand-in without memory has shape and strides, and is never read

    def _stand_in(self):
        if not hasattr(self, "_shadow"):
            self._shadow = numpy.lib.stride_tricks.as_strided(numpy.empty(1, self.dtype), self.shape, self.strides)
        return self._shadow

    def _as(self, view):
        """The part of this that a view of the stand-in is."""
        begin, there = (array.__array_interface__["data"][0] for array in (self._stand_in(), view))
        return self._part(view.shape, view.strides, view.dtype, self._offset + there - begin, self.stream)

    def _part(self, shape, strides, dtype, offset, stream):
        part = GpuArray(self._memory, shape, strides, dtype, offset, self._number, stream)
        part._owner = self._owner
        return part

    def __getitem__(self, item):
        return self.getitem(item)

    def getitem(self, item, stream=0):
        if not _is_basic(item):
            return self.copy_to_host()[item]
        parts = item if isinstance(item, tuple) else (item, )
        is_element = all(hasattr(part, "__index__") for part in parts) and len(parts) == self.ndim
        view = self._as(self._stand_in()[parts if Ellipsis in parts else (*parts, Ellipsis)])
        return view.copy_to_host()[()] if is_element else view

    def __setitem__(self, key, value):
        self.setitem(key, value)

    def setitem(self, key, value, stream=0):
        value = value.copy_to_host() if isinstance(value, GpuArray) else value
        if not _is_basic(key):
            held = self.copy_to_host()
            held[key] = value
            return self.copy_to_device(held, stream)
        parts = key if isinstance(key, tuple) else (key, )
        part = self._as(self._stand_in()[parts if Ellipsis in parts else (*parts, Ellipsis)])
        part.copy_to_device(numpy.array(numpy.broadcast_to(numpy.asarray(value, self.dtype), part.shape)), stream)

    @property
    def T(self):
        """A view, but of what does not lie together, which is copied, as Numba has it."""
        turned = self.transpose()
        is_whole = self.ndim < 2 or self.is_c_contiguous() or self.is_f_contiguous()
        return turned if is_whole else _copied(numpy.ascontiguousarray(turned.copy_to_host()))

    def transpose(self, axes=None):
        return self._as(self._stand_in().transpose(axes))

    def reshape(self, *shape, order="C"):
        """The same elements; of those that do not lie together, a copy."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if order == "F":
            return self.T.reshape(tuple(reversed(shape))).T
        if not self.is_c_contiguous():
            return _copied(self.copy_to_host().reshape(shape))
        return self._as(self._stand_in().reshape(shape))

    def ravel(self, order="C", stream=0):
        return self.reshape(-1, order=order)

    def view(self, dtype):
        return self._as(self._stand_in().view(dtype))

    def squeeze(self, axis=None, stream=0):
        return self._as(self._stand_in().squeeze(axis))

    def split(self, section, stream=0):
        for begin in range(0, len(self), section):
            yield self[begin:begin + section]

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __iter__(self):
        return (self[number] for number in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        return self.copy_to_host() if dtype is None else self.copy_to_host().astype(dtype)

    def is_c_contiguous(self):
        return self.flags.c_contiguous

    def is_f_contiguous(self):
        return self.flags.f_contiguous

    def bind(self, stream=0):
        """The same array, whose copies are in this stream's order."""
        return self._part(self.shape, self.strides, self.dtype, self._offset, stream)


def _copied(host):
    made = allocate(host.shape, host.dtype)
    made.copy_to_device(host)
    return made


def allocate(shape, dtype, strides=None, order="C", stream=0):
    """On the current GPU."""
    dtype = numpy.dtype(dtype)
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape, )
    shape = tuple(extent.__index__() for extent in shape)
    if any(extent < 0 for extent in shape):
        raise ValueError("negative dimensions are not allowed")
    strides = packed_strides(shape, dtype.itemsize, order) if strides is None else tuple(strides)
    reach = sum((extent - 1) * stride for extent, stride in zip(shape, strides)) + dtype.itemsize if all(shape) else 0
    memory = _native.DeviceMemory(devices.opened(), reach)
    return GpuArray(memory, shape, strides, dtype, 0, devices.current_number(), stream)


def borrowed(described, owner, waits):
    """A view of another library's array on the current GPU."""
    dtype, shape = numpy.dtype(described["typestr"]), tuple(described["shape"])
    strides = described.get("strides") or packed_strides(shape, dtype.itemsize, "C")
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides)]
    below = -sum(step for step in steps if step < 0)
    count = sum(map(abs, steps)) + dtype.itemsize if all(shape) else 0
    memory = _native.DeviceMemory.borrow(devices.opened(), described["data"][0] - below, count)
    stream = described.get("stream")
    if waits and stream is not None:
        external_stream(0 if stream == 1 else stream).synchronize()
    made = GpuArray(memory, shape, strides, dtype, below, devices.current_number())
    made._owner = owner
    return made
