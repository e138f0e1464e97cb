# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that kernels use: of closures, modules, globals that change."""

import math
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
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

    def test_globals_that_change_while_they_are_looked_at(self):
        global SCALE, OFFSET

        @nereid.jit
        def kernel(out):
            tl.store(out, SCALE + OFFSET + PAIR[0])

        class Equal:

            def __eq__(self, other):
                asked.append(other)
                kernel.hash = None  # so that none of them is watched any more
                return True

        out, before, asked = np.zeros(1, np.int32), (SCALE, OFFSET), []
        SCALE, OFFSET = tl.constexpr(3), tl.constexpr(1)
        kernel[(1,)](out)
        try:
            SCALE = OFFSET = tl.constexpr(Equal())
            kernel[(1,)](out)
        finally:
            SCALE, OFFSET = before
        self.assertEqual((out[0], len(asked)), (6, 1))

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
