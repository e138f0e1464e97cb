# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.reduce: a function of two elements as one of all elements of an array."""

import numpy

from . import arrays
from .kernel_text import THREADS, device_function, kernel_around


class Reduce:
    """The function has to be one for which the order of elements makes no difference."""

    def __init__(self, functor):
        self.py_func, self.__name__, self.__doc__ = functor, functor.__name__, functor.__doc__
        self._kernel = kernel_around(device_function(functor), functor.__name__, ["a", "far"],
                                     "a[i] = function(a[i], a[far + i])")

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """Of the first `size` elements and `init`. Where `res` is an array of the device, its first element is the
        result, which does not come back."""
        if arr.ndim != 1:
            raise TypeError(f"an array of one dimension is reduced, and this has {arr.ndim}")
        size = arr.size if size is None else size
        if not 0 <= size <= arr.size:
            raise ValueError(f"{size} elements of an array that has {arr.size}")
        every = arrays.device_array(size + 1, arr.dtype, stream=stream)
        every[:1].copy_to_device(numpy.full(1, init, arr.dtype), stream)
        every[1:].copy_to_device(arr[:size], stream)
        self.fold(every, stream)
        if res is None:
            return every[:1].copy_to_host()[0]
        res[:1].copy_to_device(every[:1], stream)

    def fold(self, every, stream):
        """Makes the first element what comes of all, of an array of the device that has one or more."""
        count = every.size
        while count > 1:
            half = count // 2
            self._kernel[-(-half // THREADS), THREADS, stream](half, every, count - half)
            count -= half
