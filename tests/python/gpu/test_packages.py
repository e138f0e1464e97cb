# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of PyTorch for a GPU: Inductor's own kernels and the user's, launched by PyTorch's launcher."""

import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from running import main, require_gpu

require_gpu()
import packages


class Packages(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.directory, cls.made = tempfile.mkdtemp(), {}
        cls.addClassCleanup(shutil.rmtree, cls.directory)

    def package(self, kind):
        if kind not in self.made:
            self.made[kind] = packages.make(self, kind, "cuda", self.directory)
        return self.made[kind]

    def test_own_kernels_in_python(self):
        packages.check_in_python(self, "own", "cuda", self.package("own"), self.directory)

    def test_kernels_of_the_user_in_python(self):
        packages.check_in_python(self, "user", "cuda", self.package("user"), self.directory)

    def test_in_cpp(self):
        loader = packages.loader_in(self.directory)
        for kind in ("own", "user"):
            with self.subTest(kind=kind):
                packages.check_in_cpp(self, loader, "cuda", self.package(kind), self.directory)


if __name__ == "__main__":
    main()
