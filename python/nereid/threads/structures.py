# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements with fields: NumPy's structured arrays and single records of them. The compiler gets their bytes, with one more
dimension, and the type as nested tuples (src/frontend/emit/threads/Structures.cpp)."""

import functools
from collections import namedtuple

import numpy

from .. import _native
from ..language.constants import constexpr
from . import times_and_texts

StructuredType = namedtuple("StructuredType", "size fields")
StructuredType.__name__ = "structured type"
StructuredArray = namedtuple("StructuredArray", "bytes type")
StructuredArray.__name__ = "structured array"
Record = namedtuple("Record", "bytes type")
Record.__name__ = "structure"

# The class of NumPy's types with fields.
CLASS = type(numpy.dtype([("field", "i4")]))
_COMPLEX = {"c8": "complex64", "c16": "complex128"}


@functools.cache
def structured_type(dtype):
    """As the compiler takes it. A field that does not lie at a multiple of its size is a TypeError, as Numba has it."""
    return StructuredType(dtype.itemsize, tuple(_field(dtype, name, *dtype.fields[name][:2]) for name in dtype.names))


def _field(outer, name, dtype, offset):
    base, shape = dtype.subdtype or (dtype, ())
    unit = base.alignment
    if offset % unit or outer.itemsize % unit:
        kind = base if base.names is None else "structure"
        raise TypeError(f"field '{name}' of type {kind} is not aligned: it begins at byte {offset} of {outer.itemsize}; "
                        "numpy.dtype(..., align=True) lays fields out as kernels want them")
    kind = structured_type(base) if base.names else _name_of(base)
    return name, offset, shape, kind, base.itemsize


def _name_of(base):
    """Of an element's type; empty for those of which kernels have no values."""
    if not base.isnative:
        return ""
    if base.str[1:] in _COMPLEX:
        return _COMPLEX[base.str[1:]]
    if (kind := times_and_texts.kind_of(base)) is not None:
        return kind
    name = "bool" if base.kind == "b" else base.name
    return ("boolean" if name == "bool" else name) if _native.dtype_of(name) else ""


def dtype_of(value):
    """The NumPy type that a value of NumPy's or of Numba's stands for, if it is one with fields; else None."""
    if isinstance(value, numpy.dtype):
        return value if value.names else None
    if type(value).__module__.startswith("numba.") and type(value).__name__ in ("Record", "NestedArray"):
        from numba.np import numpy_support

        return numpy_support.as_dtype(value)
    return None


class _Bytes:
    """What an array's memory holds, byte by byte along one more dimension. It keeps the array."""

    def __init__(self, array, attribute, dtype):
        described = getattr(array, attribute)
        strides = described.get("strides")
        self._array = array
        setattr(self, attribute, {
            "shape": (*described["shape"], dtype.itemsize), "strides": strides and (*strides, 1), "typestr": "|i1",
            "data": described["data"], "version": 3, "stream": described.get("stream")})


def wrapped(argument):
    """A structured array, of the host or a GPU, or one record, as kernels take it."""
    is_of_host = isinstance(argument, (numpy.ndarray, numpy.void)) or not hasattr(argument, "__cuda_array_interface__")
    array = numpy.asarray(argument) if is_of_host else argument  # of one record of an array, a view
    dtype = array.dtype
    parts = _Bytes(array, "__array_interface__" if is_of_host else "__cuda_array_interface__", dtype)
    made = StructuredArray if array.shape else Record
    return made(numpy.asarray(parts) if is_of_host else parts, constexpr(structured_type(dtype)))
