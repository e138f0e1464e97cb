# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel compiled for its arguments, and the options of a launch."""

import contextlib
import threading
import time
import types
from collections import namedtuple

from . import _native, gpu, knobs
from .accesses import Accesses
from .binary import Binary
from .described import describe
from .gpu import target_of
from .language.constants import unwrap
from .remarks import show
from .source import ASTSource
from .versions import release
from .wording import printable

# What a launch may be told besides the kernel's arguments, and what each is otherwise.
DEFAULTS = dict(
    num_warps=4, num_ctas=1, num_stages=3, warp_size=32, maxnreg=None, ptx_version=None, ptx_options=None,
    ir_override=None, enable_fp_fusion=True, enable_reflect_ftz=True, launch_cooperative_grid=False, launch_pdl=False,
    debug=False, sanitize_overflow=True, extern_libs=None, arch=None, instrumentation_mode="",
    supported_fp8_dtypes=("fp8e5", "fp8e4nv"), deprecated_fp8_dot_operand_dtypes=(),
    default_dot_input_precision="ieee", allowed_dot_input_precisions=("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"),
    max_num_imprecise_acc_default=0, backend_name="cpu", cluster_dims=(1, 1, 1),
    # of kernels of threads: a block's extents, and its dynamic shared memory in bytes
    block=None,
    # of AMD's back end, which programs give where the target is not NVIDIA's
    waves_per_eu=1, matrix_instr_nonkdim=0, kpack=1)
_REFUSED = ("device_type", "device", "stream")


class Options:
    """The options of a launch: those given, and all of them as attributes."""

    def __init__(self, given):
        self.given = given
        self.__dict__.update(DEFAULTS)
        self.__dict__.update(given)

    @classmethod
    def of(cls, given, kernel):
        for name in given:
            if name in _REFUSED:
                raise AssertionError(f"{name} option is deprecated; current target will be used")
            if name not in DEFAULTS:
                raise KeyError(f"Keyword argument {printable(name)} was specified but unrecognised")
        given = {name: value for name, value in given.items() if value is not None}  # None: as if it were not given
        warps = given.get("num_warps", 4)
        if not isinstance(warps, int) or warps < 1 or warps & (warps - 1):
            raise AssertionError("num_warps must be a power of 2")
        if knobs.runtime.debug or ("debug" not in given and kernel.debug):
            given = {**given, "debug": True}
        return cls(given)

    def for_compiler(self):
        """What the code depends on, of what was given: the compiler chooses the rest."""
        given = {"warps": self.given.get("num_warps"), "pipeline_stages": self.given.get("num_stages"),
                 "max_registers": self.given.get("maxnreg")}
        chosen = {name: max(1, value) for name, value in given.items() if value is not None}
        if self.block is not None:
            chosen["block"] = self.block
        return {**chosen, "checks_asserts": bool(self.debug)}

    def as_dict(self):
        return {name: getattr(self, name) for name in DEFAULTS}


_state = threading.local()


@contextlib.contextmanager
def compiling_ahead():
    """What is compiled inside is not for a launch: hooks are told so."""
    before, _state.is_ahead = is_compiling_ahead(), True
    try:
        yield
    finally:
        _state.is_ahead = before


def is_compiling_ahead():
    return getattr(_state, "is_ahead", False)


def constants_in(kind, value):
    """Of an argument, or of a tuple of them, what is a constant by its signature, and None for the rest."""
    if kind.startswith("(") and isinstance(value, (tuple, list)):
        return tuple(map(constants_in, kinds_in(kind), value))
    return unwrap(value) if kind == "constexpr" else None


def kinds_in(kind):
    """The signatures of a tuple's elements: "(*fp32,(i32,constexpr,),)"."""
    kinds, begin, depth = [], 1, 0
    for at, letter in enumerate(kind):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 1:
            kinds.append(kind[begin:at])
            begin = at + 1
    return kinds


