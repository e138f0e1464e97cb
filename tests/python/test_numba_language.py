# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels of threads have besides arrays and loops: functions inside of functions, members of enumerations,
exceptions under `debug`, sums and extrema of arrays, vectors, tuples that are indexed by the run, arrays that they name.
Against Python and NumPy. On the active device, and again on the checked one."""

import contextlib
import enum
import inspect
import io
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
random = np.random.default_rng(28)


class Colour(enum.Enum):
    red = 1
    green = 2
    grey = 2.5


class Body(enum.Enum):
    earth = (5.976e24, 6.37814e6)
    mars = (6.421e23, 3.3972e6)


class Code(enum.IntEnum):
    missing = 404
    broken = 500


class TooMuch(Exception):
    pass


@cuda.jit(device=True)
def applied(function, *values):
    return function(*values)


@cuda.jit(device=True)
def colour_of(value):
    return Colour.red if value > 0 else Colour["green"]


@cuda.jit
def enumerations(out, a, wanted, body):
    i = cuda.grid(1)
    found = colour_of(a[i])
    out[i, 0] = found == wanted
    out[i, 1] = found is not Colour.green
    out[i, 2] = found.value
    out[i, 3] = body == Body.mars
    out[i, 4] = body.value[1]
    out[i, 5] = Code["broken"] - Code.missing


@cuda.jit
def closures(out, a):
    i = cuda.grid(1)
    offset = 3

    def scaled(value, by=2):
        return value * by + offset

    def chosen(value):
        def negated(inner):
            return -inner

        if value > 0:
            return scaled(value)
        return applied(negated, value)

    offset = i
    out[i] = applied(chosen, a[i]) + scaled(a[i], by=5)


@cuda.jit
def escaping(out):
    def made():
        def inner():
            return 1

        return inner

    out[0] = made()()


@cuda.jit
def telling_what_it_met(out, x):
    if x > 1:
        raise ValueError(x)


@cuda.jit
def with_a_default_of_the_run(out):
    known = 3

    def inner(x, y=known):
        return x + y

    out[0] = inner(1)


@cuda.jit(debug=True, opt=False)
def raising(out, x):
    i = cuda.grid(1)
    if x > 10:
        raise TooMuch("more than", 10)
    if x < 0:
        raise ValueError
    for k in range(3):
        out[i] = k + 6 // x
    out[i] += (1, 2, 4)[x]


@cuda.jit(device=True)
def root_of(value):
    if value < 0:
        raise ValueError("a root of a negative number")
    return math.sqrt(value)


@cuda.jit(debug=True, opt=False)
def raising_inside(out, a):
    i = cuda.grid(1)
    out[i] = root_of(a[i])


@cuda.jit
def leaving(out, a):
    i = cuda.grid(1)
    for k in range(4):
        if a[i] == k:
            raise IndexError("not told without debug")
        out[i] = k


@cuda.jit
def of_all(out, a):
    out[0], out[1], out[2] = np.sum(a), np.prod(a), np.mean(a)
    out[3], out[4] = np.var(a), np.std(a)
    out[5], out[6] = a.min(), a.max()
    out[7], out[8], out[9] = np.all(a), np.any(a), np.count_nonzero(a)
    out[10], out[11], out[12], out[13] = np.nansum(a), np.nanmin(a), np.nanmax(a), np.nanmean(a)
    out[14], out[15] = a.sum(), np.nanprod(a)


FUNCTIONS = [np.sum, np.prod, np.mean, np.var, np.std, np.min, np.max, np.all, np.any, np.count_nonzero, np.nansum,
             np.nanmin, np.nanmax, np.nanmean, np.sum, np.nanprod]


@cuda.jit
def vectors(out):
    pair = cuda.float32x2(0.1, 2)
    whole = cuda.int4(cuda.int2(1, 2.75), 3, cuda.int1(4))
    wide = cuda.float64x3(5, cuda.float64x2(6, 7))
    out[0], out[1] = pair.x, pair.y
    out[2], out[3], out[4], out[5] = whole.x, whole.y, whole.z, whole.w
    out[6], out[7], out[8] = wide.x, wide.y, wide.z


@cuda.jit
def numbers(out, a):
    i = cuda.grid(1)
    out[i, 0] = a[i].bit_count()
    out[i, 1] = math.nextafter(float(i), 9.0)
    out[i, 2] = (a[i] > 3) is True
    out[i, 3] = (1.5, 2, a[i])[i - 1]


@cuda.jit
def shown(a, pair):
    print(a[0] > 0, (a[0], (1, pair)), pair, cuda.threadIdx, True)


FACTOR = 2


@cuda.jit
def scaled_by_a_global(out):
    out[0] = FACTOR


class Language(unittest.TestCase):

    def test_members_of_enumerations(self):
        a, out = np.array([1.0, -1.0]), np.zeros((2, 6))
        for wanted, body in ((Colour.red, Body.earth), (Colour.green, Body.mars)):
            enumerations[1, 2](out, a, wanted, body)
            for i in range(2):
                found = Colour.red if a[i] > 0 else Colour.green
                expected = [found == wanted, found is not Colour.green, found.value, body == Body.mars, body.value[1], 96]
                self.assertEqual(out[i].tolist(), expected)

    def test_functions_inside_of_functions(self):
        a, out = np.array([4, -2, 0, 7, -1]), np.zeros(5, np.int64)
        closures[1, 5](out, a)
        self.assertEqual(out.tolist(), [(v * 2 + i if v > 0 else -v) + v * 5 + i for i, v in enumerate(a.tolist())])

    def test_one_that_leaves(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, "a function that leaves the one it stands in"):
            escaping[1, 1](np.zeros(1))

    def test_defaults_that_may_change(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, "a default of a function inside of another"):
            with_a_default_of_the_run[1, 1](np.zeros(1))

    def test_exceptions(self):
        out = np.zeros(2)
        raising[1, 2](out, 1)
        self.assertEqual(out.tolist(), [10, 10])
        for x, kind, text in ((11, TooMuch, "more than, 10"), (-1, ValueError, "ctaid=\\[0, 0, 0\\]$"),
                              (0, ZeroDivisionError, "division by zero"), (5, IndexError, "out of range")):
            with self.subTest(x=x), self.assertRaisesRegex(kind, f"(?s)In function 'raising', file .*{text}"):
                raising[1, 1](out, x)

    def test_of_what_the_run_decides(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, "what an exception is given"):
            telling_what_it_met[1, 1](np.zeros(1), 2)

    def test_of_a_function_that_is_called(self):
        a, out = np.array([4.0, 9.0]), np.zeros(2)
        raising_inside[1, 2](out, a)
        self.assertEqual(out.tolist(), [2, 3])
        lines, first = inspect.getsourcelines(root_of.py_func)
        place = first + next(number for number, line in enumerate(lines) if "raise" in line)
        with self.assertRaisesRegex(ValueError, f"(?s)line {place}\n.*a root of a negative number"):
            raising_inside[1, 2](out, -a)

    def test_without_debug_the_thread_ends(self):
        if nereid.knobs.runtime.interpret:
            self.skipTest("the checked device tells of it")
        out = np.full(6, -1)
        leaving[1, 6](out, np.arange(6))
        self.assertEqual(out.tolist(), [-1, 0, 1, 2, 3, 3])

    def test_all_elements(self):
        values = random.integers(-3, 4, (3, 4, 5))
        holes = np.where(values > 1, np.nan, values)
        cases = [values.astype(t) for t in ("i4", "i8", "f4", "f8")] + [
            values > 2, values[0] + 4, holes, holes[::-1, ::2], np.array([2.5]), np.ones((1, 1)), np.full(3, np.nan)]
        for a in cases:
            out = np.zeros(len(FUNCTIONS))
            with self.subTest(shape=a.shape, dtype=a.dtype), warnings.catch_warnings(action="ignore"):
                of_all[1, 1](out, a)
                expected = [float(f(a)) for f in FUNCTIONS]
                if a.dtype == np.float32:  # these are computed in float32 here and there
                    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)
                else:
                    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)

    def test_vectors(self):
        out = np.zeros(9)
        vectors[1, 1](out)
        self.assertEqual(out.tolist(), [float(np.float32(0.1)), 2, 1, 2, 3, 4, 5, 6, 7])
        with self.assertRaises(AttributeError):
            cuda.float32x5

    def test_numbers(self):
        a, out = np.array([0b1011, 3, 255]), np.zeros((3, 4))
        numbers[1, 3](out, a)
        for i in range(3):
            self.assertEqual(out[i].tolist(), [int(a[i]).bit_count(), math.nextafter(i, 9), a[i] > 3,
                                               (1.5, 2, a[i])[i - 1]])

    def test_what_print_shows(self):
        if nereid.knobs.runtime.interpret:
            self.skipTest("the same text, in another way")
        with tempfile_of_output() as read:
            shown[1, 1](np.array([7]), (1.5, ))
            cuda.synchronize()
        self.assertEqual(read(), "True (7, (1, (1.500000,))) (1.500000,) (0, 0, 0) True\n")

    def test_globals_are_what_they_were(self):
        global FACTOR
        out = np.zeros(1)
        scaled_by_a_global[1, 1](out)
        FACTOR = 3
        scaled_by_a_global[1, 1](out)
        FACTOR = 2
        self.assertEqual(out[0], 2)

    def test_arrays_of_the_device_that_are_named(self):
        held = cuda.to_device(np.arange(6.0).reshape(2, 3))

        @cuda.jit
        def named(out):
            i = cuda.grid(1)
            out[i] = held[1, i]
            held[0, i] = -1

        out = np.zeros(3)
        named[1, 3](out)
        cuda.synchronize()
        self.assertEqual((out.tolist(), held.copy_to_host()[0].tolist()), ([3, 4, 5], [-1, -1, -1]))

    def test_signatures_are_read_when_they_are_given(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, "nothing"):

            @cuda.jit("void(float32[:])")
            def wrong(a):
                a[0] = nothing


@contextlib.contextmanager
def tempfile_of_output():
    """What the process writes, as a function that reads it afterwards."""
    import os
    import sys
    import tempfile

    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        text = io.BytesIO()
        try:
            yield lambda: text.getvalue().decode()
        finally:
            sys.stdout.flush()
            os.dup2(before, 1)
            os.close(before)
            file.seek(0)
            text.write(file.read())


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "this is the checked device")
    def test_the_same_there(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
