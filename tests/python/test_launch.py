# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches from Python on NumPy's arrays: arguments, grids, names that kernels use."""

import copy
import math
import pickle
import unittest
from typing import NamedTuple

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from nereid.language.aggregates import aggregate

SCALE = 3
OFFSET = tl.constexpr(1)
PAIR = (2, 5)


class View(NamedTuple):
    data: object
    size: int = 3


class Scale(NamedTuple):
    apply: tl.constexpr
    by: tuple


DEFAULT = View(None)


@aggregate
class Sums:
    left: tl.tensor
    right: tl.constexpr

    def __init__(self, left, right):
        self.left = left
        self.right = right

    @nereid.jit
    def add(self, x):
        return Sums(self.left + x, self.right)

    @nereid.jit
    def total(self):
        return self.left + self.right


@aggregate
class Both(Sums):

    @nereid.constexpr_function
    def __init__(self, left):
        super().__init__(left + 1000, 100)


@nereid.jit
def scaled(x, factor: tl.constexpr = SCALE):
    return x * factor


@nereid.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@nereid.jit
def fill(out, value, n, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, value, mask=offsets < n)


def fill_with(kernel, out, *arguments, **named):
    kernel[lambda meta: (nereid.cdiv(out.size, 64),)](out, *arguments, out.size, **named)
    return out


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


