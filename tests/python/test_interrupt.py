# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C while a kernel runs, and other threads of Python meanwhile."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl

PROGRAM = '''
import signal
import numpy as np
import nereid
import nereid.language as tl

# A shell's background jobs ignore it, and so does what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

@nereid.jit
def spin(x, rounds):
    place = x + tl.program_id(0)
    value = tl.load(place)
    for i in range(rounds):
        value = value * 1.0001 + 0.5
    tl.store(place, value)

@nereid.jit
def wait(x):
    while tl.load(x + tl.program_id(0), volatile=True) == 0:
        pass

@nereid.jit
def grind(x, rounds):
    i, tile = rounds * 0, tl.zeros([1 << 16], tl.float32)
    while i < rounds:
        tile = tl.exp(tile * 0.5)
        i += 1
    tl.store(x, tl.sum(tile))

x = np.zeros(1 << 22, np.float32)
spin[(1,)](x, 1)
try:
    print("running", flush=True)
    LAUNCH
except KeyboardInterrupt:
    spin[(1,)](x, 1)
    print("interrupted", flush=True)
'''


class Interrupt(unittest.TestCase):

    # Between programs, in loops of one, and where the launching thread waits for the other one's.
    LAUNCHES = ("spin[x.shape](x, 100)", "spin[(1,)](x, 200_000_000_000)", "grind[(1,)](x, 200_000_000)",
                "x[0] = 1; wait[(2,)](x)")

    def test_ends_the_launch(self):
        for interpret in ("0", "1"):
            for launch in self.LAUNCHES:
                with self.subTest(launch, interpret=interpret):
                    self.interrupt(interpret, launch)

    def interrupt(self, interpret, launch):
        if interpret == "0":
            launch = launch.replace("100)", "100_000)")
        elif launch.endswith("wait[(2,)](x)"):
            return  # nobody is left who could end the wait, which is a finding
        program = self.script(PROGRAM.replace("LAUNCH", launch))
        environment = {**os.environ, "TRITON_INTERPRET": interpret}
        child = subprocess.Popen([sys.executable, "-B", program], stdout=subprocess.PIPE, text=True, env=environment)
        try:
            self.assertEqual(child.stdout.readline(), "running\n")
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            output, _ = child.communicate(timeout=60)
            self.assertEqual((output, child.returncode), ("interrupted\n", 0))
        finally:
            child.kill()

    def script(self, text):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = os.path.join(directory.name, "program.py")
        with open(path, "w") as file:
            file.write(text)
        return path


class Threads(unittest.TestCase):

    def test_other_threads_run_meanwhile(self):

        @nereid.jit
        def spin(x, rounds):
            value = tl.load(x)
            for i in range(rounds):
                value = value * 1.0001 + 0.5
            tl.store(x, value)

        x = np.zeros(1, np.float32)
        spin[(1,)](x, 1)
        launch = threading.Thread(target=lambda: spin[(1,)](x, 200_000_000))
        launch.start()
        turns = 0
        while launch.is_alive():
            turns += 1
            time.sleep(0.001)
        self.assertGreater(turns, 20)

    def test_launches_of_several_threads(self):

        @nereid.jit
        def add_one(x, n, BLOCK: tl.constexpr):
            places = tl.arange(0, BLOCK)
            tl.store(x + places, tl.load(x + places, mask=places < n) + 1, mask=places < n)

        arrays = [np.zeros(100 + i, np.float32) for i in range(8)]

        def work(x):
            for size in (128, 256):
                for _ in range(50):
                    add_one[(1,)](x, x.size, BLOCK=size)

        threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for x in arrays:
            np.testing.assert_array_equal(x, 100)


if __name__ == "__main__":
    main()
