# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@vectorize and @guvectorize with target="cuda", with Numba and without it, against NumPy. On the active device, and
again on the checked one."""

import math
import unittest
import warnings

from running import failures_when_checked, main, require, run_program

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda
from nereid.threads.ufuncs import GUFunc, UFunc

warnings.filterwarnings(action="error", category=numba.NumbaPerformanceWarning)
random = np.random.default_rng(71)


def vectorize(*signatures, **options):
    """As Numba's own decorator does it."""

    def decorate(function):
        made = UFunc(function, **options)
        for signature in signatures:
            made.add(signature)
        return made.build_ufunc()

    return decorate


def guvectorize(signatures, layout):

    def decorate(function):
        made = GUFunc(function, layout)
        for signature in signatures:
            made.add(signature)
        return made.build_ufunc()

    return decorate


@vectorize("float32(float32, float32)", "float64(float64, float64)", "int32(int32, int32)", identity=0)
def add(a, b):
    return a + b


def abs_of(x):
    return abs(x)


@vectorize("float64(float64, int64)", identity=None)
def scaled(x, n):
    return math.ldexp(x, n) if n > 0 else -x


@guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])", "void(float64[:,:], float64[:,:], float64[:,:])"],
             "(m,n),(n,p)->(m,p)")
def product(a, b, c):
    m, n = a.shape
    n, p = b.shape
    for i in range(m):
        for j in range(p):
            c[i, j] = 0
            for k in range(n):
                c[i, j] += a[i, k] * b[k, j]


@guvectorize(["void(int64[:], int64, int64[:], int64[:])"], "(n),()->(n),()")
def shifted(a, by, out, total):
    total[0] = 0
    for i in range(a.size):
        out[i] = a[i] + by
        total[0] += out[i]


@guvectorize([], "(n)->()")
def longest(a, out):
    out[0] = a[0]
    for i in range(1, len(a)):
        out[0] = max(out[0], a[i])


class Elements(unittest.TestCase):

    def test_sizes_and_types(self):
        for dtype in (np.float32, np.float64, np.int32):
            for size in (0, 1, 127, 128, 1000):
                a, b = (random.standard_normal((2, size)) * 100).astype(dtype)
                found = add(a, b)
                self.assertEqual((found.dtype, type(found)), (dtype, np.ndarray))
                np.testing.assert_array_equal(found, a + b)

    def test_shapes_that_broadcast(self):
        for left, right in (((3, 4), (4, )), ((2, 1, 5), (3, 1)), ((6, ), ()), ((1, ), (7, 1)), ((), ()),
                            ((0, 3), (3, ))):
            a, b = random.standard_normal(left), random.standard_normal(right)
            found = add(a, b)
            np.testing.assert_array_equal(found, a + b)
            self.assertEqual(np.shape(found), (a + b).shape)

    def test_arrays_of_any_order(self):
        a, b = random.standard_normal((2, 6, 8))
        for one, other in ((a.T, b.T), (a[::2, ::-1], b[1::2]), (np.asfortranarray(a), b)):
            np.testing.assert_array_equal(add(one, other), one + other)

    def test_numbers(self):
        a = random.standard_normal(50)
        np.testing.assert_array_equal(scaled(a, 3), a * 8)
        np.testing.assert_array_equal(scaled(2, np.array([1, 0, -4])), [4.0, -2.0, -2.0])
        self.assertEqual(scaled(1.5, 2), 6.0)

    def test_arrays_for_results(self):
        a, b = random.standard_normal((2, 30))
        out = np.zeros(60)[::2]
        self.assertIs(add(a, b, out), out)
        np.testing.assert_array_equal(out, a + b)
        there = cuda.device_array(30)
        self.assertIs(add(a, b, out=there), there)
        np.testing.assert_array_equal(there.copy_to_host(), a + b)
        with self.assertRaisesRegex(ValueError, r"\(30,\).*\(29,\)"):
            add(a, b, out=np.zeros(29))

    def test_arrays_of_the_device_stay_there(self):
        a, b = random.standard_normal((2, 30))
        found = add(cuda.to_device(a), cuda.to_device(b), stream=cuda.stream())
        self.assertTrue(cuda.is_cuda_array(found))
        cuda.synchronize()
        np.testing.assert_array_equal(found.copy_to_host(), a + b)

    def test_sums(self):
        for size in (1, 2, 3, 100, 257):
            a = random.integers(-50, 50, size).astype(np.int32)
            self.assertEqual(add.reduce(a), a.sum())
        self.assertEqual(add.reduce(np.zeros(0)), 0)
        with self.assertRaisesRegex(TypeError, "one dimension"):
            add.reduce(np.zeros((2, 2)))

    def test_mistakes(self):
        with self.assertRaisesRegex(TypeError, r"for \(float16, float16\).*float32, float32; float64"):
            add(np.zeros(3, np.float16), np.zeros(3, np.float16))
        with self.assertRaisesRegex(TypeError, "ambiguous"):
            add(1, 2)
        with self.assertRaisesRegex(TypeError, "2 or 3 arguments, not 1"):
            add(np.zeros(3))
        with self.assertRaises(ValueError):
            add(np.zeros(3), np.zeros(4))
        with self.assertRaisesRegex(TypeError, "what type the result has"):
            vectorize("void(float32)")(abs_of)