class Arguments(unittest.TestCase):

    def test_sizes_and_types(self):
        random = np.random.default_rng(7)
        for dtype in (np.float32, np.float64, np.float16, np.int8, np.uint8, np.int32, np.int64, np.uint64):
            for n in (0, 1, 63, 64, 65, 1003):
                x, y = (random.integers(0, 50, n).astype(dtype) for _ in range(2))
                out = np.zeros_like(x)
                add[(nereid.cdiv(n, 64),)](x, y, out, n, BLOCK=64)
                np.testing.assert_array_equal(out, x + y, err_msg=f"{dtype} {n}")

    def test_numbers_become_what_they_are(self):
        for value, dtype in ((1, np.int32), (7, np.int32), (2**40, np.int64), (2**63 + 5, np.uint64), (-5, np.int64),
                             (True, np.uint8), (0.1, np.float64)):
            out = fill_with(fill, np.zeros(70, dtype), value)
            wanted = np.float32(value) if isinstance(value, float) else value
            np.testing.assert_array_equal(out, np.full(70, wanted, dtype))

    def test_numbers_of_numpy(self):
        for value in (np.int64(7), np.float32(1.5), np.bool_(True), np.uint8(200)):
            np.testing.assert_array_equal(fill_with(fill, np.zeros(70), value), float(value))
        out = np.zeros(4, np.int32)
        fill[(1,)](out, np.int32(1), np.int64(4), BLOCK=np.int64(8))
        np.testing.assert_array_equal(out, 1)

    def test_names_made_for_the_call(self):
        out = np.zeros(3)
        for number in range(300):  # a key that held the places of such strings would mix them up
            fill[(1,)](out, float(number), **{"".join(["n"]): 3, "".join(["num_", "warps"]): 1 << number % 3})
            self.assertEqual(out[2], number)

    def test_annotations_decide(self):

        @nereid.jit
        def kernel(out, value: tl.float64, small: "i8", n: tl.int64, BLOCK: tl.constexpr):
            offsets = tl.arange(0, BLOCK)
            tl.static_assert(n.dtype == tl.int64 and small.dtype == tl.int8)
            tl.store(out + offsets, value + small, mask=offsets < n)

        out = np.zeros(5)
        kernel[(1,)](out, 0.1, 1, 5, 8)
        np.testing.assert_array_equal(out, np.full(5, 0.1 + 1))
        with self.assertRaises(OverflowError):
            kernel[(1,)](out, 0.1, 300, 5, 8)

    def test_overlapping_arrays(self):
        x = np.arange(200, dtype=np.float32)
        want = x[:100] + x[1:101]
        add[(1,)](x[:100], x[1:101], x[:100], 100, BLOCK=128)
        np.testing.assert_array_equal(x[:100], want)

    def test_names_defaults_and_mistakes(self):
        out = np.zeros(10, np.int32)
        fill[(1,)](n=10, value=4, out=out)
        np.testing.assert_array_equal(out, 4)
        for arguments, named, text in (((out,), {}, "missing required arguments: 'value', 'n'"),
                                       ((out, 1, 2, 3, 4), {}, "takes 4 positional arguments but 5"),
                                       ((out, 1, 2), {"n": 3}, "multiple values for argument 'n'")):
            with self.assertRaisesRegex(TypeError, text):
                fill[(1,)](*arguments, **named)
        with self.assertRaisesRegex(KeyError, "Keyword argument wrap was specified but unrecognised"):
            fill[(1,)](out, 1, 10, wrap=3)
        fill[(1,)](out, 2, 10, num_warps=8, num_stages=2)
        np.testing.assert_array_equal(out, 2)

    def test_tuples(self):

        @nereid.jit
        def kernel(pair, out, rest):
            tl.store(out, tl.load(pair[0]) * pair[1] + rest[0] + rest[1][0])

        x, out = np.array([5.0], np.float32), np.zeros(1, np.float32)
        for number in (1, 3, 16):
            kernel[(1,)]((x, number), out, (2.5, (10,)))
            self.assertEqual(out[0], 5 * number + 12.5)

    def test_named_tuples(self):

        @nereid.jit
        def kernel(out, view, scale, other):
            tl.static_assert(isinstance(view, View) and not isinstance(other, View) and len(other) == 2)
            copy = View(data=view.data, size=view.size)
            at = tl.arange(0, 4)
            tl.store(out + at, scale.apply(tl.load(copy.data + at, mask=at < copy.size, other=-1), *scale.by),
                     mask=at < DEFAULT.size)

        @nereid.jit
        def times(x, a, b):
            return x * a + b

        @nereid.jit
        def minus(x, a, b):
            return x - a - b

        x = np.arange(4, dtype=np.float32)
        for function, wanted in ((times, [1, 6, -4, 0]), (minus, [-6, -5, -7, 0])):
            out = np.zeros(4, np.float32)
            kernel[(1,)](out, View(x, 2), Scale(function, (5, 1)), (x, 2))
            np.testing.assert_array_equal(out, wanted)
        with self.assertRaises(nereid.errors.CompilationError):  # a tuple without names
            kernel[(1,)](out, (x, 2), Scale(times, (5, 1)), (x, 2))

    def test_aggregates(self):

        @nereid.jit
        def kernel(out, n):
            sums = Sums(n, 3)
            for i in range(4):
                sums = sums.add(i)
            tl.store(out, sums.total())
            tl.store(out + 1, Both(n).total())

        out = np.zeros(2, np.int32)
        kernel[(1,)](out, 10)
        np.testing.assert_array_equal(out, [10 + 6 + 3, 1010 + 100])

    def test_variadic(self):

        @nereid.jit
        def kernel(out, *values):
            total = 0.0
            for i in tl.static_range(len(values)):
                total += values[i]
            tl.store(out, total)

        out = np.zeros(1, np.float32)
        kernel[(1,)](out, 1.5, 2.5, 3.0)
        self.assertEqual(out[0], 7)

    def test_descriptor(self):

        @nereid.jit
        def kernel(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
            row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
            target.store([row, column], source.load([row, column]) * 2)

        backing = np.zeros(70 * 40 + 4, np.float32)
        start = (-backing.ctypes.data % 16) // 4
        x = backing[start:start + 70 * 40].reshape(70, 40)
        x[:] = np.arange(70 * 40).reshape(70, 40)
        y = np.zeros(70 * 40 + 4, np.float32)
        start = (-y.ctypes.data % 16) // 4
        y = y[start:start + 70 * 40].reshape(70, 40)
        descriptors = [nereid.TensorDescriptor.from_tensor(array, [32, 16]) for array in (x, y)]
        kernel[(3, 3)](*descriptors, 32, 16)
        np.testing.assert_array_equal(y, 2 * x)

    def test_constants(self):

        @nereid.jit
        def kernel(out, OP: tl.constexpr, TYPE: tl.constexpr, PLACES: tl.constexpr, NAME: tl.constexpr,
                   NOTHING: tl.constexpr):
            value = OP(4.0, 2).to(TYPE)
            if NAME == "second" and NOTHING is None:
                value = value * PLACES[1]
            tl.store(out, value)

        out = np.zeros(1, np.float64)
        kernel[(1,)](out, scaled, tl.float64, (3, 7), "second", None)
        self.assertEqual(out[0], 56)
        kernel[(1,)](out, scaled, tl.float64, (3, 9), "second", None)
        self.assertEqual(out[0], 72)
        kernel[(1,)](out, scaled, tl.float64, (3, 9), "first", None)
        self.assertEqual(out[0], 8)

    def test_no_array(self):
        with self.assertRaises(nereid.errors.CompilationError):
            add[(1,)](object(), object(), object(), 3, BLOCK=4)


class Grids(unittest.TestCase):

    def test_forms(self):

        @nereid.jit
        def kernel(out):
            place = tl.program_id(0) + 2 * (tl.program_id(1) + 3 * tl.program_id(2))
            tl.store(out + place, place)

        for grid, count in (((2,), 2), ([2, 3], 6), ((2, 3, 4), 24), (2, 2), (lambda meta: (2, 3), 6), ((0,), 0),
                            ((np.int64(2),), 2)):
            out = np.full(24, -1)
            kernel[grid](out)
            np.testing.assert_array_equal(out, [*range(count), *[-1] * (24 - count)])
        for grid in ((), (1, 2, 3, 4), "ab", (1.5,)):
            with self.assertRaises((TypeError, ValueError)):
                kernel[grid](out)

    def test_functions_see_all_arguments(self):
        seen = {}

        def grid(meta):
            seen.update(meta)
            return (1,)

        out = np.zeros(3, np.float32)
        fill[grid](out, 2.0, n=3)
        self.assertEqual({name: value for name, value in seen.items() if name != "out"},
                         {"value": 2.0, "n": 3, "BLOCK": 64})


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

    def test_what_no_kernel_can_use(self):

        def plain(x):
            return x

        @nereid.jit
        def kernel(out):
            tl.store(out, plain(1))

        with self.assertRaisesRegex(nereid.errors.CompilationError, "plain.*not decorated"):
            kernel[(1,)](np.zeros(1))


class Compiled(unittest.TestCase):

    def test_cached_and_described(self):
        kernel = nereid.JITFunction(fill.fn)
        out = np.zeros(10, np.float32)
        first = kernel[(1,)](out, 1.5, 10)
        self.assertIs(kernel[(1,)](out, 2.5, 10), first)
        self.assertIsNot(kernel[(1,)](out, 2, 10), first)
        self.assertEqual(first.metadata.name, "fill")
        self.assertIn("fill", first.asm["asm"])
        self.assertIn("tile.store", first.asm["tile"])
        with self.assertRaises(KeyError):
            first.asm["ptx"]
        first[(1,)](out, 3.5, 10)
        np.testing.assert_array_equal(out, 3.5)

    def test_warmup(self):
        compiled = fill.warmup(nereid.MockTensor(tl.float32), 1.0, 10, grid=(1,))
        self.assertIn("fill", compiled.asm["llir"])

    def test_warmup_is_of_use_to_a_launch(self):
        kernel, array = nereid.JITFunction(add.fn), nereid.MockTensor(tl.float32)
        compiled = kernel.warmup(array, array, array, 32, BLOCK=32, grid=(1,))
        x, y, out = (np.ones(32, np.float32) for _ in range(3))
        self.assertIs(kernel[(1,)](x, y, out, 32, BLOCK=32), compiled)

    def test_copies(self):
        kernel = nereid.JITFunction(fill.fn)
        kernel._unsafe_update_src(kernel.src.replace("out + offsets, value", "out + offsets, value * 2"))
        np.testing.assert_array_equal(fill_with(copy.copy(kernel), np.zeros(5, np.int32), 4), 8)
        self.assertIsNot(copy.copy(kernel), kernel)
        self.assertIs(copy.deepcopy({"kernel": kernel})["kernel"], kernel)
        self.assertIs(pickle.loads(pickle.dumps(fill)), fill)
        with self.assertRaises(pickle.PicklingError):
            pickle.dumps(kernel)  # another has its name

    def test_preloaded_tuples(self):

        @nereid.jit
        def kernel(parts, out):
            tl.store(out, parts[0][0] + parts[1][0])
            tl.store(out + 1, tl.load(parts[2]))

        out, told = np.zeros(2, np.float32), []
        kernel.compiled_hook = lambda compile, **facts: told.append(compile["specialization_data"])
        compiled = kernel[(1,)](((1,), (tl.constexpr(2),), np.ones(1, np.float32)), out)
        np.testing.assert_array_equal(out, [3, 1])
        self.assertIn("((constexpr,),(constexpr,),*fp32", compiled.signature["parts"])
        kernel.device_caches.clear()
        preloaded = kernel.preload(told[0])
        self.assertEqual(preloaded.hash, compiled.hash)
        self.assertIs(kernel[(1,)](((1,), (tl.constexpr(2),), np.full(1, 7, np.float32)), out), preloaded)
        np.testing.assert_array_equal(out, [3, 7])

    def test_pre_run_hook_and_repr(self):
        kernel = nereid.jit(fill.fn, repr=lambda specialization: f"fill_{specialization.constants['BLOCK']}")
        calls = []
        kernel.add_pre_run_hook(lambda *args, **named: calls.append((len(args), named)))
        compiled = kernel[(1,)](np.zeros(3), 1.0, 3, BLOCK=4)
        self.assertEqual(compiled.name, "fill_4")
        self.assertEqual(calls, [(3, {"BLOCK": 4})])

    def test_launch_hooks(self):
        seen = []
        enter = lambda metadata: seen.append(("enter", metadata.get()["name"]))
        leave = lambda metadata: seen.append(("exit", metadata.get()["name"]))
        from nereid import knobs
        knobs.runtime.launch_enter_hook.add(enter)
        knobs.runtime.launch_exit_hook.add(leave)
        out = fill_with(fill, np.zeros(3), 1.0)
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
        fill_with(fill, out, 2.0)
        self.assertEqual(seen, [("enter", "fill"), ("exit", "fill")])
        np.testing.assert_array_equal(out, 2)

    def test_launch_hooks_of_a_programs_own(self):
        from nereid import knobs
        seen, out = [], np.zeros(3)
        with knobs.runtime.scope():
            knobs.runtime.launch_enter_hook = knobs.HookChain()
            knobs.runtime.launch_enter_hook.add(lambda metadata: seen.append("enter"))
            fill_with(fill, out, 1.0)
            knobs.runtime.launch_enter_hook = None
            knobs.runtime.launch_exit_hook = lambda metadata: seen.append("exit")
            fill_with(fill, out, 1.0)
        fill_with(fill, out, 1.0)
        self.assertEqual(seen, ["enter", "exit"])


if __name__ == "__main__":
    main()
