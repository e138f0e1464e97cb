# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of a device, under Numba's names: of a GPU where there is one, else in the host's memory."""

import contextlib
import ctypes

import numpy

from . import devices
from .gpu_arrays import GpuArray, allocate, borrowed, require_same


class HostArray(numpy.ndarray):
    """An array of the device, where the device is the host's processor."""

    __cuda_ndarray__ = True
    device_ctypes_pointer = property(lambda self: ctypes.c_void_p(self.ctypes.data if self.size else None))
    stream = 0

    @property
    def __cuda_array_interface__(self):
        data = self.ctypes.data if self.size else 0
        return {"shape": self.shape, "strides": None if self.is_c_contiguous() else self.strides,
                "typestr": self.dtype.str, "data": (data, False), "version": 3, "stream": None}

    def copy_to_host(self, ary=None, stream=0):
        if ary is None:
            return numpy.array(self, order="K", subok=False)
        require_same(self, ary)
        ary[...] = self.view(numpy.ndarray)
        return ary

    def copy_to_device(self, ary, stream=0):
        require_same(self, ary)
        self.view(numpy.ndarray)[...] = ary

    @property
    def T(self):
        """Of an array that lies together the same memory; of a part of one a copy, as Numba has it."""
        turned = self.transpose()
        is_whole = self.ndim < 2 or self.is_c_contiguous() or self.is_f_contiguous()
        return turned if is_whole else numpy.ascontiguousarray(turned).view(HostArray)

    def is_c_contiguous(self):
        return self.flags.c_contiguous

    def is_f_contiguous(self):
        return self.flags.f_contiguous

    @property
    def alloc_size(self):
        return self.nbytes

    def bind(self, stream=0):
        return self

    def getitem(self, item, stream=0):
        return self[item]

    def setitem(self, key, value, stream=0):
        self[key] = value

    def split(self, section, stream=0):
        for begin in range(0, len(self), section):
            yield self[begin:begin + section]


class _OfEither(type):

    def __instancecheck__(cls, instance):
        return isinstance(instance, (HostArray, GpuArray))


class DeviceNDArray(metaclass=_OfEither):
    """What programs ask whether an array is: one of the device, whichever that is."""


def device_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0):
    if devices.uses_gpu():
        return allocate(shape, dtype, strides, order, stream)
    made = numpy.empty(shape, dtype, order).view(HostArray)
    return made if strides is None else numpy.lib.stride_tricks.as_strided(made, strides=strides)


def device_array_like(ary, stream=0):
    return device_array(ary.shape, ary.dtype, order=_order_of(ary), stream=stream)


def _order_of(ary):
    """Of a new array for one like this: the last index fastest, unless the first is."""
    strides = getattr(ary, "strides", None) or ()
    rising = all(near <= far for near, far in zip(strides, strides[1:]))
    return "F" if len(strides) > 1 and rising and strides[0] < strides[-1] else "C"


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of an array in the device's memory; an array that lies there as it is."""
    if is_cuda_array(obj):
        return obj
    host = numpy.asarray(obj)
    if host.dtype.hasobject:
        raise TypeError("arrays of objects are no arguments of a kernel")
    made = device_array_like(host, stream) if to is None else to
    if copy:
        made.copy_to_device(host, stream)
    return made


def auto_device(obj, stream=0, copy=True):
    """The array in the device's memory, and whether it was made for this."""
    return (obj, False) if is_cuda_array(obj) else (to_device(obj, stream, copy), True)


def is_cuda_array(obj):
    return getattr(obj, "__cuda_ndarray__", False) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj, sync=True):
    """A view of an array that lies on the device already."""
    if not is_cuda_array(obj):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    if isinstance(obj, (HostArray, GpuArray)):
        return obj
    return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync)


def from_cuda_array_interface(desc, owner=None, sync=True):
    """What another library describes as an array of the device. `owner` is kept, and with `sync` waited for."""
    if desc.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    return borrowed(desc, owner, sync) if devices.uses_gpu() else _host_view(desc, owner)


class _Memory:
    """What NumPy views of another's array, which it keeps."""

    def __init__(self, described, owner):
        self.owner = owner
        self.__array_interface__ = {name: described.get(name) for name in ("shape", "typestr", "data", "strides")}
        self.__array_interface__["version"] = 3


def _host_view(described, owner):
    """Where the device is the host's processor, addresses of the device are the host's."""
    return numpy.asarray(_Memory(described, owner)).view(HostArray)


def pinned_array(shape, dtype=numpy.float64, strides=None, order="C"):
    return numpy.empty(shape, dtype, order)


def _as_strides_of(ary):
    return dict(shape=ary.shape, dtype=ary.dtype, order=_order_of(ary))


def pinned_array_like(ary):
    return pinned_array(**_as_strides_of(ary))


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    return device_array(**_as_strides_of(ary))


mapped_array = managed_array = device_array


@contextlib.contextmanager
def pinned(*arrays):
    yield


@contextlib.contextmanager
def mapped(*arrays, **kwargs):
    made = [to_device(array) for array in arrays]
    yield made[0] if len(made) == 1 else made
    for array, copy in zip(arrays, made):
        array[...] = copy.copy_to_host()
