# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of a program that runs with Triton, seen where Triton hands a compiled kernel to the driver: whoever
launches, a grid in brackets or the code that PyTorch's compiler wrote."""

import contextlib
import functools
import os
import sys

from ..parameters import COMPILATION_OPTIONS


class Launch:
    """One launch as Triton makes it: the function's parameters by name with what was given for them."""

    def __init__(self, launcher, grid, stream, handle, rest, arguments):
        self.launcher, self.grid = launcher, grid
        self._stream, self._handle, self._rest = stream, handle, rest
        self.arguments = arguments
        self.function = launcher.source.fn
        self.options = launcher.options

    @property
    def key(self):
        """Equal for launches of one specialization that ask for as much work."""
        return id(self.launcher), self.grid, tuple(map(_shape, self.arguments.values()))

    def run_theirs(self):
        self.launcher.launch_as_triton(*self.grid, self._stream, self._handle, *self._rest, *self.arguments.values())


def _shape(value):
    if hasattr(value, "data_ptr"):
        return tuple(value.shape), tuple(value.stride()), str(value.dtype)
    if hasattr(value, "block_shape"):
        return _shape(value.base)
    if isinstance(value, tuple):
        return tuple(map(_shape, value))
    return value if isinstance(value, (int, bool, type(None))) else str(type(value))


class _Watch:
    """Whether launches are shown to the one who looks on: not those by which a tuner chooses."""

    def __init__(self):
        self.depth, self._said = 0, set()

    def say_once(self, text):
        if text not in self._said:
            self._said.add(text)
            print(f"python -m nereid compare: {text}", file=sys.stderr)

    @contextlib.contextmanager
    def paused(self):
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def pausing(self, function):
        @functools.wraps(function)
        def run(*args, **kwargs):
            with self.paused():
                return function(*args, **kwargs)

        return run


def watch_launches(look):
    """Has `look(launch)` called before each launch of this process that is none of a tuner's trials. Returns a context
    in which nobody looks."""
    import triton

    watch = _Watch()
    driver = triton.runtime.driver.active
    triton_launcher = driver.launcher_cls

    class WatchedLauncher(triton_launcher):

        def __init__(self, source, metadata):
            super().__init__(source, metadata)
            self.source = source
            given = {name: getattr(metadata, name, None) for name in COMPILATION_OPTIONS}
            self.options = {name: value for name, value in given.items() if value is not None}

        def __call__(self, x, y, z, stream, handle, *rest):
            # what Triton packs for the kernel, what hooks are told, two hooks; then the arguments: from 3.6 to 3.9
            facts, values = rest[:4], rest[4:]
            names = self.source.fn.arg_names
            if len(values) != len(names):
                watch.say_once(f"Triton {triton.__version__} hands kernels to its driver in another way than 3.6 to 3.9 "
                               "do: launches are not compared")
            elif not watch.depth:
                with watch.paused():
                    look(Launch(self, (x, y, z), stream, handle, facts, dict(zip(names, values))))
            super().__call__(x, y, z, stream, handle, *rest)

        def launch_as_triton(self, *arguments):
            super().__call__(*arguments)

    driver.launcher_cls = WatchedLauncher
    triton.runtime.autotuner.Autotuner._bench = watch.pausing(triton.runtime.autotuner.Autotuner._bench)
    triton.testing.do_bench = watch.pausing(triton.testing.do_bench)
    triton.testing.do_bench_cudagraph = watch.pausing(triton.testing.do_bench_cudagraph)
    _watch_inductor(watch)
    return watch.paused


def _watch_inductor(watch):
    """PyTorch's compiler has a launcher and a tuner of its own, and workers whose kernels come without their
    functions."""
    os.environ["TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"] = "0"
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    try:
        import torch._inductor.config as config
        from torch._inductor.runtime import triton_heuristics
    except ImportError:
        return
    config.compile_threads = 1
    config.use_static_cuda_launcher = False
    config.strict_static_cuda_launcher = False
    tuner = triton_heuristics.CachingAutotuner
    tuner.bench = watch.pausing(tuner.bench)


def limit_configurations(most):
    """Lets Triton's tuner try a few configurations of each kernel, spread over its list."""
    import triton

    tuner = triton.runtime.autotuner.Autotuner
    prune = tuner.prune_configs

    def few(self, *arguments, **named):
        configurations = list(prune(self, *arguments, **named))
        return configurations[::-(-len(configurations) // most)]

    tuner.prune_configs = few
