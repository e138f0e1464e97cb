# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing, comparing, tables and plots: triton.testing."""

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import driver, gpu, graphs
from .timing import bench, summarize


def nvsmi(attributes):
    """Facts about the first GPU, as nvidia-smi prints them."""
    import subprocess

    command = ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attributes), "--format=csv,noheader,nounits"]
    return [int(value) for value in subprocess.check_output(command).decode().split(",")]


def do_bench(fn: Callable[[], Any], warmup: float = 25, rep: float = 100, grad_to_none: Iterable[Any] | None = None,
             quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any:
    """The time of a call in milliseconds: after about `warmup` ms of calls that do not count, about `rep` ms of
    calls, each with caches that hold something else."""
    return bench(driver.config.active, fn, warmup, rep, grad_to_none, quantiles, return_mode)


def do_bench_cudagraph(fn: Callable[[], Any], rep: float = 20, grad_to_none: Iterable[Any] | None = None,
                       quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any:
    """The time of a call in milliseconds, without what the host does between two: many calls are one CUDA graph. On a
    CPU, as do_bench()."""
    if isinstance(driver.config.active, gpu.CudaDriver):
        return summarize(graphs.time_graph(fn, rep, grad_to_none), quantiles, return_mode)
    return do_bench(fn, warmup=5, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def assert_close(x: Any, y: Any, atol: Any = None, rtol: Any = None, err_msg: str = "") -> None:
    """Whether the elements are within atol + rtol * |y| of each other; an AssertionError otherwise."""
    import numpy

    x, y = (_as_numpy(value) for value in (x, y))
    atol = 1e-2 if atol is None else atol
    rtol = 0.0 if rtol is None else rtol
    atol, rtol = (value(x.dtype) if callable(value) else value for value in (atol, rtol))
    if x.size > 1 or y.size > 1:
        numpy.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
    elif not numpy.allclose(x, y, atol=atol, rtol=rtol):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})")


def _as_numpy(value):
    import numpy

    if hasattr(value, "detach"):
        value = value.detach()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).cpu().numpy()
    return numpy.asarray(value)


class Benchmark:
    """What a benchmark is called with, and how its results are shown."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="",
                 x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals = x_names, x_vals
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel, self.x_log, self.y_log = xlabel, ylabel, x_log, y_log
        self.styles = styles

    def columns(self, part=""):
        """What the lines are called in tables and legends: with their unit, if there is one."""
        unit = f" ({self.ylabel})" if self.ylabel else ""
        return [f"{name}{part}{unit}" for name in self.line_names]


class Mark:
    """A benchmark function with what it is called with: run() measures, prints and plots."""

    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def _rows(self, bench, **kwargs):
        for x in bench.x_vals:
            values = x if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(values) != len(bench.x_names):
                raise ValueError(f"Expected {len(bench.x_names)} values, got {x}")
            row = []
            for line in bench.line_vals:
                result = self.fn(**dict(zip(bench.x_names, values)), **{bench.line_arg: line}, **bench.args, **kwargs)
                row.append(result if isinstance(result, (tuple, list)) else (result, None, None))
            yield list(values), [part[0] for part in row], [part[1] for part in row], [part[2] for part in row]

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        import pandas

        names = bench.columns()
        columns = [*bench.x_names, *names, *bench.columns("-min"), *bench.columns("-max")]
        table = pandas.DataFrame([[*xs, *mid, *low, *high] for xs, mid, low, high in self._rows(bench, **kwargs)],
                                 columns=columns)
        if bench.plot_name and (show_plots or save_path):
            plot(bench, table, save_path, show_plots)
        table = table[[*bench.x_names, *names]]
        if diff_col and len(names) == 2:
            table["Diff"] = table[names[1]] - table[names[0]]
        if print_data:
            print(bench.plot_name + ":")
            print(table.to_string())
        if save_path:
            table.to_csv(os.path.join(save_path, f"{bench.plot_name}.csv"), float_format=f"%.{save_precision}f",
                         index=False)
        return table

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        is_one = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if is_one else self.benchmarks
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        tables = []
        try:
            for bench in benchmarks:
                tables.append(self._run(bench, save_path, show_plots, print_data, **kwargs))
        finally:  # a benchmark that fails does not take the page of those before it along
            if save_path:
                _write_page(save_path, benchmarks[:len(tables)])
        if return_df:
            return tables[0] if is_one else tables
        return None


def _write_page(directory, benchmarks):
    images = "".join(f'<image src="{bench.plot_name}.png"/>\n' for bench in benchmarks)
    with open(os.path.join(directory, "results.html"), "w") as page:
        page.write(f"<html><body>\n{images}</body></html>\n")


def plot(bench, table, save_path, show_plots):
    """A line for each column, with the span between its least and its greatest results where they are known."""
    import matplotlib

    if not show_plots:
        matplotlib.use("Agg", force=False)
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots()
    x = bench.x_names[0]
    columns = zip(bench.columns(), bench.columns("-min"), bench.columns("-max"))
    for number, (name, least, greatest) in enumerate(columns):
        style = bench.styles[number] if bench.styles else (None, None)
        axes.plot(table[x], table[name], label=name, color=style[0], ls=style[1])
        low, high = table[least], table[greatest]
        if not low.isnull().all() and not high.isnull().all():
            axes.fill_between(table[x], low.astype(float), high.astype(float), alpha=0.15, color=style[0])
    axes.legend()
    axes.set_xlabel(bench.xlabel or x)
    axes.set_ylabel(bench.ylabel)
    axes.set_xscale("log" if bench.x_log else "linear")
    axes.set_yscale("log" if bench.y_log else "linear")
    if save_path:
        figure.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
    if show_plots:
        pyplot.show()
    pyplot.close(figure)


def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable[..., Any]], Mark]:
    """Makes a Mark of a benchmark function."""
    return lambda fn: Mark(fn, benchmarks)


def get_dram_gbps(device=None):
    """What the GPU's memory moves at most, in GB/s."""
    facts = driver.config.active.utils.get_device_properties(device or 0)
    return facts["mem_clock_rate"] * facts["mem_bus_width"] * 2 / 1e6 / 8


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """What the GPU's tensor cores compute at most at a clock rate in kHz."""
    facts = driver.config.active.utils.get_device_properties(device or 0)
    width = getattr(dtype, "itemsize", 2)
    per_cycle = {1: 2048, 2: 1024, 4: 512}.get(width, 512)
    return facts["multiprocessor_count"] * 4 * clock_rate * per_cycle * 1e-9


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """What the GPU's other units compute at most at a clock rate in kHz."""
    facts = driver.config.active.utils.get_device_properties(device or 0)
    per_cycle = 256 if getattr(dtype, "itemsize", 4) == 4 else 512
    return facts["multiprocessor_count"] * clock_rate * per_cycle * 1e-9


def cuda_memcheck(**target_kwargs):
    """Leaves a test as it is: the checked executor (TRITON_INTERPRET=1) finds what the tool would."""
    return lambda test: functools.wraps(test)(lambda *args, **kwargs: test(*args, **kwargs))


class set_gpu_clock:
    """Would hold the GPU's clock; where that is not allowed, nothing changes."""

    def __init__(self, ref_sm_clock=1350, ref_mem_clock=1215):
        self.ref_sm_clock, self.ref_mem_clock = ref_sm_clock, ref_mem_clock

    def __enter__(self):
        return 1e-6 * self.ref_sm_clock, 1e-6 * self.ref_mem_clock

    def __exit__(self, *error):
        return False
