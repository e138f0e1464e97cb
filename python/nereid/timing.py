# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long calls take, by the clock of the host or by the events of a GPU."""

import statistics
import time

from . import _native


def summarize(times, quantiles, return_mode):
    if quantiles is not None:
        if not all(0 <= share <= 1 for share in quantiles):
            raise ValueError("Quantiles must be in the range [0, 1]")
        found = _native.quantiles(times, quantiles)
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return times
    return {"min": min, "max": max, "mean": statistics.mean, "median": statistics.median}[return_mode](times)


def _time_on_host(fn, active, warmup, rep, grad_to_none):
    cache = active.get_empty_cache_for_benchmark()

    def prepare():
        for tensor in grad_to_none or ():
            tensor.grad = None
        active.clear_cache(cache)

    return _native.measure(fn, prepare, warmup, rep)


def bench(active, fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """testing.do_bench() with a driver, `active`."""
    assert return_mode in ("min", "max", "mean", "median", "all")
    if getattr(active, "times_on_host", False):
        return summarize(_time_on_host(fn, active, warmup, rep, grad_to_none), quantiles, return_mode)
    interface = active.get_device_interface()
    fn()
    interface.synchronize()
    cache = active.get_empty_cache_for_benchmark()
    start = time.perf_counter()
    for _ in range(5):
        active.clear_cache(cache)
        fn()
    interface.synchronize()
    estimate = max((time.perf_counter() - start) * 1e3 / 5, 1e-3)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = []
    for _ in range(max(1, int(rep / estimate))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        active.clear_cache(cache)
        begin, end = (interface.Event(enable_timing=True) for _ in range(2))
        begin.record()
        fn()
        end.record()
        times.append((begin, end))
    interface.synchronize()
    return summarize([begin.elapsed_time(end) for begin, end in times], quantiles, return_mode)
