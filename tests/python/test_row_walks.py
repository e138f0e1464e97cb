# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that the next reduction writes (src/backend/cpu/storage/WriteWhereReduced.cpp) are what they were: what is kept of a row
beside its sum, what the tile's mask is made of, and what is read until then."""

import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl

random = np.random.default_rng(23)


@nereid.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * columns + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, 0))
    tl.store(out + tl.program_id(0) * columns + i, powers / tl.sum(powers, 0), mask=i < columns)


@nereid.jit
def under_a_mask(flags, x, flags_out, out, largest, N: tl.constexpr):
    i = tl.arange(0, N)
    flag = tl.load(flags + i * 8 % N)  # reread for the mask, the row and the store
    row = tl.load(x + i, mask=flag > 0, other=7)
    tl.store(largest, tl.max(row, 0))
    tl.store(flags_out + i, flag)
    tl.store(out + i, row)


@nereid.jit
def of_a_broadcast(x, line, out, sums, M: tl.constexpr, N: tl.constexpr):
    columns = tl.arange(0, N)[None, :]
    places = tl.program_id(0) * M * N + tl.arange(0, M)[:, None] * N + columns
    subtracted = tl.where(columns < N - 1, tl.load(line + tl.program_id(0) * N + columns), 5)  # kept: each row needs it
    whole = tl.load(x + places) - subtracted
    tl.store(sums + tl.program_id(0) * M + tl.arange(0, M), tl.sum(whole, 1))
    tl.store(out + places, whole)


class Walks(unittest.TestCase):

    def test_softmax(self):
        for rows, columns in ((3, 1), (2, 33), (5, 781), (4, 1024)):
            x = random.standard_normal((rows, columns), np.float32)
            out = np.full_like(x, np.nan)
            softmax[(rows, )](x, out, columns, nereid.next_power_of_2(columns))
            powers = np.exp(x.astype(float) - x.max(1, keepdims=True))
            np.testing.assert_allclose(out, powers / powers.sum(1, keepdims=True), rtol=2e-6)

    def test_a_mask_that_is_kept(self):
        for size in (1, 33, 64, 100):
            flags, x = random.integers(0, 2, size).astype(np.int8), random.integers(-50, 50, size).astype(np.int32)
            flags_out, out, largest = np.full_like(flags, 9), np.full_like(x, 99), np.zeros(1, np.int32)
            under_a_mask[(1, )](flags, x, flags_out, out, largest, size)
            chosen = flags[np.arange(size) * 8 % size]
            row = np.where(chosen > 0, x, 7)
            self.assertEqual((flags_out.tolist(), out.tolist(), largest[0]), (chosen.tolist(), row.tolist(), row.max()))

    def test_what_is_read_until_then(self):
        for m, n in ((1, 3), (3, 3), (16, 33), (5, 64)):
            x, line = random.integers(-50, 50, (7, m, n)).astype(np.int32), random.integers(-9, 9, (7, n)).astype(np.int32)
            out, sums = np.zeros_like(x), np.zeros((7, m), np.int32)
            of_a_broadcast[(7, )](x, line, out, sums, m, n)
            line[:, -1] = 5
            expected = x - line[:, None, :]
            np.testing.assert_array_equal(out, expected)
            np.testing.assert_array_equal(sums, expected.sum(2))


if __name__ == "__main__":
    main()
