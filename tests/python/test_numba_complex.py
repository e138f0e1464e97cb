# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers in kernels of threads, beside Python's own and NumPy's, and functions that give several values."""

import cmath
import linecache
import math
import unittest

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda

RANDOM = np.random.default_rng(7)


def complex_numbers(count, dtype):
    return (RANDOM.standard_normal(count) * 2 + 1j * RANDOM.standard_normal(count) * 2).astype(dtype)


@cuda.jit
def arithmetic(out, a, b):
    i = cuda.grid(1)
    if i < a.size:
        x = a[i]
        y = b[i]
        out[0, i] = x + y
        out[1, i] = x - y
        out[2, i] = x * y
        out[3, i] = x / y
        out[4, i] = -x
        out[5, i] = x**3
        out[6, i] = x.conjugate() + 2
        out[7, i] = abs(x) + 1j * y.real
        out[8, i] = x if x == a[0] or x != y else y


@cuda.jit
def parts(out, a):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(out.real, 0, a[i].real)
        cuda.atomic.add(out.imag, 0, a.imag[i])


@cuda.jit
def escape(out, z0, limit):
    y, x = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        c = complex(x / 8 - 2, y / 8 - 1) + z0
        z = 0j
        n = 0
        while n < limit and z.real * z.real + z.imag * z.imag <= 4:
            z = z * z + c
            n += 1
        out[y, x] = n


@cuda.jit
def through_shared_memory(out, a):
    held = cuda.shared.array(32, numba.complex64)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncthreads()
    out[t] = held[31 - t]


FUNCTIONS = ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh",
             "acosh", "atanh")


def function_kernel(name):
    scope = {"cuda": cuda, "cmath": cmath}
    text = (f"def kernel(out, a):\n    i = cuda.grid(1)\n    if i < a.size:\n        out[i] = cmath.{name}(a[i])\n")
    exec(compile(text, f"<{name}>", "exec"), scope)
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(keepends=True), f"<{name}>")
    return cuda.jit(scope["kernel"])


@cuda.jit
def several(out, x):
    i = cuda.grid(1)
    if i < x.size:
        m, e = math.frexp(x[i])
        f, w = math.modf(x[i])
        s, c = cuda.libdevice.sincos(x[i])
        r, q = cuda.libdevice.remquo(x[i], 3.0)
        out[i, 0] = m
        out[i, 1] = e
        out[i, 2] = f
        out[i, 3] = w
        out[i, 4] = s
        out[i, 5] = c
        out[i, 6] = r
        out[i, 7] = q


class ComplexNumbers(unittest.TestCase):

    def test_arithmetic(self):
        for dtype, tolerance in ((np.complex64, 2e-5), (np.complex128, 1e-13)):
            a, b = complex_numbers(37, dtype), complex_numbers(37, dtype)
            out = np.zeros((9, 37), dtype)
            arithmetic[2, 32](out, a, b)
            wanted = np.array([a + b, a - b, a * b, a / b, -a, a**3, a.conj() + 2, abs(a) + 1j * b.real, a])
            np.testing.assert_allclose(out, wanted, rtol=tolerance, atol=tolerance)

    def test_quotients_do_not_overflow_before_their_time(self):
        a, b = np.array([1e300 + 1e300j, 1e-300 + 0j]), np.array([1e300 + 1e300j, 1e-300 + 1e-301j])
        out = np.zeros((9, 2), np.complex128)
        arithmetic[1, 2](out, a, b)
        np.testing.assert_allclose(out[3], a / b, rtol=1e-14)

    def test_strides_and_atomics_on_parts(self):
        a = complex_numbers(60, np.complex128).reshape(3, 20)[1, ::3]
        out = np.zeros(1, np.complex128)
        parts[1, 8](out, a)
        np.testing.assert_allclose(out[0], a.sum(), rtol=1e-12)

    def test_a_number_as_an_argument_and_a_loop_that_carries_one(self):
        for z0 in (0.125 - 0.25j, np.complex64(0.125 - 0.25j), np.complex128(0.125 - 0.25j)):
            out = np.zeros((17, 24), np.int32)
            escape[(3, 3), (8, 8)](out, z0, 30)
            for y in range(17):
                for x in range(24):
                    c, z, n = complex(x / 8 - 2, y / 8 - 1) + complex(z0), 0j, 0
                    while n < 30 and z.real * z.real + z.imag * z.imag <= 4:
                        z, n = z * z + c, n + 1
                    self.assertEqual(out[y, x], n, (x, y))

    def test_a_variable_that_becomes_complex_is_from_the_start(self):
        for flag in (0, 1):
            out = np.array([0, 7j])
            becomes_complex[1, 1](out, flag)
            self.assertEqual(out.tolist(), [6j + (7j if flag else 1.5), 6j if flag else 2])

    def test_device_arrays(self):
        a = cuda.to_device(complex_numbers(32, np.complex64))
        out = cuda.device_array(32, np.complex64)
        through_shared_memory[1, 32](out, a)
        np.testing.assert_array_equal(out.copy_to_host(), a.copy_to_host()[::-1])

    def test_memory_of_a_block(self):
        a, out = complex_numbers(32, np.complex64), np.zeros(32, np.complex64)
        through_shared_memory[1, 32](out, a)
        np.testing.assert_array_equal(out, a[::-1])

    def test_functions(self):
        for name in FUNCTIONS:
            for dtype, tolerance in ((np.complex64, 1e-6), (np.complex128, 2e-14)):
                a = complex_numbers(40, dtype)
                out = np.zeros(40, dtype)
                function_kernel(name)[2, 32](out, a)
                wanted = np.array([getattr(cmath, name)(complex(x)) for x in a])
                np.testing.assert_allclose(out, wanted, rtol=tolerance, atol=tolerance, err_msg=name)

    def test_a_complex_number_is_no_real_one(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, "complex128(.|\n)*real elements"):
            parts_into_real[1, 1](np.zeros(3), complex_numbers(3, np.complex128))


@cuda.jit
def becomes_complex(out, flag):
    z = 0
    for i in range(4):
        z += 1j * i
    w = 1.5
    if flag:
        w = out[1]
    if z and not out[0]:
        out[0] = z + w
    v = z if flag else 2
    out[1] = v


@cuda.jit
def parts_into_real(out, a):
    out[0] = a[0]


class SeveralValues(unittest.TestCase):

    def test_tuples(self):
        x = np.array([0.0, 1.0, -3.75, 1e300, 5e-324, 123456.789, -0.3])
        out = np.zeros((7, 8))
        several[1, 7](out, x)
        for row, value in zip(out, x):
            self.assertEqual((row[0], row[1]), math.frexp(value))
            self.assertEqual((row[2], row[3]), math.modf(value))
            self.assertAlmostEqual(row[4], math.sin(value), delta=1e-9 if abs(value) < 1e9 else 2)
            self.assertAlmostEqual(row[5], math.cos(value), delta=1e-9 if abs(value) < 1e9 else 2)
            self.assertAlmostEqual(row[6], math.remainder(value, 3.0), delta=1e-9)
        self.assertEqual([int(q) for q in out[:3, 7]], [0, 0, -1])

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
