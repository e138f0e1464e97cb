# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of PyTorch for CPUs, whose own kernels are C++ and the user's Nereid's."""

import shutil
import tempfile
import unittest

from running import main, require

require("torch")
import packages


@unittest.skipUnless(shutil.which("g++"), "PyTorch makes packages with g++, which is not here")
class Packages(unittest.TestCase):

    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)

    def test_kernels_of_the_user(self):
        path = packages.make(self, "user", "cpu", self.directory)
        packages.check_in_python(self, "user", "cpu", path, self.directory)
        packages.check_in_cpp(self, packages.loader_in(self.directory), "cpu", path, self.directory)


if __name__ == "__main__":
    main()
