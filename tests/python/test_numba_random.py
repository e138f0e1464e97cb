# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.random gives Numba's bits: its simulator is asked, in a process of its own. The generator is also written
down here once more, with Python's integers. On the active device, and again on the checked one."""

import json
import linecache
import math
import os
import subprocess
import sys
import unittest
import warnings

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda
from numba.cuda.random import (create_xoroshiro128p_states, init_xoroshiro128p_states, xoroshiro128p_next,
                               xoroshiro128p_uniform_float32)

warnings.filterwarnings(action="ignore", category=numba.NumbaPerformanceWarning, module="numba")
ALL = 2**64 - 1

KERNEL = """
@cuda.jit
def draw(states, u32, u64, n32, n64):
    i = cuda.grid(1)
    if i < u32.shape[0]:
        for k in range(u32.shape[1]):
            u32[i, k] = xoroshiro128p_uniform_float32(states, i)
            u64[i, k] = xoroshiro128p_uniform_float64(states, i)
            n32[i, k] = xoroshiro128p_normal_float32(states, i)
            n64[i, k] = xoroshiro128p_normal_float64(states, i)

def drawn(seed, start):
    states = create_xoroshiro128p_states(5, seed=seed, subsequence_start=start)
    made = [np.zeros((5, 3), dtype) for dtype in (np.float32, np.float64, np.float32, np.float64)]
    draw[1, 8](states, *made)
    return [each.astype(np.float64).tolist() for each in made]
"""
PROGRAM = f"""
import json, warnings
warnings.filterwarnings("ignore")
import numpy as np
from numba import cuda
from numba.cuda.random import *
{KERNEL}
print(json.dumps([drawn(seed, start) for seed, start in %s]))
"""
CASES = [(1, 0), (123456789, 0), (2**63 + 5, 0), (7, 3)]


@cuda.jit
def words(out, states):
    i = cuda.grid(1)
    if i < out.shape[0]:
        for k in range(out.shape[1]):
            out[i, k] = xoroshiro128p_next(states, i)


@cuda.jit
def moments(sums, states, rounds):
    i = cuda.grid(1)
    for k in range(rounds):
        x = xoroshiro128p_uniform_float32(states, i)
        y = cuda.random.xoroshiro128p_normal_float64(states, i)
        cuda.atomic.add(sums, 0, x)
        cuda.atomic.add(sums, 1, y)
        cuda.atomic.add(sums, 2, y * y)
        if not 0 <= x < 1:
            cuda.atomic.add(sums, 3, 1)


def rotated(x, k):
    return (x << k | x >> (64 - k)) & ALL


def step(state):
    first, second = state
    second ^= first
    return (rotated(first, 55) ^ second ^ (second << 14)) & ALL, rotated(second, 36)


def jump(state):
    sums = [0, 0]
    for word in (0xbeac0467eba5facb, 0xd86b048b86aa9922):
        for bit in range(64):
            if word >> bit & 1:
                sums = [one ^ other for one, other in zip(sums, state)]
            state = step(state)
    return tuple(sums)


class Generator(unittest.TestCase):

    def test_states_are_jumps_of_one_sequence(self):
        for count in (1, 2, 7, 64):
            states = create_xoroshiro128p_states(count, seed=42).copy_to_host()
            self.assertEqual((states.shape, states.dtype), ((count, ), numba.cuda.random.xoroshiro128p_dtype))
            expected = tuple(states[0].tolist())
            for found in states.tolist():
                self.assertEqual(tuple(found), expected)
                expected = jump(expected)
        later = create_xoroshiro128p_states(3, seed=42, subsequence_start=5).copy_to_host()
        self.assertEqual(later.tolist(), states[5:8].tolist())
        init_xoroshiro128p_states(again := cuda.to_device(np.zeros_like(later)), 42, 5)
        self.assertEqual(again.copy_to_host().tolist(), later.tolist())

    def test_words(self):
        states = create_xoroshiro128p_states(4, seed=9)
        begin = states.copy_to_host().tolist()
        out = np.zeros((4, 6), np.uint64)
        words[2, 3](out, states)
        for state, found in zip(begin, out.tolist()):
            for word in found:
                self.assertEqual(word, sum(state) & ALL)
                state = step(state)

    def test_moments(self):
        states = create_xoroshiro128p_states(64, seed=3)
        sums, rounds = np.zeros(4), 200 if not nereid.knobs.runtime.interpret else 40
        moments[1, 64](sums, states, rounds)
        count = 64 * rounds
        self.assertLess(abs(sums[0] / count - 0.5), 5 / math.sqrt(12 * count))
        self.assertLess(abs(sums[1] / count), 5 / math.sqrt(count))
        self.assertLess(abs(sums[2] / count - 1), 5 * math.sqrt(2 / count))
        self.assertEqual(sums[3], 0)

    def test_numbers_are_numbas(self):
        done = subprocess.run([sys.executable, "-c", PROGRAM % CASES], capture_output=True, text=True,
                              env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"})
        if "No module named 'numba'" in done.stderr:
            self.skipTest("Numba is not installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        scope = {**vars(numba.cuda.random), **globals()}  # a kernel's names are read when it is compiled
        linecache.cache["<draw>"] = (len(KERNEL), None, KERNEL.splitlines(True), "<draw>")
        exec(compile(KERNEL, "<draw>", "exec"), scope)
        for (seed, start), expected in zip(CASES, json.loads(done.stdout)):
            found = scope["drawn"](seed, start)
            self.assertEqual(found[:2], expected[:2])
            # The simulator computes with Python's floats of 64 bits, whatever the types.
            np.testing.assert_allclose(found[2], expected[2], rtol=3e-6, atol=1e-6)
            np.testing.assert_allclose(found[3], expected[3], rtol=1e-6, atol=1e-7)


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
