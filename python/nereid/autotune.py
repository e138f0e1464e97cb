# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are tried in several configurations, of which the fastest stays: @triton.autotune and
@triton.heuristics."""

import builtins
import contextlib
import functools
import os
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import _native, driver, knobs, tournament
from .asynchronous import AsyncCompileMode
from .errors import AutotunerError, CompileTimeAssertionFailure, OutOfResources, PTXASError
from .jit import KernelInterface, JITFunction
from .wording import printable


class Config:
    """One configuration: values for parameters of the kernel, and launch options."""

    def __init__(self, kwargs: dict[str, Any], num_warps: int = 4, num_stages: int = 3, num_ctas: int = 1,
                 maxnreg: int | None = None, pre_hook: Callable[[dict[str, Any]], Any] | None = None,
                 ir_override: str | None = None) -> None:
        self.kwargs = kwargs
        self.num_warps, self.num_stages, self.num_ctas = num_warps, num_stages, num_ctas
        self.maxnreg, self.pre_hook, self.ir_override = maxnreg, pre_hook, ir_override

    def _options(self):
        return (("num_warps", self.num_warps), ("num_ctas", self.num_ctas), ("num_stages", self.num_stages),
                ("maxnreg", self.maxnreg), ("ir_override", self.ir_override))

    def all_kwargs(self):
        return {**self.kwargs, **{name: value for name, value in self._options() if value is not None}}

    def __setstate__(self, state):
        self.__init__(state.get("kwargs", {}))  # the state may be the original's own dictionary
        self.__dict__.update(state)

    def __str__(self):
        parts = [f"{name}: {value}" for name, value in self.kwargs.items()]
        parts += [f"{name}: {value}" for name, value in self._options() if name != "ir_override" or value is not None]
        return ", ".join(parts)

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __hash__(self):
        return hash(self._identity())

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()


# Held while configurations are timed: what runs beside them would be timed as well.
_timing = threading.RLock()


def _of_thread(name):
    """An attribute that each thread has for itself."""

    def get(self):
        return getattr(self._own, name, None)

    return property(get, lambda self, value: setattr(self._own, name, value))


def _set_all(array, value):
    """Of PyTorch's tensors, and of arrays like NumPy's."""
    if not hasattr(array, "copy_"):
        array[...] = value
    elif isinstance(value, int):
        array.zero_()
    else:
        array.copy_(value)


def _copy_of(array):
    return array.clone() if hasattr(array, "clone") else array.copy()


def _tensor_names(nargs):
    return [name for name, value in nargs.items() if hasattr(value, "dtype")]


class Autotuner(KernelInterface):
    """A kernel with its configurations. What was found fastest is kept for each key."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None, post_hook=None,
                 prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None,
                 cache_results=False):
        self.fn = fn
        self.arg_names = arg_names
        self.configs = configs or [Config({}, num_warps=4, num_stages=3, num_ctas=1)]
        self.keys = key
        self.cache = {}
        self._own = threading.local()
        self.reset_to_zero = list(reset_to_zero or [])
        self.restore_value = list(restore_value or [])
        self.cache_results = cache_results or knobs.autotuning.cache
        self._own_hooks(pre_hook, post_hook)
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        if isinstance(self.configs_top_k, int) and self.configs_top_k < 1:
            raise ValueError(f"top_k is how many configurations are tried, at least 1, and not {self.configs_top_k}")
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups, self.num_reps, self.use_cuda_graph = warmup, rep, use_cuda_graph
        self._do_bench = do_bench
        self.base_fn = _base(fn)
        self.__name__ = getattr(self.base_fn, "__name__", "kernel")
        for name in key or ():
            if name not in arg_names:
                warnings.warn(printable(f"the key of the autotuner of {self.__name__} names '{name}', which is no "
                                        f"parameter of the kernel ({', '.join(arg_names)})"), stacklevel=4)

    # Of the launch of each thread: its arguments, what a trial is made with, what it puts back.
    nargs, _trial, restore_copies = (_of_thread(name) for name in ("nargs", "_trial", "restore_copies"))

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_own"}

    def __setstate__(self, state):
        self.__dict__.update(state, _own=threading.local())

    def _own_hooks(self, pre_hook, post_hook):
        """Before a run arrays are zeroed, and after a trial put back, if that is asked for."""
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None

        def reset(kwargs, reset_only=False):
            for name in self.reset_to_zero:
                if kwargs[name] is not None:  # an array that may be left out
                    _set_all(kwargs[name], 0)
            if not reset_only:
                self.restore_copies = {name: _copy_of(kwargs[name]) for name in self.restore_value
                                       if kwargs[name] is not None}

        def restore(kwargs, exception):
            for name, copy in self.restore_copies.items():
                _set_all(kwargs[name], copy)
            self.restore_copies = {}

        self.pre_hook = pre_hook or reset
        self.post_hook = post_hook or restore

    @property
    def do_bench(self):
        if self._do_bench is not None:
            return self._do_bench
        from .testing import do_bench, do_bench_cudagraph

        if self.use_cuda_graph:
            return lambda call, quantiles: do_bench_cudagraph(call, rep=self.num_reps or 100, quantiles=quantiles)
        return lambda call, quantiles: do_bench(call, warmup=self._of(self.num_warmups, knobs.autotuning.warmup),
                                                rep=self._of(self.num_reps, knobs.autotuning.rep),
                                                quantiles=quantiles)

    @do_bench.setter
    def do_bench(self, call):
        self._do_bench = call

    @staticmethod
    def _of(given, otherwise):
        return otherwise if given is None else given

    def _bench(self, *args, config, _do_bench=None, **meta):
        if knobs.autotuning.print:
            print(printable(f"Autotuning kernel {self.base_fn.__name__} with config {config}"))
        conflicts = meta.keys() & config.kwargs.keys()
        if conflicts:
            raise ValueError(f"Conflicting meta-parameters: {printable(', '.join(conflicts))}. Make sure that you don't "
                             "re-define auto-tuned symbols.")
        current = dict(meta, **config.all_kwargs())
        full = {**self.nargs, **current}

        def call():
            if config.pre_hook:
                config.pre_hook(full)
            self.pre_hook(full)
            try:
                self.fn.run(*args, **current)
            except Exception as error:
                try:
                    self.post_hook(full, exception=error)
                finally:
                    raise
            self.post_hook(full, exception=None)

        try:
            return (_do_bench or self.do_bench)(call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
            if knobs.autotuning.print:
                print(printable(f"Autotuning failed with {error}"))
            return [float("inf")] * 3

    def _says_how_long(self):
        """Whether the program, or its environment, says how configurations are timed."""
        usual = (knobs.autotuning.warmup, knobs.autotuning.rep) == knobs.USUAL_TIMING
        given = (self._do_bench, self.num_warmups, self.num_reps)
        return self.use_cuda_graph or not usual or any(each is not None for each in given)

    def _bench_shortly(self, args, kwargs, config, warmup, rep):
        from .testing import do_bench

        return self._bench(*args, config=config, _do_bench=functools.partial(do_bench, warmup=warmup, rep=rep), **kwargs)

    def _key(self, nargs):
        values = [nargs[name] for name in self.keys if name in nargs]
        return tuple(values + [str(nargs[name].dtype) for name in _tensor_names(nargs)])

    def _compile_all(self, configs, args, kwargs):
        """All at once, before the first is timed. What fails, fails again when its turn comes."""
        if self.base_fn.is_interpreted:
            return
        workers = builtins.min(len(configs), os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as executor, AsyncCompileMode(executor, True, for_launches=True):
            for config in configs:
                with contextlib.suppress(Exception):
                    current = {**kwargs, **config.all_kwargs(), "warmup": True}
                    if config.pre_hook:  # it may change what the kernel is compiled for
                        config.pre_hook({**self.nargs, **current})
                    self.fn.run(*args, **current)

    def _tune(self, key, pruned, args, kwargs):
        start = time.time()
        self._compile_all(pruned, args, kwargs)
        if self._says_how_long():
            timings = {config: self._bench(*args, config=config, **kwargs) for config in pruned}
            fastest = builtins.min(timings, key=timings.get)
        else:
            fastest, timings = tournament.find_fastest(pruned, functools.partial(self._bench_shortly, args, kwargs))
        self.bench_time = time.time() - start
        self.cache[key] = fastest
        self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)
        self.configs_timings = timings
        return timings

    def check_disk_cache(self, key, configs, tune):
        """Takes from the records of all tuners what they know of the configurations, and adds what is tried. Whether
        they knew all."""
        if not key or any(config.pre_hook for config in configs):
            tune()
            return False
        start = time.time()
        device = driver.device_of(_cuda_device(self.nargs), self.base_fn.is_interpreted)
        rows = _native.try_configurations(self.base_fn.__name__, self.base_fn.cache_key,
                                          _native.tuning_target(device), str(key), list(map(str, configs)),
                                          self._timers(configs), knobs.autotuning.wait)
        self.bench_time = time.time() - start
        self.configs_timings = {config: [float("inf")] * 3 if failure else list(times)
                                for config, (*times, failure, _) in zip(configs, rows)}
        self.cache[key] = builtins.min(self.configs_timings, key=self.configs_timings.get)
        self.pre_hook({**self.nargs, **self._trial[1], **self.cache[key].all_kwargs()}, reset_only=True)
        return all(row[-1] for row in rows)

    def _timers(self, configs):
        """A function for each configuration, which times it."""
        args, kwargs = self._trial
        are_compiled = False

        def time_it(config):
            nonlocal are_compiled
            if not are_compiled:
                self._compile_all(configs, args, kwargs)
                are_compiled = True
            times = self._bench(*args, config=config, **kwargs)
            failed = times == [float("inf")] * 3
            return "it does not run here" if failed else times

        return [functools.partial(time_it, config) for config in configs]

    def run(self, *args, **kwargs):
        config = self.choose(*args, **kwargs)
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
        result = self.fn.run(*args, **kwargs, **config.all_kwargs())
        self.nargs = self._trial = None
        return result

    def choose(self, *args, **kwargs):
        """The configuration that run() launches with; for a new key it is looked for."""
        self.nargs = dict(zip(self.arg_names, args))
        config, was_tuned, used_cached = self.configs[0], False, True
        key = None
        if len(self.configs) > 1:
            everything = {**self.nargs, **kwargs}
            key = self._key({name: value for name, value in everything.items() if name in self.arg_names})
            if key not in self.cache:
                with _timing:
                    if key not in self.cache:  # no other thread has tuned it meanwhile
                        was_tuned, used_cached = self._find_fastest(key, args, kwargs)
            config = self.cache[key]
        self.best_config = config
        self._report(key, config, was_tuned, used_cached)
        return config

    def _find_fastest(self, key, args, kwargs):
        """Whether there was more than one to try, and whether all was known."""
        pruned = self.prune_configs(kwargs)

        def tune():
            self._tune(key, pruned, args, kwargs)

        if len(pruned) == 1:
            self.cache[key] = pruned[0]
            return False, True
        if self.cache_results:
            self._trial = args, kwargs
            return True, self.check_disk_cache(key, pruned, tune)
        tune()
        return True, False

    def _report(self, key, config, was_tuned, used_cached):
        if knobs.autotuning.print and was_tuned and not used_cached:
            print(printable(f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\nfinished after "
                            f"{self.bench_time:.2f}s,\nbest config selected: {config};"))
        if was_tuned and knobs.autotuning.listener:
            knobs.autotuning.listener(fn=self.base_fn, key=key, best_config=config,
                                      configs_timings=self.configs_timings,
                                      duration=None if used_cached else self.bench_time, cache_hit=used_cached)

    def prune_configs(self, kwargs):
        """The configurations that are worth a trial."""
        pruned = self.configs
        if self.early_config_prune:
            pruned = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not pruned:
                raise AutotunerError("No valid autotuner configs after pruning. `early_config_prune` should return at "
                                     "least one config.")
        if not self.perf_model:
            return pruned
        top_k = self.configs_top_k
        if isinstance(top_k, float) and top_k <= 1.0:
            top_k = builtins.max(1, int(len(pruned) * top_k))
        elif not isinstance(top_k, int):
            raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int")
        if len(pruned) <= top_k:
            return pruned
        estimates = {config: self.perf_model(**self.nargs, **kwargs, **config.all_kwargs()) for config in pruned}
        return sorted(estimates, key=estimates.get)[:top_k]

    def warmup(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        compiled = [self.fn.warmup(*args, **kwargs, **config.all_kwargs()) for config in self.prune_configs(kwargs)]
        self.nargs = None
        return compiled


def _base(fn):
    while not isinstance(fn, JITFunction) and hasattr(fn, "fn"):
        fn = fn.fn
    return fn


def _cuda_device(nargs):
    """The number of the GPU on which arrays lie, -1 for the host's memory."""
    for value in nargs.values():
        device = getattr(value, "device", None)
        if getattr(device, "type", None) == "cuda":
            return device.index or 0
    return -1


def autotune(configs: list[Config], key: Sequence[str], prune_configs_by: dict[str, Any] | None = None,
             reset_to_zero: Sequence[str] | None = None, restore_value: Sequence[str] | None = None,
             pre_hook: Callable[..., Any] | None = None, post_hook: Callable[..., Any] | None = None,
             warmup: int | None = None, rep: int | None = None, use_cuda_graph: bool = False,
             do_bench: Callable[..., Any] | None = None,
             cache_results: bool = False) -> Callable[[Any], Autotuner]:
    """Tries the configurations once for each value of the arguments that `key` names."""

    def decorate(fn):
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook=pre_hook,
                         post_hook=post_hook, prune_configs_by=prune_configs_by, warmup=warmup, rep=rep,
                         use_cuda_graph=use_cuda_graph, do_bench=do_bench, cache_results=cache_results)

    return decorate


class Heuristics(KernelInterface):
    """A kernel some of whose parameters are computed from the others."""

    def __init__(self, fn, arg_names, values):
        self.fn, self.arg_names, self.values = fn, arg_names, values
        self.__name__ = getattr(fn, "__name__", "kernel")

    def run(self, *args, **kwargs):
        for name, compute in self.values.items():
            kwargs[name] = compute({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


def heuristics(values: dict[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]:
    """Computes parameters: {"BLOCK": lambda args: triton.next_power_of_2(args["n"])}."""
    return lambda fn: Heuristics(fn, fn.arg_names, values)
