# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda's arrays, streams, events and devices on GPUs, where there is none: the driver is a library whose memory is
the host's, whose kernels do nothing, and whose streams do nothing before somebody waits for them."""

import ctypes
import gc
import os
import sys
import unittest
import warnings

from running import main, require

FAKE = os.environ.get("NEREID_TEST_FAKE_CUDA", "")
if not FAKE:
    print("skipped: NEREID_TEST_FAKE_CUDA names no driver to test with")
    sys.exit(77)
os.environ["NEREID_LIBCUDA"] = FAKE
os.environ["FAKE_CUDA"] = "devices=2 kernel=kernel_fill:8,8,4 kernel=kernel_alone:8 kernel=kernel_following:4,8,8,8,8"
os.environ.pop("TRITON_INTERPRET", None)
require("numpy")
import numpy as np

import nereid

nereid.install_as_numba_cuda()
import numba
from numba import cuda

library = ctypes.CDLL(FAKE)
library.fakeCudaTakeLaunches.restype = ctypes.c_char_p
random = np.random.default_rng(41)
NOT_READY = 600


@cuda.jit
def fill(out, value):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = value


@cuda.jit
def alone(n):
    if n < 0:
        cuda.syncthreads()


def launches():
    """Of each launch that the driver got: grid, threads, stream, values."""
    words = [line.split() for line in library.fakeCudaTakeLaunches().decode().splitlines()]
    return [(tuple(map(int, word[2:5])), int(word[6]), int(word[8]), list(map(int, word[10].split(",")))) for word in words]


def state_of(stream, device=0):
    """0: all work is done; NOT_READY: it is not."""
    context = ctypes.c_void_p()
    library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    library.cuCtxPushCurrent_v2(context)
    result = library.cuStreamQuery(ctypes.c_void_p(stream))
    library.cuCtxPopCurrent_v2(ctypes.byref(context))
    library.cuDevicePrimaryCtxRelease_v2(device)
    return result


class Order(unittest.TestCase):
    """Whoever reads an array has waited for the kernels that were launched before."""

    def test_default_stream(self):
        array = cuda.to_device(np.zeros(8))
        for read in (array.copy_to_host, lambda: array[3], lambda: array[::2].copy_to_host(), cuda.synchronize,
                     lambda: array.T.copy_to_host(), lambda: np.asarray(array), cuda.default_stream().synchronize):
            fill[1, 8](array, 3)
            self.assertEqual(state_of(0), NOT_READY)
            read()
            self.assertEqual(state_of(0), 0)
        self.assertEqual({launch[2] for launch in launches()}, {0})

    def test_a_stream_and_the_default_one_wait_for_each_other(self):
        stream = cuda.stream()
        array = cuda.to_device(np.zeros(8))
        fill[1, 8, stream](array, 3)
        self.assertEqual((state_of(int(stream)), launches()[0][2]), (NOT_READY, int(stream)))
        array.copy_to_host()
        self.assertEqual(state_of(int(stream)), 0)
        fill[1, 8](array, 3)
        fill[1, 8, stream](array, 3)
        stream.synchronize()
        self.assertEqual(state_of(0), 0)
        launches()

    def test_copies_of_a_stream_go_on_meanwhile(self):
        stream = cuda.stream()
        host = random.standard_normal(1000)
        there = cuda.to_device(host, stream=stream)
        back = there.copy_to_host(stream=stream)
        self.assertEqual(state_of(int(stream)), NOT_READY)
        stream.synchronize()
        np.testing.assert_array_equal(back, host)
        with stream.auto_synchronize():
            fill[1, 8, stream](there, 3)
        self.assertEqual(state_of(int(stream)), 0)
        launches()

    def test_what_a_copy_reads_and_writes_stays(self):
        stream = cuda.stream()
        expected = random.standard_normal(1 << 16)
        there = cuda.to_device(expected.copy(), stream=stream)
        back = there.copy_to_host(stream=stream)
        part = there[7:].copy_to_host(stream=stream)
        del there
        gc.collect()
        cuda.synchronize()
        np.testing.assert_array_equal(back, expected)
        np.testing.assert_array_equal(part, expected[7:])

    def test_events(self):
        stream = cuda.stream()
        array = cuda.to_device(np.zeros(8))
        begin, end = cuda.event(), cuda.event()
        self.assertTrue(begin.query())
        begin.record(stream)
        fill[1, 8, stream](array, 3)
        end.record(stream)
        self.assertFalse(end.query())
        end.synchronize()
        self.assertTrue(end.query())
        self.assertGreaterEqual(cuda.event_elapsed_time(begin, end), 0)
        other = cuda.stream()
        fill[1, 8, stream](array, 3)
        end.record(stream)
        end.wait(other)
        other.synchronize()
        self.assertEqual(state_of(int(stream)), 0)
        launches()


