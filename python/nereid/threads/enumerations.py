# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Members of enumerations, which kernels of threads compare, hand on and choose between: each is its value in a tuple of
its class. Those of enumerations of integers are integers."""

import functools
from collections import namedtuple


@functools.cache
def _class_of(enumeration):
    return namedtuple(enumeration.__name__, "value")


def member(value):
    return int(value) if isinstance(value, int) else _class_of(type(value))(value.value)
