# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of Python's that kernels may call though the compiler does not know them: those of `operator`, which are
texts here, and those that Numba's half for CPUs decorates, whose own text is taken."""

import enum
import operator
import sys
import weakref
from collections import namedtuple

import numpy

from .. import _native, capture
from ..texts import FunctionText
from . import arrays, enumerations, structures, whole_arrays
from .complex_numbers import wrapped
from .names import ElementType, element_type, language_path as language_path


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def truediv(a, b):
    return a / b


def floordiv(a, b):
    return a // b


def mod(a, b):
    return a % b


def and_(a, b):
    return a & b


def or_(a, b):
    return a | b


def xor(a, b):
    return a ^ b


def lshift(a, b):
    return a << b


def rshift(a, b):
    return a >> b


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def neg(a):
    return -a


def pos(a):
    return a


def invert(a):
    return ~a


def not_(a):
    return not a


def pow(a, b):  # noqa: A001
    return a**b


def literal_unroll(container):  # loops over tuples are written out as they are
    return container


_TEXTS = (add, sub, mul, truediv, floordiv, mod, and_, or_, xor, lshift, rshift, eq, ne, lt, le, gt, ge, neg, pos,
          invert, not_, pow)
DeviceArray = namedtuple("DeviceArray", "address shape strides dtype")
DeviceArray.__name__ = "device array"
_OPERATORS = {getattr(operator, text.__name__): text for text in _TEXTS}
_made: dict = {}
_of_cpu: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def _is_of_cpu(value):
    """What numba.njit makes. One with signatures compiles for them alone, and for CPUs alone, as Numba has it."""
    return type(value).__module__ == "numba.core.registry" and hasattr(value, "py_func") and value._can_compile


def function_of(value):
    """The function of kernels that a function of Python's stands for; None for others."""
    if getattr(value, "__name__", None) == "literal_unroll" and value.__module__.startswith(("numba.", "nereid.")):
        value = literal_unroll
    is_operator = type(value) is type(operator.add) and value in _OPERATORS
    text = _OPERATORS[value] if is_operator else whole_arrays.text_of(value)
    if value is literal_unroll:
        text = value
    if text is not None:
        if text not in _made:
            _made[text] = FunctionText.makers["threads"](text, device=True)
        return _made[text]
    if _is_of_cpu(value):
        if value not in _of_cpu:
            _of_cpu[value] = FunctionText.makers["threads"](value.py_func, device=True)
        return _of_cpu[value]
    return None


def _constant_array(array):
    """Its numbers as they are now, which is what Numba takes, too."""
    if array.dtype.names or array.dtype.kind == "c" or array.ndim == 0:
        parts = wrapped(numpy.ascontiguousarray(array) if array.ndim else array.copy())
        return None if parts is None else capture.to_native(parts)
    dtype = _native.dtype_of("bool" if array.dtype == bool else array.dtype.name)
    if not dtype:
        return None
    return _native.ConstantArray(dtype, array.shape, array.astype(array.dtype.newbyteorder("="), "C").tobytes())


def _array_in_place(value):
    """Where it lies: programs see what others write to it. It lives as long as its name stands for it."""
    array = arrays.as_cuda_array(value)
    described = array.__cuda_array_interface__
    name = "bool" if array.dtype == bool else array.dtype.name
    if not _native.dtype_of(name) or any(stride % array.dtype.itemsize for stride in array.strides):
        return None
    strides = tuple(stride // array.dtype.itemsize for stride in array.strides)
    kind = ElementType("boolean" if name == "bool" else name)
    return capture.to_native(DeviceArray(described["data"][0], tuple(array.shape), strides, kind))


def meaning_of(value):
    """What the compiler takes an element type, an array or a function of Python's for; None for others."""
    if type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
        return _constant_array(value)
    if arrays.is_cuda_array(value):
        return _array_in_place(value)
    if type(value).__module__ == "numpy" and type(value).__name__ in ("int64", "float64", "bool", "bool_"):
        return value.item()  # has the type that the number has in a text
    if (dtype := structures.dtype_of(value)) is not None:
        return capture.to_native(structures.structured_type(dtype))
    found = element_type(value)
    if found is None and (function := function_of(value)) is not None:
        found = function._native_value()
    return found


freezes_constants = True  # as Numba has it: what a global is when it is first compiled


def member(value):
    """A member of an enumeration: its value in a tuple of its class, which the run may choose; an integer as such."""
    return enumerations.member(value) if isinstance(value, enum.Enum) else ()


def is_text(value):
    """Whether a function of a module of the language is a text of kernels, which the compiler does not know by its
    path."""
    return function_of(value) is not None


def names_in(text):
    """What else a kernel's text may ask for."""
    with capture.reading(sys.modules[__name__]):
        return {name: function_of(function)._native_value() for name, function in whole_arrays.methods_in(text).items()}
