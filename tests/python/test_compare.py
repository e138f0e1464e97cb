# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid compare without Triton and without a GPU: what Triton's objects mean, what counts as the same result,
the report, and mistakes of use. gpu/test_compare.py races launches."""

import contextlib
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from running import main

import numpy as np
import torch

import nereid.language as tl
from nereid import capture
from nereid.compare import command, launches, meaning, report
from nereid.compare.arrays import Arrays, difference, unequal_integers


def _of_triton(name, module, **members):
    """A class as Triton has it, by its place."""
    return type(name, (), {"__module__": module, **members})


class _Constant(_of_triton("constexpr", "triton.language.core")):

    def __init__(self, value):
        self.value = value


class _DType(_of_triton("dtype", "triton.language.core")):

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, _DType) and self.name == other.name

    __hash__ = None


for made, name in ((_Constant, "constexpr"), (_DType, "dtype")):
    made.__name__, made.__module__ = name, "triton.language.core"


class _Function:
    """What @triton.jit makes."""

    def __init__(self, fn):
        self.fn = fn
        self.do_not_specialize = self.do_not_specialize_on_alignment = ()
        self.debug = self.noinline = None
        self.src = ""


_Function.__name__, _Function.__module__ = "JITFunction", "triton.runtime.jit"

_language = types.ModuleType("triton.language")
THREE = _Constant(3)


@_Function
def doubled(x):
    return x * 2 + THREE


@_Function
def kernel(x, y, n, F: tl.constexpr, T: tl.constexpr, B: tl.constexpr):
    i = _language.program_id(0) * B + _language.arange(0, B)
    v = _language.load(x + i, i < n, other=0.0).to(T)
    _language.store(y + i, F(v) + _language.sum(v, 0), i < n)


@_Constant
def accumulated(kind):
    return _DType("fp32") if kind == _DType("fp16") else kind


@_Function
def summed(x, y, B: tl.constexpr):
    i = _language.arange(0, B)
    v = _language.load(x + i).to(accumulated(x.dtype.element_ty))
    _language.store(y + i, v * v)


def _aggregate(cls):
    """What Triton makes of a class: another one, whose `__new__` alone knows what was written."""

    def make(this, *values):
        instance = object.__new__(this)
        cls.__init__(instance, *values)
        return instance

    return type(cls.__name__, (), {"__new__": make, "__triton_aggregate__": True, "__module__": cls.__module__})


class _ConstantFunction:
    """What @triton.constexpr_function makes."""

    def __init__(self, fn):
        self.fn = fn


_ConstantFunction.__name__, _ConstantFunction.__module__ = "ConstexprFunction", "triton.runtime.jit"


@_aggregate
class Window:
    first: tl.tensor
    size: tl.constexpr

    @_ConstantFunction
    def __init__(self, first, size):
        self.first = first
        self.size = size

    @staticmethod
    @_Function
    def of_program(size: tl.constexpr):
        return Window(_language.program_id(0) * size, size)

    @_Function
    def places(self):
        return self.first + _language.arange(0, self.size)


@_Function
def numbered(y, B: tl.constexpr):
    window = Window.of_program(B)
    places = window.places()
    _language.store(y + places, places + window.size)


class MeaningTest(unittest.TestCase):

    def test_functions_that_are_constants_get_and_give_tritons_dtypes(self):
        core = types.ModuleType("triton.language.core")
        core.dtype = _DType
        with mock.patch.dict(sys.modules, {"triton.language.core": core}), capture.reading(meaning):
            for kind, square in ((np.float16, 1e6), (np.float32, 1e6)):  # of float16 no such square
                x, y = np.full(16, 1000, kind), np.zeros(16, np.float32)
                meaning.ours(summed)[(1,)](x=x, y=y, B=_Constant(16).value)
                np.testing.assert_array_equal(y, square)

    def test_a_kernel_of_tritons_is_compiled_from_its_text(self):
        x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        given = dict(x=x, y=y, n=100, F=doubled, T=_DType("fp32"), B=_Constant(128))
        given = {name: meaning.argument(value) for name, value in given.items()}
        with capture.reading(meaning):
            meaning.ours(kernel)[(1,)](**given)
        np.testing.assert_array_equal(y, x * 2 + 3 + x.sum())

    def test_aggregates_of_tritons_have_the_fields_and_functions_that_were_written(self):
        y = np.zeros(32, np.int32)
        with capture.reading(meaning):
            meaning.ours(numbered)[(2,)](y=y, B=16)
        np.testing.assert_array_equal(y, np.arange(32) + 16)

    def test_one_kernel_is_made_of_each(self):
        self.assertIs(meaning.ours(kernel), meaning.ours(kernel))

    def test_paths_of_the_language(self):
        self.assertEqual(meaning.language_path(_language), "triton.language")
        self.assertIsNone(meaning.language_path(np))
        exponential = types.FunctionType((lambda x: x).__code__, {}, "exp")
        exponential.__module__ = "triton.language.extra.cuda.libdevice"
        self.assertEqual(meaning.language_path(exponential), "triton.language.extra.cuda.libdevice.exp")

    def test_what_is_not_tritons_means_itself(self):
        self.assertIsNone(meaning.meaning_of(np.float32))
        self.assertEqual(meaning.argument((1, _Constant(2))), (1, 2))


class LauncherTest(unittest.TestCase):
    """Of a Triton that is made up, with a driver that launches nothing."""

    def triton(self):
        calls = []

        class Launcher:

            def __init__(self, source, metadata):
                pass

            def __call__(self, *arguments):
                calls.append(arguments)

        nothing = types.SimpleNamespace
        tuner = type("Autotuner", (), {"_bench": lambda self: self.run(), "prune_configs": None})
        testing = nothing(do_bench=None, do_bench_cudagraph=lambda run: run())
        testing.do_bench = testing.do_bench_cudagraph
        driver = nothing(active=nothing(launcher_cls=Launcher))
        made = types.ModuleType("triton")
        made.__version__ = "3.6.0"
        made.runtime, made.testing = nothing(driver=driver, autotuner=nothing(Autotuner=tuner)), testing
        return made, driver.active, calls

    def test_launches_are_seen_but_for_a_tuners(self):
        made, driver, calls = self.triton()
        seen = []
        with mock.patch.dict(sys.modules, {"triton": made}), mock.patch.object(launches, "_watch_inductor"):
            paused = launches.watch_launches(seen.append)
        source = types.SimpleNamespace(fn=types.SimpleNamespace(arg_names=["x", "n"]), signature={"x": "*fp32", "n": "i32"})
        run = driver.launcher_cls(source, types.SimpleNamespace(num_warps=8, num_stages=None))
        whole = (4, 1, 1, 99, 7, "packed", "told", None, None, "array", 5)
        run(*whole)
        self.assertEqual([(launch.grid, launch.arguments, launch.options) for launch in seen],
                         [((4, 1, 1), {"x": "array", "n": 5}, {"num_warps": 8})])
        seen[0].run_theirs()
        self.assertEqual(calls, [whole, whole])
        made.testing.do_bench(lambda: run(*whole))
        with paused():
            run(*whole)
        self.assertEqual((len(seen), len(calls)), (1, 4))
        err = io.StringIO()
        with contextlib.redirect_stderr(err):  # as other versions might
            run(*whole[:-1])
            run(*whole[:-1])
        self.assertEqual((len(seen), len(calls), err.getvalue().count("another way than 3.6 to 3.9")), (1, 6, 1))


class DifferenceTest(unittest.TestCase):

    def test_sums_in_another_order_are_the_same(self):
        a = torch.randn(1000)
        self.assertLess(difference([a], [a * (1 + 1e-6)]), 1)

    def test_other_numbers_are_not(self):
        a = torch.randn(1000)
        self.assertGreater(difference([a], [a + 0.1]), 1)
        self.assertEqual(difference([torch.arange(5)], [torch.arange(1, 6)]), math.inf)

    def test_whole_numbers_are_counted(self):
        theirs, ours = [torch.arange(5), torch.ones(3)], [torch.tensor([0, 1, 9, 3, 7]), torch.zeros(3)]
        self.assertEqual(unequal_integers(theirs, ours), (2, 5))
        self.assertEqual(unequal_integers([torch.tensor(3)], [torch.tensor(4)]), (1, 1))
        self.assertEqual(unequal_integers(theirs[1:], ours[1:]), (0, 0))

    def test_a_nan_is_no_number(self):
        a = torch.ones(3)
        b = torch.tensor([1.0, float("nan"), 1.0])
        self.assertEqual(difference([a], [b]), math.inf)
        self.assertEqual(difference([b], [b.clone()]), 0)

    def test_infinities_have_a_sign(self):
        a = torch.tensor([1.0, math.inf])
        self.assertEqual(difference([a], [a * torch.tensor([1, -1])]), math.inf)
        self.assertLess(difference([a], [a * (1 + 1e-6)]), 1)

    def test_what_a_launch_should_have_left_alone(self):
        """Of arrays on a CPU, which `Arrays` itself passes over."""
        out, left = torch.zeros(8), torch.ones(8)
        arrays = Arrays(())
        arrays.tensors = [out, left]
        arrays._storages = {tensor.untyped_storage().data_ptr(): tensor for tensor in arrays.tensors}
        for stored, least, most in ((1, 0, 0), (5, 2, math.inf), (1 + 1e-6, 0, 1)):  # the last: what was there, rounded
            arrays.keep()
            out += 1
            (theirs,) = arrays.find_written()
            arrays.put_back()
            out += 1
            left[3] = stored
            self.assertEqual(difference([theirs], arrays.results()), 0)
            self.assertTrue(least <= arrays.strayed_by() <= most)
            self.assertTrue((left == 1).all())
            self.assertEqual(arrays.strayed_by(), 0)


def _row(**given):
    return {"kernel": "k", "grid": [8, 1, 1], "options": {"num_warps": 4, "num_stages": 3}, "calls": 2,
            "triton_ms": 0.1, "nereid_ms": 0.2, "ratio": 0.5, "difference": 0.0, "remarks": ["a.py:3:5: remark: slow\n  here"]} | given


class ReportTest(unittest.TestCase):

    def test_the_distribution_leaves_short_launches_out(self):
        rows = [_row(ratio=ratio) for ratio in (0.5, 2.0)] + [_row(ratio=100.0, triton_ms=0.001)]
        found = report.distribution(rows)
        self.assertEqual(found["launches"], 2)
        self.assertAlmostEqual(found["geometric mean"], 1.0)
        self.assertEqual(found["least"], 0.5)

    def test_the_table(self):
        untimed = {"kernel": "none", "grid": [1, 1, 1], "options": {}, "calls": 1, "problem": "no room"}
        text = report.table([_row(bound="shared memory"), _row(kernel="wrong", difference=3.0), untimed])
        self.assertRegex(text, r" 50\.0%  shared memory  k 8x1x1 w4 s3\n")
        self.assertRegex(text, r" 50\.0%  -              wrong 8x1x1")
        self.assertIn("remark: slow", text)
        self.assertIn("RESULTS DIFFER", text)
        self.assertIn("none 1x1x1 wNone sNone: no room", text)
        self.assertIn("Triton 0.400 ms, Nereid 0.800 ms, ratio 0.50", text)
        self.assertIn("1 of 2 launches leave other results", text)

    def test_a_kernel_whose_results_no_launch_repeats(self):
        text = report.table([_row(difference=math.inf, difference_of_triton=math.inf)])
        self.assertIn("under Triton too", text)
        self.assertNotIn("leave other results", text)

    def test_results_further_off_than_triton_from_itself(self):
        for own in (0.5, 2.0):
            text = report.table([_row(difference=5.0, difference_of_triton=own)])
            self.assertIn("RESULTS DIFFER", text)
            self.assertIn("1 of 1 launches leave other results", text)

    def test_how_many_whole_numbers_differ(self):
        text = report.table([_row(difference=math.inf, unequal_integers=[3, 4096])])
        self.assertIn("RESULTS DIFFER (3 of 4096 whole numbers)", text)

    def test_what_ran_once_and_is_wrong_has_a_row(self):
        once = {"kernel": "k", "grid": [1, 1, 1], "options": {}, "calls": 1}
        text = report.table([once | {"difference": 7.0}, once | {"kernel": "right", "difference": 0.1}])
        self.assertIn("k 1x1x1 wNone sNone  RESULTS DIFFER (7 of what may be)", text)
        self.assertNotIn("right", text)

    def test_nothing_timed(self):
        self.assertIn("no launch was timed", report.table([]))


class CommandTest(unittest.TestCase):

    def run_command(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = command.main(list(arguments))
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), err.getvalue()

    def test_several_runs_as_one(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("a.json", "b.json")]
            for file in files:
                report.write_json(file, "a GPU", [_row()])
            merged = os.path.join(folder, "all.json")
            status, out, _ = self.run_command("--json", merged, "--merge", *files)
            self.assertEqual(status, 0)
            self.assertIn("2 distinct launches", out)
            self.assertTrue(out.startswith("a GPU\n"))
            with open(merged) as text:
                self.assertEqual(len(json.load(text)["rows"]), 2)

    def test_mistakes(self):
        self.assertIn("a program is missing", self.run_command()[2])
        self.assertIn("there is no file nowhere.py", self.run_command("nowhere.py")[2])
        self.assertIn("cannot write /missing/c.json", self.run_command("--json", "/missing/c.json", __file__)[2])
        self.assertRegex(self.run_command("--plot", "/missing/c.svg", __file__)[2], "cannot write|Matplotlib")
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "broken.json")
            with open(broken, "w") as file:
                file.write("{")
            status, _, err = self.run_command("--merge", broken)
            self.assertEqual(status, 2)
            self.assertIn("broken.json", err)
            with open(broken, "w") as file:
                file.write("[1]")
            self.assertIn("is no record of a comparison", self.run_command("--merge", broken)[2])
            status, _, err = self.run_command("--merge", os.path.join(folder, "none.json"))
            self.assertEqual(status, 2)
            self.assertIn("none.json", err)

    def test_without_triton_or_a_gpu(self):
        done = subprocess.run([sys.executable, "-m", "nereid", "compare", __file__], capture_output=True, text=True)
        if done.returncode != 2:
            self.skipTest("there is a GPU")
        self.assertRegex(done.stderr, "^python -m nereid compare: (triton is not installed|PyTorch finds no GPU)")


if __name__ == "__main__":
    main()
