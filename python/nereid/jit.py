# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@triton.jit: a function's text becomes a kernel, compiled for the arguments of each launch."""

import functools
import hashlib
import inspect
import os

from . import _native, driver, errors, gpu, knobs
from .asynchronous import FutureKernel, active_mode
from .capture import call_of, capture, to_native
from .compiled import CompiledKernel, Options, compiling_ahead, constants_in, is_compiling_ahead
from .dependencies import dependencies_of
from .kept import Kernels
from .language.constants import unwrap
from .parameters import KernelParam, declaration_error, specification
from .preload import preload
from .reads import explaining, looking
from .records import reader_of
from .sourcetext import SourceText
from .tensors import on_host
from .texts import FunctionText, KernelInterface, functions, kernel_of


class JITCallable(FunctionText, of="method"):
    """A function whose text kernels are made of."""

    floor_division = False

    def __init__(self, fn):
        super().__init__()
        self.fn = fn
        self._must_use_result = getattr(fn, "_must_use_result", False)  # or why, as a text
        self.signature = inspect.signature(fn)
        self._source = SourceText(fn)
        self._native_function = self._hash = None
        self.used_global_vals = {}
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__doc__ = fn.__doc__
        self.__module__ = fn.__module__
        self.__globals__ = fn.__globals__
        functions[fn.__module__, fn.__qualname__] = self

    @property
    def _fn_name(self):
        return f"{self.fn.__module__}.{self.fn.__qualname__}"

    @property
    def raw_src(self):
        return self._source.lines

    @property
    def starting_line_number(self):
        return self._source.starting_line

    @property
    def src(self):
        return self._source.src

    @src.setter
    def src(self, text):
        raise AttributeError("Cannot set attribute 'src' directly. Use '_unsafe_update_src()' and manually clear "
                             "`.hash` of all callers instead.")

    def _unsafe_update_src(self, text):
        """Gives the function another text, and forgets what the old one was compiled to."""
        self._source = self._source.replaced(text)
        self.hash = None

    @property
    def hash(self):
        return self._hash

    @hash.setter
    def hash(self, value):
        """None: what its names mean is looked up again."""
        self._hash = value
        if value is None:
            with explaining:
                self._forget()
                self._watch([])
                _native.forget_functions()

    def _native_value(self):
        """The function for the compiler, with what its names mean; made when it is first needed, and anew when they
        mean something else."""
        self._note()
        with explaining:
            if self._native_function is not None and looking.callees is None:
                self._require_current()
            while self._native_function is None:  # what it calls may turn out to mean something else by now
                self._make_native_function()
            return self._native_function

    def _forget(self):
        self._native_function = self._hash = None

    def _make_native_function(self):
        source = self._source
        errors.remember(source)
        decorators = self._decorators()
        function = _native.Function("".join([*decorators, source.src]),
                                    source.file if os.path.exists(source.file) else "", source.file,
                                    source.first_line - len(decorators))
        self._native_function = function  # first, since functions may name each other
        try:
            self._explain(function)
        except BaseException:
            self._native_function = None
            self._watch([])
            raise

    def _explain(self, function):
        callers, looking.callees = looking.callees, []
        try:
            names, reads = capture(self.fn, self._source.src, lambda value: kernel_of(value) is self)
            defaults = {
                name: to_native(parameter.default)
                for name, parameter in self.signature.parameters.items()
                if parameter.default is not inspect.Parameter.empty
            }
            self._callees = looking.callees
        finally:
            looking.callees = callers
        function.explain(names, defaults)
        self._reads = reads
        self.used_global_vals = {(read.keys[0], id(read.container)): (read.now(), read.container) for read in reads
                                 if read.is_refused and read.container is self.__globals__ and len(read.keys) == 1}
        self._watch(self._watched())
        self._require_current("has value {now}, but a function that this kernel calls was compiled for {before}")

    def _decorators(self):
        """What decorators said of it, in lines as the compiler reads them."""
        lines = ["@jit(floor_division=True)\n"] if self.floor_division else []
        reason = self._must_use_result
        if reason:
            lines.append(f"@must_use_result({reason!r})\n" if isinstance(reason, str) else "@must_use_result\n")
        return lines

    def _watch(self, watched):
        """Has it noticed when one of these reads finds something else."""

    @property
    def cache_key(self):
        """A name for the text and all that its names mean. Who sets `hash` to None has it made anew."""
        function = self._native_value()
        if self._hash is None:
            self._hash = function.digest() + str(self.starting_line_number)
        return self._hash

    def __reduce_ex__(self, protocol):
        """By its name in its module, as a function: copies are the same one. PyTorch's compiler sends kernels to its
        workers whose function it took out."""
        return super().__reduce_ex__(protocol) if self.fn is None else self.__qualname__

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return f"{type(self).__name__}({self.fn.__module__}:{self.fn.__qualname__})"


