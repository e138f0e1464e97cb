# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps launches in a file that `nereid replay` runs again without Python (docs/compare.md)."""

import base64
import hashlib
import inspect
import json
import os
import zlib

from . import _native, versions
from .tensors import TensorWrapper

FORMAT, VERSION = "nereid launches", 1
KEPT_FLOATS = 1 << 18  # bytes of an array of floats up to which it is kept as it is
KEPT_INTEGERS = 1 << 26  # of others, which may be addresses
_SAMPLED, _QUANTILES = 1 << 16, 33
_ALIGNMENT = 512


class Storage:
    """Memory of the program that one or several arrays of a launch lie in."""

    def __init__(self, name, dtype, address, size, read, sample):
        self.name, self.dtypes, self.address, self.size = name, [dtype], address, size
        self.read = read  # all of it, as bytes
        self.sample = sample  # (how many) -> some of the first array's elements as float64

    def holds(self, address):
        return self.address <= address < self.address + max(self.size, 1)


def _of_torch(name, tensor):
    import torch

    storage = tensor.untyped_storage()

    def read():
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        return whole.cpu().numpy().tobytes()

    def sample(most):
        size = storage.nbytes() // tensor.element_size()
        whole = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(storage, 0, (size,), (1,))
        return whole[::max(1, size // most)].to(torch.float64).cpu().numpy()

    return Storage(name, _native.dtype_of(tensor.dtype), storage.data_ptr(), storage.nbytes(), read, sample)


def _of_numpy(name, array):
    import ctypes

    import numpy

    owner = array
    while isinstance(owner.base, numpy.ndarray):
        owner = owner.base
    bounds = getattr(getattr(numpy.lib, "array_utils", numpy), "byte_bounds")
    low, high = bounds(owner)

    def sample(most):
        flat = numpy.frombuffer(ctypes.string_at(low, high - low), array.dtype)
        return flat[::max(1, flat.size // most)].astype(numpy.float64)

    return Storage(name, _native.dtype_of(array.dtype), low, high - low if owner.size else 0,
                   lambda: ctypes.string_at(low, high - low), sample)


def _arrays_in(name, value):
    """Of an argument, the arrays with their names."""
    if isinstance(value, TensorWrapper):
        yield from _arrays_in(name, value.base)
    elif hasattr(value, "block_shape"):
        yield from _arrays_in(name, value.base)
    elif isinstance(value, (tuple, list)):
        for number, element in enumerate(value):
            yield from _arrays_in(f"{name}.{number}", element)
    elif hasattr(value, "untyped_storage"):
        yield name, value, _of_torch
    elif type(value).__module__ == "numpy" and hasattr(value, "base") and hasattr(value, "strides"):
        yield name, value, _of_numpy


def storages_of(arguments):
    """The memory behind the arrays among named arguments, each once."""
    found = {}
    for name, value in arguments.items():
        for path, array, view in _arrays_in(name, value):
            storage = view(path, array)
            known = found.setdefault(storage.address, storage)
            if known is not storage:
                known.dtypes += storage.dtypes
    return list(found.values())


def can_write(path):
    folder = os.path.dirname(os.path.abspath(path))
    return not os.path.isdir(path) and os.access(path if os.path.exists(path) else folder, os.W_OK)


def _is_float(dtype):
    return "float" in dtype


class LaunchFile:
    """What is to be in the file. Of equal launches the caller keeps one, and counts."""

    def __init__(self):
        self._kernels, self._contents, self.launches = {}, {}, []

    def add(self, kernel, grid, compiled, arguments):
        """The entry of a launch whose arrays hold what they hold before it. What stands in the way of running it again
        becomes its `problem`."""
        entry = {"kernel": kernel.__name__, "grid": [*grid, 1, 1][:3], "calls": 0}
        try:
            entry |= self._described(kernel, compiled, arguments)
        except Exception as error:  # the program goes on
            entry["problem"] = f"not kept: {type(error).__name__}: {str(error).strip()[:400]}"
        self.launches.append(entry)
        return entry

    def _described(self, kernel, compiled, arguments):
        options, target = compiled.options.for_compiler(), compiled._compiler_target()
        if "block" in options:
            raise TypeError("kernels of threads are not recorded")
        positional, named = _as_given(kernel, arguments)
        slots, may_overlap = kernel._dispatcher.slots(*positional, **named)
        given = compiled._native_function, compiled._arguments, target
        if _native.accesses(*given, may_overlap=may_overlap, **options)[2]:
            raise ValueError("it follows addresses that it reads from memory or gets as integers")
        description = _native.describe(*given, may_overlap=may_overlap, **options)
        storages = storages_of(arguments)
        return {"description": self._kernels.setdefault(description, len(self._kernels)),
                "options": {"warps": 0, "pipeline_stages": 0, "max_registers": 0} | options
                | {"may_overlap": may_overlap},
                "memories": [self._memory(storage) for storage in storages],
                "slots": [_slot(slot, storages) for slot in slots]}

    def _memory(self, storage):
        is_small = storage.size <= (KEPT_FLOATS if all(map(_is_float, storage.dtypes)) else KEPT_INTEGERS)
        content = self._kept(storage) if is_small else self._drawn(storage)
        key = hashlib.sha256(repr(sorted(content.items())).encode()).digest()
        place, _ = self._contents.setdefault(key, (len(self._contents), content))
        return {"name": storage.name, "dtype": storage.dtypes[0], "misalignment": storage.address % _ALIGNMENT,
                "content": place}

    @staticmethod
    def _kept(storage):
        packed = zlib.compress(storage.read(), 1)
        return {"bytes": storage.size, "zlib": base64.b64encode(packed).decode()}

    def _drawn(self, storage):
        """The distribution of what it holds, from which other numbers are drawn."""
        import numpy

        sample = storage.sample(_SAMPLED)
        finite = numpy.sort(sample[numpy.isfinite(sample)])
        places = numpy.linspace(0, max(finite.size - 1, 0), _QUANTILES).astype(int)
        quantiles = finite[places].tolist() if finite.size else [0.0]
        shares = {"nan": numpy.isnan(sample).mean(), "inf": (sample == numpy.inf).mean(),
                  "-inf": (sample == -numpy.inf).mean()}
        return {"bytes": storage.size, "dtype": storage.dtypes[0], "seed": len(self._contents) + 1,
                "quantiles": quantiles} | {name: float(share) for name, share in shares.items()}

    def write(self, path, machine):
        """The file appears whole or not at all."""
        document = {"format": FORMAT, "version": VERSION, "compiler": _native.version(), "language": versions.release,
                    "machine": machine, "kernels": [json.loads(text) for text in self._kernels],
                    "contents": [content for _, content in self._contents.values()], "launches": self.launches}
        pending = f"{path}.{os.getpid()}.tmp"
        try:
            with open(pending, "w", encoding="utf-8") as file:
                json.dump(document, file)
            os.replace(pending, path)
        except BaseException:
            if os.path.exists(pending):
                os.unlink(pending)
            raise


def _as_given(kernel, arguments):
    """What is bound to a kernel's parameters as a call has it: behind `*rest` come those of a tuple."""
    names = list(kernel.signature.parameters)
    if not names or kernel.signature.parameters[names[-1]].kind != inspect.Parameter.VAR_POSITIONAL:
        return (), arguments
    rest = arguments[names[-1]]
    return (*(arguments[name] for name in names[:-1]), *rest), {}


def _slot(slot, storages):
    bits, extent, below = slot
    if extent is None or bits == 0:
        return str(bits)
    for number, storage in enumerate(storages):
        if storage.holds(bits):
            reach = min(extent or storage.size, storage.address + storage.size - bits)
            return {"memory": number, "offset": bits - storage.address, "extent": reach,
                    "below": min(below, bits - storage.address)}
    raise ValueError("one of its addresses leads to no array of PyTorch or NumPy that was given")
