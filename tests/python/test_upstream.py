# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs for Triton 3.8 expect of aggregates, listeners and caches, in Python and in kernels."""

import unittest
from typing import NamedTuple

from running import main, require

require("numpy")

import numpy as np

import nereid

nereid.install_as_triton()

import triton
import triton.language as tl
from triton._filecheck import run_parser


@triton.aggregate
class Window:
    first: tl.constexpr
    step: tl.constexpr = 2


@triton.aggregate
class Wide(Window):
    count: tl.constexpr = tl.constexpr(4)

    @triton.must_use_result
    @triton.constexpr_function
    def last(self):
        return self.first.value + self.step.value * self.count.value


class Extent(NamedTuple):
    rows: int
    columns: int


class Aggregates(unittest.TestCase):

    def test_made_in_python(self):
        wide = Wide(1, count=8)
        self.assertEqual([wide.first.value, wide.step.value, wide.count.value], [1, 2, 8])
        for given, named in (((1, 2, 3, 4), {}), ((), {"step": 1}), ((1,), {"first": 2}), ((1,), {"size": 2})):
            with self.assertRaises(TypeError):
                Wide(*given, **named)

    def test_replaced(self):
        window = Window(3)
        other = tl.aggregate_replace(window, step=5)
        self.assertEqual([window.step.value, other.first.value, other.step.value], [2, 3, 5])
        with self.assertRaisesRegex(TypeError, "has no field 'size'"):
            tl.aggregate_replace(window, size=1)
        with self.assertRaisesRegex(TypeError, "expects an aggregate instance"):
            tl.aggregate_replace(Extent(1, 2), rows=3)
        with self.assertRaisesRegex(AttributeError, "cannot assign to field 'step' on immutable aggregate"):
            other.step = tl.constexpr(1)

    def test_replaced_in_kernel(self):

        @triton.jit
        def kernel(out):
            window = tl.aggregate_replace(Window(3), step=7)
            tl.store(out, window.first + window.step)

        out = np.zeros(1, np.int32)
        kernel[(1,)](out)
        self.assertEqual(out[0], 10)

    def test_tuples_in_fields(self):

        @triton.aggregate
        class Shape:
            extent: tl.tuple

        shape = Shape(Extent(3, 5))
        self.assertEqual([shape.extent.rows.value, shape.extent[1].value], [3, 5])
        with self.assertRaises(AttributeError):
            shape.extent.depth

    def test_result_of_method_is_used(self):

        @triton.jit
        def kernel(out):
            wide = Wide(1, 2, 3)
            wide.last()

        with self.assertRaisesRegex(triton.CompilationError, "The result of wide.last is not being used"):
            kernel[(1,)](np.zeros(1, np.int32))


@triton.jit
def fill(out, VALUE: tl.constexpr):
    tl.store(out, VALUE)


class Waiting:
    """Calls functions when it is told to, as an executor of other threads."""

    def __init__(self):
        self.calls = []

    def submit(self, function):
        from concurrent.futures import Future

        future = Future()
        self.calls.append(lambda: future.set_result(function()))
        return future

    def run(self):
        while self.calls:
            self.calls.pop(0)()


