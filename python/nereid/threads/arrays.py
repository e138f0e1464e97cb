# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of a device, under Numba's names: of a GPU where there is one, else in the host's memory."""

import contextlib

import numpy

from .. import _native, driver, gpu


def _device():
    return driver.open_device("cuda:0")


def wait():
    """Copies come after all work that was given to the GPU before."""
    _native.DeviceMemory(_device(), 1).copy_to(bytearray(1))


class HostArray(numpy.ndarray):
    """An array of the device, where the device is the host's processor."""

    __cuda_ndarray__ = True
    device_ctypes_pointer = property(lambda self: self.ctypes)
    stream = 0

    @property
    def __cuda_array_interface__(self):
        data = self.ctypes.data if self.size else 0
        return {"shape": self.shape, "strides": None if self.is_c_contiguous() else self.strides,
                "typestr": self.dtype.str, "data": (data, False), "version": 3, "stream": None}

    def copy_to_host(self, ary=None, stream=0):
        if ary is None:
            return numpy.array(self, order="K", subok=False)
        _require_same(self, ary)
        ary[...] = self.view(numpy.ndarray)
        return ary

    def copy_to_device(self, ary, stream=0):
        _require_same(self, ary)
        self.view(numpy.ndarray)[...] = ary

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


def _require_same(device, host):
    if numpy.shape(host) != device.shape:
        raise ValueError(f"incompatible shape: {numpy.shape(host)} vs. {device.shape}")
    if numpy.asarray(host).dtype != device.dtype:
        raise TypeError(f"incompatible dtype: {numpy.asarray(host).dtype} vs. {device.dtype}")


class GpuArray(_native.HeldArray):
    """An array in a GPU's memory, or a part of one."""

    __cuda_ndarray__ = True

    def __init__(self, memory, shape, strides, dtype, offset=0):
        super().__init__(memory.address + offset, str(dtype), list(shape), list(strides), 0)
        self._memory, self._offset = memory, offset
        self.shape, self.strides, self.dtype = tuple(shape), tuple(strides), numpy.dtype(dtype)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(numpy.prod(self.shape, dtype=numpy.int64)))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    alloc_size = nbytes

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "strides": self.strides, "typestr": self.dtype.str,
                "data": (self._memory.address + self._offset, False), "version": 3, "stream": 1}

    def _whole(self):
        """All of its memory, as bytes of the host."""
        held = numpy.empty(self._memory.bytes, numpy.uint8)
        self._memory.copy_to(held)
        return held

    def _seen_in(self, held):
        return numpy.ndarray(self.shape, self.dtype, held.data, self._offset, self.strides)

    def copy_to_host(self, ary=None, stream=0):
        if ary is None:
            ary = numpy.empty(self.shape, self.dtype, "F" if self.is_f_contiguous() and self.ndim > 1 else "C")
        _require_same(self, ary)
        if self._is_all and ary.flags.c_contiguous and self.is_c_contiguous():
            self._memory.copy_to(ary)
        else:
            ary[...] = self._seen_in(self._whole())
        return ary

    def copy_to_device(self, ary, stream=0):
        if isinstance(ary, GpuArray):
            ary = ary.copy_to_host()
        ary = numpy.asarray(ary)
        _require_same(self, ary)
        if self._is_all and ary.flags.c_contiguous and self.is_c_contiguous():
            return self._memory.copy_from(ary)
        held = self._whole()
        self._seen_in(held)[...] = ary
        self._memory.copy_from(held)

    @property
    def _is_all(self):
        return not self._offset and self.nbytes == self._memory.bytes

    def _as(self, view):
        """The part of this that a view of a stand-in with its strides is."""
        base = self._stand_in().__array_interface__["data"][0]
        offset = view.__array_interface__["data"][0] - base
        return GpuArray(self._memory, view.shape, view.strides, view.dtype, self._offset + offset)

    def _stand_in(self):
        if not hasattr(self, "_shadow"):
            self._shadow = numpy.lib.stride_tricks.as_strided(numpy.empty(1, self.dtype), self.shape, self.strides)
        return self._shadow

    def __getitem__(self, item):
        view = self._stand_in()[item] if not numpy.isscalar(item) or self.ndim > 1 else None
        if isinstance(view, numpy.ndarray) and view.ndim:
            return self._as(view)
        return self.copy_to_host()[item]

    def __setitem__(self, key, value):
        held = self._whole()
        self._seen_in(held)[key] = value.copy_to_host() if isinstance(value, GpuArray) else value
        self._memory.copy_from(held)

    getitem = lambda self, item, stream=0: self[item]
    setitem = lambda self, key, value, stream=0: self.__setitem__(key, value)
    T = property(lambda self: self._as(self._stand_in().T))

    def transpose(self, axes=None):
        return self._as(self._stand_in().transpose(axes))

    def reshape(self, *shape, order="C"):
        return self._as(self._stand_in().reshape(*shape, order=order))

    def ravel(self, order="C", stream=0):
        return self.reshape(-1, order=order)

    def view(self, dtype):
        return self._as(self._stand_in().view(dtype))

    def squeeze(self, axis=None):
        return self._as(self._stand_in().squeeze(axis))

    def split(self, section, stream=0):
        for begin in range(0, len(self), section):
            yield self[begin:begin + section]

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        return self.copy_to_host() if dtype is None else self.copy_to_host().astype(dtype)

    def is_c_contiguous(self):
        return self._stand_in().flags.c_contiguous

    def is_f_contiguous(self):
        return self._stand_in().flags.f_contiguous

    def bind(self, stream=0):
        return self


