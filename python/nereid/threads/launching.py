# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on a GPU, with copies of arrays that lie in the host's memory, as Numba makes them."""

import os
import sys
import warnings

import numpy

from . import arrays
from .gpu_arrays import GpuArray
from .hints import ArgHint


class NumbaPerformanceWarning(Warning):
    """Work that a program had better not ask for."""


# Types of which none is an array of the host: most launches look no further.
_ELSEWHERE = {GpuArray, int, float, bool, type(None)}


def _on_host(arg):
    """An argument as an array of NumPy's that it shares memory with; None for what lies elsewhere or is no array."""
    if isinstance(arg, numpy.ndarray):
        return arg
    if isinstance(arg, numpy.void):  # a record, where it lies in its array
        return numpy.asarray(arg)
    if isinstance(arg, (numpy.generic, GpuArray, int, float, str)) or arrays.is_cuda_array(arg):
        return None
    is_on_gpu = getattr(getattr(arg, "device", None), "type", "cpu") != "cpu"
    if is_on_gpu or not any(hasattr(arg, name) for name in ("__array_interface__", "__array__", "__buffer__")) and not (
            isinstance(arg, (bytearray, memoryview)) or hasattr(arg, "buffer_info")):
        return None
    return numpy.asarray(arg)


class GpuLauncher:

    def __init__(self, bound, stream, names):
        self._bound, self._stream, self._names = bound, stream, names

    def __call__(self, *args, **kwargs):
        for arg in args:
            if type(arg) not in _ELSEWHERE and (isinstance(arg, (tuple, ArgHint)) or _on_host(arg) is not None):
                return self._with_copies(args, kwargs, sys._getframe(1))
        return self._bound(*args, **kwargs)

    def _with_copies(self, args, kwargs, caller):
        there, behind = {}, []  # an array that is given twice is one there, too

        def moved(arg):
            if isinstance(arg, tuple):
                elements = tuple(map(moved, arg))
                return type(arg)(*elements) if hasattr(arg, "_fields") else elements
            if isinstance(arg, ArgHint):
                return arg.to_device(behind, self._stream)
            host = _on_host(arg) if type(arg) not in _ELSEWHERE else None
            if host is None:
                return arg
            if id(arg) not in there:
                there[id(arg)] = host, arrays.to_device(host, self._stream)
            return there[id(arg)][1]

        def moved_by_name(number, arg):
            try:
                return moved(arg)
            except TypeError as error:
                name = self._names[number] if number < len(self._names) else number
                raise TypeError(f"argument '{name}': {error}") from None

        args = tuple(moved_by_name(number, arg) for number, arg in enumerate(args))
        if there:
            _warn(caller)
        result = self._bound(*args, **kwargs)
        for host, copy in there.values():
            if host.flags.writeable:
                copy.copy_to_host(host)
        for copy_back in behind:
            copy_back()
        return result


class NumbaInvalidConfigWarning(Warning):
    """Options that do not go together."""


def setting(name, otherwise):
    """Of Numba's settings, where Numba was imported."""
    return bool(getattr(sys.modules.get("numba.core.config"), name, otherwise))


def warn_of_options(message):
    category = getattr(sys.modules.get("numba.core.errors"), "NumbaInvalidConfigWarning", NumbaInvalidConfigWarning)
    warnings.warn(message, category, stacklevel=3)


_CARVEOUTS = {"default": -1, "maxl1": 0, "maxshared": 100}


def carveout_of(given):
    """Of the memory that a GPU divides between its cache and its blocks, percent for the blocks; -1: as it likes."""
    if isinstance(given, str):
        if given.lower() not in _CARVEOUTS:
            raise ValueError(f"Invalid carveout value {given!r}: one of {', '.join(_CARVEOUTS)}, or a number")
        return _CARVEOUTS[given.lower()]
    return given


def _category():
    """Numba's own, where it is installed: programs filter by the class."""
    return getattr(sys.modules.get("numba.core.errors"), "NumbaPerformanceWarning", NumbaPerformanceWarning)


def _warn(caller):
    """As Numba's own warning, which programs filter by its module, too, and switch off."""
    if os.environ.get("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "1") == "0":
        return
    warnings.warn_explicit("Host array used in CUDA kernel will incur copy overhead to/from device.",
                           _category(), caller.f_code.co_filename, caller.f_lineno, module="numba.cuda",
                           registry=caller.f_globals.setdefault("__warningregistry__", {}))
