# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of kernels of threads that are times or texts, against NumPy. On the active device, and again on the checked
one."""

import unittest
import warnings

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from nereid.threads import ufuncs
from numba import cuda

warnings.filterwarnings(action="ignore", category=numba.NumbaPerformanceWarning, module="numba")
class TypeName:
    """A type as a signature has it, with Numba and without it."""

    def __init__(self, name):
        self.name = name


random = np.random.default_rng(28)


def some(kind, count=64):
    """With a few that are no time."""
    values = random.integers(-5000, 20000, count).astype("i8").view(kind)
    values[random.integers(0, count, 3)] = "NaT"
    return values


class Times(unittest.TestCase):

    def same(self, got, wanted):
        np.testing.assert_array_equal(got, wanted)
        self.assertEqual(got.dtype, wanted.dtype)

    def test_points_and_spans(self):

        @cuda.jit
        def kernel(span, later, ago, both, a, b, d):
            i = cuda.grid(1)
            if i < a.size:
                span[i] = a[i] - b[i]
                later[i] = d[i] + a[i]
                ago[i] = a[i] - d[i]
                both[i] = -(d[i] + d[i] * 3) - +d[i]

        a, b, d = some("M8[D]"), some("M8[D]"), some("m8[D]")
        span, later, ago, both = np.zeros_like(d), np.zeros_like(a), np.zeros_like(a), np.zeros_like(d)
        kernel[2, 32](span, later, ago, both, a, b, d)
        cuda.synchronize()
        self.same(span, a - b)
        self.same(later, a + d)
        self.same(ago, a - d)
        self.same(both, -(d + d * 3) - d)

    def test_comparisons(self):

        @cuda.jit
        def kernel(out, a, b):
            i = cuda.grid(1)
            out[0, i] = a[i] < b[i]
            out[1, i] = a[i] <= b[i]
            out[2, i] = a[i] == b[i]
            out[3, i] = a[i] != b[i]
            out[4, i] = a[i] > b[i]
            out[5, i] = a[i] >= b[i]

        for kind, other in (("M8[s]", "M8[s]"), ("m8[h]", "m8[s]"), ("M8[D]", "M8[6h]")):
            a, b = some(kind), some(other)
            b[::5] = a[::5].astype(other)
            out = np.zeros((6, 64), bool)
            kernel[1, 64](out, a, b)
            cuda.synchronize()
            self.same(out, np.array([a < b, a <= b, a == b, a != b, a > b, a >= b]))

    def test_numbers(self):

        @cuda.jit
        def kernel(ratio, times, rest, scaled, d, e, n):
            i = cuda.grid(1)
            ratio[i] = d[i] / e[i]
            times[i] = d[i] // e[i]
            rest[i] = d[i] % e[i]
            scaled[0, i] = d[i] * n[i]
            scaled[1, i] = n[i] * d[i]
            scaled[2, i] = d[i] * 1.5
            scaled[3, i] = d[i] / 2.5

        d, e = some("m8[ms]"), random.integers(1, 900, 64).astype("i8").view("m8[ms]")
        n = random.integers(-4, 9, 64)
        ratio, times, rest, scaled = np.zeros(64), np.zeros(64, "i8"), np.zeros_like(d), np.zeros((4, 64), "m8[ms]")
        kernel[1, 64](ratio, times, rest, scaled, d, e, n)
        cuda.synchronize()
        self.same(ratio, d / e)
        with np.errstate(invalid="ignore"):
            self.same(times, np.where(np.isnat(d), 0, d // e))
        self.same(rest, d % e)
        self.same(scaled, np.array([d * n, n * d, d * 1.5, d / 2.5]))

    def test_other_units(self):

        @cuda.jit
        def kernel(out, a, d):
            i = cuda.grid(1)
            out[i] = a[i] + d[i]

        a, d = some("M8[D]"), some("m8[90m]")
        out = np.zeros(64, "M8[s]")
        kernel[1, 64](out, a, d)
        cuda.synchronize()
        self.same(out, (a + d).astype("M8[s]"))

    def test_single_ones_and_branches(self):

        @cuda.jit
        def kernel(out, a, since, step):
            i = cuda.grid(1)
            at = since
            if a[i] > since:
                at = a[i]
            for _ in range(3):
                at += step
            out[i] = at

        a, since, step = some("M8[D]"), np.datetime64("1975-03-01"), np.timedelta64(2, "D")
        out = np.zeros_like(a)
        kernel[1, 64](out, a, since, step)
        cuda.synchronize()
        self.same(out, np.where(a > since, a, since) + 3 * step)

    def test_slices_and_copies(self):

        @cuda.jit
        def kernel(out, a):
            out[:] = a[::-2]

        a = some("M8[ns]").reshape(8, 8)
        out = np.zeros((4, 8), "M8[ns]")
        kernel[1, 1](out, a)
        cuda.synchronize()
        self.same(out, a[::-2])

    def test_functions_of_arrays(self):

        days = TypeName("datetime64[D]")

        @ufuncs.vectorize([(days, days)])
        def between(start, end):
            return end - start

        a, b = some("M8[D]"), some("M8[D]")
        self.same(between(a, b), b - a)

    def refused(self, kernel, *arguments):
        with self.assertRaises(nereid.errors.CompilationError) as caught:
            kernel[1, 1](*arguments)
        return str(caught.exception)

    def test_what_has_no_meaning(self):

        @cuda.jit
        def adds(a):
            a[0] = a[1] + a[2]

        @cuda.jit
        def stores(a, b):
            a[0] = b[0]

        self.assertIn("spans added to them", self.refused(adds, some("M8[D]")))
        self.assertIn("of datetime64[D], and hold such", self.refused(stores, some("M8[D]"), some("M8[s]")))
        self.assertIn("not", self.refused(stores, some("M8[D]"), np.zeros(3)))

        @cuda.jit
        def compares(out, a, b):
            out[0] = a[0] < b[0]

        self.assertIn("no number of days", self.refused(compares, np.zeros(1, bool), some("M8[M]"), some("M8[D]")))


class Texts(unittest.TestCase):

    def test_texts_are_written_and_compared(self):

        @cuda.jit
        def kernel(out, equal, names, wanted):
            i = cuda.grid(1)
            if i < names.size:
                equal[i, 0] = names[i] == "b\u00e4r"
                equal[i, 1] = names[i] != wanted[i]
                equal[i, 2] = names[i] == wanted[i]
                out[i] = names[i]
                if i == 2:
                    out[i] = "\u4e2d"
                if i == 3:
                    out[i] = "longer than it"

        names = np.array(["bär", "b", "", "bär ", "ab"])
        wanted = np.array(["bär", "bcdefgh", "", "bär", "aa"])
        out, equal = np.full(5, "????", "U4"), np.zeros((5, 3), bool)
        kernel[1, 8](out, equal, names, wanted)
        cuda.synchronize()
        self.assertEqual(out.tolist(), ["bär", "b", "\u4e2d", "long", "ab"])
        np.testing.assert_array_equal(equal, np.array([names == "bär", names != wanted, names == wanted]).T)

    def test_bytes_and_fields(self):

        @cuda.jit
        def kernel(a, b):
            i = cuda.grid(1)
            a[i]["name"] = "ABC"
            a[i].code = b"xyz"
            a[i].since = a[i].since + a[i].span
            b[i] = a[i]

        dtype = np.dtype([("name", "U5"), ("code", "S4"), ("since", "M8[s]"), ("span", "m8[h]")], align=True)
        a = np.zeros(3, dtype)
        a["since"], a["span"] = "2026-11-27", [1, 2, 3]
        b = np.zeros(3, dtype)
        wanted = a["since"] + a["span"]
        kernel[1, 3](a, b)
        cuda.synchronize()
        self.assertEqual((a["name"].tolist(), a["code"].tolist()), (["ABC"] * 3, [b"xyz"] * 3))
        np.testing.assert_array_equal(a["since"], wanted)
        np.testing.assert_array_equal(a, b)

    def test_orders_of_texts_are_refused(self):

        @cuda.jit
        def kernel(out, names):
            out[0] = names[0] < names[1]

        with self.assertRaisesRegex(nereid.errors.CompilationError, "equal to others, or not"):
            kernel[1, 1](np.zeros(1, bool), np.array(["a", "b"]))


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "this is the checked device")
    def test_the_same_there(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
