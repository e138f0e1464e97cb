# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel as code: the texts of its stages, what is known of it, and launches for its very types."""

import functools

from . import _native, driver, gpu, knobs, libraries
from .accesses import Accesses
from .errors import NereidError
from .machine import vector_registers
from .remarks import Remark, show
from .target import compiling_for, native_target


class AssemblyTexts:
    """What the stages of the compiler made of a kernel, by name, made when it is asked for."""

    # Names of programs -> stages of the library, or what makes them.
    _STAGES = {"cpu": {"tile": "tile", "llir": "llvm", "asm": "asm"},
               "cuda": {"tile": "tile", "llir": "llvm", "ptx": "ptx", "cubin": None}}
    _LIBRARIES = ("so", "launcher.so")  # for CPUs: what packages of PyTorch launch

    def __init__(self, binary, backend, texts):
        self._binary, self._stages, self._texts = binary, self._STAGES[backend], texts

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(name)
        if name not in self._texts:
            self._texts[name] = self._make(name)
        return self._texts[name]

    def _make(self, name):
        if name in self._LIBRARIES:
            return self._binary.library() if name == "so" else libraries.launcher_library()
        if name == "cubin":
            return self._binary.machine_code()
        entry = self._binary.entry if name == "ptx" else None
        return entry["ptx"] if isinstance(entry, dict) else self._binary.dump(self._stages[name])

    def __contains__(self, name):
        return name in self._stages or (name in self._LIBRARIES and "asm" in self._stages)

    def __iter__(self):
        return iter(self._stages)

    def __len__(self):
        return len(self._stages)

    def keys(self):
        return self._stages.keys()

    def get(self, name, default=None):
        return self[name] if name in self else default


class LazyDict:
    """What a launch's hooks are told; the costly part is made when it is asked for."""

    def __init__(self, data):
        self.data, self.extras = data, []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, function, args):
        self.extras.append((function, args))


