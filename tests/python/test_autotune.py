# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations and heuristics. What is fastest is decided by a timer of the test's own."""

import contextlib
import copy
import io
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from nereid import knobs, testing, timing, tournament

CONFIGS = [nereid.Config({"BLOCK": size}) for size in (32, 64, 128)]


@nereid.jit
def double(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, mask=offsets < n) * 2, mask=offsets < n)


@contextlib.contextmanager
def variables(**values):
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def grid(meta):
    return (nereid.cdiv(meta["n"], meta["BLOCK"]),)


def nothing(*args, **kwargs):
    """A hook or a timer that can be pickled."""


class Tuning(unittest.TestCase):

    def tuned(self, times, **options):
        """A kernel whose configurations take the times that the test says."""
        left = iter(times)

        def bench(call, quantiles):
            call()
            time = next(left)
            if isinstance(time, Exception):
                raise time
            return [time] * 3

        return nereid.autotune(configs=CONFIGS, key=["n"], do_bench=bench, **options)(double)

    def test_picks_the_fastest_once_for_each_key(self):
        kernel = self.tuned([3, 1, 2, 1, 2, 3], restore_value=["x"])
        x = np.ones(100)
        x_like = Restorable(x)
        kernel[grid](x_like, n=100)
        self.assertEqual(kernel.best_config.kwargs, {"BLOCK": 64})
        np.testing.assert_array_equal(x, 2)
        kernel[grid](x_like, n=100)
        self.assertEqual(len(kernel.cache), 1)
        kernel[grid](x_like, n=99)
        self.assertEqual(kernel.best_config.kwargs, {"BLOCK": 32})
        self.assertEqual(len(kernel.cache), 2)
        np.testing.assert_array_equal(x, [8] * 99 + [4])

    def test_those_near_the_fastest_are_timed_once_more(self):
        times = {"slow": [2, 0.5], "fast": [1.0, 1.3], "near": [1.05, 1.2], "fails": [math.inf, 0]}
        asked = []

        def time(name, warmup, rep):
            asked.append((name, rep))
            return [times[name].pop(0)] * 3

        fastest, found = tournament.find_fastest(list(times), time)
        self.assertEqual(fastest, "near")  # and not the slow one, although a round of its own took less than the final one
        self.assertEqual([name for name, _ in asked], ["slow", "fast", "near", "fails", "fast", "near"])
        self.assertGreater(asked[-1][1], asked[0][1])
        self.assertEqual(found, {"slow": [2] * 3, "fast": [1.3] * 3, "near": [1.2] * 3, "fails": [math.inf] * 3})

    def test_all_may_fail(self):
        failed = [math.inf] * 3
        self.assertEqual(tournament.find_fastest("ab", lambda *_: failed), ("a", {"a": failed, "b": failed}))

    def test_rounds_are_short_unless_the_program_says_otherwise(self):
        def rounds(**options):
            with unittest.mock.patch("nereid.testing.do_bench", return_value=[1] * 3) as bench:
                nereid.autotune(configs=CONFIGS, key=["n"], **options)(double)[grid](np.ones(10), n=10)
            return [call.kwargs["rep"] for call in bench.call_args_list]

        first, final = tournament.FIRST_ROUND[1], tournament.FINAL_ROUND[1]
        self.assertEqual(rounds(), [first] * 3 + [final] * 3)
        self.assertEqual(rounds(rep=7), [7] * 3)
        with unittest.mock.patch.dict(os.environ, TRITON_AUTOTUNE_REP="50"):
            self.assertEqual(rounds(), [50] * 3)

    def test_all_are_compiled_before_the_first_is_timed(self):
        compiled, hook = [], lambda **facts: compiled.append((facts["compile"]["constants"]["BLOCK"],
                                                              facts["is_manual_warmup"]))
        seen = []

        def bench(call, quantiles):
            seen.append(len(compiled))
            call()
            return [1] * 3

        @nereid.jit
        def fresh(x, n, BLOCK: tl.constexpr):
            tl.store(x + tl.arange(0, BLOCK), n, mask=tl.arange(0, BLOCK) < n)

        tuned = nereid.autotune(configs=CONFIGS, key=["n"], do_bench=bench)(fresh)
        with knobs.runtime.scope():
            knobs.runtime.jit_post_compile_hook = hook
            tuned[(1,)](np.ones(5), n=5)
        self.assertEqual(seen, [3, 3, 3])
        self.assertEqual(sorted(compiled), [(32, False), (64, False), (128, False)])

    def test_a_mistake_in_the_kernel_is_reported_while_tuning(self):

        @nereid.jit
        def wrong(x, n, BLOCK: tl.constexpr):
            tl.store(x, unknown_name)

        with self.assertRaisesRegex(nereid.errors.CompilationError, "unknown_name"):
            nereid.autotune(configs=CONFIGS, key=["n"])(wrong)[(1,)](np.ones(5), n=5)

    def test_top_k_is_of_what_early_pruning_left(self):
        tried = []

        def bench(call, quantiles):
            call()
            tried.append(0)
            return [1] * 3

        def tuned(**prune):
            prune = {"perf_model": lambda BLOCK, **rest: BLOCK, "early_config_prune": lambda all, *rest, **more: all[:2],
                     **prune}
            return nereid.autotune(configs=CONFIGS, key=["n"], do_bench=bench, prune_configs_by=prune)(double)

        kernel = tuned(top_k=0.5)
        kernel[grid](np.ones(5), n=5)
        self.assertEqual((tried, kernel.best_config.kwargs), ([], {"BLOCK": 32}))
        for top_k in 0, -1:
            with self.assertRaisesRegex(ValueError, f"at least 1, and not {top_k}"):
                tuned(top_k=top_k)

    def test_names_in_the_key_that_the_kernel_lacks(self):
        with self.assertWarnsRegex(UserWarning, "the autotuner of double names 'm', which is no parameter"):
            nereid.autotune(configs=CONFIGS, key=["n", "m"])(double)

    def test_the_timer_may_be_another_later(self):
        kernel = self.tuned([])
        times = iter([3, 1, 2])
        kernel.do_bench = lambda call, quantiles: [next(times)] * 3
        kernel[grid](np.ones(5), n=5)
        self.assertEqual(kernel.best_config.kwargs, {"BLOCK": 64})
        self.assertIs(copy.copy(kernel).do_bench, kernel.do_bench)
        hooked = nereid.autotune(configs=CONFIGS, key=["n"], pre_hook=nothing, post_hook=nothing)(double)
        hooked.do_bench = nothing
        self.assertIs(pickle.loads(pickle.dumps(hooked)).do_bench, nothing)

    def test_several_threads(self):
        kernel = nereid.autotune(configs=CONFIGS, key=["n"], restore_value=["x"], warmup=1, rep=1)(double)
        arrays = [np.ones(50 + i % 3) for i in range(6)]
        with ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(lambda x: kernel[grid](x, n=x.size), x) for x in arrays]:
                done.result()
        self.assertEqual(len(kernel.cache), 3)
        for x in arrays:
            np.testing.assert_array_equal(x, 2)

    def test_arrays_of_numpy_are_zeroed_and_put_back(self):
        x = np.ones(100)
        self.tuned([3, 1, 2], restore_value=["x"])[grid](x, n=100)
        np.testing.assert_array_equal(x, 2)
        self.tuned([3, 1, 2], reset_to_zero=["x"])[grid](x, n=100)
        np.testing.assert_array_equal(x, 0)

    def test_interrupts_reach_a_kernel_that_is_tuned(self):

        @nereid.jit
        def long(x, n, BLOCK: tl.constexpr):
            tl.atomic_add(x, 1)

        kernel = nereid.autotune(configs=CONFIGS, key=["n"])(long)
        x = np.zeros(1, np.int32)
        # A shell's background jobs ignore it, and so does what they start.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.perf_counter()
        with self.assertRaises(KeyboardInterrupt):
            kernel[(2**30, 64)](x, n=1)
        self.assertLess(time.perf_counter() - begin, 20)
        timer.join()

    def test_failed_configuration_loses(self):
        kernel = self.tuned([nereid.errors.OutOfResources(3, 2, "shared memory"), 5, 4])
        kernel[grid](np.ones(5), n=5)
        self.assertEqual(kernel.best_config.kwargs, {"BLOCK": 128})
        self.assertEqual(kernel.configs_timings[CONFIGS[0]], [float("inf")] * 3)

    def test_pruning(self):
        kernel = self.tuned([2, 1], prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: configs[:2]})
        kernel[grid](np.ones(5), n=5)
        self.assertEqual(kernel.best_config.kwargs, {"BLOCK": 64})
        kernel = self.tuned([], prune_configs_by={"perf_model": lambda BLOCK, **kwargs: -BLOCK, "top_k": 1})
        kernel[grid](np.ones(5), n=5)
        self.assertEqual(kernel.best_config.kwargs, {"BLOCK": 128})
        kernel = self.tuned([], prune_configs_by={"early_config_prune": lambda configs, args, **kwargs: []})
        with self.assertRaisesRegex(nereid.errors.AutotunerError, "No valid autotuner configs"):
            kernel[grid](np.ones(5), n=5)

    def test_conflict_and_print(self):
        kernel = self.tuned([1, 2, 3])
        with self.assertRaisesRegex(ValueError, "Conflicting meta-parameters: BLOCK"):
            kernel[grid](np.ones(5), n=5, BLOCK=32)
        kernel = self.tuned([1, 2, 3])
        output = io.StringIO()
        with knobs.autotuning.scope(), contextlib.redirect_stdout(output):
            knobs.autotuning.print = True
            kernel[grid](np.ones(5), n=5)
        self.assertIn("Autotuning kernel double with config BLOCK: 32, num_warps: 4", output.getvalue())
        self.assertIn("Triton autotuning for function double,\nwith key as (5, 'float64'),\nfinished after",
                      output.getvalue())
        self.assertIn("best config selected: BLOCK: 32, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None;",
                      output.getvalue())

    def test_timings_on_disk(self):
        with tempfile.TemporaryDirectory() as directory, variables(NEREID_CACHE="on", NEREID_CACHE_DIR=directory):
            self.tuned([3, 1, 2], cache_results=True)[grid](np.ones(5), n=5)
            again = self.tuned([], cache_results=True)
            again[grid](np.ones(5), n=5)
            self.assertEqual(again.best_config.kwargs, {"BLOCK": 64})
            self.assertEqual([again.configs_timings[config][0] for config in CONFIGS], [3, 1, 2])
            # A configuration that comes later is timed alone; one that fails is tried again.
            more = self.tuned([nereid.errors.OutOfResources(3, 2, "shared memory"), 0.5], cache_results=True)
            more.configs = [*CONFIGS, nereid.Config({"BLOCK": 16}), nereid.Config({"BLOCK": 256})]
            more[grid](np.ones(5), n=5)
            self.assertEqual(more.best_config.kwargs, {"BLOCK": 256})
            self.assertEqual(more.configs_timings[more.configs[3]], [float("inf")] * 3)
            more = self.tuned([0.25], cache_results=True)
            more.configs = [*CONFIGS, nereid.Config({"BLOCK": 16}), nereid.Config({"BLOCK": 256})]
            more[grid](np.ones(5), n=5)
            self.assertEqual(more.best_config.kwargs, {"BLOCK": 16})
            # The command line sees the same records.
            records = os.path.join(directory, "tuning")
            self.assertEqual(len(os.listdir(records)), 1)
            with open(os.path.join(records, os.listdir(records)[0])) as file:
                self.assertEqual(json.load(file)["format"], "nereid tuning records")

    def test_one_of_several_processes_tunes(self):
        """As ranks do, which come to a kernel at once: each configuration is timed once, and all take the same."""
        program = ("import os, sys, time\n"
                   "import numpy as np, triton, triton.language as tl\n"
                   "def bench(call, quantiles):\n"
                   "    call()\n"
                   "    time.sleep(0.4)\n"
                   "    print('timed', flush=True)\n"
                   "    return [float(os.getpid() * 31 % 97 + 1)] * 3\n"
                   "@triton.autotune([triton.Config({'B': size}) for size in (16, 32, 64)], key=['n'], do_bench=bench)\n"
                   "@triton.jit\n"
                   "def double(x, n, B: tl.constexpr):\n"
                   "    places = tl.program_id(0) * B + tl.arange(0, B)\n"
                   "    tl.store(x + places, tl.load(x + places, mask=places < n) * 2, mask=places < n)\n"
                   "double[lambda meta: (triton.cdiv(5, meta['B']),)](np.ones(5), 5)\n"
                   "print(double.configs_timings.values(), double.best_config)\n")
        for server in (None, shutil.which("redis-server")):
            with self.subTest(server=server), tempfile.TemporaryDirectory() as directory:
                self.tune_in_processes(program, directory, server)
            if server is None and shutil.which("redis-server") is None:
                self.skipTest("there is no redis-server for processes of several machines")

    def tune_in_processes(self, program, directory, server):
        """With a server each has a directory of its own, as machines have."""
        path = os.path.join(directory, "rank.py")
        with open(path, "w") as file:
            file.write(program)
        environment = {**os.environ, "NEREID_CACHE": "on", "TRITON_CACHE_AUTOTUNING": "1"}
        with contextlib.ExitStack() as stack:
            if server:
                socket = os.path.join(directory, "socket")
                redis = subprocess.Popen([server, "--port", "0", "--unixsocket", socket, "--save", "", "--dir",
                                          directory], stdout=subprocess.DEVNULL)
                stack.callback(redis.wait)
                stack.callback(redis.terminate)
                while not os.path.exists(socket) and redis.poll() is None:
                    time.sleep(0.02)
                environment.update(NEREID_REMOTE_CACHE=f"unix://{socket}", NEREID_REMOTE_TIMEOUT="20000")
            ranks = []
            for rank in range(3):
                environment["NEREID_CACHE_DIR"] = os.path.join(directory, f"cache{rank}" if server else "cache")
                ranks.append(subprocess.Popen([sys.executable, "-B", "-m", "nereid", path], env=environment, text=True,
                                              stdout=subprocess.PIPE))
            outputs = [rank.communicate(timeout=120)[0] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0] * 3)
        self.assertEqual("".join(outputs).count("timed"), 3)
        self.assertEqual(len({output.splitlines()[-1] for output in outputs}), 1)

    def test_wrong_argument_leaves_as_itself(self):
        with tempfile.TemporaryDirectory() as directory, variables(NEREID_CACHE="on", NEREID_CACHE_DIR=directory):
            kernel = self.tuned([KeyError("mine")], cache_results=True)
            with self.assertRaisesRegex(KeyError, "mine"):
                kernel[grid](np.ones(5), n=5)

    def test_real_timer(self):
        kernel = nereid.autotune(configs=CONFIGS, key=["n"], warmup=1, rep=1)(double)
        kernel[grid](np.zeros(1000), n=1000)
        self.assertIn(kernel.best_config, CONFIGS)

    def test_heuristics(self):
        kernel = nereid.heuristics({"BLOCK": lambda args: nereid.next_power_of_2(args["n"])})(double)
        x = np.ones(37)
        compiled = kernel[(1,)](x, 37)
        np.testing.assert_array_equal(x, 2)
        self.assertEqual(compiled.constants["BLOCK"], 64)

    def test_configurations(self):
        config = nereid.Config({"A": 1}, num_warps=8)
        self.assertEqual(str(config), "A: 1, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None")
        self.assertEqual(config, nereid.Config({"A": 1}, num_warps=8))
        self.assertNotEqual(config, nereid.Config({"A": 2}, num_warps=8))
        self.assertEqual(config.all_kwargs(), {"A": 1, "num_warps": 8, "num_ctas": 1, "num_stages": 3})

    def test_copies_of_configurations(self):
        config = nereid.Config({"A": 1}, num_warps=8)
        for other in (copy.copy(config), copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
            self.assertEqual(other, config)
            self.assertEqual((config.kwargs, other.kwargs), ({"A": 1}, {"A": 1}))


class Restorable:
    """An array with what the tuner asks of tensors."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype
        self.__array_interface__ = array.__array_interface__

    def clone(self):
        return Restorable(self.array.copy())

    def copy_(self, other):
        self.array[:] = other.array


class Timing(unittest.TestCase):

    def test_do_bench(self):
        calls = []
        self.assertGreater(testing.do_bench(lambda: calls.append(0), warmup=1, rep=2), 0)
        self.assertGreaterEqual(len(calls), 6)  # one warms up
        low, middle, high = testing.do_bench(lambda: None, warmup=1, rep=2, quantiles=[0, 0.5, 1])
        self.assertLessEqual(low, middle)
        self.assertLessEqual(middle, high)

    def test_do_bench_keeps_to_its_budget(self):
        begin = time.perf_counter()
        testing.do_bench(lambda: None, warmup=25, rep=100)
        self.assertLess(time.perf_counter() - begin, 4)

    def test_quantiles_are_those_of_numpy(self):
        times = testing.do_bench(lambda: None, warmup=1, rep=2, return_mode="all")
        self.assertGreaterEqual(len(times), 5)
        shares = [0, 0.2, 0.5, 0.77, 1]
        np.testing.assert_allclose(timing.summarize(times, shares, "mean"), np.quantile(times, shares), rtol=1e-12)
        with self.assertRaisesRegex(ValueError, "range"):
            timing.summarize(times, [1.5], "mean")

    def test_what_a_call_raises_leaves(self):
        with self.assertRaises(ZeroDivisionError):
            testing.do_bench(lambda: 1 / 0)

    def test_assert_close(self):
        testing.assert_close(np.ones(3), np.ones(3) + 1e-3)
        for wrong in (np.full(3, 1.1), np.array([1, 1, np.nan])):
            with self.assertRaises(AssertionError):
                testing.assert_close(np.ones(3), wrong)


class Reports(unittest.TestCase):

    def setUp(self):
        try:
            import matplotlib  # noqa: F401
            import pandas  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))

    def report(self, ylabel, fn, names=("A", "B")):
        benchmark = testing.Benchmark(x_names=["n"], x_vals=[1, 2], line_arg="line", line_vals=list(names),
                                      line_names=list(names), plot_name=ylabel or "plain", args={}, ylabel=ylabel)
        return benchmark, testing.perf_report([benchmark])(fn)

    def test_columns_have_their_unit(self):
        for ylabel, header in (("GB per s", "n,A (GB per s),B (GB per s)"), ("", "n,A,B")):
            benchmark, mark = self.report(ylabel, lambda n, line: n if line == "A" else [n, n - 1, n + 1])
            with tempfile.TemporaryDirectory() as directory:
                table, = mark.run(save_path=directory, return_df=True)
                self.assertEqual(",".join(table.columns), header)
                with open(os.path.join(directory, benchmark.plot_name + ".csv")) as file:
                    self.assertEqual(file.readline().strip(), header)
                self.assertIn(benchmark.plot_name + ".png", os.listdir(directory))

    def test_page_of_those_before_one_that_fails(self):

        def measure(n, line):
            return n / (line != "C")

        (first, mark), (second, _) = self.report("ms", measure), self.report("MB", measure, names=("C",))
        mark.benchmarks.append(second)
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaises(ZeroDivisionError):
                mark.run(save_path=directory)
            with open(os.path.join(directory, "results.html")) as page:
                self.assertEqual(page.read(), '<html><body>\n<image src="ms.png"/>\n</body></html>\n')


if __name__ == "__main__":
    main()