class Parts(unittest.TestCase):

    def test_products(self):
        for dtype in (np.float32, np.float64):
            for left, right in (((2, 3), (3, 4)), ((5, 2, 3), (3, 1)), ((4, 1, 2, 2), (3, 2, 2)), ((0, 2, 2), (2, 2))):
                a, b = random.standard_normal(left).astype(dtype), random.standard_normal(right).astype(dtype)
                found = product(a, b)
                self.assertEqual((found.dtype, found.shape), (dtype, (a @ b).shape))
                np.testing.assert_allclose(found, a @ b, rtol=1e-5, atol=1e-5)

    def test_numbers_and_several_results(self):
        a = random.integers(-9, 9, (4, 6))
        out, total = shifted(a, 3)
        np.testing.assert_array_equal(out, a + 3)
        np.testing.assert_array_equal(total, (a + 3).sum(axis=1))
        out, total = shifted(a, np.arange(4))
        np.testing.assert_array_equal(out, a + np.arange(4)[:, None])
        out, total = shifted(a, np.int8(3))  # a number of NumPy's that no signature has
        np.testing.assert_array_equal(out, a + 3)
        out = np.zeros(6, int), np.zeros(1, int)  # one part, of which the results may know nothing
        shifted(a[0], np.array([7]), *out)
        np.testing.assert_array_equal(out[0], a[0] + 7)
        out, total = shifted(a[0], np.arange(4))
        np.testing.assert_array_equal(total, (a[0] + np.arange(4)[:, None]).sum(axis=1))

    def test_without_a_signature(self):
        for dtype in (np.int16, np.float32):
            a = random.integers(0, 99, (7, 5)).astype(dtype)
            out = np.zeros(7, dtype)
            self.assertIs(longest(a, out), out)
            np.testing.assert_array_equal(out, a.max(axis=1))
        with self.assertRaisesRegex(TypeError, "give it arrays"):
            longest(a)

    def test_arrays_of_the_device(self):
        a, b = random.standard_normal((2, 3, 3))
        found = product(cuda.to_device(a), cuda.to_device(b))
        self.assertTrue(cuda.is_cuda_array(found))
        np.testing.assert_allclose(found.copy_to_host(), a @ b)

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "dimension n is 3 in one array and 4 in another"):
            product(np.zeros((2, 3)), np.zeros((4, 2)))
        with self.assertRaisesRegex(ValueError, r"of 1 dimensions for \(m,n\)"):
            product(np.zeros(3), np.zeros((4, 2)))
        with self.assertRaisesRegex(ValueError, "no layout"):
            guvectorize([], "(n)")(abs_of)
        with self.assertRaisesRegex(TypeError, "return nothing"):
            guvectorize(["int32(int32[:], int32[:])"], "(n)->(n)")(abs_of)
        with self.assertRaisesRegex(TypeError, r"no options \['what'\]"):
            GUFunc(abs_of, "(n)->(n)", targetoptions={"what": 1})
        with self.assertRaisesRegex(ValueError, "^product got its results twice"):
            product(np.zeros((2, 3)), np.zeros((3, 2)), np.zeros((2, 2)), out=np.zeros((2, 2)))
        with self.assertRaisesRegex(ValueError, r"shape \(2, 2\)"):
            product(np.zeros((2, 3)), np.zeros((3, 2)), np.zeros((2, 3)))


