# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics of numba.cuda that count round or pass over NaN, and which lanes are here, against what one thread after the
other would do. On the active device, and again on the checked one."""

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
random = np.random.default_rng(61)


@cuda.jit
def count_up(counter, drawn, last):
    i = cuda.grid(1)
    if i < drawn.size:
        drawn[i] = cuda.atomic.inc(counter, 0, last)


@cuda.jit
def count_down(counter, drawn, last):
    i = cuda.grid(1)
    if i < drawn.size:
        drawn[i] = cuda.atomic.dec(counter, 0, last)


@cuda.jit
def extremes(plain, over_nan, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.max(plain, 0, values[i])
        cuda.atomic.min(plain, 1, values[i])
        cuda.atomic.nanmax(over_nan, 0, values[i])
        cuda.atomic.nanmin(over_nan, 1, values[i])


@cuda.jit
def shared_counter(out, last):
    counter = cuda.shared.array(1, numba.uint32)
    if cuda.threadIdx.x == 0:
        counter[0] = 0
    cuda.syncthreads()
    cuda.atomic.inc(counter, 0, last)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = counter[0]


@cuda.jit
def here(out, odd):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = cuda.activemask()
    if i < odd.size and i % 2:
        odd[i] = cuda.activemask()


@cuda.jit
def count_for_the_warp(counter, places, values):
    i = cuda.grid(1)
    if i < values.size and values[i] > 0:
        mask = cuda.activemask()
        leader = cuda.ffs(mask) - 1
        first = 0
        if cuda.laneid == leader:
            first = cuda.atomic.add(counter, 0, cuda.popc(mask))
        first = cuda.shfl_sync(mask, first, leader)
        places[i] = first + cuda.popc(mask & cuda.lanemask_lt())


@cuda.jit
def inc_of_signed(a):
    cuda.atomic.inc(a, 0, 3)


def signed(bits):
    return int(np.uint32(bits).astype(np.int32))


class Counters(unittest.TestCase):

    def test_up_and_round(self):
        for dtype in (np.uint32, np.uint64):
            for count, last, begin in ((1, 0, 0), (100, 6, 0), (33, 1000, 5), (40, 4, 9)):
                counter, drawn = np.array([begin], dtype), np.zeros(count, dtype)
                count_up[-(-count // 32), 32](counter, drawn, dtype(last))
                value, expected = begin, []
                for _ in range(count):
                    expected.append(value)
                    value = 0 if value >= last else value + 1
                self.assertEqual((sorted(drawn.tolist()), counter[0]), (sorted(expected), value))

    def test_down_and_round(self):
        for dtype in (np.uint32, np.uint64):
            for count, last, begin in ((1, 0, 0), (100, 6, 6), (33, 1000, 5), (40, 4, 9)):
                counter, drawn = np.array([begin], dtype), np.zeros(count, dtype)
                count_down[-(-count // 32), 32](counter, drawn, dtype(last))
                value, expected = begin, []
                for _ in range(count):
                    expected.append(value)
                    value = last if value == 0 or value > last else value - 1
                self.assertEqual((sorted(drawn.tolist()), counter[0]), (sorted(expected), value))

    def test_beyond_half_of_the_numbers(self):
        counter, drawn = np.array([2**32 - 2], np.uint32), np.zeros(3, np.uint32)
        count_up[1, 3](counter, drawn, np.uint32(2**32 - 1))
        self.assertEqual((sorted(drawn.tolist()), counter[0]), ([0, 2**32 - 2, 2**32 - 1], 1))

    def test_in_shared_memory(self):
        out = np.zeros(3, np.uint32)
        shared_counter[3, 100](out, np.uint32(63))
        self.assertEqual(out.tolist(), [100 - 64] * 3)

    def test_of_other_types(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, "an array of uint32 or uint64"):
            inc_of_signed[1, 1](np.zeros(1, np.int32))


class Extremes(unittest.TestCase):

    def test_nan_counts_as_nothing(self):
        for dtype in (np.float32, np.float64):
            for share in (0, 0.3, 1):
                values = random.standard_normal(200).astype(dtype)
                values[random.random(200) < share] = np.nan
                for begin in (0.0, np.nan, 9.0, -9.0):
                    plain, over = np.full(2, 0 if np.isnan(begin) else begin, dtype), np.full(2, begin, dtype)
                    extremes[2, 128](plain, over, values)
                    held = np.append(values, over.dtype.type(begin))
                    expected = [np.nan] * 2 if np.isnan(held).all() else [np.nanmax(held), np.nanmin(held)]
                    np.testing.assert_array_equal(over, np.array(expected, dtype))
                    held = np.append(values, plain.dtype.type(0 if np.isnan(begin) else begin))
                    np.testing.assert_array_equal(plain, np.array([np.nanmax(held), np.nanmin(held)], dtype))

    def test_of_integers(self):
        for dtype in (np.int32, np.uint32, np.int64, np.uint64):
            values = random.integers(0, 1000, 77).astype(dtype) * dtype(3)
            plain, over = np.full(2, 1500, dtype), np.full(2, 1500, dtype)
            extremes[1, 96](plain, over, values)
            self.assertEqual(over.tolist(), [max(1500, values.max()), min(1500, values.min())])
            self.assertEqual(plain.tolist(), over.tolist())


class Lanes(unittest.TestCase):

    def test_who_is_here(self):
        for count in (1, 31, 32, 40, 96):
            out, odd = np.zeros(count, np.int32), np.zeros(count, np.int32)
            here[1, 96](out, odd)
            for i in range(count):
                lanes = range(i - i % 32, min(i - i % 32 + 32, count))
                self.assertEqual(out[i], signed(sum(1 << lane % 32 for lane in lanes)))
                self.assertEqual(odd[i], signed(sum(1 << lane % 32 for lane in lanes if lane % 2)) if i % 2 else 0)

    def test_one_addition_for_a_warp(self):
        for count in (1, 64, 150):
            values = random.standard_normal(count)
            counter, places = np.zeros(1, np.int32), np.full(count, -1, np.int32)
            count_for_the_warp[2, 96](counter, places, values)
            wanted = int((values > 0).sum())
            self.assertEqual(counter[0], wanted)
            self.assertEqual(sorted(places[values > 0].tolist()), list(range(wanted)))
            self.assertTrue((places[values <= 0] == -1).all())


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
