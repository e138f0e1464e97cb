# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written for numba.cuda, under `python -m nereid --numba`: kernels, arrays and what goes wrong, against NumPy in
higher precision. The whole runs again on the checked device."""

import linecache
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

warnings.filterwarnings(action="ignore", category=numba.NumbaPerformanceWarning, module="numba")
random = np.random.default_rng(28)
THREADS = 256
HALO = 2


@cuda.jit
def zip_kernel(out, a, b, size):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < size:
        out[i] = a[i] + b[i]


@cuda.jit
def outer_sum(out, a, b):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, 0] + b[0, j]


@cuda.jit
def pool_shared(out, a, size):
    shared = cuda.shared.array(8 + HALO, numba.float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    shared[t + HALO] = a[i] if i < size else 0
    if t < HALO:
        shared[t] = a[i - HALO] if i >= HALO and i - HALO < size else 0
    cuda.syncthreads()
    if i < size:
        out[i] = shared[t] + shared[t + 1] + shared[t + 2]


@cuda.jit
def dot(a, b, out, size):
    shared = cuda.shared.array(THREADS, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = a[i] * b[i] if i < size else 0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            shared[t] += shared[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, shared[0])


@cuda.jit(device=True)
def sigmoid(x):
    return 1 / (1 + math.exp(-x))


@cuda.jit("void(float32[:], float32[:])")
def silu(out, a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        out[i] = a[i] * sigmoid(a[i])


@cuda.jit
def extremes(out, a):
    out[0] = min(a[0], a[1])
    out[1] = max(a[0], a[1])


@cuda.jit
def fill(out, value):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = value


@cuda.jit
def copy_2d(out, a):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j]


class Kernels(unittest.TestCase):

    def test_sizes_of_a_sum(self):
        for size in (0, 1, 31, 256, 257, 1000):
            a, b = random.standard_normal((2, size)).astype(np.float32)
            out = cuda.to_device(np.zeros(size, np.float32))
            zip_kernel[max(1, -(-size // THREADS)), THREADS](out, cuda.to_device(a), cuda.to_device(b), size)
            np.testing.assert_array_equal(out.copy_to_host(), a + b)

    def test_types_are_those_of_the_arrays(self):
        for dtype in (np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float16, np.float32, np.float64):
            a, b = random.integers(0, 50, (2, 77)).astype(dtype)
            out = np.zeros(77, np.float64)
            zip_kernel[1, 128](out, a, b, 77)
            np.testing.assert_array_equal(out, a.astype(np.float64) + b)

    def test_a_block_of_two_dimensions(self):
        a, b = random.standard_normal((5, 1)), random.standard_normal((1, 9))
        for grid, block in (((5, 9), 1), ((1, 1), (8, 16)), ((3, 3), (2, 3))):
            out = np.zeros((5, 9))
            outer_sum[grid, block](out, a, b)
            np.testing.assert_array_equal(out, a + b)

    def test_shared_memory_with_a_halo(self):
        for size in (1, 8, 13, 100):
            a = random.standard_normal(size).astype(np.float32)
            out = np.zeros_like(a)
            pool_shared[-(-size // 8), 8](out, a, size)
            wide = np.concatenate(([0, 0], a)).astype(np.float64)
            np.testing.assert_allclose(out, wide[:-2] + wide[1:-1] + wide[2:], atol=1e-6)

    def test_a_sum_over_blocks(self):
        for size in (1, 256, 5000):
            a, b = random.standard_normal((2, size)).astype(np.float32)
            out = np.zeros(1, np.float64)
            dot[-(-size // THREADS), THREADS](a, b, out, size)
            np.testing.assert_allclose(out[0], a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)

    def test_a_function_of_the_device_and_a_signature(self):
        a = random.standard_normal(999).astype(np.float32)
        out = np.zeros_like(a)
        silu[2, 32](out, a)
        wide = a.astype(np.float64)
        np.testing.assert_allclose(out, wide / (1 + np.exp(-wide)), rtol=1e-5, atol=1e-6)

    def test_scalars_have_the_types_of_python(self):
        out = np.zeros(3, np.int64)
        fill[1, 4](out, 2**40 + 1)
        self.assertEqual(out.tolist(), [2**40 + 1] * 3)
        real = np.zeros(3)
        fill[1, 4](real, 0.1)
        self.assertEqual(real.tolist(), [0.1] * 3)
        fill[1, 4](real, np.float32(0.1))
        self.assertEqual(real.tolist(), [float(np.float32(0.1))] * 3)

    def test_for_all_tasks(self):
        out = np.zeros(1000, np.int32)
        fill.forall(1000)(out, 7)
        self.assertEqual(out.tolist(), [7] * 1000)
        fill.forall(0)(out, 8)
        self.assertEqual(out[0], 7)

    def test_what_python_sees_of_a_kernel(self):
        self.assertEqual(silu.__name__, "silu")
        self.assertEqual(sigmoid(0.0), 0.5)
        self.assertEqual(sigmoid.py_func(0.0), 0.5)

    def test_a_constant_of_the_module_is_read_when_the_kernel_is(self):
        scope = {"cuda": cuda, "WIDTH": 4, "numba": numba}
        text = "@cuda.jit\ndef tail(out):\n    out[cuda.grid(1)] = WIDTH\n"
        linecache.cache["<tail>"] = (len(text), None, text.splitlines(True), "<tail>")
        exec(compile(text, "<tail>", "exec"), scope)
        out = np.zeros(2, np.int32)
        scope["tail"][1, 2](out)
        self.assertEqual(out.tolist(), [4, 4])


    def test_extremes_pass_over_what_is_no_number(self):
        nan = float("nan")
        for a, b, least, greatest in ((nan, 2, 2, 2), (2, nan, 2, 2), (1, 2, 1, 2), (2, -1, -1, 2)):
            out = np.zeros(2)
            extremes[1, 1](out, np.array([a, b], np.float64))
            self.assertEqual(out.tolist(), [least, greatest])

    def test_print_writes_a_line_for_each_thread(self):
        output, errors, code = run_program("""
