# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shuffles, votes and counting barriers of numba.cuda, against what each lane should get, computed lane by lane in
NumPy. On the active device, and again on the checked one."""

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
random = np.random.default_rng(32)
ALL = 0xffffffff
SHAPES = (32, ), (64, ), (96, ), (256, ), (16, 4), (8, 4, 4), (1024, )


@cuda.jit
def lanes(lane, before, out_of):
    i = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    lane[i] = cuda.laneid
    before[i] = cuda.lanemask_lt()
    out_of[i] = cuda.warpsize


@cuda.jit
def shuffles(out, values, amounts):
    i = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    value = values[i]
    out[0, i] = cuda.shfl_sync(0xffffffff, value, amounts[i])
    out[1, i] = cuda.shfl_up_sync(0xffffffff, value, amounts[0])
    out[2, i] = cuda.shfl_down_sync(0xffffffff, value, amounts[0])
    out[3, i] = cuda.shfl_xor_sync(0xffffffff, value, amounts[0] & 31)


@cuda.jit
def votes(out, values, some):
    i = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    value = values[i]
    out[0, i] = cuda.all_sync(0xffffffff, value)
    out[1, i] = cuda.any_sync(0xffffffff, value)
    out[2, i] = cuda.eq_sync(0xffffffff, value)
    out[3, i] = cuda.ballot_sync(0xffffffff, value)
    out[4, i] = cuda.match_any_sync(0xffffffff, value)
    mask, same = cuda.match_all_sync(0xffffffff, value)
    out[5, i] = mask
    out[6, i] = same
    if (some >> cuda.laneid) & 1:
        out[7, i] = cuda.ballot_sync(some, value)


@cuda.jit
def counts(out, values):
    i = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    out[0, i] = cuda.syncthreads_count(values[i])
    out[1, i] = cuda.syncthreads_and(values[i])
    out[2, i] = cuda.syncthreads_or(values[i])
    out[3, i] = cuda.syncthreads_or(values[i] > 5)


@cuda.jit
def warp_sum(out, values):
    i = cuda.grid(1)
    value = values[i] if i < values.size else 0.0
    step = 16
    while step > 0:
        value += cuda.shfl_down_sync(0xffffffff, value, step)
        step //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, value)


@cuda.jit
def hand_over(out, values):
    cache = cuda.shared.array(64, numba.int32)
    i = cuda.threadIdx.x
    cache[i] = values[i]
    cuda.syncwarp()
    out[i] = cache[i ^ 1]


def signed(bits):
    return int(np.uint32(bits).astype(np.int32))


class Warps(unittest.TestCase):

    def test_lanes(self):
        for shape in (*SHAPES, (5, 3), (7, )):
            count = int(np.prod(shape))
            lane, before, size = (np.zeros(count, np.int64) for _ in range(3))
            lanes[1, shape](lane, before, size)
            expected = np.arange(count) % 32
            self.assertEqual(lane.tolist(), expected.tolist())
            self.assertEqual(before.tolist(), [2**int(i) - 1 for i in expected])
            self.assertEqual(size.tolist(), [32] * count)

    def test_shuffles(self):
        for dtype in (np.int16, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64):
            for shape in SHAPES:
                count = int(np.prod(shape))
                values = random.integers(0, 100, count).astype(dtype) + dtype(0.25)
                if dtype in (np.int64, np.float64):
                    values += dtype(2**40)
                amounts = random.integers(0, 40, count).astype(np.int32)
                out = np.zeros((4, count), dtype)
                shuffles[1, shape](out, values, amounts)
                expected = np.zeros((4, count), dtype)
                first = int(amounts[0])
                for i in range(count):
                    base, lane = i - i % 32, i % 32
                    inside = lambda other: values[base + other] if 0 <= other < 32 else values[i]
                    expected[:, i] = (values[base + amounts[i] % 32], inside(lane - first), inside(lane + first),
                                      inside(lane ^ (first & 31)))
                np.testing.assert_array_equal(out, expected)

    def test_votes(self):
        for shape in SHAPES:
            for most in (0, 1, 2, 50):
                count = int(np.prod(shape))
                values = random.integers(0, most + 1, count).astype(np.int32) + (most == 0) * int(random.integers(0, 2))
                some = int(random.integers(1, 2**31))
                out = np.zeros((8, count), np.int64)
                votes[1, shape](out, values, some)
                for i in range(count):
                    mine = values[i - i % 32:i - i % 32 + 32]
                    holds = [bool(value) for value in mine]
                    bits = sum(1 << lane for lane in range(32) if holds[lane])
                    same = sum(1 << lane for lane in range(32) if mine[lane] == values[i])
                    is_all = len(set(mine.tolist())) == 1
                    is_named = some >> (i % 32) & 1
                    expected = [all(holds), any(holds), len(set(holds)) == 1, signed(bits), signed(same),
                                signed(ALL) if is_all else 0, is_all, bits & some if is_named else 0]
                    self.assertEqual(out[:, i].tolist(), [int(each) for each in expected], (shape, i))

    def test_a_warp_that_is_not_full(self):
        for count in (1, 10, 40):
            values = random.integers(0, 2, count).astype(np.int32)
            out = np.zeros((8, count), np.int64)
            votes[1, count](out, values, 1)
            for i in range(count):
                mine = values[i - i % 32:i - i % 32 + 32]
                bits = sum(1 << lane for lane in range(len(mine)) if mine[lane])
                same = sum(1 << lane for lane in range(len(mine)) if mine[lane] == values[i])
                is_all = len(set(mine.tolist())) == 1
                self.assertEqual(out[[3, 4, 5, 6], i].tolist(),
                                 [signed(bits), signed(same), signed(2**len(mine) - 1) if is_all else 0, is_all])

    def test_counts_of_a_block(self):
        for shape in (*SHAPES, (5, 3), (1, )):
            for most in (0, 1, 9):
                count = int(np.prod(shape))
                values = random.integers(0, most + 1, count).astype(np.int32)
                out = np.zeros((4, count), np.int64)
                counts[1, shape](out, values)
                expected = [np.count_nonzero(values), int(values.all()), int(values.any()), int((values > 5).any())]
                self.assertEqual(out.T.tolist(), [expected] * count)

    def test_a_sum(self):
        for size in (1, 32, 1000):
            values = random.standard_normal(size)
            out = np.zeros(1)
            warp_sum[-(-size // 128), 128](out, values)
            np.testing.assert_allclose(out[0], values.sum(), rtol=1e-12, atol=1e-12)

    def test_memory_is_handed_over(self):
        values = random.integers(0, 99, 64).astype(np.int32)
        out = np.zeros_like(values)
        hand_over[1, 64](out, values)
        self.assertEqual(out.tolist(), values[np.arange(64) ^ 1].tolist())

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
