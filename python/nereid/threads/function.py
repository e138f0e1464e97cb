# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@cuda.jit: a function whose text says what one thread does."""

import functools
import operator

from .. import _native, capture
from ..jit import JITFunction
from ..parameters import specification
from ..tensors import on_host
from . import devices, library
from .conversion import converting
from .inspection import BySignature, Inspected, require_compiles
from .launching import (GpuLauncher, NumbaPerformanceWarning as NumbaPerformanceWarning, carveout_of, setting,
                        warn_of_options)
from .mistakes import named_as_numba_has_them
from .names import ArrayType, ElementType
from .raised import DebugLauncher
from .signatures import chosen, is_signature, kind_of, kind_of_value, scalar_dtype, signatures_of
from .streams import stream_handle


def extents(given, what):
    """A grid or a block: an integer, or a tuple of up to three."""
    given = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"{what} must be a sequence of 1, 2 or 3 integers, got {list(given)}")
    if not all(hasattr(extent, "__index__") for extent in given):
        raise TypeError(f"{what} must be a sequence of integers, got {list(given)}")
    return (*(extent.__index__() for extent in given), *(1, ) * (3 - len(given)))


_MOST_LAUNCHERS = 256


class ThreadFunction(Inspected, JITFunction, of="threads"):
    """A kernel, or a function that kernels call."""

    def __init__(self, fn, signatures=(), device=False, max_registers=None, debug=False, extensions=()):
        self.extensions = list(extensions)
        super().__init__(fn, debug=debug)
        self._signatures, self._is_device, self._max_registers = list(signatures), device, max_registers
        self.specializations, self._converting, self._kinds_seen = {}, None, {}
        self._versions = []
        if len(self._signatures) > 1:
            self._versions = [ThreadFunction(fn, [one], device, max_registers, debug) for one in self._signatures]
        rows = [(*specification(param), True) for param in self.params]
        kinds = self._signatures[0][1] if len(self._signatures) == 1 else ()
        for index, kind in enumerate(kinds):
            if index < len(rows) and (dtype := scalar_dtype(kind)):
                rows[index] = (*rows[index][:6], dtype, *rows[index][7:])
        self._dispatcher = _native.Dispatcher(self, rows)
        self._dispatcher.is_host_only = self.is_interpreted
        self._kernels._dispatcher = self._dispatcher
        self._launchers = {}
        functools.update_wrapper(self, fn)

    @property
    def py_func(self):
        return self.fn

    def _decorators(self):
        return ["@cuda.jit\n"]

    def _native_value(self):
        """A function of the device with a signature is called by way of one that converts."""
        function = super()._native_value()
        if not self._is_device or not self.specialized:
            return function
        if self._converting is None or self._converting[0] is not function:
            self._converting = function, converting(self, function, *self._signatures[0])
        return self._converting[1]

    def _explain(self, function):
        with capture.reading(library):
            super()._explain(function)

    @staticmethod
    def _constant(value):
        with capture.reading(library):
            return capture.to_native(value)

    def _compile(self, arguments, bound, options, *rest):
        """Types are noted for who asks what it was compiled for."""
        self._kinds_seen[tuple(map(kind_of_value, bound.values()))] = True
        if self._max_registers:
            options = {**options, "maxnreg": self._max_registers}
        with named_as_numba_has_them():
            return super()._compile(arguments, bound, options, *rest)

    def __getitem__(self, configuration):
        try:
            launcher = self._launchers.get(configuration)
        except TypeError:  # a list, which is not kept
            return self._launcher(configuration)
        if launcher is None:
            if len(self._launchers) >= _MOST_LAUNCHERS:  # which keep streams
                self._launchers.clear()
            launcher = self._launchers[configuration] = self._launcher(configuration)
        return launcher

    def _launcher(self, configuration):
        launcher = self._plain_launcher(configuration)
        return self._extended(launcher, configuration) if self.extensions else launcher

    def _extended(self, launcher, configuration):
        """Arguments are what the extensions make of them, the last first; what they want done behind a launch is done."""

        def launch(*args):
            behind, stream = [], configuration[2] if len(configuration) > 2 else 0
            made = []
            for arg in args:
                kind = None  # types are the compiler's
                for extension in reversed(self.extensions):
                    kind, arg = extension.prepare_args(kind, arg, stream=stream, retr=behind)
                made.append(arg)
            launcher(*made)
            for act in behind:
                act()

        return launch

    def _plain_launcher(self, configuration):
        if self._is_device:
            raise RuntimeError("Cannot compile a device function as a kernel")
        if self._versions:
            return lambda *args: self._versions[chosen(self.fn, self._signatures, args)][configuration](*args)
        if not isinstance(configuration, (tuple, list)) or not 2 <= len(configuration) <= 4:
            raise ValueError("must specify at least the griddim and blockdim")
        grid, block, *rest = configuration
        stream = stream_handle(rest[0]) if rest else None
        shared = operator.index(rest[1] or 0) if len(rest) > 1 else 0
        bound = self._dispatcher.bind(extents(grid, "griddim"), stream, (*extents(block, "blockdim"), shared))
        is_on_host = self.is_interpreted or not devices.uses_gpu()
        launcher = bound if is_on_host else GpuLauncher(bound, rest[0] if rest else 0, self.arg_names)
        return DebugLauncher(launcher, self.fn, extents(block, "blockdim")) if self.debug else launcher

    _default_device = staticmethod(devices.current_number)

    def _run_on_host(self, grid, block, args, kwargs):
        with on_host(args, kwargs) as (args, kwargs):
            return self._dispatcher.bind(grid, None, block)(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        if self._is_device:
            return self.fn(*args, **kwargs)
        raise ValueError(f"Kernel launch configuration was not specified. Use the syntax:\n\n"
                         f"{self.__name__}[blockspergrid, threadsperblock](<arguments>)")

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """For as many threads as there are tasks."""
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        threads = tpb or 256
        return self[max(1, -(-ntasks // threads)), threads, stream, sharedmem] if ntasks else lambda *args: None

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        return self[griddim, blockdim, stream, sharedmem]

    @property
    def specialized(self):
        """Whether a signature says what its arguments are."""
        return len(self._signatures) == 1

    def specialize(self, *args):
        """The kernel for the types of these arguments, which may be types themselves."""
        if self._signatures:
            raise RuntimeError("Dispatcher already specialized")
        is_type = lambda arg: isinstance(arg, (ArrayType, ElementType)) or type(arg).__module__.startswith("numba.")
        kinds = tuple(kind_of(arg) if is_type(arg) else kind_of_value(arg) for arg in args)
        if kinds not in self.specializations:
            made = ThreadFunction(self.fn, [(None, kinds)], self._is_device, self._max_registers, self.debug)
            self.specializations[kinds] = made
        return self.specializations[kinds]

    @property
    def overloads(self):
        """What it is compiled for, by the types of parameters."""
        if self._versions:
            return BySignature((kinds, version) for (_, kinds), version in zip(self._signatures, self._versions))
        if self._signatures:
            return BySignature({self._signatures[0][1]: self})
        return BySignature((kinds, self) for kinds in self._kinds_seen)

    @property
    def signatures(self):
        return list(self.overloads)

    def compile(self, signature=None):
        return self


def jit(func_or_sig=None, device=False, inline=False, link=(), debug=None, opt=None, lineinfo=False, cache=False,
        fastmath=False, max_registers=None, extensions=(), shared_memory_carveout=-1, **ignored):
    """Makes a kernel of a function, as a decorator with or without options and a signature."""

    def decorate(fn, signatures=()):
        if isinstance(fn, ThreadFunction):
            fn = fn.fn
        if not callable(fn):
            raise TypeError(f"@cuda.jit decorates functions, not {type(fn).__name__}")
        made = ThreadFunction(fn, signatures, device, max_registers, bool(debug), extensions)
        if signatures and not device:
            require_compiles(made)
        return made

    debug = setting("CUDA_DEBUGINFO_DEFAULT", False) if debug is None else debug
    if debug and (setting("OPT", True) if opt is None else opt):
        warn_of_options("debug=True with opt=True is not supported by CUDA: kernels that raise have opt=False")
    if not -1 <= carveout_of(shared_memory_carveout) <= 100:
        raise ValueError(f"shared_memory_carveout must be between -1 and 100, not {shared_memory_carveout}")
    if func_or_sig is None:
        return decorate
    if is_signature(func_or_sig):
        signatures = signatures_of(func_or_sig)
        if not device and any(result is not None for result, _ in signatures):
            raise TypeError("CUDA kernel must have void return type.")
        return lambda fn: decorate(fn, signatures)
    return decorate(func_or_sig)
