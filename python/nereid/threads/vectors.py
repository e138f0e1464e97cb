# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""float32x2, int4 and their kin: up to four numbers with the names x, y, z and w. Kernels make them of numbers and of
smaller ones, and read their elements; to the compiler they are tuples with names."""

import functools
from collections import namedtuple

from .function import ThreadFunction
from .names import TYPES

_BASES = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["float32", "float64"]
# CUDA C++ calls them so, with the count behind.
_ALIASES = {"char": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64", "uchar": "uint8",
            "ushort": "uint16", "uint": "uint32", "ulong": "uint64", "ulonglong": "uint64", "float": "float32",
            "double": "float64"}
VectorType = namedtuple("VectorType", "name base_type num_elements user_facing_object")


def _constructor(base, record):

    def vector(*parts):
        values = ()
        for part in parts:
            values = values + (tuple(part) if isinstance(part, tuple) else (base(part), ))
        return record(*values)

    return ThreadFunction(vector, device=True)


@functools.cache
def _made(base, count):
    name = f"{base}x{count}"
    record = namedtuple(name, tuple("xyzw")[:count])
    made = _constructor(TYPES[base], record)
    made.aliases = tuple(f"{alias}{count}" for alias, meant in _ALIASES.items() if meant == base)
    return VectorType(name, TYPES[base], count, made)


def vector_named(name):
    """What numba.cuda has under this name; None if it is no vector's."""
    base, count = name[:-1], name[-1:]
    base = base[:-1] if base.endswith("x") else _ALIASES.get(base)
    return _made(base, int(count)).user_facing_object if base in _BASES and count in tuple("1234") else None


def vector_types():
    """All of them, by name."""
    every = [_made(base, count) for base in _BASES for count in range(1, 5)]
    return {each.name: each for each in every}
