# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that wait for one another: cuda.cg.this_grid().sync()."""

import os
import shutil
import subprocess
import tempfile
import unittest

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np
from nereid import _native

nereid.install_as_numba_cuda()
import numba
from numba import cuda

CHECKED = os.environ.get("TRITON_INTERPRET") == "1"
ON_GPU = not CHECKED and any(name.startswith("cuda:") and not reason for name, _, reason in _native.devices())
HAS_NUMBA = not numba.__file__.startswith(nereid.__path__[0])


@cuda.jit
def prefix_sums(x, out, held):
    """In as many rounds as doubling takes, each of which reads what other blocks have written."""
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    out[i] = x[i]
    grid.sync()
    step = 1
    while step < x.size:
        held[i] = out[i] + out[i - step] if i >= step else out[i]
        grid.sync()
        out[i] = held[i]
        grid.sync()
        step *= 2


@cuda.jit
def neighbours(x, rounds):
    """Heat that spreads, with shared memory that outlives the waiting."""
    shared = cuda.shared.array(32, numba.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[0, i]
    cuda.syncthreads()
    for n in range(rounds):
        now, then = n % 2, (n + 1) % 2
        left = x[now, i - 1] if i > 0 else 0.0
        right = x[now, i + 1] if i < x.shape[1] - 1 else 0.0
        x[then, i] = (left + right) / 2 + shared[31 - t] * 0.125
        cuda.cg.this_grid().sync()


@cuda.jit
def total(x, partial, out):
    held = cuda.shared.array(32, numba.float64)
    own = cuda.local.array(1, numba.float64)
    t = cuda.threadIdx.x
    own[0] = x[cuda.grid(1)]
    held[t] = own[0] * 2
    cuda.syncthreads()
    if t == 0:
        sum = 0.0
        for k in range(32):
            sum += held[k]
        partial[cuda.blockIdx.x] = sum
    cuda.cg.this_grid().sync()
    if cuda.grid(1) == 0:
        for k in range(cuda.gridDim.x):
            out[0] += partial[k]
    out[1 + cuda.grid(1)] = held[t] - own[0]


@cuda.jit
def without_waiting(x, out):
    i = cuda.grid(1)
    x[i] = i
    cuda.syncthreads()
    out[i] = x[(i + 32) % x.size]
    cuda.cg.this_grid().sync()


@cuda.jit
def some_do_not_come(out):
    i = cuda.grid(1)
    if i < 40:
        cuda.cg.this_grid().sync()
    out[i] = i


@cuda.jit
def waits_for_another(flags, out):
    i = cuda.grid(1)
    if i == 0:
        while cuda.atomic.add(flags, 0, 0) == 0:
            pass
        out[0] = 7
    if i == cuda.gridsize(1) - 1:
        cuda.atomic.add(flags, 0, 1)
    cuda.cg.this_grid().sync()


@cuda.jit
def along_all_axes(out):
    x, y, z = cuda.grid(3)
    out[z, y, x] = 1
    cuda.cg.this_grid().sync()
    if x == 0 and y == 0 and z == 0:
        n = 0
        for value in out[:, :, 1:].T[0, 0]:
            n += value
        out[0, 0, 0] = n


class GroupsTest(unittest.TestCase):

    def test_prefix_sums(self):
        for blocks in (1, 2, 7, 40):
            x = np.arange(blocks * 16) * 3 % 17
            out, held = np.zeros_like(x), np.zeros_like(x)
            prefix_sums[blocks, 16](x, out, held)
            np.testing.assert_array_equal(out, np.cumsum(x))

    def test_memory_of_blocks_is_their_own(self):
        x = np.zeros((2, 96))
        x[0] = np.linspace(0, 1, 96)
        wanted, held = x.copy(), x[0].reshape(3, 32)[:, ::-1].ravel()
        for n in range(9):
            now = np.pad(wanted[n % 2], 1)
            wanted[(n + 1) % 2] = (now[:-2] + now[2:]) / 2 + held * 0.125
        neighbours[3, 32](x, 9)
        np.testing.assert_allclose(x, wanted, rtol=1e-14)

    def test_local_memory(self):
        x = np.arange(128.0)
        out = np.zeros(129)
        total[4, 32](x, np.zeros(4), out)
        self.assertEqual(out[0], 2 * x.sum())
        np.testing.assert_array_equal(out[1:], x)

    def test_axes(self):
        out = np.zeros((4, 6, 4), "i8")
        along_all_axes[(2, 3, 2), (2, 2, 2)](out)
        self.assertEqual(out[0, 0, 0], 4)
        self.assertEqual(out.sum(), out.size - 1 + 4)

    def test_many_launches(self):
        for _ in range(200):
            x = np.arange(64)
            out = np.zeros_like(x)
            prefix_sums[4, 16](x, out, np.zeros_like(x))
            self.assertEqual(out[-1], x.sum())

    def test_what_kernels_say(self):
        prefix_sums[1, 16](*np.zeros((3, 16), "i8"))
        self.assertGreater(prefix_sums.max_cooperative_grid_blocks(32), 8)
        self.assertTrue(all(overload.cooperative for overload in prefix_sums.overloads.values()))

    def test_grids_that_are_too_large(self):
        reason = "" if ON_GPU else "wait for one another, and 20000 are more"
        with self.assertRaisesRegex(nereid.errors.NereidError, reason):
            total[20000, 1](np.zeros(20000), np.zeros(20000), np.zeros(20001))

    @unittest.skipUnless(CHECKED, "the checked device runs threads one after the other")
    def test_who_waits_for_another_block(self):
        out = np.zeros(1)
        waits_for_another[3, 8](np.zeros(1, "i8"), out)
        self.assertEqual(out[0], 7)

    @unittest.skipUnless(CHECKED, "what the checked device reports")
    def test_reports(self):
        with self.assertRaisesRegex(nereid.errors.InterpreterError, r"race(.|\n)*block"):
            without_waiting[2, 32](np.zeros(64), np.zeros(64))
        with self.assertRaisesRegex(nereid.errors.InterpreterError, "barrier_missed"):
            some_do_not_come[2, 32](np.zeros(64))

    @unittest.skipUnless(HAS_NUMBA and shutil.which("ptxas"), "Numba names the types, and ptxas reads the code")
    def test_code_for_gpus(self):
        ptx, _ = cuda.compile_ptx(prefix_sums.py_func, (numba.int64[::1], ) * 3)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(ptx)
            file.flush()
            subprocess.run(["ptxas", "-arch=sm_90a", file.name, "-o", "/dev/null"], check=True)


@unittest.skipIf(CHECKED, "it is what runs")
class CheckedTest(unittest.TestCase):

    def test_all_of_it(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
