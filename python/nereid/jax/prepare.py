# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the handlers of calls (python/src/XlaCalls.cpp) run: a kernel compiled for the platform of a program, with all
that a launch needs but the addresses of its buffers."""

import numpy as np

from .. import _native, driver
from ..accesses import Accesses
from ..autotune import Autotuner
from ..compiled import Options, target_of
from ..jit import JITFunction
from ..target import compiling_for, native_target
from .stand_ins import Buffer, Scratch


class Prepared:
    """One call, among whose arguments Buffers stand for arrays: how often the kernel runs (`grid`), and its code."""

    def __init__(self, kernel, arguments, options, grid, platform):
        self._cuda_device = 0 if platform == "cuda" else -1  # the GPUs of a process are taken to be alike
        self._function, arguments, options = self._resolved(kernel, arguments, options, grid)
        self._kernel = f"kernel {self._function.__name__}"
        if self._function._declaration_error:
            raise self._function._declaration_error
        self._native = self._function._native_value()
        described = self._function._dispatcher.describe(**arguments, **options)
        self._arguments, self._slots, self._meta, options = described
        self._options = Options.of(options, self._function)
        self.grid = _native.grid_extents(grid(dict(self._meta)) if callable(grid) else grid)
        self._target = target_of(self._cuda_device)

    def _resolved(self, kernel, arguments, options, grid):
        """The function inside what decorators made of it, with the arguments and options that they add."""
        while not isinstance(kernel, JITFunction):
            if isinstance(kernel, Autotuner):
                config = self._fastest(kernel, arguments, options, grid).all_kwargs()
                arguments = arguments | {name: config.pop(name) for name in kernel.arg_names if name in config}
                options = options | config
            else:
                for name, compute in kernel.values.items():
                    arguments = {**arguments, name: compute(dict(arguments))}
            kernel = kernel.fn
        return kernel, arguments, options

    def _fastest(self, tuner, arguments, options, grid):
        """The arrays are not there yet: configurations are tried on zeros."""
        named = dict(arguments)
        if len(tuner.configs) > 1:
            named = {name: self._with_memory(value) for name, value in arguments.items()}
        positional = []
        for name in tuner.arg_names:
            if name not in named:
                break
            positional.append(named.pop(name))
        try:
            config = tuner.choose(*positional, **named, **options, grid=grid, warmup=False)
        finally:
            tuner.nargs = tuner._trial = None
        if config.pre_hook is not None:
            raise NotImplementedError(f"a configuration of kernel {tuner.__name__} has a pre_hook, a function of "
                                      "Python's that each launch calls, and a compiled program calls none")
        return config

    def _with_memory(self, value):
        if isinstance(value, tuple):
            return tuple(map(self._with_memory, value))
        return Scratch(value, self._cuda_device) if isinstance(value, Buffer) else value

    def numbers_of_outputs(self, given, count):
        """Which of `count` outputs are meant, by their numbers or by a function of all arguments, as a grid is."""
        numbers = tuple(given(dict(self._meta)) if callable(given) else given)
        for number in numbers:
            if number not in range(count):
                raise ValueError(f"zeroed_outputs has {number}, and {self._kernel} has {count} outputs")
        return numbers

    def require_unwritten(self, paths):
        """Raises if the kernel stores through one of these arguments, tuples by their elements ("pair.0")."""
        # What else it stores goes through addresses that it finds in memory, where JAX has none.
        stored = Accesses(self._native, self._arguments, native_target(self._target),
                          **self._options.for_compiler()).stored
        for path in paths:
            if path in stored:
                raise ValueError(f"{self._kernel} stores through '{path}', which JAX takes to stay as it is: name it "
                                 "in input_output_aliases, or store into an output")

    def attributes(self, numbers, may_overlap):
        """The handler's. `numbers` has by a Buffer's number the operand or, behind those, the result whose address the
        kernel gets."""
        buffers = [numbers[Buffer.number_at(bits)] if is_pointer else -1 for bits, is_pointer, _ in self._slots]
        bits = [0 if is_pointer else bits for bits, is_pointer, _ in self._slots]
        code, kept = self._compiled(may_overlap)
        return dict(name=self._function.__name__, code=np.frombuffer(code, np.uint8), kept=kept,
                    grid=np.array(self.grid, np.int64), bits=np.array(bits, np.uint64).view(np.int64),
                    buffers=np.array(buffers, np.int64), may_overlap=may_overlap,
                    multiples=np.array([is_multiple for _, _, is_multiple in self._slots], np.int64))

    def _compiled(self, may_overlap):
        """As code, or, for the checked device, the name under which the kernel is kept in this process."""
        options = self._options.for_compiler()
        if self._function.is_interpreted:
            if self._cuda_device >= 0:
                raise ValueError(f"{self._kernel} is checked in the host's memory, and the program runs on a GPU: "
                                 "JAX_PLATFORMS=cpu runs it on the host")
            device = driver.device_of(-1, is_checked=True)
            kernel = _native.compile(device, self._native, self._arguments, may_overlap, **options)
            return b"", _native.keep_for_xla(kernel)
        with compiling_for(self._target):
            return _native.compile_ahead(self._native, self._arguments, native_target(self._target),
                                         may_overlap=may_overlap, **options), ""
