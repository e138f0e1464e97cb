# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings: environment variables as attributes, and the hooks. `knobs.runtime.debug = True` counts for more than
the variable; `.scope()` puts everything back."""

import contextlib
import functools
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from . import _native


class EnvironmentFlag:
    """A setting that an environment variable gives; setting it sets the variable's meaning for this process."""

    def __init__(self, key, default, read):
        self.key, self.default, self.read = key, default, read

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if self.name in instance.__dict__:
            return instance.__dict__[self.name]
        text = os.environ.get(self.key)
        return self.default() if text is None and callable(self.default) else (
            self.default if text is None else self.read(text))

    def __set__(self, instance, value):
        if value is env:
            instance.__dict__.pop(self.name, None)
            return
        instance.__dict__[self.name] = value
        if propagate_env:
            if value is None:
                os.environ.pop(self.key, None)
            else:
                os.environ[self.key] = ("1" if value else "0") if isinstance(value, bool) else str(value)

    def __delete__(self, instance):
        instance.__dict__.pop(self.name, None)


class _Environment:
    """Assigned to a setting: what its variable says."""


env = _Environment()
# Whether what is set here is also set in the environment, for processes that this one starts.
propagate_env = True


def flag(key, default=False):
    return EnvironmentFlag(key, default, _native.means_yes)


def text(key, default=None):
    return EnvironmentFlag(key, default, str)


def number(key, default=None):

    def read(given):
        try:
            return int(given)
        except ValueError:
            raise RuntimeError(f"{key} is '{given}', and must be a whole number") from None

    return EnvironmentFlag(key, default, read)


def own_number(key, default):
    """Of a variable of Nereid's: what it cannot mean was warned of, and means the default."""

    def read(given):
        found = _native.number_in(given)
        return default if found is None else found

    return EnvironmentFlag(key, default, read)


def imported(key):
    """A class, by "module:name"."""

    def read(path):
        import importlib

        module, _, name = path.partition(":")
        return getattr(importlib.import_module(module), name)

    return EnvironmentFlag(key, None, read)


# The names under which programs make settings of their own.
env_str, env_bool, env_int = text, flag, number
env_opt_str, env_opt_int = text, number


def env_opt_bool(key):
    return flag(key, None)


class NvidiaTool:
    """A program of CUDA's toolkit."""

    def __init__(self, path):
        self.path = path

    def __str__(self):
        return self.path

    @functools.cached_property
    def version(self):
        """As the program says it."""
        import re
        import subprocess

        said = subprocess.run([self.path, "--version"], capture_output=True, text=True).stdout
        found = re.search(r"release (\d+\.\d+)", said)
        return found[1] if found else None


def nvidia_tool(name):
    """The program that the variable names, or that of the search path; None where there is none."""

    def find():
        path = shutil.which(name)
        return NvidiaTool(path) if path else None

    return EnvironmentFlag(f"TRITON_{name.upper().replace('-', '_')}_PATH", find, NvidiaTool)


class Directories:
    """The directories that any of several variables names."""

    def __init__(self, *keys):
        self.keys = keys

    def __get__(self, instance, owner=None):
        return {os.environ[key] for key in self.keys if key in os.environ}


class HookChain:
    """Functions that are called one after the other."""

    def __init__(self, reversed=False, on_change=None):
        self.calls, self.reversed, self._on_change = [], reversed, on_change

    def _changed(self):
        if self._on_change:
            self._on_change()

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
            self._changed()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
            self._changed()

    def __call__(self, *args, **kwargs):
        for call in (reversed(self.calls) if self.reversed else list(self.calls)):
            call(*args, **kwargs)


class Group:
    """Settings that belong together."""

    def reset(self):
        for name in list(self.__dict__):
            if isinstance(getattr(type(self), name, None), EnvironmentFlag):
                del self.__dict__[name]
        return self

    def copy(self):
        other = type(self)()
        other.__dict__.update(self.__dict__)
        return other

    @property
    def knob_descriptors(self):
        return {name: value for each in type(self).__mro__ for name, value in vars(each).items()
                if isinstance(value, EnvironmentFlag)}

    @property
    def knobs(self):
        return {name: getattr(self, name) for name in self.knob_descriptors}

    @contextlib.contextmanager
    def scope(self):
        keys = [value.key for value in self.knob_descriptors.values()]
        before, variables = dict(self.__dict__), {key: os.environ.get(key) for key in keys}
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)
            for key, value in variables.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value
            self._restored()

    def _restored(self):
        pass


class Runtime(Group):
    check = flag("NEREID_CHECK")
    # Where kernels are checked, they are on the checked executor, whatever Triton's variable says.
    interpret = EnvironmentFlag("TRITON_INTERPRET", lambda: runtime.check, lambda text: _native.means_yes(text) or runtime.check)
    debug = flag("TRITON_DEBUG")
    override_arch = text("TRITON_OVERRIDE_ARCH")
    sanitize_overflow = flag("TRITON_SANITIZE_OVERFLOW", True)
    add_stages_inspection_hook = None
    jit_cache_hook = None
    jit_post_compile_hook = None
    # Each launches, and does what it likes before and after: called with kernel, grid, compiled, arguments by name, launch, stream.
    launch_observers: list = []

    def __init__(self):
        self.launch_enter_hook = HookChain(on_change=self._restored)
        self.launch_exit_hook = HookChain(reversed=True, on_change=self._restored)
        self.kernel_load_start_hook = HookChain()
        self.kernel_load_end_hook = HookChain(reversed=True)
        self.kernel_unload_hook = HookChain(reversed=True)

    def __setattr__(self, name, value):
        is_launch_hook = name in ("launch_enter_hook", "launch_exit_hook")
        if is_launch_hook and value is None:
            value = HookChain()
        if is_launch_hook and isinstance(value, HookChain):
            value._on_change = self._restored  # of one that the program made, too
        super().__setattr__(name, value)
        if is_launch_hook:
            self._restored()

    def has_launch_hooks(self):
        chains = (self.__dict__.get("launch_enter_hook"), self.__dict__.get("launch_exit_hook"))
        return bool(self.launch_observers) or any(chain is not None and getattr(chain, "calls", True) for chain in chains)

    def _restored(self):
        _native.set_has_launch_hooks(self.has_launch_hooks())


