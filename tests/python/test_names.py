# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that kernels use: of closures, modules, globals that change."""

import enum
import itertools
import linecache
import math
import os
import time
import types
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from unittest import mock

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from kernels import fill, fill_with
from nereid.capture import capture

SCALE = 3
OFFSET = tl.constexpr(1)
PAIR = (2, 5)


def kernel_of(power):
    """A kernel that is a closure: over a number, a string and a helper of its own."""
    mode = "square" if power == 2 else "other"

    @nereid.jit
    def helper(x):
        return x * x if mode == "square" else x

    @nereid.jit
    def kernel(x, n, BLOCK: tl.constexpr):
        offsets = tl.arange(0, BLOCK)
        values = tl.load(x + offsets, mask=offsets < n)
        tl.store(x + offsets, helper(values) + power, mask=offsets < n)

    return kernel


_numbers = itertools.count()


def jit_of_text(name, parameters, lines, names):
    """A function of kernels that is defined among `names`, as in a cell of a notebook."""
    text = f"def {name}({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    file = f"<cell {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    made = {}
    exec(compile(text, file, "exec"), names, made)
    return nereid.jit(made[name])


class Names(unittest.TestCase):

    def test_closures(self):
        for power in (2, 3, 4):
            x = np.arange(10, dtype=np.float32)
            kernel_of(power)[(1,)](x, 10, BLOCK=16)
            values = np.arange(10, dtype=np.float32)
            np.testing.assert_array_equal(x, values * values + 2 if power == 2 else values + power)

    def test_modules_and_constants(self):

        @nereid.jit
        def kernel(out):
            tl.store(out, PAIR[1] + math.pi)

        out = np.zeros(1)
        kernel[(1,)](out)
        self.assertAlmostEqual(out[0], 5 + math.pi, places=6)

    def test_changed_global(self):
        global SCALE

        @nereid.jit
        def kernel(out):
            tl.store(out, SCALE)

        out = np.zeros(1, np.int32)
        kernel[(1,)](out)
        self.assertEqual(out[0], 3)
        SCALE = 4
        try:
            with self.assertRaisesRegex(RuntimeError, "Global variable SCALE has changed since we compiled"):
                kernel[(1,)](out)
        finally:
            SCALE = 3
        kernel[(1,)](out)

    def test_python_at_trace_time(self):

        @nereid.constexpr_function
        def largest_divisor(n, most):
            return max(d for d in range(1, most + 1) if n % d == 0)

        @nereid.jit
        def kernel(out, N: tl.constexpr):
            size: tl.constexpr = largest_divisor(N, most=9)
            tl.store(out + tl.arange(0, size), size)

        out = np.zeros(16, np.int32)
        kernel[(1,)](out, 24)
        np.testing.assert_array_equal(out, [8] * 8 + [0] * 8)
        self.assertEqual(largest_divisor(24, 5), 4)

    def test_function_that_is_a_constexpr(self):

        @tl.constexpr
        def wider(kind):
            return tl.int64 if kind.is_int() else tl.float64

        @nereid.jit
        def kernel(x, out, N: tl.constexpr):
            kind: tl.constexpr = wider(x.type.element_ty)
            i = tl.arange(0, N)
            tl.store(out + i, tl.load(x + i).to(kind) * 5000000000)

        x, out = np.arange(-7, 9, dtype=np.int32), np.zeros(16, np.int64)
        kernel[(1,)](x, out, 16)
        np.testing.assert_array_equal(out, x.astype(np.int64) * 5000000000)

    def test_replaced_text(self):
        kernel = nereid.JITFunction(fill.fn)
        kernel._unsafe_update_src(kernel.src.replace("out + offsets, value", "out + offsets, value * 2"))
        np.testing.assert_array_equal(fill_with(kernel, np.zeros(5, np.int32), 4), 8)
        np.testing.assert_array_equal(fill_with(fill, np.zeros(5, np.int32), 4), 4)
        with self.assertRaisesRegex(AttributeError, "_unsafe_update_src"):
            kernel.src = "def f(): pass"

    def test_replaced_text_of_what_is_called(self):

        @nereid.jit
        def inner(x):
            return x + 1

        @nereid.jit
        def outer(x):
            return inner(x) * 1

        @nereid.jit
        def kernel(out, f: tl.constexpr):
            tl.store(out, f(1) if f is not None else outer(1))

        def result(f=None):
            out = np.zeros(1, np.int32)
            kernel[(1,)](out, f)
            return out[0]

        self.assertEqual((result(), result(inner)), (2, 2))
        inner._unsafe_update_src(inner.src.replace("+ 1", "+ 41"))
        self.assertEqual(result(inner), 42)
        inner.hash = outer.hash = kernel.hash = None
        kernel.device_caches.clear()
        self.assertEqual(result(), 42)

    def test_changed_global_of_what_is_called(self):
        global OFFSET

        @nereid.jit
        def inner():
            return OFFSET

        @nereid.jit
        def kernel(out):
            tl.store(out, inner())

        @nereid.jit
        def other(out):
            tl.store(out, inner() + OFFSET * 10)

        out = np.zeros(1, np.int32)
        kernel[(1,)](out)
        before, OFFSET = OFFSET, tl.constexpr(2)
        try:
            for each, words in (kernel, "has changed since"), (other, "has value .*2.* compiled for"), (other, "has value"):
                with self.assertRaisesRegex(RuntimeError, "Global variable OFFSET " + words):
                    each[(1,)](out)
            inner.hash = kernel.hash = other.hash = None
            other[(1,)](out)
            self.assertEqual(out[0], 22)
        finally:
            OFFSET = before

    def test_whatever_is_read_and_changes(self):
        settings = types.SimpleNamespace(scale=2, inner=types.SimpleNamespace(depth=1), helper=None)
        numbers, nested, place = [1, 2], ([1], 2), 5

        class Config:
            size = 7

            def __init__(self):
                self.own = 8

            @property
            def twice(self):
                return self.own * 2

        class Slotted:
            __slots__ = ("n",)

        class Mode(enum.Enum):
            FAST = 1
            SLOW = 42

        config, slotted, mode = Config(), Slotted(), Mode.FAST
        slotted.n = 3

        def set_place(value):
            nonlocal place
            place = value

        def set_mode(value):
            nonlocal mode
            mode = value

        def kernels():
            names = dict(config=config, Config=Config, settings=settings, slotted=slotted, numbers=numbers,
                         nested=nested, tl=tl)
            for text in ("settings.scale", "settings.inner.depth", "Config.size", "config.own", "config.twice",
                         "slotted.n", "numbers[0]", "nested[0][0]"):
                yield text, jit_of_text("kernel", "out", [f"tl.store(out, {text})"], names)

        @nereid.jit
        def of_place(out):
            tl.store(out, place)

        @nereid.jit
        def of_mode(out):
            tl.store(out, mode.value)

        changes = {
            "settings.scale": (lambda v: setattr(settings, "scale", v), 2),
            "settings.inner.depth": (lambda v: setattr(settings, "inner", types.SimpleNamespace(depth=v)), 1),
            "Config.size": (lambda v: setattr(Config, "size", v), 7),
            "config.own": (lambda v: setattr(config, "own", v), 8),
            "config.twice": (lambda v: setattr(config, "own", v // 2), 16),
            "slotted.n": (lambda v: setattr(slotted, "n", v), 3),
            "numbers[0]": (lambda v: numbers.__setitem__(0, v), 1),
            "nested[0][0]": (lambda v: nested[0].__setitem__(0, v), 1),
            "place": (set_place, 5),
            "mode.value": (lambda v: set_mode(Mode(v)), 1),
        }
        all_kernels = {**dict(kernels()), "place": of_place, "mode.value": of_mode}
        self.assertEqual(set(all_kernels), {*changes})
        for text, (change, before) in changes.items():
            with self.subTest(text):
                kernel, out = all_kernels[text], np.zeros(1, np.int32)
                for _ in range(2):
                    kernel[(1,)](out)
                    self.assertEqual(out[0], before)
                change(42)
                shown = text.split("[")[0].replace("mode.value", "mode")
                with self.assertRaisesRegex(RuntimeError, f"{shown} has changed since we compiled this kernel, from"):
                    kernel[(1,)](out)
                change(before)
                kernel[(1,)](out)
                self.assertEqual(out[0], before)

    def test_functions_defined_anew(self):
        names = dict(tl=tl, nereid=nereid)

        def define(name, parameters, *lines):
            names[name] = jit_of_text(name, parameters, lines, names)

        def result(kernel=None, *arguments):
            out = np.zeros(1, np.int32)
            (kernel or names["kernel"])[(1,)](out, *arguments)
            return out[0]

        define("inner", "x", "return x + 1")
        define("outer", "x", "return inner(x) * 10")
        define("kernel", "out", "tl.store(out, outer(1))")
        define("caller", "out, f: tl.constexpr", "tl.store(out, f(1))")
        self.assertEqual((result(), result(names["caller"], names["outer"])), (20, 20))
        define("inner", "x", "return x + 2")
        self.assertEqual((result(), result(names["caller"], names["outer"])), (30, 30))
        define("outer", "x", "return inner(x) * 100")
        self.assertEqual((result(), result(names["caller"], names["outer"])), (300, 300))
        define("other", "out", "tl.store(out, outer(2))")
        define("inner", "x", "return x + 3")
        self.assertEqual((result(names["other"]), result()), (500, 400))
        del names["inner"]
        with self.assertRaisesRegex(nereid.errors.CompilationError, "inner"):
            result()
        define("inner", "x", "return x")
        self.assertEqual(result(), 100)
        names["inner"] = lambda x: x
        with self.assertRaisesRegex(nereid.errors.CompilationError, "not decorated"):
            result()
        define("inner", "x", "return x + min(x, 5)")
        self.assertEqual(result(), 200)
        define("min", "x, y", "return y")
        self.assertEqual(result(), 600)

    def test_methods_defined_anew(self):

        class Pair(NamedTuple):
            x: int = 3

            @nereid.jit
            def sum(self):
                return self.x + addend()

        @nereid.jit
        def addend():
            return 1

        @nereid.jit
        def kernel(out):
            tl.store(out, Pair().sum())

        @nereid.jit
        def of_argument(out, pair):
            tl.store(out, pair.sum())

        def results():
            out = np.zeros(2, np.int32)
            kernel[(1,)](out)
            of_argument[(1,)](out[1:], Pair(5))
            return out.tolist()

        self.assertEqual(results(), [4, 6])

        @nereid.jit
        def addend():
            return 10

        self.assertEqual(results(), [13, 15])

    def test_what_functions_read_that_python_runs(self):
        sizes, config = {"n": [1]}, types.SimpleNamespace(m=1)

        def helper():
            return config.m

        @nereid.constexpr_function
        def computed():
            return sizes["n"][0] + helper() + int(os.environ.get("NEREID_TEST_OF_READS", "0"))

        @nereid.jit
        def kernel(out):
            tl.store(out, computed())

        def result():
            out = np.zeros(1, np.int32)
            kernel[(1,)](out)
            return out[0]

        self.assertEqual(result(), 2)
        sizes["n"][0] = 10
        self.assertEqual(result(), 11)
        config.m = 5
        self.assertEqual(result(), 15)
        sizes["n"] = [20]
        self.assertEqual(result(), 25)
        with mock.patch.dict(os.environ, NEREID_TEST_OF_READS="100"):
            self.assertEqual(result(), 125)
        self.assertEqual(result(), 25)

        def helper():
            return 7

        self.assertEqual(result(), 27)

    def test_ahead_of_time_means_what_names_mean_by_then(self):
        names = dict(tl=tl)
        names["inner"] = jit_of_text("inner", "x", ["return x + 1"], names)
        kernel = jit_of_text("kernel", "out", ["tl.store(out, inner(1))"], names)
        before = kernel.cache_key
        names["inner"] = jit_of_text("inner", "x", ["return x + 2"], names)
        self.assertNotEqual(kernel.cache_key, before)

    def test_globals_that_change_while_they_are_looked_at(self):
        global SCALE, OFFSET

        @nereid.jit
        def kernel(out):
            tl.store(out, SCALE + OFFSET + PAIR[0])

        class Equal(int):

            def __eq__(self, other):
                asked.append(other)
                kernel.hash = None  # so that none of them is watched any more
                return True

        out, before, asked = np.zeros(1, np.int32), (SCALE, OFFSET), []
        SCALE, OFFSET = tl.constexpr(3), tl.constexpr(1)
        kernel[(1,)](out)
        try:
            SCALE = OFFSET = tl.constexpr(Equal(3))
            kernel[(1,)](out)
        finally:
            SCALE, OFFSET = before
        self.assertEqual((out[0], len(asked)), (8, 1))

    def test_first_launch_by_several_threads(self):

        @nereid.jit
        def helper(x):
            return x * SCALE

        @nereid.jit
        def kernel(out):
            tl.store(out, helper(tl.load(out)) + OFFSET)

        def slow(*arguments):
            time.sleep(0.1)
            return capture(*arguments)

        def launch():
            out = np.ones(1, np.int32)
            kernel[(1,)](out)
            return out[0]

        with mock.patch("nereid.jit.capture", slow), ThreadPoolExecutor(3) as pool:
            self.assertEqual([each.result() for each in [pool.submit(launch) for _ in range(3)]], [4, 4, 4])

    def test_what_no_kernel_can_use(self):

        def plain(x):
            return x

        @nereid.jit
        def kernel(out):
            tl.store(out, plain(1))

        with self.assertRaisesRegex(nereid.errors.CompilationError, "plain.*not decorated"):
            kernel[(1,)](np.zeros(1))


if __name__ == "__main__":
    main()
