# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of kernels of threads whose size the launch says, arrays that are part of a kernel, slices that go backwards,
and arrays that go one way, against NumPy. On the active device, and again on the checked one."""

import re
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
random = np.random.default_rng(57)
WEIGHTS = np.array([[0.5, -1.25, 3], [4, 0, -0.0625]])
FLAGS = np.array([True, False, True, True])
STRIPED = np.arange(20, dtype=np.int16)[::-3]
ONE = np.array(-7, np.int8)
NONE = np.zeros(0, np.float32)
SAME = np.full(5, 2**63 + 1, np.uint64)


@cuda.jit
def reversed_by_block(out, a):
    held = cuda.shared.array(0, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    if i < a.size:
        out[i] = held[cuda.blockDim.x - 1 - t]


@cuda.jit
def two_views(out, sizes):
    wide = cuda.shared.array(0, numba.float64)
    narrow = cuda.shared.array(shape=(0, ), dtype=np.uint8)
    fixed = cuda.shared.array(4, numba.int32)
    t = cuda.threadIdx.x
    if t == 0:
        fixed[0] = 99
        wide[0] = -2.0
        sizes[0] = wide.size
        sizes[1] = len(narrow)
    cuda.syncthreads()
    if t < 8:
        out[t] = narrow[t]


@cuda.jit
def no_memory(sizes):
    held = cuda.shared.array(0, numba.int64)
    sizes[0] = held.size


@cuda.jit
def constants(out, weights, flags):
    table = cuda.const.array_like(WEIGHTS)
    i = cuda.grid(1)
    if i < 6:
        out[i] = table[i // 3, i % 3] * 2
        weights[i] = WEIGHTS[-1 - i // 3, i % 3]
    if i < 4:
        flags[i] = 10 if cuda.const.array_like(FLAGS)[i] else 20


@cuda.jit
def odd_constants(out, sizes):
    out[0] = ONE[()]
    out[1] = cuda.const.array_like(STRIPED)[2]
    out[2] = STRIPED[-1]
    sizes[0], sizes[1], sizes[2] = NONE.size, STRIPED.shape[0], SAME.ndim
    sizes[3] = SAME[3] - np.uint64(2**63)


@cuda.jit
def writes_a_constant(out):
    table = cuda.const.array_like(WEIGHTS)
    table[0, 0] = 1


@cuda.jit
def constant_of_an_argument(out):
    out[0] = cuda.const.array_like(out)[0]


@cuda.jit
def backwards(out, sizes, a, start, stop):
    b = a[::-1]
    c = a[start:stop:-2]
    d = a[start::-1]
    e = a[:stop:-3]
    sizes[0], sizes[1], sizes[2], sizes[3] = b.size, c.size, d.size, e.size
    for i in range(b.size):
        out[0, i] = b[i]
    for i in range(c.size):
        out[1, i] = c[i]
    for i in range(d.size):
        out[2, i] = d[i]
    for i in range(e.size):
        out[3, i] = e[i]


@cuda.jit
def raises_all(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1
        b[i] = a[i]


class Shared(unittest.TestCase):

    def test_as_much_as_the_launch_says(self):
        for threads in (1, 32, 100, 256):
            a = random.standard_normal(3 * threads - 1).astype(np.float32)
            out = np.zeros_like(a)
            reversed_by_block[3, threads, 0, 4 * threads](out, a)
            padded = np.append(a, np.float32(0)).reshape(3, threads)[:, ::-1].reshape(-1)
            np.testing.assert_array_equal(out, padded[:-1])

    def test_arrays_of_no_size_are_one_memory(self):
        out, sizes = np.zeros(8, np.uint8), np.zeros(2, np.int64)
        two_views[1, 32, 0, 27](out, sizes)
        self.assertEqual(out.tolist(), list(np.array([-2.0]).tobytes()))
        self.assertEqual(sizes.tolist(), [3, 27])

    def test_none(self):
        sizes = np.full(1, -1)
        no_memory[1, 1](sizes)
        self.assertEqual(sizes[0], 0)
        no_memory[1, 1, 0, 25](sizes)
        self.assertEqual(sizes[0], 3)

    def test_by_other_ways_to_launch(self):
        a = np.arange(64, dtype=np.float32)
        out = np.zeros_like(a)
        reversed_by_block.configure(1, 64, 0, 256)(out, a)
        self.assertEqual(out.tolist(), a[::-1].tolist())
        out[:] = 0
        reversed_by_block.forall(64, tpb=64, sharedmem=256)(out, a)
        self.assertEqual(out.tolist(), a[::-1].tolist())

    def test_too_much(self):
        with self.assertRaisesRegex(nereid.errors.NereidError, "240000 bytes of shared memory.* 232448 are accepted"):
            no_memory[1, 1, 0, 240000](np.zeros(1))
        with self.assertRaisesRegex(nereid.errors.NereidError, "-8 bytes"):
            no_memory[1, 1, 0, -8](np.zeros(1))
        with self.assertRaises(TypeError):
            no_memory[1, 1, 0, 1.5](np.zeros(1))

        @cuda.jit
        def huge(out):
            small = cuda.shared.array(10, numba.float32)
            large = cuda.shared.array((256, 256), numba.float32)
            large[0, 0] = small[0]

        with self.assertRaisesRegex(nereid.errors.CompilationError, r"large = cuda\.shared\.array.*\n +\^\n.*share 262184 "
                                    "bytes; a GPU gives them 232448 at most"):
            huge[1, 1](np.zeros(1))

    @unittest.skipIf(nereid.knobs.runtime.interpret is False, "asks the checked device")
    def test_beyond_the_end_is_found(self):
        a = np.zeros(32, np.float32)
        with self.assertRaisesRegex(Exception, "held"):
            reversed_by_block[1, 32, 0, 4 * 31](a, a.copy())


FIRST, SECOND, THIRD, FOURTH, FIFTH = (np.arange(2048.0) * power for power in (1, 3, 5, 7, 9))


@cuda.jit
def looks_up(out, i):
    out[0] = FIRST[i] + SECOND[i] + THIRD[i] + FOURTH[i] + FIFTH[i]


class Constants(unittest.TestCase):

    def test_numbers_of_all_kinds(self):
        out, weights, flags = np.zeros(6), np.zeros(6), np.zeros(4, np.int64)
        constants[1, 32](out, weights, flags)
        np.testing.assert_array_equal(out, WEIGHTS.reshape(-1) * 2)
        np.testing.assert_array_equal(weights, WEIGHTS[::-1].reshape(-1))
        self.assertEqual(flags.tolist(), [10, 20, 10, 10])

    def test_they_lie_in_constant_memory_of_a_gpu(self):
        ptx, _ = cuda.compile_ptx(constants.py_func, (numba.float64[:], numba.float64[:], numba.int64[:]), cc=(9, 0))
        self.assertIn(".const .align 16 .b8 table[48] = {0, 0, 0, 0, 0, 0, 224, 63", ptx.replace("_", ""))
        self.assertIn("ld.const.b64", ptx)

    def test_all_that_fit_lie_there(self):
        """Four of five tables of 16 KB: a module has 64 KB."""
        ptx, _ = cuda.compile_ptx(looks_up.py_func, (numba.float64[:], numba.int64), cc=(9, 0))
        self.assertEqual(len(re.findall(r"\.const \.align 16 \.b8 table\w*\[16384\]", ptx)), 4)
        self.assertEqual(len(re.findall(r"\.global \.align 16 \.b8 table\w*\[16384\]", ptx)), 1)
        out = np.zeros(1)
        looks_up[1, 1](out, 2047)
        self.assertEqual(out[0], sum(table[2047] for table in (FIRST, SECOND, THIRD, FOURTH, FIFTH)))

    def test_odd_ones(self):
        out, sizes = np.zeros(3, np.int64), np.zeros(4, np.int64)
        odd_constants[1, 1](out, sizes)
        self.assertEqual(out.tolist(), [-7, STRIPED[2], STRIPED[-1]])
        self.assertEqual(sizes.tolist(), [0, len(STRIPED), 1, 1])

    def test_mistakes(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, r"(?s)it is read only"):
            writes_a_constant[1, 1](np.zeros(1))
        with self.assertRaisesRegex(nereid.errors.CompilationError, "an array that is a constant of the module"):
            constant_of_an_argument[1, 1](np.zeros(1))


@cuda.jit
def cut_by_steps(out, a, low, high, step):
    part = a[low:high:step]
    out[0] = part.size
    for k in range(part.size):
        out[1 + k] = part[k]


@cuda.jit
def moves_the_only_element(x, y):
    x[()] = y[()] + 2


class Slices(unittest.TestCase):

    def test_backwards_as_numpy_has_them(self):
        for size in (0, 1, 2, 7):
            for start in (-9, -2, -1, 0, 1, 3, 6, 9):
                for stop in (-9, -1, 0, 2, 8):
                    a = random.standard_normal(size)
                    out, sizes = np.zeros((4, max(size, 1))), np.full(4, -1)
                    backwards[1, 1](out, sizes, a, start, stop)
                    for row, expected in enumerate((a[::-1], a[start:stop:-2], a[start::-1], a[:stop:-3])):
                        self.assertEqual(out[row, :sizes[row]].tolist(), expected.tolist(), (size, start, stop, row))

    def test_steps_that_only_the_run_knows(self):
        a = np.arange(10.0)
        for step in (1, 2, 3, 11, -1, -2, -7, -11):
            for low in (0, 3, -3, -20, 20):
                for high in (0, 5, 10, -1, -20, 30):
                    out = np.full(12, -1.0)
                    cut_by_steps[1, 1](out, a, low, high, step)
                    wanted = a[low:high:step]
                    self.assertEqual(out[0], wanted.size, (low, high, step))
                    np.testing.assert_array_equal(out[1:1 + wanted.size], wanted)

    def test_arrays_without_dimensions(self):
        x = np.zeros(())
        moves_the_only_element[1, 1](x, np.array(5, np.int32))
        self.assertEqual(x, 7)
        z = np.zeros((), np.complex128)
        moves_the_only_element[1, 1](z, np.array(1 + 2j))
        self.assertEqual(z, 3 + 2j)

    def test_a_step_of_zero(self):

        @cuda.jit
        def still(out):
            out[0] = out[::0].size

        with self.assertRaisesRegex(nereid.errors.CompilationError, "the step of a slice is a number other than 0"):
            still[1, 1](np.zeros(3))


class Hints(unittest.TestCase):

    def test_in_stays_as_it_is_and_out_comes_back(self):
        a, b = np.arange(5.0), np.zeros(5)
        raises_all[1, 8](cuda.In(a), cuda.Out(b))
        self.assertEqual((a.tolist(), b.tolist()), ([0, 1, 2, 3, 4], [1, 2, 3, 4, 5]))
        there = cuda.In(a)
        raises_all[1, 8](there, cuda.Out(b))
        a[0] = 10
        raises_all[1, 8](there, cuda.Out(b))
        self.assertEqual((a.tolist(), b.tolist()), ([10, 1, 2, 3, 4], [11, 2, 3, 4, 5]))
        raises_all[1, 8](cuda.InOut(a), cuda.InOut(b))
        self.assertEqual((a.tolist(), b.tolist()), ([11, 2, 3, 4, 5], [11, 2, 3, 4, 5]))

    def test_of_what_lies_on_the_device(self):
        a, b = cuda.to_device(np.arange(3.0)), np.zeros(3)
        raises_all[1, 4](cuda.InOut(a), cuda.Out(b))
        self.assertEqual((a.copy_to_host().tolist(), b.tolist()), ([1, 2, 3], [1, 2, 3]))

    def test_memory_that_the_host_reaches(self):
        for make in (cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
            made = make(6, np.float32)
            made[:] = 3
            raises_all[1, 8](made, made)
            cuda.synchronize()
            self.assertEqual(np.asarray(made).tolist(), [4] * 6)
        host = np.zeros(4)
        with cuda.pinned(host):
            raises_all[1, 4](host, host)
        self.assertEqual(host.tolist(), [1] * 4)

    def test_how_much_memory_is_free(self):
        free, total = cuda.current_context().get_memory_info()
        self.assertTrue(0 < free <= total)


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
