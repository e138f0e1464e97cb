# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that share memory and wait for each other inside kernels (benchmarks/several_gpus/kernels.py), on CPUs:
what two GPUs do there, with the memory of both at other addresses in each process."""

import os
import subprocess
import sys
import tempfile
import unittest

from running import main, require, run_program

require("numpy")
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RANK = """
import sys
import numpy as np

sys.path.insert(0, sys.argv[1])
import kernels

kind, rank, world, n, programs, times = sys.argv[2], *map(int, sys.argv[3:8])
directory = sys.argv[8]

def everyones(name, dtype, size):
    return [np.memmap(f"{directory}/{name}{peer}", dtype, "r+", shape=(size,)) for peer in range(world)]

def table(arrays):
    return np.array([array.ctypes.data for array in arrays], np.uint64)

buffers, signals = everyones("buffer", np.float32, n), everyones("signal", np.int32, 64)
addresses, pads = table(buffers), table(signals)
kernel = getattr(kernels, kind)
own = np.random.default_rng(rank).standard_normal(n).astype(np.float32)
for time in range(times):
    out = np.zeros(n, np.float32)
    buffers[rank][:] = own + time
    kernel[(programs,)](addresses.ctypes.data, pads.ctypes.data, out, n, rank, WORLD=world, BLOCK=64)
    wanted = sum(np.random.default_rng(peer).standard_normal(n).astype(np.float32).astype(float)
                 for peer in range(world))
    np.testing.assert_allclose(out, wanted + world * time, rtol=1e-5, atol=1e-5)
assert all((pad == 0).all() for pad in signals[rank:rank + 1]), "signals that nobody waited for"
print("right")
"""


class Ranks(unittest.TestCase):

    def run_job(self, kind, world, n, programs=1, times=20):
        with tempfile.TemporaryDirectory() as directory:
            for peer in range(world):
                np.zeros(n, np.float32).tofile(f"{directory}/buffer{peer}")
                np.zeros(64, np.int32).tofile(f"{directory}/signal{peer}")
            program = os.path.join(directory, "rank.py")
            with open(program, "w") as file:
                file.write(RANK)
            kernels = os.path.join(ROOT, "benchmarks", "several_gpus")
            command = [sys.executable, "-B", "-m", "nereid", program, kernels, kind]
            numbers = [str(number) for number in (world, n, programs, times)]
            ranks = [subprocess.Popen([*command, str(rank), *numbers, directory], text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, env={**os.environ, "NEREID_THREADS": "1"})
                     for rank in range(world)]
            try:
                outputs = [rank.communicate(timeout=100)[0] for rank in ranks]
            finally:
                for rank in ranks:
                    rank.kill()
        self.assertEqual([output.strip() for output in outputs], ["right"] * world)

    def test_all_reduce_in_one_shot(self):
        for world, n, programs in ((1, 100, 2), (2, 1000, 1), (2, 130, 3), (3, 777, 2)):
            with self.subTest(world=world, n=n):
                self.run_job("all_reduce_in_one_shot", world, n, programs)

    def test_all_reduce_in_two_shots(self):
        for world, n, programs in ((1, 100, 1), (2, 1000, 1), (2, 130, 3), (3, 777, 2)):
            with self.subTest(world=world, n=n):
                self.run_job("all_reduce_in_two_shots", world, n, programs)

    def test_a_product_waits_for_parts(self):
        """A thread has launched it; another one brings the parts."""
        program = ("import sys, threading, time\n"
                   "import numpy as np\n"
                   "sys.path.insert(0, sys.argv[1])\n"
                   "import kernels\n"
                   "part, N, K, world, rank = 64, 64, 96, 3, 1\n"
                   "make = np.random.default_rng(1).standard_normal\n"
                   "a, b = make((world * part, K)).astype(np.float16), make((K, N)).astype(np.float16)\n"
                   "arrived, c = np.zeros(world, np.int32), np.zeros((world * part, N), np.float16)\n"
                   "there = np.full_like(a, np.nan)\n"
                   "launch = threading.Thread(target=lambda: kernels.product_of_parts[(2,)](\n"
                   "    there, b, c, arrived, world * part, N, K, rank, PART=part, BM=32, BN=32, BK=32))\n"
                   "launch.start()\n"
                   "for step in range(world):\n"
                   "    time.sleep(0.5)\n"
                   "    assert launch.is_alive()\n"
                   "    peer = (rank + step) % world\n"
                   "    there[peer * part:(peer + 1) * part] = a[peer * part:(peer + 1) * part]\n"
                   "    arrived[peer] = 1\n"
                   "launch.join(60)\n"
                   "assert not launch.is_alive()\n"
                   "np.testing.assert_allclose(c.astype(float), a.astype(float) @ b.astype(float), atol=0.03)\n"
                   "print('right')\n")
        out, errors, code = run_program(program, os.path.join(ROOT, "benchmarks", "several_gpus"))
        self.assertEqual((out.strip(), code), ("right", 0), errors)


if __name__ == "__main__":
    main()
