# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notebook as one program: its kernels of threads and of tiles in one process, compiled and checked."""

import os
import subprocess
import sys
import unittest

from running import main, require

require("numpy", "torch")

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "notebook.py")


class NotebookProgram(unittest.TestCase):

    def lines_of(self, *arguments, **environment):
        done = subprocess.run([sys.executable, "-B", "-m", "nereid", "--numba", PROGRAM, *arguments], capture_output=True,
                              text=True, env={**os.environ, **environment}, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("Dynamo does not know", done.stderr)
        return done.stdout.splitlines()

    def check_all_of_it(self, **environment):
        lines = self.lines_of("--epochs", "40", **environment)
        self.assertEqual(lines[-1], "0 wrong")
        # 11 kernels of threads, 5 of tiles, of which two have two rows, and what the regression has learned.
        self.assertEqual(sum("Correct:  True" in line for line in lines), 19)
        self.assertIn("Epoch 40/40", lines[-3])

    def test_all_of_it(self):
        self.check_all_of_it(TRITON_INTERPRET="0")

    def test_all_of_it_on_the_checked_device(self):
        self.check_all_of_it(TRITON_INTERPRET="1")


if __name__ == "__main__":
    main()