class Compilations(unittest.TestCase):

    def setUp(self):
        fill.device_caches.clear()

    def test_in_other_threads(self):
        executor, out = Waiting(), np.zeros(1, np.int32)
        with triton.AsyncCompileMode(executor):
            for value in (1, 2, 1):
                fill.warmup(out, value, grid=(1,))
            self.assertEqual([len(fill.device_caches[0][0]), len(executor.calls)], [2, 2])
            executor.calls.pop(0)()
            fill[(1,)](out, 1)
            self.assertEqual(out[0], 1)
            executor.run()
        fill[(1,)](out, 2)
        self.assertEqual([out[0], len(fill.device_caches[0][0])], [2, 2])

    def test_listener(self):
        heard = []
        with triton.knobs.compilation.scope():
            triton.knobs.compilation.listener = lambda **facts: heard.append(facts)
            fill[(1,)](np.zeros(1, np.int32), 977)
            fill.device_caches.clear()
            fill[(1,)](np.zeros(1, np.int32), 977)
        self.assertEqual(len(heard), 2)
        times = heard[0]["times"]
        self.assertTrue(times.total >= times.total_lowering > 0)
        self.assertTrue(heard[1]["cache_hit"] or heard[0]["cache_hit"] is heard[1]["cache_hit"])
        self.assertEqual(heard[0]["src"].fn, fill)

    def test_hook_of_unloading(self):
        gone = []
        hooks = triton.knobs.runtime.kernel_unload_hook
        hooks.add(hook := lambda module, function, name, group, key: gone.append(name))
        try:
            fill[(1,)](np.zeros(1, np.int32), 978)
            fill.device_caches.clear()
        finally:
            hooks.remove(hook)
        self.assertEqual(gone, ["fill"])

    def test_parser(self):

        @triton.jit
        def kernel(x, SIZE: tl.constexpr):
            tl.static_assert(SIZE == 3)

        self.assertIn("kernel", run_parser(kernel, args=(1, 3)).str_nodebug())
        with self.assertRaises(triton.CompilationError):
            run_parser(kernel, args=(1, 4))

    def test_product_has_the_accumulators_type(self):

        @triton.jit
        def kernel(out):
            ones = tl.full((16, 16), 1, tl.float16)
            total = tl.dot(ones, ones, tl.zeros((16, 16), tl.float16))
            tl.static_assert(total.dtype == tl.float16)
            tl.store(out, tl.max(total))

        out = np.zeros(1, np.float32)
        kernel[(1,)](out)
        self.assertEqual(out[0], 16)


    def test_promise_of_zeros_is_checked_with_debug(self):

        @triton.jit
        def kernel(x, out):
            i = tl.arange(0, 8)
            tl.store(out + i, tl.expect_zero(tl.load(x + i), i >= 4))

        x, out = np.array([1, 2, 3, 4, 0, 0, 0, 0], np.float32), np.zeros(8, np.float32)
        kernel[(1,)](x, out, debug=True)
        np.testing.assert_array_equal(out, x)
        x[6] = 1
        with self.assertRaisesRegex(RuntimeError, "a value is not zero"):
            kernel[(1,)](x, out, debug=True)

    def test_waiting_has_an_end(self):

        @triton.jit
        def kernel(flag, out, LIMIT: tl.constexpr):
            tl.store(out, tl.atomic_poll(flag, 1, timeout_ns=LIMIT).to(tl.int32))

        flag, out = np.ones(1, np.int32), np.zeros(1, np.int32)
        for limit in (None, 0):
            out[0] = 0
            kernel[(1,)](flag, out, limit)
            self.assertEqual(out[0], 1)
        with self.assertRaisesRegex(triton.CompilationError, "timeout_ns must not be negative"):
            kernel[(1,)](flag, out, -1)


class Tuning(unittest.TestCase):

    def test_listener_and_arrays_left_out(self):
        configs = [triton.Config({"SIZE": 16}), triton.Config({"SIZE": 32})]
        heard = []

        @triton.autotune(configs, key=["n"], reset_to_zero=["extra"], restore_value=["extra"],
                         do_bench=lambda call, quantiles: [call() or 1.0] * 3)
        @triton.jit
        def kernel(out, extra, n, SIZE: tl.constexpr):
            tl.store(out, n)

        out = np.zeros(1, np.int32)
        with triton.knobs.autotuning.scope():
            triton.knobs.autotuning.listener = lambda **facts: heard.append(facts)
            kernel[(1,)](out, None, 5)
            kernel[(1,)](out, None, 5)
        self.assertEqual(out[0], 5)
        self.assertEqual(sorted(heard[0]), ["best_config", "cache_hit", "configs_timings", "duration", "fn", "key"])
        self.assertEqual([len(heard), len(heard[0]["configs_timings"]), heard[0]["cache_hit"]], [1, 2, False])
        self.assertGreater(heard[0]["duration"], 0)

    def test_what_overrides_is_in_the_name(self):
        one, other = (triton.Config({}, ir_override=name) for name in ("a", "b"))
        self.assertNotEqual(str(one), str(other))
        self.assertNotIn("override", str(triton.Config({})))


if __name__ == "__main__":
    main()
