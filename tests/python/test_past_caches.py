# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that write more than caches keep (src/backend/cpu/nests/StreamStores.cpp) write the same: where arrays begin inside of
a register, where they end inside of one, in rounds of a loop, rows of any length, and elements of other sizes."""

import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl

SIZE = (40 << 20) // 4 + 7


@nereid.jit
def twice(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


@nereid.jit
def twice_in_rounds(x, out, n, BLOCK: tl.constexpr):
    for first in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = first + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


@nereid.jit
def rows_twice(x, out, columns, M: tl.constexpr, N: tl.constexpr):
    row, column = tl.program_id(0) * M + tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    at, mask = row * columns + column, column < columns
    tl.store(out + at, tl.load(x + at, mask=mask) * 2, mask=mask)


def aligned(size, dtype):
    """Zeros that begin at a multiple of 64 bytes."""
    raw = np.zeros(size * np.dtype(dtype).itemsize + 64, np.uint8)
    begin = -raw.ctypes.data % 64
    return raw[begin:begin + size * np.dtype(dtype).itemsize].view(dtype)


class PastCaches(unittest.TestCase):

    def test_any_beginning_and_end(self):
        for dtype, begins in ((np.float32, (0, 1, 4, 16)), (np.int16, (0, 3, 8))):
            x = np.arange(SIZE * 4 // np.dtype(dtype).itemsize).astype(dtype)
            whole = aligned(x.size + 64, dtype)
            for begin in begins:
                whole[:] = -1
                out = whole[begin:begin + x.size]
                twice[((x.size + 4095) // 4096, )](x, out, x.size, 4096)
                np.testing.assert_array_equal(out, x * 2)
                self.assertTrue((whole[:begin] == -1).all() and (whole[begin + x.size:] == -1).all())

    def test_rounds(self):
        x, out = np.arange(SIZE, dtype=np.float32), aligned(SIZE, np.float32)
        twice_in_rounds[(3, )](x, out, SIZE, 2048)
        np.testing.assert_array_equal(out, x * 2)

    def test_rows(self):
        for columns in (781, 1024):
            x = np.arange(12288 * columns, dtype=np.float32).reshape(12288, columns)
            out = aligned(x.size, np.float32).reshape(x.shape)
            rows_twice[(12288 // 4, )](x, out, columns, 4, 1024)
            np.testing.assert_array_equal(out, x * 2)


if __name__ == "__main__":
    main()
