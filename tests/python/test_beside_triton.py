# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same kernels in Triton's own interpreter and in Nereid, checked and compiled. Triton lives in the referee's
environment (`python3 tests/referee types --count 1` makes it), in the Python that NEREID_TRITON_PYTHON names, or in this
one; where there is none the test is skipped."""

import os
import subprocess
import sys
import tempfile
import unittest

from running import main, require

require("numpy")
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
REFEREE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "referee", "bin", "python")
PROGRAM = os.path.join(HERE, "beside_triton", "launch.py")
# Functions of floats and long sums are rounded by each in its own way: (relative, absolute).
TOLERANCES = {"softmax_of_rows": (1e-6, 1e-7), "product_of_halves": (1e-5, 1e-5)}


def has_triton(python):
    check = "import triton, torch, sys; sys.exit('nereid' in triton.__file__)"
    return subprocess.run([python, "-c", check], capture_output=True, cwd="/").returncode == 0


def find_triton():
    candidates = [os.environ.get("NEREID_TRITON_PYTHON"), REFEREE, sys.executable]
    return next((path for path in candidates if path and os.path.exists(path) and has_triton(path)), None)


def results(command, seed, **environment):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "results.npz")
        done = subprocess.run([*command, PROGRAM, path, str(seed)], capture_output=True, text=True, timeout=600,
                              env={**os.environ, **environment})
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        return dict(np.load(path)), done.stdout.strip()


class SameAsTriton(unittest.TestCase):

    def compare(self, seed, **environment):
        theirs, file = results([THEIR_PYTHON, "-B"], seed, TRITON_INTERPRET="1")
        self.assertNotIn("nereid", file)
        ours, file = results([sys.executable, "-B", "-m", "nereid"], seed, **environment)
        self.assertIn("nereid", file)
        self.assertEqual(ours.keys(), theirs.keys())
        for name, wanted in theirs.items():
            with self.subTest(name):
                self.assertEqual(ours[name].dtype, wanted.dtype)
                relative, absolute = TOLERANCES.get(name.split("/")[0], (0, 0))
                np.testing.assert_allclose(ours[name], wanted, relative, absolute)

    def test_compiled(self):
        for seed in (1, 2):
            self.compare(seed)

    def test_checked(self):
        self.compare(3, TRITON_INTERPRET="1")


if __name__ == "__main__":
    THEIR_PYTHON = find_triton()
    if THEIR_PYTHON is None:
        print("skipped: no Python with Triton and PyTorch is known (tests/python/test_beside_triton.py says where it is "
              "looked for)")
        sys.exit(77)
    require("torch")  # which takes seconds to import
    main()