def device_array(shape, dtype=numpy.float64, strides=None, order="C", stream=0):
    if not gpu.is_available():
        made = numpy.empty(shape, dtype, order).view(HostArray)
        return made if strides is None else numpy.lib.stride_tricks.as_strided(made, strides=strides)
    model = numpy.lib.stride_tricks.as_strided(numpy.empty(1, dtype), numpy.empty(shape, numpy.uint8).shape)
    shape = model.shape
    plain = numpy.empty([1] * len(shape), dtype)
    packed = [plain.itemsize] * len(shape)
    axes = range(len(shape) - 2, -1, -1) if order == "C" else range(1, len(shape))
    for axis in axes:
        near = axis + 1 if order == "C" else axis - 1
        packed[axis] = packed[near] * shape[near]
    strides = tuple(packed if strides is None else strides)
    reach = sum((extent - 1) * stride for extent, stride in zip(shape, strides)) + plain.itemsize
    size = reach if all(shape) else 0
    return GpuArray(_native.DeviceMemory(_device(), size), shape, strides, numpy.dtype(dtype))


def device_array_like(ary, stream=0):
    order = "F" if getattr(ary, "flags", None) is not None and ary.flags.f_contiguous and ary.ndim > 1 else "C"
    return device_array(ary.shape, ary.dtype, order=order)


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of an array in the device's memory; an array that lies there as it is."""
    if is_cuda_array(obj):
        return obj
    host = numpy.asarray(obj)
    if host.dtype.hasobject:
        raise TypeError("arrays of objects are no arguments of a kernel")
    if to is not None:
        to.copy_to_device(host)
        return to
    made = device_array_like(host)
    if copy:
        made.copy_to_device(host)
    return made


def is_cuda_array(obj):
    return getattr(obj, "__cuda_ndarray__", False) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj, sync=True):
    if not is_cuda_array(obj):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    if gpu.is_available() or isinstance(obj, HostArray):
        return obj
    return _host_view(obj)


class _Memory:
    """What NumPy views of another's array, which it keeps."""

    def __init__(self, owner):
        described = owner.__cuda_array_interface__
        self.owner = owner
        self.__array_interface__ = {name: described.get(name) for name in ("shape", "typestr", "data", "strides")}
        self.__array_interface__["version"] = 3


def _host_view(obj):
    """Where the device is the host's processor, addresses of the device are the host's."""
    if obj.__cuda_array_interface__.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    return numpy.asarray(_Memory(obj)).view(HostArray)


def pinned_array(shape, dtype=numpy.float64, strides=None, order="C"):
    return numpy.empty(shape, dtype, order)


def _as_strides_of(ary):
    order = "F" if ary.flags.f_contiguous and ary.ndim > 1 and not ary.flags.c_contiguous else "C"
    return dict(shape=ary.shape, dtype=ary.dtype, order=order)


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