class Reductions(unittest.TestCase):

    def test_of_all_elements(self):

        @cuda.reduce
        def total(a, b):
            return a + b

        @cuda.Reduce
        def greatest(a, b):
            return max(a, b)

        for dtype in (np.int32, np.float64):
            for size in (0, 1, 2, 3, 1000, 1025):
                a = random.integers(-99, 99, size).astype(dtype)
                self.assertEqual(total(a), a.sum())
                self.assertEqual(total(cuda.to_device(a), init=5), a.sum() + 5)
                self.assertEqual(greatest(a, init=-100), a.max(initial=-100))
        a = np.arange(10)
        there = cuda.to_device(np.zeros(1, int))
        self.assertIsNone(total(a, size=4, res=there, stream=cuda.stream()))
        cuda.synchronize()
        self.assertEqual((there.copy_to_host()[0], a.tolist()), (6, list(range(10))))
        self.assertEqual(total(cuda.to_device(np.arange(20))[::2]), 90)

    def test_lambdas(self):
        a, offset = random.integers(1, 9, 20), 1
        self.assertEqual(cuda.Reduce(lambda a, b: a * b % 1009)(a, init=1), int(np.prod(a.astype(object)) % 1009))
        pair = cuda.Reduce(lambda a, b: max(a, b)), cuda.Reduce(lambda a, b: min(a, b))
        self.assertEqual([fold(a, init=a[0]) for fold in pair], [a.max(), a.min()])
        self.assertEqual(vectorize("int64(int64)")(lambda x: x + offset)(a).tolist(), (a + 1).tolist())
        with self.assertRaisesRegex(ValueError, "not clear"):
            cuda.Reduce(eval("lambda a, b: a"))

    def test_mistakes(self):
        total = cuda.reduce(add.py_func)
        with self.assertRaisesRegex(TypeError, "one dimension is reduced, and this has 2"):
            total(np.zeros((2, 2)))
        with self.assertRaisesRegex(ValueError, "5 elements of an array that has 4"):
            total(np.zeros(4), size=5)


PROGRAM = """
import numpy as np
from numba import cuda, float64, guvectorize, vectorize

@vectorize(["float32(float32, float32)", float64(float64, float64)], target="cuda")
def mean(a, b):
    return (a + b) / 2

@guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")
def sums(a, out):
    total = 0.0
    for i in range(len(a)):
        total += a[i]
        out[i] = total

print(mean(np.arange(3.0), np.ones(3)).tolist(), sums(np.arange(6.0).reshape(2, 3)).tolist(), mean.__name__)
"""
WRITTEN = "[0.5, 1.0, 1.5] [[0.0, 1.0, 3.0], [3.0, 7.0, 12.0]] mean\n"
HIDES_NUMBA = """
import importlib.machinery, sys
find = importlib.machinery.PathFinder.find_spec
def found(name, path=None, target=None):
    return None if name == "numba" and path is None else find(name, path, target)
importlib.machinery.PathFinder.find_spec = staticmethod(found)
"""


class Programs(unittest.TestCase):

    def test_as_they_are_written(self):
        output, errors, code = run_program(PROGRAM, options=("--numba", ))
        self.assertEqual((output, code), (WRITTEN, 0), errors)

    def test_without_numba(self):
        output, errors, code = run_program(HIDES_NUMBA + PROGRAM, options=("--numba", ))
        self.assertEqual((output, code), (WRITTEN, 0), errors)

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
