# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler makes of a kernel of threads, for programs that look: PTX for a signature, registers, memory. A
machine without a GPU compiles for one of 9.0."""

import numpy

from .. import _native, gpu
from ..compiled import Options
from ..texts import FunctionText
from . import devices
from .mistakes import named_as_numba_has_them
from .names import TYPES
from .signatures import signatures_of


_TARGETS = {(8, 0): "sm_80", (8, 6): "sm_86", (8, 9): "sm_89", (9, 0): "sm_90a", (10, 0): "sm_100a", (12, 0): "sm_120"}


_WELL_AT_ONCE = 1024  # programs, each with a stack


class _Found(Exception):
    """Carries what a launch would be compiled for out of it."""

    def __init__(self, arguments, options):
        super().__init__()
        self.arguments, self.options = arguments, options


def _stand_in(kind):
    """An argument of a kind, for a launch that does not take place."""
    if kind is None:
        raise TypeError("the signature leaves a type open")
    if kind.ndim is None and not isinstance(kind.name, str):
        return numpy.zeros(1, kind.name)[0]
    if kind.ndim is None:
        return numpy.dtype(kind.name).type(0)
    if kind.layout == "A":
        return numpy.zeros([4] * kind.ndim, kind.name)[(slice(None, None, 2), ) * kind.ndim]
    return numpy.zeros([2] * kind.ndim, kind.name, kind.layout)


def _looked_at(kernel, kinds, block=(128, 1, 1), shared=0):
    """What the compiler would be asked for: its arguments and options."""
    class Probe(FunctionText.makers["threads"]):

        def _compile(self, arguments, bound, options, *rest):
            raise _Found(arguments, _options_of(options, self))

    probe = Probe(kernel.fn, [(None, kinds)])
    try:
        probe._dispatcher.bind((1, 1, 1), None, (*block, shared))(*map(_stand_in, kinds))
    except _Found as found:
        return found.arguments, found.options
    raise RuntimeError(f"{kernel.__name__} cannot be compiled for these types")


def _options_of(options, kernel):
    return Options.of(options, kernel).for_compiler()


def current_target():
    if devices.uses_gpu():
        return gpu.info(devices.current_number()).target
    return _TARGETS[9, 0]


def _target_for(capability):
    """The best of those that there are for a GPU that can do this much."""
    return _TARGETS[max((each for each in _TARGETS if each <= tuple(capability)), default=(8, 0))]


def text_of(kernel, kinds, stage="ptx", target=None):
    arguments, options = _looked_at(kernel, kinds)
    return _native.dump(kernel._native_value(), arguments, stage, target or current_target(), may_overlap=True,
                        **options)[-1][2]


def require_compiles(kernel):
    """A kernel with signatures is compiled when it is decorated, as Numba has it, as far as mistakes of its text are told.
    A type that no argument can be made of is told at the launch. No device is asked: programs fork before they launch."""
    for _, kinds in kernel._signatures:
        try:
            list(map(_stand_in, kinds))
        except TypeError:
            continue
        arguments, options = _looked_at(kernel, kinds)
        with named_as_numba_has_them():
            _native.dump(kernel._native_value(), arguments, "tile", _TARGETS[9, 0], may_overlap=True, **options)


def compile_ptx(pyfunc, sig, debug=None, lineinfo=False, device=False, fastmath=False, cc=None, opt=None,
                abi="numba", abi_info=None):
    """The PTX of a kernel, and what it returns, which is nothing. Compute capabilities below 8.0 stand for 8.0."""
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"Unsupported ABI: {abi}")
    if abi == "c" and not device:
        raise NotImplementedError("The C ABI is not supported for kernels")
    if device:
        raise NotImplementedError("functions of the device are written where they are called: they have no code alone")
    (result, kinds), = signatures_of(sig)
    if result is not None:
        raise TypeError("CUDA kernel must have void return type.")
    made = FunctionText.makers["threads"]
    kernel = pyfunc if isinstance(pyfunc, made) else made(pyfunc, [(None, kinds)])
    return text_of(kernel, kinds, target=None if cc is None else _target_for(cc)), TYPES["none"]


def compile_ptx_for_current_device(pyfunc, sig, **options):
    return compile_ptx(pyfunc, sig, **options)


class BySignature(dict):
    """What is known for signatures, by any of their forms."""

    def __missing__(self, signature):
        kinds = signatures_of(signature)[0][1]
        if kinds not in self:
            raise KeyError(signature)
        return self[kinds]


class Inspected:
    """What kernels say of themselves: for a signature, or, without one, for each that they were compiled for."""

    def _for_each(self, signature, look):
        if signature is not None:
            return look(signatures_of(signature)[0][1])
        return BySignature((kinds, look(kinds)) for kinds in self._kinds_compiled())

    def _kinds_compiled(self):
        return [kinds for _, kinds in self._signatures] or list(self._kinds_seen)

    def inspect_asm(self, signature=None):
        """The PTX."""
        return self._for_each(signature, lambda kinds: text_of(self, kinds))

    def inspect_llvm(self, signature=None):
        return self._for_each(signature, lambda kinds: text_of(self, kinds, "llvm"))

    def inspect_sass(self, signature=None):
        if self._is_device:
            raise RuntimeError("Cannot inspect SASS of a device function")
        return self._for_each(signature, lambda kinds: text_of(self, kinds, "sass"))

    def _resource(self, name, signature):
        """Of a GPU's code."""
        return self._for_one(signature, lambda kinds: self._measured(kinds, name))

    def _for_one(self, signature, look):
        """Of a kernel with one signature no other is meant."""
        if signature is None and self.specialized:
            return look(self._signatures[0][1])
        return self._for_each(signature, look)

    def _measured(self, kinds, name):
        if not devices.uses_gpu():
            raise RuntimeError("what a kernel takes of a GPU is known where there is one")
        arguments, options = _looked_at(self, kinds)
        kernel = _native.compile(devices.opened(), self._native_value(), arguments, True, **options)
        return getattr(kernel.resources, name)

    @property
    def cooperative(self):
        """Whether its blocks wait for one another, of any of the types that it is compiled for."""
        names_grid = "this_grid" in self._source.src
        return names_grid or any("whole_grid" in text_of(self, kinds, "tile") for kinds in self._kinds_compiled())

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """How many blocks may wait for one another: those of a GPU that run at once; of a host so many that it takes
        them well."""
        if not devices.uses_gpu():
            return _WELL_AT_ONCE
        block = (*blockdim, 1, 1)[:3] if isinstance(blockdim, (tuple, list)) else (int(blockdim), 1, 1)
        arguments, options = _looked_at(self, self._kinds_compiled()[0], block, dynsmemsize)
        kernel = _native.compile(devices.opened(), self._native_value(), arguments, True, **options)
        return kernel.resources.programs_per_multiprocessor * devices.get_current_device().MULTIPROCESSOR_COUNT

    def get_regs_per_thread(self, signature=None):
        return self._resource("registers", signature)

    def get_shared_mem_per_block(self, signature=None):
        return self._resource("shared_bytes", signature)

    def get_local_mem_per_thread(self, signature=None):
        return self._resource("local_bytes", signature)

    def get_const_mem_size(self, signature=None):
        """Constants are parts of the code."""
        return self._for_one(signature, lambda kinds: 0)

    def get_max_threads_per_block(self, signature=None):
        return self._for_one(signature, lambda kinds: 1024)