class Binary:
    """What triton.compile gives: a kernel compiled for a signature and a target that need not be here. It is loaded
    when it is first launched.

    `vars()` of one that was not loaded can be pickled and given to another: programs that compile in other processes
    carry kernels so. There it is code alone, without the texts of stages that were not asked for before."""

    function = module = None  # the code where it is loaded
    _loaded = _stored = None
    _code_apart = None  # for arrays that do not overlap, which a launch sees; on CPUs

    def __init__(self, source, target, options, metadata):
        self.src, self.name, self.hash = source, source.name, source.hash()
        self.packed_metadata = None
        self._backend = "cuda" if target.backend == "cuda" else "cpu"
        self._gpu_target, self._target = target, native_target(target)
        self._tuning, self._texts = options.for_compiler(), {}
        arguments = source.arguments()
        self._signature = [(name, argument.signature) for name, argument in zip(source.fn.arg_names, arguments)]
        with compiling_for(target):
            self._code = self._compiled(arguments, may_overlap=True)
            if self._backend == "cpu" and sum(kind.startswith("*") for _, kind in self._signature) > 1:
                self._code_apart = self._compiled(arguments, may_overlap=False)
        if self._backend == "cuda" and isinstance(self.entry, dict):
            metadata = metadata._replace(name=self.entry["symbol"], num_warps=self.entry["threads"] // 32,
                                         shared=self.entry["shared_bytes"])
        self.metadata = metadata
        if knobs.compilation.remarks:
            show(self.remarks)

    def _compiled(self, arguments, may_overlap):
        return _native.compile_ahead(self.src.fn._native_value(), arguments, self._target, may_overlap, **self._tuning)

    # Code that others launch

    def _artifact(self):
        return self._code

    @functools.cached_property
    def entry(self):
        """What nereid/entry.h says of a kernel for GPUs: its symbol, its PTX, threads and shared memory; or a text that
        says why only our own launches give it all that it takes."""
        if any("tensordesc" in kind for kind in self._kinds().values()):
            return f"kernel '{self.name}' takes tensor descriptors, of which others make what Triton's kernels take"
        try:
            return _native.gpu_entry(self._artifact())
        except NereidError as error:
            return str(error)

    def machine_code(self):
        """For launches by others."""
        if isinstance(self.entry, str):
            raise KeyError(f"cubin: {self.entry}")
        return self.assemble(self.entry["ptx"])

    def library(self):
        """The shared library of a kernel for CPUs."""
        return libraries.kernel_library(self.metadata.name, _native.cpu_entry(self._artifact()), self._kinds())

    def _kinds(self):
        """Of each parameter by name: "*fp32", "i32:16", "constexpr"."""
        return dict(self._signature)

    # What is known of it

    @property
    def asm(self):
        return AssemblyTexts(self, self._backend, self._texts)

    @functools.cached_property
    def remarks(self):
        """Where the compiler declined a better form, and why (docs/remarks.md). It compiles again for that: nothing is
        looked for otherwise, and what the cache has names no places."""
        return [Remark(*row) for row in self._find_remarks()]

    def _find_remarks(self):
        if self._function().fn is None:
            raise KeyError(f"remarks: the text of kernel {self.name} is with the process that compiled it")
        with compiling_for(self._gpu_target):
            return _native.remarks(self.src.fn._native_value(), self.src.arguments(), self._target, may_overlap=True,
                                   **self._tuning)

    def dump(self, stage):
        """What a stage of the compiler made, as text."""
        if self._function().fn is None:
            raise KeyError(f"{stage}: the text of kernel {self.name} is with the process that compiled it")
        with compiling_for(self._gpu_target):
            return _native.dump(self.src.fn._native_value(), self.src.arguments(), stage, self._target,
                                may_overlap=True, **self._tuning)[-1][2]

    def find_accesses(self):
        """Which parameters lead to what it reads and writes."""
        if self._function().fn is None:
            raise KeyError(f"accesses: the text of kernel {self.name} is with the process that compiled it")
        with compiling_for(self._gpu_target):
            return Accesses(self.src.fn._native_value(), self.src.arguments(), self._target, may_overlap=True,
                            **self._tuning)

    def assemble(self, ptx):
        """Machine code for the target: its driver makes it, so such a GPU must be here."""
        number = gpu.current_device()
        if not gpu.is_available() or gpu.info(number).target != self._target:
            raise KeyError(f"cubin: there is no {self._target} here, whose driver would make it")
        return _native.assemble(driver.open_device(f"cuda:{number}"), ptx)

    def _resources(self):
        """On a GPU, where it is loaded for that; else nothing."""
        if self._backend != "cuda":
            return None
        self._require_loaded()
        return self._loaded.resources

    @property
    def n_regs(self):
        facts = self._resources()
        return facts.registers if facts else vector_registers()

    @property
    def n_spills(self):
        facts = self._resources()
        return facts.local_bytes // 4 if facts else 0

    @property
    def n_max_threads(self):
        if not self._resources():
            return 1
        return min(1024, gpu.info(gpu.current_device()).registers_per_block // max(self.n_regs, 1))

    # Launches

    def _init_handles(self):
        """Loads the code, on the current device of a GPU's driver."""
        if self._loaded is None:
            number = gpu.current_device() if self._backend == "cuda" else -1
            device = driver.device_of(number, is_checked=False)
            apart = self._code_apart and _native.load(device, self._code_apart)
            self._loaded = _native.LoadedKernel(_native.load(device, self._code), number, self._signature, apart=apart)
            self.function = self.module = id(self._loaded)

    def _require_loaded(self):
        self._init_handles()

    @property
    def run(self):
        """Launches: run(x, y, z, stream, function, metadata, launch_metadata, enter_hook, exit_hook, *arguments), with
        an argument for each parameter, of which those of constants are passed over."""
        self._require_loaded()
        return self._runner()

    def _runner(self):
        return functools.partial(self._loaded.run, self)  # no frame of Python's: a compiled model launches by dozens

    def require_unwritten(self, names):
        """Raises if the kernel stores through one of these parameters, whose arrays must stay as they are. An element of
        a tuple is "pair.0"."""
        if self._stored is None:
            try:
                self._stored = self.find_accesses().stored
            except KeyError:
                self._stored = set(names)  # nothing is known of it
        for name in names:
            if name in self._stored:
                raise ValueError(f"argument '{name}' is an array that may only be read, and kernel {self.name} stores "
                                 "into it; give it an array that may be written, as a copy is")

    def __getitem__(self, grid):
        extents = (*grid, 1, 1)[:3]

        def launch(*arguments, stream=None):
            if stream is None:
                stream = gpu.current_stream(gpu.current_device()) if self._backend == "cuda" else 0
            runtime = knobs.runtime
            self.run(*extents, stream, self.function, self.packed_metadata,
                     self.launch_metadata(grid, stream, *arguments), runtime.launch_enter_hook,
                     runtime.launch_exit_hook, *arguments)

        return launch

    def _function(self):
        return self.src.fn

    def launch_metadata(self, grid, stream, *arguments):
        """What the hooks of a launch are told; nothing where there are none."""
        if not _native.has_launch_hooks():
            return None
        data = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        fn = self._function()
        if fn.launch_metadata is not None:
            data.add(fn.launch_metadata, (grid, self.metadata, dict(zip(fn.arg_names, arguments))))
        return data
