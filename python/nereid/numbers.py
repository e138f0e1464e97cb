# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on sizes, for grids and for kernels."""

from .language.constants import constexpr
from .language.names import BUILTINS


class HostFunction:
    """A function that Python computes, and that kernels call too."""

    def __init__(self, function, path):
        self._function, self.path = function, path
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *args):
        # PyTorch's tracer goes through here with sizes that are not known yet. A generator takes as long as a third of a launch.
        for arg in args:
            if isinstance(arg, constexpr):
                return self._function(*[arg.value if isinstance(arg, constexpr) else arg for arg in args])
        return self._function(*args)

    def _native_value(self):
        return BUILTINS[self.path]._native_value()


def cdiv(x, y):
    """Quotient rounded up."""
    return (x + y - 1) // y


def next_power_of_2(n):
    """The smallest power of two that is at least n; of 0, 0."""
    if n <= 0:
        return 0
    n -= 1
    for distance in (1, 2, 4, 8, 16, 32):  # which PyTorch's tracer can follow with sizes that are not known yet
        n |= n >> distance
    return n + 1


def log2(n):
    """The logarithm of a power of two; of other numbers, rounded down."""
    return max(n, 1).bit_length() - 1


cdiv = HostFunction(cdiv, "triton.cdiv")
next_power_of_2 = HostFunction(next_power_of_2, "triton.next_power_of_2")
