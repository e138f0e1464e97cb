# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels and their functions are, for whoever meets one: below capture.py, which reads what their names mean, and
jit.py, which compiles them."""

import weakref

from .reads import Reader
from .tensors import MockTensor


class KernelInterface:
    """Something that `kernel[grid](...)` launches."""

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError

    def warmup(self, *args, grid, **kwargs):
        return self.run(*map(MockTensor.wrap_dtype, args), grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class FunctionText(Reader):
    """A function whose text kernels are made of. `makers` are the classes for plain functions, by what those become in a
    kernel: who reads names makes some, and jit.py says how."""

    makers: dict = {}

    def __init_subclass__(cls, of=None, **given):
        super().__init_subclass__(**given)
        if of is not None:
            FunctionText.makers[of] = cls


def kernel_of(value):
    """The kernel inside what decorators made of it."""
    while value is not None and not isinstance(value, FunctionText):
        value = getattr(value, "fn", None) if isinstance(value, KernelInterface) else None
    return value


# Where texts name functions, by (module, name within it); of several the last.
functions: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def function_of(module, name):
    """The function of kernels that was made last of those that are called so in a module; None if there is none."""
    return functions.get((module, name))