class JITFunction(JITCallable, KernelInterface):
    """A kernel, or a function that kernels call."""

    # Called like the hooks of knobs.runtime, for every kernel.
    cache_hook = None
    compiled_hook = None

    def __init__(self, fn, version=None, do_not_specialize=None, do_not_specialize_on_alignment=None, debug=None,
                 noinline=None, repr=None, launch_metadata=None, floor_division=False):
        super().__init__(fn)
        self.floor_division = floor_division
        self.module = fn.__module__
        self.version, self.debug, self.noinline = version, debug, noinline
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        self.launch_metadata = launch_metadata
        self._repr = repr
        self.params = [self._param(number, param) for number, param in enumerate(self.signature.parameters.values())]
        self.arg_names = [param.name for param in self.params]
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        self.pre_run_hooks = []
        self.kernel = None
        self.is_interpreted = knobs.runtime.interpret
        self._dispatcher = _native.Dispatcher(self, [specification(param) for param in self.params])
        self._dispatcher.is_host_only = self.is_interpreted
        self._kernels = Kernels(self._dispatcher)
        self._declaration_error = next((error for error in map(declaration_error, self.params) if error), None)
        self.device_caches = DeviceCaches(self)

    def __getstate__(self):
        """What another process may know of it: not the function itself, which is text and names here, nor what it was
        compiled to."""
        here = ("fn", "_dispatcher", "_kernels", "device_caches", "_native_function", "_reads", "_callees",
                "used_global_vals", "__globals__")
        return {**{name: value for name, value in self.__dict__.items() if name not in here}, "fn": None}

    def __copy__(self):
        """One with compiled kernels and hooks of its own."""
        other = type(self)(self.fn, version=self.version, do_not_specialize=self.do_not_specialize,
                           do_not_specialize_on_alignment=self.do_not_specialize_on_alignment, debug=self.debug,
                           noinline=self.noinline, repr=self._repr, launch_metadata=self.launch_metadata,
                           floor_division=self.floor_division)
        other._source = self._source
        other.is_interpreted = other._dispatcher.is_host_only = self.is_interpreted
        for hook in self.pre_run_hooks:
            other.add_pre_run_hook(hook)
        return other

    def _param(self, number, param):
        names = (number, param.name)
        return KernelParam(number, param, any(name in self.do_not_specialize for name in names),
                           any(name in self.do_not_specialize_on_alignment for name in names))

    def repr(self, specialization):
        return self.__name__ if self._repr is None else self._repr(specialization)

    # A frame of Python's for each launch would cost a twentieth of a small one.
    __getitem__ = _native.launcher_of

    def run(self, *args, grid, warmup, **kwargs):
        if warmup:
            with compiling_ahead():
                return self._dispatcher.prepare(*args, **kwargs)
        return self._dispatcher.bind(grid)(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def add_pre_run_hook(self, hook):
        """Calls `hook` with the arguments of every launch."""
        self.pre_run_hooks.append(hook)
        self._dispatcher.has_pre_run = True

    def _unsafe_update_src(self, text):
        super()._unsafe_update_src(text)
        self._kernels.clear()

    def _watch(self, watched):
        self._dispatcher.watch(watched)

    # What the dispatcher asks for

    _constant = staticmethod(to_native)

    _stream = staticmethod(gpu.current_stream)
    _default_device = staticmethod(driver.default_cuda_device)

    def _run_on_host(self, grid, args, kwargs):
        with on_host(args, kwargs) as (args, kwargs):
            return self._dispatcher.bind(grid)(*args, **kwargs)

    def _reads_of_arguments(self, arguments):
        """What functions and classes among them read, as the dispatcher watches it."""
        return [watched for reader in _readers_in(arguments) for watched in reader._watched()]

    def _before_run(self, args, kwargs):
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)

    def _compile(self, arguments, bound, options, may_overlap, cuda_device, key):
        if self._declaration_error:
            raise self._declaration_error
        options = Options.of(options, self)
        key = self._kernel_key(arguments, bound, options.given, may_overlap, cuda_device)
        is_ahead = is_compiling_ahead()
        mode = active_mode.get()
        found = self._kernels.get(key)
        if found is not None:
            is_awaited = isinstance(found, FutureKernel) and not (is_ahead and mode)
            return found.result() if is_awaited else found
        device = driver.device_of(cuda_device, self.is_interpreted)
        for_launch = not is_ahead or (mode is not None and mode.for_launches)

        def make():
            return CompiledKernel(self, arguments, bound, options, may_overlap, device, key, not for_launch)

        if mode is not None and is_ahead:
            self._kernels[key] = mode.submit((self, key), make, lambda compiled: self._keep(key, compiled))
            return self._kernels[key]
        compiled = make()
        self._keep(key, compiled)
        return compiled

    def _keep(self, key, compiled):
        if compiled.is_skipped:
            self._kernels.pop(key, None)
        else:
            self._kernels.keep(key, compiled)

    def _kernel_key(self, arguments, bound, options, may_overlap, cuda_device):
        """Also of what the dispatcher's own key cannot hold."""
        constants = [textual(constants_in(argument.signature, value))
                     for argument, value in zip(arguments, bound.values())]
        parts = (self.cache_key, [argument.signature for argument in arguments], constants,
                 _native.key_of(arguments),
                 sorted((name, textual(value)) for name, value in options.items()), may_overlap, cuda_device)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _launch_hooked(self, grid, compiled, bound, launch, stream):
        metadata = compiled.launch_metadata(grid, stream, *bound.values())
        for observer in knobs.runtime.launch_observers:
            launch = functools.partial(observer, self, grid, compiled, bound, launch, stream)
        knobs.runtime.launch_enter_hook(metadata)
        launch()
        knobs.runtime.launch_exit_hook(metadata)

    def preload(self, specialization_data):
        """Compiles for what a cache hook was told of an earlier compilation."""
        return preload(self, specialization_data)