class Arrays(unittest.TestCase):

    def test_structures(self):
        host = np.zeros(6, np.dtype([("a", "f8"), ("b", "i4"), ("c", "f4", 3)], align=True))
        host["b"] = np.arange(6)
        there = cuda.to_device(host)
        np.testing.assert_array_equal(there.copy_to_host(), host)
        np.testing.assert_array_equal(there[1::2].copy_to_host(), host[1::2])
        self.assertEqual(there[2]["b"], 2)

    def test_views_are_those_of_numpy(self):
        host = random.standard_normal((6, 8, 3)).astype(np.float32)
        there = cuda.to_device(host)
        for look in (lambda a: a, lambda a: a.T, lambda a: a[1], lambda a: a[::2, 1:7:3], lambda a: a[::-1, ::-2],
                     lambda a: a[..., 1], lambda a: a[2, 3], lambda a: a.reshape(48, 3), lambda a: a.reshape((3, -1)),
                     lambda a: a.ravel(), lambda a: a.transpose((1, 2, 0)), lambda a: a.view(np.int32),
                     lambda a: a[1:2].squeeze(), lambda a: a[:, ::2].reshape(-1), lambda a: a[3][1:],
                     lambda a: a.T[1:].T, lambda a: a.ravel(order="F")):
            expected, found = look(host), look(there)
            self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
            np.testing.assert_array_equal(found.copy_to_host(), expected)
            held = np.zeros(expected.shape[::-1], expected.dtype).T
            found.copy_to_host(held)
            np.testing.assert_array_equal(held, expected)
        self.assertEqual(there[2, 3, 1], host[2, 3, 1])
        self.assertEqual(there[-1, -1, -1], host[-1, -1, -1])
        np.testing.assert_array_equal(there[[0, 2]], host[[0, 2]])
        self.assertEqual([part.shape for part in there.split(4)], [(4, 8, 3), (2, 8, 3)])
        with self.assertRaises(IndexError):
            there[6]

    def test_writes_through_views_leave_the_rest(self):
        for order in "CF":
            host = np.array(random.integers(0, 99, (6, 9)), order=order)
            there = cuda.to_device(host)
            self.assertEqual((there.is_c_contiguous(), there.is_f_contiguous()), (order == "C", order == "F"))
            row = random.integers(0, 99, 9)
            for array in (host, there):
                array[1] = 5
                array[::2, 1::3] = np.arange(9).reshape(3, 3)
                array[4] = row
                array[3, 3] = -1
                array[:, -1] = 7
            np.testing.assert_array_equal(there.copy_to_host(), host)
            there[2:4].copy_to_device(host[:2])
            there.T[5].copy_to_device(cuda.to_device(host[:, 0]))
            host[2:4], host[:, 5] = host[:2].copy(), host[:, 0].copy()
            np.testing.assert_array_equal(there.copy_to_host(), host)

    def test_sizes(self):
        for shape in (0, 5, (3, 0, 2), (1, 1), ()):
            host = np.ones(shape)
            there = cuda.to_device(host)
            self.assertEqual((there.shape, there.size, there.nbytes), (host.shape, host.size, host.nbytes))
            np.testing.assert_array_equal(there.copy_to_host(), host)
        with self.assertRaises(ValueError):
            cuda.device_array(-1)
        with self.assertRaisesRegex(ValueError, "incompatible shape"):
            cuda.to_device(np.ones(3)).copy_to_device(np.ones(4))
        with self.assertRaisesRegex(TypeError, "incompatible dtype"):
            cuda.to_device(np.ones(3)).copy_to_host(np.ones(3, np.int8))

    def test_interface(self):
        there = cuda.to_device(random.standard_normal((4, 6)))
        part = there[1:, ::2]
        described, whole = part.__cuda_array_interface__, there.__cuda_array_interface__
        self.assertEqual((described["shape"], described["strides"], described["typestr"]), ((3, 3), (48, 16), "<f8"))
        self.assertEqual((described["data"][0] - whole["data"][0], whole["strides"]), (48, None))
        bound = there.bind(cuda.stream())
        self.assertEqual(bound.__cuda_array_interface__["stream"], int(bound.stream))

    def test_launches_get_addresses_and_extents(self):
        there = cuda.to_device(np.zeros(64))
        fill[(2, 3), 32](there, 7)
        (grid, threads, stream, values), = launches()
        self.assertEqual((grid, threads, stream), ((2, 3, 1), 32, 0))
        self.assertEqual(values[0], there.__cuda_array_interface__["data"][0])

    def test_arrays_of_the_host_are_copied_there_and_back(self):
        for host in (np.arange(64.0), np.arange(128.0)[::2], bytearray(64)):
            before = bytes(host) if isinstance(host, bytearray) else host.copy()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                fill[1, 64](host, 7)
            self.assertEqual([each.category for each in caught], [numba.NumbaPerformanceWarning])
            self.assertIn("copy overhead", str(caught[0].message))
            self.assertEqual(caught[0].filename, __file__)
            np.testing.assert_array_equal(host, before if isinstance(host, np.ndarray) else bytearray(before))
            self.assertEqual(state_of(0), 0)
        self.assertEqual(len(launches()), 3)

    def test_an_array_that_cannot_be_copied_is_named(self):
        message = r"^argument 'out': arrays of float128 are no arguments of a kernel"
        with self.assertRaisesRegex(TypeError, message):
            fill[1, 1](np.zeros(3, np.longdouble), 1.0)

    def test_complex_arrays_are_copied_as_their_parts(self):
        held = cuda.to_device(np.arange(6).reshape(2, 3) * (1 + 2j))
        self.assertEqual((held.shape, held.strides, held.dtype), ((2, 3), (48, 16), np.complex128))
        np.testing.assert_array_equal(held.copy_to_host(), np.arange(6).reshape(2, 3) * (1 + 2j))
        np.testing.assert_array_equal(held[1, ::2].copy_to_host(), [3 + 6j, 5 + 10j])

    def test_which_way_an_array_is_copied(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for hint, comes_back, first in ((cuda.In, False, 100), (cuda.Out, True, 200), (cuda.InOut, True, 300)):
                given = np.arange(64.0) + first
                host = given.copy()
                fill[1, 64](hint(host), 7)
                self.assertEqual(len(launches()), 1)
                # Of what was not copied there, whatever lay there comes back.
                self.assertEqual((host == given).all(), hint is not cuda.Out)
                self.assertEqual(state_of(0), 0 if comes_back else NOT_READY)
                cuda.synchronize()
            there = cuda.to_device(np.zeros(8))
            fill[1, 8](cuda.InOut(there), 7)
            self.assertEqual(launches()[0][3][0], there.__cuda_array_interface__["data"][0])

    def test_a_function_of_arrays(self):
        from nereid.threads.ufuncs import UFunc

        @UFunc
        def following(value):
            return value + 1

        following.add("float64(float64)")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(following(np.zeros(300)).shape, (300, ))
            there = following(cuda.to_device(np.zeros(300)))
        self.assertTrue(cuda.is_cuda_array(there))
        self.assertEqual([(grid, threads) for grid, threads, _, _ in launches()], [((3, 1, 1), 128)] * 2)


class Devices(unittest.TestCase):

    def tearDown(self):
        cuda.select_device(0)
        launches()

    def test_each_has_arrays_of_its_own(self):
        self.assertEqual(len(cuda.gpus), 2)
        cuda.select_device(1)
        self.assertEqual(cuda.get_current_device().id, 1)
        second = cuda.to_device(np.zeros(64))
        fill[1, 64](second, 7)
        self.assertEqual((state_of(0, device=1), state_of(0, device=0)), (NOT_READY, 0))
        second.copy_to_host()
        self.assertEqual(state_of(0, device=1), 0)
        cuda.select_device(0)
        np.testing.assert_array_equal(second.copy_to_host(), np.zeros(64))
        with cuda.gpus[1]:
            self.assertEqual(cuda.current_context().device.id, 1)
        self.assertEqual(cuda.current_context().device.id, 0)
        launches()
        with self.assertRaises(ValueError):
            cuda.select_device(2)

    def test_facts(self):
        device = cuda.get_current_device()
        self.assertEqual((device.compute_capability, device.WARP_SIZE, device.MULTIPROCESSOR_COUNT), ((9, 0), 32, 132))
        self.assertEqual(device.name, b"Fake H200")
        self.assertTrue(cuda.is_available())

    def test_free_memory(self):
        before = cuda.current_context().get_memory_info()
        held = cuda.device_array(1 << 20, np.uint8)
        after = cuda.current_context().get_memory_info()
        self.assertEqual((before.total, before.free - after.free), (after.total, held.nbytes))

    def test_kernels_without_arrays(self):
        cuda.select_device(1)
        alone[1, 32](5)
        self.assertEqual(state_of(0, device=1), NOT_READY)
        cuda.synchronize()
        self.assertEqual((state_of(0, device=1), len(launches())), (0, 1))


if __name__ == "__main__":
    main()
