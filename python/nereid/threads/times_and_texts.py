# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that are times (datetime64, timedelta64) or texts of a fixed length: the compiler gets int64 numbers, or
characters along one more dimension, and the name of their type (src/frontend/emit/threads/Times.h, Texts.h)."""

from collections import namedtuple

import numpy

from ..language.constants import constexpr

Time = namedtuple("Time", "count kind")
Time.__name__ = "time"
TimeArray = namedtuple("TimeArray", "counts kind")
TimeArray.__name__ = "time array"
TextArray = namedtuple("TextArray", "characters kind")
TextArray.__name__ = "text array"

CLASSES = tuple(type(numpy.dtype(name)) for name in ("M8[s]", "m8[s]", "U1", "S1"))
_CHARACTERS = {"U": "<i4", "S": "|i1"}


def kind_of(dtype):
    """The name by which the compiler knows a type of NumPy's; None for those of other elements, of times without a
    unit, and of what another machine has the bytes of."""
    if type(dtype) not in CLASSES or not dtype.isnative or not dtype.itemsize:
        return None
    if dtype.kind in _CHARACTERS:
        return dtype.str[1:]
    return None if numpy.datetime_data(dtype)[0] == "generic" else dtype.name


class _Counts:
    """An array's memory by another type. It keeps the array."""

    def __init__(self, array, attribute, dtype):
        described = getattr(array, attribute)
        shape, strides, typestr = tuple(described["shape"]), described.get("strides"), "<i8"
        if dtype.kind in _CHARACTERS:
            typestr = _CHARACTERS[dtype.kind]
            size = int(typestr[2:])
            shape, strides = (*shape, dtype.itemsize // size), strides and (*strides, size)
        self._array = array
        setattr(self, attribute, {"shape": shape, "strides": strides, "typestr": typestr, "data": described["data"],
                                  "version": 3, "stream": described.get("stream")})


def wrapped(argument, kind):
    """An array of times or texts, of the host or a GPU, or one time, as kernels take it."""
    dtype = argument.dtype
    if isinstance(argument, numpy.generic):
        return Time(int(argument.astype("i8")), constexpr(kind)) if dtype.kind in "mM" else None
    is_of_host = isinstance(argument, numpy.ndarray) or not hasattr(argument, "__cuda_array_interface__")
    array = numpy.asarray(argument) if is_of_host else argument
    if not array.shape:
        return None
    counts = _Counts(array, "__array_interface__" if is_of_host else "__cuda_array_interface__", dtype)
    made = TextArray if dtype.kind in _CHARACTERS else TimeArray
    return made(numpy.asarray(counts) if is_of_host else counts, constexpr(kind))
