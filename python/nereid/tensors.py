# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stand-ins for tensors: without memory, of another dtype, and in the host's memory."""

import contextlib

from .tensor_descriptor import TensorDescriptor


class MockTensor:
    """Stands for a tensor of a dtype where a kernel is only compiled."""

    @staticmethod
    def wrap_dtype(value):
        is_dtype = type(value).__name__ == "dtype" and type(value).__module__.startswith("torch")
        return MockTensor(value) if is_dtype else value

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    def stride(self):
        strides = [1]
        for size in self.shape[1:]:
            strides.append(strides[-1] * size)
        return tuple(reversed(strides))

    @property
    def device(self):
        """Where arrays of the program would lie."""
        from .driver import default_cuda_device

        number = default_cuda_device()
        return f"cuda:{number}" if number >= 0 else "cpu"

    @staticmethod
    def data_ptr():
        return 0  # a multiple of 16

    @staticmethod
    def ptr_range():
        return 0


class TensorWrapper:
    """A tensor read as one of another dtype: triton.reinterpret."""

    def __init__(self, base, dtype):
        self.dtype, self.base = dtype, base
        self.data, self.device, self.shape = base.data, base.device, base.shape

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def numel(self):
        return self.base.numel()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """The same memory as elements of another dtype of the same size."""
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"Cannot reinterpret a {type(tensor)}.")


def _is_on_gpu(value):
    """Of a tensor of PyTorch's."""
    return getattr(getattr(value, "device", None), "type", None) == "cuda" and hasattr(value, "untyped_storage")


class _Copies:
    """Tensors of a GPU in the host's memory: what shares memory there shares it here."""

    def __init__(self):
        self.storages = {}

    def of(self, value):
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if isinstance(value, TensorWrapper):
            return TensorWrapper(self.of(value.base), value.dtype)
        if isinstance(value, TensorDescriptor):
            return TensorDescriptor(self.of(value.base), value.shape, value.strides, value.block_shape, value.padding)
        if not _is_on_gpu(value):
            return value
        storage = value.untyped_storage()
        _, copy = self.storages.setdefault(storage.data_ptr(), (storage, storage.cpu()))
        empty = value.detach().new_empty(0, device="cpu")
        return empty.set_(copy, value.storage_offset(), value.shape, value.stride())

    def write_back(self):
        for storage, copy in self.storages.values():
            storage.copy_(copy)


def copied_to_host(args, kwargs):
    """The arguments with copies of PyTorch's tensors in the host's memory, for who only reads them."""
    copies = _Copies()
    return tuple(map(copies.of, args)), {name: copies.of(value) for name, value in kwargs.items()}


@contextlib.contextmanager
def on_host(args, kwargs):
    """The arguments with copies of PyTorch's tensors in the host's memory, which are written back at the end."""
    copies = _Copies()
    yield tuple(map(copies.of, args)), {name: copies.of(value) for name, value in kwargs.items()}
    copies.write_back()
