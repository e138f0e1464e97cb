# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is an argument as a tuple: complex numbers, of two floats; their arrays, with one more dimension, of the two parts;
arrays without dimensions, with one;
elements with fields (structures.py), times and texts (times_and_texts.py). The compiler knows them by the names of their classes, which no program's own can have (src/frontend/emit/threads/Complex.cpp)."""

import enum
from collections import namedtuple

import numpy

from . import enumerations, structures, times_and_texts

ComplexNumber = namedtuple("ComplexNumber", "real imag")
ComplexNumber.__name__ = "complex number"
ComplexArray = namedtuple("ComplexArray", "parts")
ComplexArray.__name__ = "complex array"
OnlyElement = namedtuple("OnlyElement", "array")
OnlyElement.__name__ = "array without dimensions"

# Of NumPy's types of such elements, the classes; and the types of which there is one object each.
CLASSES = (structures.CLASS, *times_and_texts.CLASSES)
ENUMERATED = enum.Enum
NARROW, WIDE = numpy.dtype(numpy.complex64), numpy.dtype(numpy.complex128)
_PARTS = {"<c8": ("<f4", 4), "<c16": ("<f8", 8)}


class _CudaParts:
    """The parts of an array that lies on a GPU."""

    def __init__(self, array, interface):
        part, size = _PARTS[interface["typestr"]]
        strides = interface.get("strides")
        self._array = array
        self.__cuda_array_interface__ = {
            **interface, "typestr": part, "shape": (*interface["shape"], 2),
            "strides": strides and (*strides, size), "descr": [("", part)],
        }


def wrapped(argument):
    """A complex number or array, one with fields, or a member of an enumeration, as kernels take it; None for all else."""
    if isinstance(argument, enum.Enum):
        return None if isinstance(argument, int) else enumerations.member(argument)
    if type(getattr(argument, "dtype", None)) is structures.CLASS and argument.dtype.names:
        return structures.wrapped(argument)
    if (kind := times_and_texts.kind_of(getattr(argument, "dtype", None))) is not None:
        return times_and_texts.wrapped(argument, kind)
    if isinstance(argument, numpy.complex64):
        return ComplexNumber(argument.real, argument.imag)
    if isinstance(argument, complex):
        return ComplexNumber(float(argument.real), float(argument.imag))
    is_of_host = isinstance(argument, numpy.ndarray)  # what stands for a device's array there, too
    interface = None if is_of_host else getattr(argument, "__cuda_array_interface__", None)
    if interface is not None and interface["typestr"] in _PARTS:
        return ComplexArray(_CudaParts(argument, interface))
    if interface is not None and not interface["shape"]:
        return OnlyElement(argument.reshape(1))
    if not hasattr(argument, "__array_interface__"):
        return None
    array = numpy.asarray(argument)
    if array.dtype.str not in _PARTS:
        return OnlyElement(array.reshape(1)) if array.ndim == 0 and not isinstance(argument, numpy.generic) else None
    parts = numpy.lib.stride_tricks.as_strided(array.real, (*array.shape, 2), (*array.strides, array.itemsize // 2),
                                               writeable=array.flags.writeable)
    return ComplexArray(parts)