class CompiledKernel(Binary):
    """A kernel on a device. `kernel[grid](...)` gives it; `compiled[grid](...)` launches it again."""

    _loaded_for_overlap = None  # compiled again, where the arrays of `run` are not apart as those of the launch were

    def __init__(self, fn, arguments, bound, options, may_overlap, device, key, is_ahead):
        self.fn, self.options = fn, options
        self.device, self.hash, self._is_ahead = device, key, is_ahead
        self.native = _native.Kernel()  # none, if a hook wants none
        self._arguments, self._may_overlap = arguments, may_overlap
        times = [time.perf_counter()]
        self._native_function = fn._native_value()  # which means the same later on
        times.append(time.perf_counter())
        self.signature = dict(zip(bound, (argument.signature for argument in arguments)))
        self._tuples = {name: constants_in(text, bound[name]) for name, text in self.signature.items()
                        if text.startswith("(") and type(bound[name]) is tuple}
        self.constants = {name: unwrap(bound[name]) for name, text in self.signature.items() if text == "constexpr"}
        self.name = fn.repr(Specialization(self))
        self.is_skipped = self._ask(knobs.runtime.jit_cache_hook, fn.cache_hook, is_before=True)
        if not self.is_skipped:
            self.native = _native.compile(device, self._native_function, arguments, may_overlap,
                                          **options.for_compiler())
            times.append(time.perf_counter())
            if knobs.compilation.remarks:
                show(self.remarks)
            self._tell_of_load()
            self._ask(knobs.runtime.jit_post_compile_hook, fn.compiled_hook, is_before=False)
        self._gpu = self.native.resources if self.cuda_device >= 0 and not self.is_skipped else None
        self._backend, self._texts = "cuda" if self.cuda_device >= 0 else "cpu", {}
        self.src = fn.src
        self.metadata = _metadata(self, self._backend)
        self.packed_metadata = None
        if knobs.compilation.listener is not None and not self.is_skipped:
            self._tell_of_times([*times, time.perf_counter()])

    def _tell_of_times(self, times):
        """The listener of compilations: of reading the text, of all stages, and of what comes after them."""
        read, made, kept = ((end - begin) * 1e6 for begin, end in zip(times, times[1:]))
        constants = {name: value for name, value in self.constants.items() if name in self.fn.arg_names}
        knobs.compilation.listener(src=ASTSource(self.fn, self.signature, constants), metadata=self.metadata._asdict(),
                                   metadata_group={}, times=knobs.CompileTimes(read, [(self._backend, made)], kept),
                                   cache_hit=self.native.was_kept)

    def __del__(self):
        """The code goes with its last kernel; hooks are told."""
        if self.module is not None and getattr(knobs, "runtime", None) and knobs.runtime.kernel_unload_hook.calls:
            knobs.runtime.kernel_unload_hook(self.module, self.function, self.name, {}, self.hash)
        self.module = self.function = None

    def _ask(self, hook, older_hook, is_before):
        """Tells the hooks of a compilation; whether one says that there should be none."""
        result = False
        for each in (hook, older_hook):
            if each is not None:
                result |= bool(each(**self._hook_arguments(is_before)))
        return result

    def _tell_of_load(self):
        """The code is loaded as soon as it is there."""
        runtime = knobs.runtime
        runtime.kernel_load_start_hook(self.module, self.function, self.name, {}, self.hash)
        self.function = self.module = id(self.native)
        runtime.kernel_load_end_hook(self.module, self.function, self.name, {}, self.hash)

    def _hook_arguments(self, is_before):
        name = self.fn.fn.__qualname__
        text = ", ".join(f"{key}: {kind}" for key, kind in self.signature.items())
        options = self.options
        shown = (f"{name}[num_warps={options.num_warps}, num_ctas={options.num_ctas}, num_stages={options.num_stages}, "
                 f"enable_fp_fusion={options.enable_fp_fusion}, "
                 f"launch_cooperative_grid={options.launch_cooperative_grid}]({text})")
        compile_facts = {
            "signature": self.signature, "device": 0, "constants": self.constants, "num_warps": options.num_warps,
            "num_ctas": options.num_ctas, "num_stages": options.num_stages,
            "enable_fp_fusion": options.enable_fp_fusion, "launch_cooperative_grid": options.launch_cooperative_grid,
            "extern_libs": tuple((options.extern_libs or {}).items()), "configs": [{}],
            "specialization_data": describe(self), "is_warmup": self._is_ahead, "key": self.hash
        }
        return dict(key=self.hash, repr=shown, fn=types.SimpleNamespace(module=self.fn.module, fn=self.fn, name=name,
                                                                         jit_function=self.fn),
                    compile=compile_facts, is_manual_warmup=self._is_ahead, already_compiled=False)

    def dump(self, stage):
        """What a stage of the compiler made, as text."""
        outputs = _native.dump(self._native_function, self._arguments, stage, self._compiler_target(),
                               may_overlap=self._may_overlap, **self.options.for_compiler())
        return outputs[-1][2]

    def find_accesses(self):
        """Which parameters lead to what it reads and writes."""
        return Accesses(self._native_function, self._arguments, self._compiler_target(),
                        may_overlap=self._may_overlap, **self.options.for_compiler())

    entry = None  # its texts and facts are of what it launches itself

    def machine_code(self):
        return self.assemble(self.asm["ptx"])

    def _artifact(self):
        return _native.compile_ahead(self._native_function, self._arguments, self._compiler_target(), self._may_overlap,
                                     **self.options.for_compiler())

    def _kinds(self):
        return self.signature

    def _compiler_target(self):
        return gpu.info(self.cuda_device).target if self.cuda_device >= 0 else "cpu"

    def _find_remarks(self):
        if self.device.name == "check":
            return []  # nothing is compiled
        return _native.remarks(self._native_function, self._arguments, self._compiler_target(),
                               may_overlap=self._may_overlap, **self.options.for_compiler())

    def assemble(self, ptx):
        """The machine code that the GPU runs."""
        return _native.assemble(self.device, ptx)

    @property
    def cuda_device(self):
        """-1: the host."""
        kind, _, number = self.device.name.partition(":")
        return int(number) if kind == "cuda" else -1

    def _init_handles(self):
        """The code is loaded when it is compiled."""

    def _require_loaded(self):
        if self._loaded is None:
            self._loaded = self._loaded_kernel(self.native, self._may_overlap)

    def _loaded_kernel(self, native, may_overlap):
        return _native.LoadedKernel(native, self.cuda_device, list(self.signature.items()), may_overlap)

    def _runner(self):
        return self._run

    def _run(self, x, y, z, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *arguments):
        if enter_hook is not None:
            enter_hook(launch_metadata)
        self._launch(x, y, z, stream or 0, *arguments)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _launch(self, *place_and_arguments):
        if self._loaded.launch(self, *place_and_arguments):
            return
        if self._loaded_for_overlap is None:
            native = _native.compile(self.device, self._native_function, self._arguments, True,
                                     **self.options.for_compiler())
            self._loaded_for_overlap = self._loaded_kernel(native, True)
        self._loaded_for_overlap.launch(self, *place_and_arguments)

    def _resources(self):
        return self._gpu

    def _function(self):
        return self.fn

    def __getitem__(self, grid):
        given = self.options.given
        return lambda *args, stream=None: self.fn._dispatcher.bind(grid, stream)(*args, **given)


class Specialization:
    """What a kernel's name may depend on (`repr` of @triton.jit)."""

    def __init__(self, compiled):
        self.signature, self.constants = compiled.signature, compiled.constants
        self.name = compiled.fn.__name__


def _metadata(compiled, backend):
    facts = compiled.options.as_dict()
    facts.update(target=target_of(compiled.cuda_device))
    if backend == "cpu":
        # There is no shared memory on a CPU, but programs that compute an occupancy divide by it.
        facts.update(shared=1)
    else:
        facts.update(backend_name="cuda", shared=0)
        if compiled._gpu is not None:
            facts.update(shared=compiled._gpu.shared_bytes, num_warps=compiled._gpu.threads // 32)
    facts.update(name=compiled.name, hash=compiled.hash, tmem_size=0, global_scratch_size=0,
                 global_scratch_align=1, profile_scratch_size=0, profile_scratch_align=1, triton_version=release)
    facts.pop("extern_libs", None)
    return namedtuple("KernelMetadata", sorted(facts))(**facts)