class Build(Group):
    cc = text("CC")
    cudacrt_path = text("TRITON_CUDACRT_PATH")
    cudart_path = text("TRITON_CUDART_PATH")
    impl = None
    backend_dirs = Directories("TRITON_CUDACRT_PATH", "TRITON_CUDART_PATH")


class Redis(Group):
    key_format = text("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = text("TRITON_REDIS_HOST", "localhost")
    port = number("TRITON_REDIS_PORT", 6379)


class Cache(Group):
    home_dir = text("TRITON_HOME", lambda: os.path.expanduser("~/"))
    dump_dir = text("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = text("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"))
    dir = text("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    manager_class = imported("TRITON_CACHE_MANAGER")
    remote_manager_class = imported("TRITON_REMOTE_CACHE_BACKEND")

    def get_triton_dir(self, name):
        return os.path.join(self.home_dir, ".triton", name)


class Compilation(Group):
    override = flag("TRITON_KERNEL_OVERRIDE")
    dump_ir = flag("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = flag("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = flag("TRITON_STORE_BINARY_ONLY")
    always_compile = flag("TRITON_ALWAYS_COMPILE")
    use_ir_loc = text("USE_IR_LOC")
    enable_asan = flag("TRITON_ENABLE_ASAN")
    disable_line_info = flag("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = flag("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = flag("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    enable_experimental_consan = flag("TRITON_ENABLE_EXPERIMENTAL_CONSAN")
    instrumentation_mode = text("TRITON_INSTRUMENTATION_MODE", "")
    # What the compiler remarks of each kernel goes to standard error when it is compiled.
    remarks = flag("NEREID_REMARKS")
    listener = None


# Milliseconds of an autotuner's calls that do not count, and of those that do.
USUAL_TIMING = (25, 100)


class Autotuning(Group):
    cache = flag("TRITON_CACHE_AUTOTUNING")
    print = flag("TRITON_PRINT_AUTOTUNING")
    warmup = number("TRITON_AUTOTUNE_WARMUP", USUAL_TIMING[0])
    rep = number("TRITON_AUTOTUNE_REP", USUAL_TIMING[1])
    wait = own_number("NEREID_TUNING_WAIT", 300)  # seconds, for another process that tunes the same
    listener = None


class Language(Group):
    fp32_default = text("TRITON_F32_DEFAULT")
    default_fp_fusion = flag("TRITON_DEFAULT_FP_FUSION", True)


class Nvidia(Group):
    ptxas = nvidia_tool("ptxas")
    ptxas_blackwell = nvidia_tool("ptxas-blackwell")
    cuobjdump = nvidia_tool("cuobjdump")
    nvdisasm = nvidia_tool("nvdisasm")
    dump_ptxas_log = flag("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = text("TRITON_LIBDEVICE_PATH")
    libcuda_path = text("TRITON_LIBCUDA_PATH")
    dump_nvptx = flag("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = flag("DISABLE_PTXAS_OPT")
    ptxas_options = text("PTXAS_OPTIONS")
    mock_ptx_version = text("TRITON_MOCK_PTX_VERSION")


class Amd(Group):
    use_buffer_ops = flag("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = flag("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = flag("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    use_async_copy = flag("TRITON_HIP_USE_ASYNC_COPY")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    scalarize_packed_fops = flag("AMDGCN_SCALARIZE_PACKED_FOPS")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    dump_amdgcn = flag("AMDGCN_ENABLE_DUMP")
    libhip_path = text("TRITON_LIBHIP_PATH")


class Proton(Group):
    disable = flag("TRITON_PROTON_DISABLE")
    enable_nvtx = flag("TRITON_ENABLE_NVTX", True)
    cupti_lib_dir = text("TRITON_CUPTI_LIB_PATH", lambda: str(Path(__file__).parent))


cache: Cache = Cache()
build, redis, compilation = Build(), Redis(), Compilation()
runtime: Runtime = Runtime()
autotuning, language, nvidia = Autotuning(), Language(), Nvidia()
amd, proton = Amd(), Proton()
base_knobs = Group


def refresh_knobs():
    """The hooks of launches are looked at anew."""
    runtime._restored()


class CompileTimes:
    """What the stages of a compilation took, in microseconds, for compilation.listener."""

    def __init__(self, ir_initialization, lowering_stages, store_results):
        self.ir_initialization, self.lowering_stages = ir_initialization, lowering_stages
        self.store_results = store_results

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


# What programs call the groups, and the types of hooks in annotations.
amd_knobs, autotuning_knobs, build_knobs, cache_knobs, compilation_knobs = Amd, Autotuning, Build, Cache, Compilation
language_knobs, nvidia_knobs, proton_knobs, redis_knobs, runtime_knobs = Language, Nvidia, Proton, Redis, Runtime
AutotuneListener = CompilationListener = InitHandleHook = JITHook = LaunchHook = PipelineStagesHook = Callable