def textual(value):
    """Equal texts for equal constants and no others."""
    value = unwrap(value)
    if isinstance(value, (list, tuple)):
        return type(value).__qualname__, *map(textual, value)
    if isinstance(value, JITCallable):
        return value.cache_key
    return type(value).__name__, repr(value)


def _readers_in(values):
    for value in map(unwrap, values):
        kernel = kernel_of(value)
        if kernel is not None:
            yield kernel
            continue
        reader = reader_of(value)
        if reader is not None:
            yield reader
        if isinstance(value, (tuple, list)):
            yield from _readers_in(value)


class DeviceCaches:
    """What has been compiled, as `kernel.device_caches[device][0]`."""

    def __init__(self, kernel):
        self._kernel = kernel

    def __getitem__(self, device):
        return self._kernel._kernels, self._kernel._kernels, None, None, None

    def clear(self):
        self._kernel._kernels.clear()


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None, floor_division=False):
    """Makes a kernel of a function, as a decorator with or without options. With `floor_division`, `//` and `%` of
    integers are Python's, not C's."""

    def decorate(fn):
        if not callable(fn):
            raise TypeError(f"@jit decorates functions, not {type(fn).__name__}")
        return JITFunction(fn, version=version, do_not_specialize=do_not_specialize,
                           do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug,
                           noinline=noinline, repr=repr, launch_metadata=launch_metadata,
                           floor_division=floor_division)

    return decorate if fn is None else decorate(fn)


class ConstexprFunction(JITCallable, of="constant"):
    """A plain function that Python runs while a kernel is compiled."""

    def __call__(self, *args, _semantic=None, **kwargs):
        return self.fn(*map(unwrap, args), **{name: unwrap(value) for name, value in kwargs.items()})

    def __get__(self, instance, owner=None):
        return self if instance is None else lambda *args, **kwargs: self(instance, *args, **kwargs)

    def _native_value(self):
        self._note()
        return call_of(self.fn, self.cache_key, self._must_use_result)

    @property
    def cache_key(self):
        """A name for the function and all that it reads."""
        if self._hash is not None:
            self._require_current()
        if self._hash is None:
            key, self._reads = dependencies_of(self.fn)
            self._hash = key + hashlib.sha256(self.src.encode()).hexdigest()
        return self._hash


class ExternFunction(JITCallable, of="library"):
    """A part of a library that is marked core.extern or core.builtin, and that kernels call."""

    def _decorators(self):
        return ["@core.extern\n", *super()._decorators()]


def constexpr_function(fn):
    """Makes a plain function callable from kernels, on constants; one that is so already stays what it is."""
    return fn if isinstance(fn, ConstexprFunction) else ConstexprFunction(fn)


def must_use_result(value, is_must_use=True):
    """Makes it a mistake to call a function of kernels and drop its result; with a text, one that says why."""
    if isinstance(value, str):
        return lambda fn: must_use_result(fn, value)
    value._must_use_result = is_must_use
    return value


_native.set_settings(knobs.runtime.__dict__)


def get_jit_fn_file_line(fn):
    """Where the `def` of a kernel stands: file and line."""
    kernel = kernel_of(fn)
    return kernel._source.file, kernel._source.first_line