import numpy as np
from numba import cuda

@cuda.jit
def kernel(a):
    i = cuda.threadIdx.x
    if i > 1:
        print("thread", i, "has", a[i], True)

kernel[1, 4](np.arange(4))
""", options=("--numba", ))
        self.assertEqual((sorted(output.splitlines()), code), (["thread 2 has 2 True", "thread 3 has 3 True"], 0), errors)


class Arrays(unittest.TestCase):

    def test_orders_and_slices(self):
        a = random.standard_normal((6, 8)).astype(np.float32)
        for view in (a, a.T, a[::2], a[:, 1:7:3], np.asfortranarray(a), a[::-1, ::-1]):
            out = np.zeros(view.shape, np.float32)
            copy_2d[(2, 2), (4, 4)](out, view)
            np.testing.assert_array_equal(out, view)
            target = np.zeros((2 * view.shape[0], 3 * view.shape[1]), np.float32)
            copy_2d[(2, 2), (4, 4)](target[::2, ::3], view)
            np.testing.assert_array_equal(target[::2, ::3], view)
            self.assertEqual(np.count_nonzero(target), view.size)

    def test_there_and_back(self):
        a = random.integers(0, 99, (3, 4))
        there = cuda.to_device(a)
        a[0, 0] = -1  # is a copy
        self.assertNotEqual(there.copy_to_host()[0, 0], -1)
        there.copy_to_device(a)
        back = np.empty_like(a)
        there.copy_to_host(back)
        np.testing.assert_array_equal(back, a)
        self.assertEqual((there.shape, there.dtype, there.ndim, there.size), ((3, 4), a.dtype, 2, 12))
        np.testing.assert_array_equal(there[1:].copy_to_host(), a[1:])
        np.testing.assert_array_equal(there.T.copy_to_host(), a.T)
        np.testing.assert_array_equal(there.reshape(4, 3).copy_to_host(), a.reshape(4, 3))
        there[1] = 5
        self.assertEqual(there.copy_to_host()[1].tolist(), [5] * 4)
        with self.assertRaisesRegex(ValueError, "incompatible shape"):
            there.copy_to_host(np.empty((4, 3), a.dtype))
        with self.assertRaisesRegex(TypeError, "incompatible dtype"):
            there.copy_to_host(np.empty((3, 4), np.float32))

    def test_made_on_the_device(self):
        made = cuda.device_array((2, 3), np.float32)
        self.assertEqual((made.shape, made.dtype, made.is_c_contiguous()), ((2, 3), np.float32, True))
        self.assertTrue(cuda.device_array((2, 3), order="F").is_f_contiguous())
        self.assertTrue(cuda.is_cuda_array(cuda.device_array_like(np.ones(3))))
        self.assertFalse(cuda.is_cuda_array(np.ones(3)))
        self.assertEqual(cuda.to_device(np.array(3.5)).copy_to_host(), 3.5)
        with self.assertRaises(TypeError):
            cuda.to_device(np.array([object()]))

    def test_streams_and_events(self):
        stream = cuda.stream()
        begin, end = cuda.event(), cuda.event()
        begin.record(stream)
        out = cuda.to_device(np.zeros(4), stream=stream)
        fill[1, 4, stream](out, 1.0)
        end.record(stream)
        end.synchronize()
        self.assertGreaterEqual(cuda.event_elapsed_time(begin, end), 0)
        stream.synchronize()
        cuda.synchronize()
        self.assertEqual(out.copy_to_host(stream=stream).tolist(), [1] * 4)


class Mistakes(unittest.TestCase):

    def test_of_a_launch(self):
        out = np.zeros(4)
        with self.assertRaisesRegex(ValueError, "launch configuration"):
            fill(out, 1.0)
        with self.assertRaisesRegex(ValueError, "griddim and blockdim"):
            fill[1](out, 1.0)
        with self.assertRaisesRegex(TypeError, "blockdim must be a sequence of integers"):
            fill[1, 1.5](out, 1.0)
        with self.assertRaisesRegex(ValueError, "1, 2 or 3"):
            fill[(1, 1, 1, 1), 32](out, 1.0)
        with self.assertRaisesRegex(Exception, "1024"):
            fill[1, 2048](out, 1.0)
        with self.assertRaises(TypeError):
            fill[1, 32](out)
        with self.assertRaisesRegex(nereid.errors.CompilationError, "'text' is not a value"):
            fill[1, 32](out, "text")

    def test_of_the_text_shows_its_place(self):
        output, errors, code = run_program("""
import numpy as np
from numba import cuda

@cuda.jit
def kernel(out):
    out[cuda.threadIdx.w] = 1

kernel[1, 4](np.zeros(4))
""", options=("--numba", ))
        self.assertEqual(code, 1)
        self.assertIn("    out[cuda.threadIdx.w] = 1\n                       ^\n", errors)
        self.assertIn("has no attribute 'w'", errors)

    def test_names_of_kernels_say_so_outside(self):
        with self.assertRaisesRegex(RuntimeError, "in kernels alone"):
            cuda.syncthreads()


class Programs(unittest.TestCase):

    def test_numba_is_not_needed(self):
        output, errors, code = run_program("import numba\nfrom numba import cuda\nprint(cuda.__file__, numba.float32)",
                                           options=("--numba", ))
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("as_numba", output)

    def test_without_the_option_numba_stays(self):
        output, _, _ = run_program("import sys, importlib.util\nprint(importlib.util.find_spec('numba'))")
        self.assertNotIn("as_numba", output)

    def test_no_program(self):
        _, errors, code = run_program("", options=("--numba", "-c"))
        self.assertNotEqual(code, 0)

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
