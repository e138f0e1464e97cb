# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in kernels of threads: floats of 16 bits, powers of integers and digits that only the run knows, against NumPy
and Python's integers. On the active device, and again on the checked one."""

import linecache
import math
import unittest
import warnings

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda

warnings.filterwarnings(action="ignore", category=numba.NumbaPerformanceWarning, module="numba")
random = np.random.default_rng(97)


@cuda.jit
def rounded(out, values, digits):
    i = cuda.grid(1)
    if i < values.size:
        out[i] = round(values[i], digits[i])


@cuda.jit
def powers(out, base, exponent):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = base[i]**exponent[i]


@cuda.jit
def sleeps(out):
    cuda.nanosleep(100)
    out[0] = 1


def made(call):
    """A kernel that computes it of the elements of three arrays."""
    text = (f"@cuda.jit\ndef kernel(out, all_a, all_b, all_c):\n    i = cuda.grid(1)\n    if i < out.size:\n"
            f"        a, b, c = all_a[i], all_b[i], all_c[i]\n        out[i] = cuda.fp16.{call}\n")
    linecache.cache[call] = (len(text), None, text.splitlines(True), call)
    scope = {"cuda": cuda}
    exec(compile(text, call, "exec"), scope)
    return scope["kernel"]


def of_halves(call, *operands, dtype=np.float16):
    out = np.zeros(len(operands[0]), dtype)
    made(call)[-(-len(out) // 64), 64](out, *(operands + operands[:1] * 2)[:3])
    return out


def halves(count):
    """Of all sizes."""
    bits = random.integers(0, 0x7c00, count).astype(np.uint16) | random.integers(0, 2, count).astype(np.uint16) << 15
    return bits.astype(np.uint16).view(np.float16)


class Halves(unittest.TestCase):

    def test_sums_and_products_are_rounded_once(self):
        a, b, c = (halves(500) for _ in range(3))
        with np.errstate(all="ignore"):
            for call, expected in (("hadd(a, b)", a + b), ("hsub(a, b)", a - b), ("hmul(a, b)", a * b),
                                   ("hdiv(a, b)", a / b), ("hneg(a)", -a), ("habs(a)", abs(a)),
                                   ("hmax(a, b)", np.fmax(a, b)), ("hmin(a, b)", np.fmin(a, b)),
                                   ("hsqrt(a)", np.sqrt(a)), ("hrcp(a)", np.float16(1) / a)):
                np.testing.assert_array_equal(of_halves(call, a, b), expected, call)
            wide = a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble)
            np.testing.assert_array_equal(of_halves("hfma(a, b, c)", a, b, c), wide.astype(np.float16))

    def test_nan_loses(self):
        a, b = np.array([np.nan, 1, np.nan], np.float16), np.array([2, np.nan, np.nan], np.float16)
        np.testing.assert_array_equal(of_halves("hmax(a, b)", a, b), np.fmax(a, b))
        np.testing.assert_array_equal(of_halves("hmin(a, b)", a, b), np.fmin(a, b))

    def test_comparisons(self):
        a, b = (random.integers(-3, 4, 100).astype(np.float16) for _ in range(2))
        for name, expected in (("heq", a == b), ("hne", a != b), ("hge", a >= b), ("hgt", a > b), ("hle", a <= b),
                               ("hlt", a < b)):
            self.assertEqual(of_halves(f"{name}(a, b)", a, b, dtype=np.bool_).tolist(), expected.tolist(), name)

    def test_functions(self):
        a = (random.random(300) * 8 + 0.125).astype(np.float16)
        functions = {"hsin": np.sin, "hcos": np.cos, "hlog": np.log, "hlog2": np.log2, "hlog10": np.log10,
                     "hexp": np.exp, "hexp2": np.exp2, "hexp10": lambda x: 10**x, "hrsqrt": lambda x: 1 / np.sqrt(x),
                     "hfloor": np.floor, "hceil": np.ceil, "htrunc": np.trunc, "hrint": np.rint}
        with np.errstate(over="ignore"):
            for name, function in functions.items():
                expected = function(a.astype(np.float64)).astype(np.float16)
                found = of_halves(f"{name}(a)", a)
                near = (found == expected) | (found == np.nextafter(expected, np.float16(0))) | (found == np.nextafter(
                    expected, np.copysign(np.float16(np.inf), expected)))
                self.assertTrue(near.all(), (name, a[~near], found[~near], expected[~near]))
                self.assertGreater((found == expected).mean(), 0.98, name)

    def test_functions_of_math_give_halves(self):

        @cuda.jit
        def roots(out, a, sizes):
            i = cuda.grid(1)
            if i < a.size:
                root = math.sqrt(a[i])
                out[i] = root + math.atan2(a[i], a[i])
                sizes[i] = root * a[i] == np.float16(root * a[i])  # which a wider product would seldom be

        a = (random.random(64) * 100).astype(np.float16)
        out, sizes = np.zeros(64, np.float16), np.zeros(64, np.bool_)
        roots[1, 64](out, a, sizes)
        np.testing.assert_array_equal(out, np.sqrt(a) + np.float16(math.pi / 4))
        self.assertTrue(sizes.all())

    def test_remainders(self):

        @cuda.jit
        def rest(out, a, b):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = math.remainder(a[i], b[i])

        a, b = random.standard_normal(50) * 10, random.standard_normal(50)
        out = np.zeros(50)
        rest[1, 64](out, a, b)
        self.assertEqual(out.tolist(), list(map(math.remainder, a, b)))

    def test_other_numbers_are_brought_to_halves(self):
        self.assertEqual(of_halves("hadd(a, 1)", np.array([2049.0])).tolist(), [2048.0])
        with self.assertRaisesRegex(nereid.errors.CompilationError, "'a' of hadd must be a number"):
            of_halves("hadd((a, b), 1)", np.zeros(1))


class Powers(unittest.TestCase):

    def test_of_integers(self):
        for dtype, bits in ((np.int64, 64), (np.int8, 64), (np.uint64, 64), (np.uint8, 64)):
            is_signed = np.iinfo(dtype).min < 0
            base = random.integers(-9 * is_signed, 10, 200).astype(dtype)
            exponent = random.integers(-4 * is_signed, 30, 200).astype(dtype)
            out = np.zeros(200, np.int64 if is_signed else np.uint64)
            powers[4, 64](out, base, exponent)
            for b, e, found in zip(base.tolist(), exponent.tolist(), out.tolist()):
                expected = b**e if e >= 0 else b**(-e) if abs(b) == 1 else 0
                expected &= 2**bits - 1
                self.assertEqual(found, expected - (expected >> 63 << 64 if is_signed else 0), (b, e))

    def test_of_two(self):

        @cuda.jit
        def bits(out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = 2**i

        out = np.zeros(63, np.int64)
        bits[1, 64](out)
        self.assertEqual(out.tolist(), [1 << i for i in range(63)])


class Functions(unittest.TestCase):

    def test_under_the_names_of_numpy(self):

        @cuda.jit
        def several(out, a):
            i = cuda.grid(1)
            if i < a.size:
                x = a[i]
                out[0, i], out[1, i], out[2, i] = np.arcsin(x), np.arccos(x), np.arctan(x)
                out[3, i], out[4, i], out[5, i] = np.arcsinh(x), np.arctanh(x), np.arccosh(1 + abs(x))
                out[6, i], out[7, i], out[8, i] = np.arctan2(x, 0.5), np.cbrt(x), np.rint(8 * x)
                out[9, i], out[10, i] = np.abs(x), np.absolute(-x)

        a = random.random(100) * 2 - 1
        out = np.zeros((11, 100))
        several[1, 128](out, a)
        expected = (np.arcsin(a), np.arccos(a), np.arctan(a), np.arcsinh(a), np.arctanh(a), np.arccosh(1 + abs(a)),
                    np.arctan2(a, 0.5), np.cbrt(a), np.rint(8 * a), abs(a), abs(a))
        np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-15)

    def test_math_has_its_own(self):

        @cuda.jit
        def kernel(out):
            out[0] = math.arcsin(out[0])

        with self.assertRaisesRegex(nereid.errors.CompilationError, "arcsin"):
            kernel[1, 1](np.zeros(1))


HOUR, HALF = np.int64(3600), np.float64(0.5)


@cuda.jit
def uses_numbers_of_numpy(out):
    out[0] = HOUR // 7
    out[1] = HOUR * HALF


class Globals(unittest.TestCase):

    def test_numbers_of_numpy_are_constants(self):
        out = np.zeros(2)
        uses_numbers_of_numpy[1, 1](out)
        self.assertEqual(out.tolist(), [3600 // 7, 1800.0])


class Waits(unittest.TestCase):

    def test_a_short_sleep(self):
        out = np.zeros(1)
        sleeps[1, 2](out)
        self.assertEqual(out[0], 1)


class Rounding(unittest.TestCase):

    def test_to_digits_that_the_run_decides(self):
        values = np.concatenate((random.standard_normal(300) * 10.0**random.integers(-12, 12, 300),
                                 [0.0, -0.0, np.inf, -np.inf, np.nan, 2.5, 0.125, 1e300, 5e-324]))
        for digits in (-400, -20, -3, -1, 0, 1, 2, 5, 15, 22, 23, 40, 300, 400):
            out = np.zeros_like(values)
            rounded[3, 128](out, values, np.full(len(values), digits))
            for value, found in zip(values, out):
                if not np.isfinite(value):
                    self.assertEqual(repr(found), repr(value))
                    continue
                # It is scaled and rounded, as Numba has it, where Python looks at decimal digits: of what lies halfway
                # between two numbers the other may come out.
                expected = round(float(value), digits)
                apart = 1.0001 * 10.0**-digits if _is_halfway(value, digits) else 0
                self.assertLessEqual(abs(found - expected), 5e-16 * abs(value) + apart, (value, digits))

    def test_halves_go_to_even(self):
        out = np.zeros(4)
        rounded[1, 4](out, np.array([0.125, 0.375, 250.0, 350.0]), np.array([2, 2, -2, -2]))
        self.assertEqual(out.tolist(), [0.12, 0.38, 200.0, 400.0])

    def test_of_float32(self):
        out = np.zeros(2, np.float32)
        rounded[1, 2](out, np.array([1.2345, -9.876], np.float32), np.array([2, 1]))
        np.testing.assert_array_equal(out, np.array([1.23, -9.9], np.float32))


def _is_halfway(value, digits):
    scaled = abs(float(value)) * 10.0**digits if abs(digits) < 300 else math.inf
    return scaled < 1e17 and abs(scaled % 1 - 0.5) < 1e-6 + 1e-15 * scaled


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
