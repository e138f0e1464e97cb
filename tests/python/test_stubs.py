# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stub of the native module is what nanobind writes of it, and the package agrees with it."""

import os
import subprocess
import sys
import tempfile
import unittest

from running import main, require

require("mypy", "nanobind")

import nereid

PACKAGE = os.path.dirname(os.path.realpath(nereid.__file__))
ROOT = os.path.dirname(os.path.dirname(PACKAGE))


class Stubs(unittest.TestCase):

    def test_current(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "_native.pyi")
            subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "nereid._native", "-o", path],
                           check=True)
            with open(path) as made, open(os.path.join(PACKAGE, "_native.pyi")) as kept:
                self.assertEqual(made.read(), kept.read(), "python3 -m nanobind.stubgen -m nereid._native")

    def test_types(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", os.path.join(ROOT, "pyproject.toml"),
                               "--cache-dir", os.devnull, "-p", "nereid"], cwd=os.path.dirname(PACKAGE),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
