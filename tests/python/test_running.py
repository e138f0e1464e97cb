# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a test does whose libraries are missing: skipped for somebody who has none, a failure where all should be."""

import os
import subprocess
import sys
import unittest

from running import main


class Missing(unittest.TestCase):

    def run_with(self, value):
        environment = {**os.environ, "CI": value, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}
        done = subprocess.run([sys.executable, "-B", "-c", "import running; running.require('no_such_library')"],
                              env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_elsewhere(self):
        code, out = self.run_with("")
        self.assertEqual(code, 77)
        self.assertIn("skipped: ", out)

    def test_ci(self):
        code, out = self.run_with("true")
        self.assertEqual(code, 1)
        self.assertIn("CI has no package no_such_library", out)


if __name__ == "__main__":
    main()
