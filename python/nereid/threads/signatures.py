# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What @cuda.jit is told of types, in any of Numba's forms, and which of several signatures a launch means."""

from collections import namedtuple

from .. import _native
from . import structures
from .names import TYPES, ArrayType, ElementType, Signature

# The type of a parameter; of a scalar, `ndim` is None; the layout is C, F, or A for any. Of elements with fields the
# name is NumPy's type.
Kind = namedtuple("Kind", "name, ndim, layout", defaults=(None, None))


def scalar_dtype(kind):
    """Of a parameter that is a number, its type; None for all else."""
    is_number = kind is not None and kind.ndim is None and isinstance(kind.name, str)
    return (_native.dtype_of(kind.name) or None) if is_number else None


class _Names(dict):
    """What a signature's text names: a type that is unknown here has its name alone."""

    def __missing__(self, name):
        return ElementType(name)


def _is_one(given):
    return isinstance(given, (str, tuple, Signature)) or hasattr(given, "args")


def is_signature(given):
    return isinstance(given, list) or _is_one(given)


def signatures_of(given):
    """For each signature of what @cuda.jit was given: the kind of the result, and those of the parameters."""
    return [_parsed(one) for one in (given if isinstance(given, list) else [given])]


def _parsed(given):
    if isinstance(given, str):
        given = eval(given, {"__builtins__": {}}, _Names(TYPES))  # as Numba reads them
    if not _is_one(given):
        given = (given, )  # parentheses round one type are none
    return kind_of(getattr(given, "return_type", None)), tuple(map(kind_of, getattr(given, "args", given)))


def kind_of(kind):
    """Of a type of Numba's or of ours; None for what says nothing."""
    if isinstance(kind, ArrayType):
        return Kind(kind.element.name, kind.ndim, kind.layout)
    if hasattr(kind, "layout") and hasattr(kind, "ndim"):
        return Kind(structures.dtype_of(kind.dtype) or str(kind.dtype), kind.ndim, kind.layout)
    if (fields := structures.dtype_of(kind)) is not None:
        return Kind(fields)
    name = getattr(kind, "name", None) or (str(kind) if kind is not None else None)
    return Kind("bool" if name == "boolean" else name) if name not in (None, "none", "void") else None


def _layout_of(array):
    """Of an array of NumPy's, of ours or of PyTorch's."""
    flags = getattr(array, "flags", None)
    if flags is not None:
        return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    if hasattr(array, "is_c_contiguous"):
        return "C" if array.is_c_contiguous() else "F" if array.is_f_contiguous() else "A"
    return "C" if hasattr(array, "is_contiguous") and array.is_contiguous() else "A"


def kind_of_value(value):
    """Of an argument."""
    fields = structures.dtype_of(getattr(value, "dtype", None))
    if fields is not None:
        return Kind(fields, value.ndim, _layout_of(value)) if getattr(value, "ndim", 0) else Kind(fields)
    if getattr(value, "ndim", 0) and hasattr(value, "dtype"):
        return Kind(str(value.dtype).removeprefix("torch."), value.ndim, _layout_of(value))
    if hasattr(value, "dtype"):
        return Kind(str(value.dtype), 0, "C") if hasattr(value, "ctypes") else Kind(
            str(value.dtype))
    plain = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
    if type(value) is int and value >= 2**63:
        return Kind("uint64")
    return Kind(plain.get(type(value), type(value).__name__))


_ORDERS = ("int", "uint", "float", "complex")


def _parts(name):
    """Of a number's type: what it is of, and its bits."""
    letters = name.rstrip("0123456789")
    return ("uint", 1) if name == "bool" else (letters, int(name[len(letters):] or 0))


def _conversion(given, wanted):
    """How far a value is from a parameter, as Numba counts: 0 the same, 1 wider, 2 safe, 3 unsafe; None: never."""
    if wanted is None or given == wanted:
        return 0
    if given.ndim is not None or wanted.ndim is not None:
        is_same = given[:2] == wanted[:2]
        return 2 if is_same and (wanted.layout == "A" or given.ndim == 0) else None
    (old, narrow), (new, wide) = _parts(given.name), _parts(wanted.name)
    if old not in _ORDERS or new not in _ORDERS or (old == "complex" and new != "complex"):
        return None
    if old == new and wide > narrow and given.name != "bool":
        return 1
    room = {("uint", "int"): wide > narrow, ("uint", "float"): wide > narrow or wide == 64,
            ("int", "float"): wide > narrow or wide == 64, ("float", "complex"): wide >= 2 * narrow,
            ("int", "complex"): wide == 128, ("uint", "complex"): wide == 128, ("uint", "uint"): wide > narrow}
    return 2 if room.get((old, new)) else 3


def chosen(function, signatures, args):
    """The number of the signature that a launch with these arguments means: that with the fewest unsafe conversions,
    then safe ones, then those to a wider type. Two that are as near are a mistake, as is none."""
    kinds = tuple(map(kind_of_value, args))
    rated = []
    for number, (_, wanted) in enumerate(signatures):
        steps = [_conversion(*pair) for pair in zip(kinds, wanted)] if len(kinds) == len(wanted) else [None]
        if None not in steps:
            rated.append(((steps.count(3), steps.count(2), steps.count(1)), number))
    if not rated:
        raise TypeError(f"No matching definition for argument type(s) {_shown(kinds)}")
    rated.sort()
    best = [number for rating, number in rated if rating == rated[0][0]]
    if len(best) > 1:
        listed = "\n".join(f"({_shown(signatures[number][1])}) -> none" for number in best)
        raise TypeError(f"Ambiguous overloading for {function!r} ({_shown(kinds)}):\n{listed}")
    return best[0]


def _shown(kinds):
    """As Numba writes them."""
    return ", ".join("?" if kind is None else kind.name if kind.ndim is None else
                     f"Array({kind.name}, {kind.ndim}, '{kind.layout}', False, aligned=True)" for kind in kinds)
