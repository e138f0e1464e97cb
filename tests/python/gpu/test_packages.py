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

    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)

    def test_in_python(self):
        for kind in ("own", "user"):
            with self.subTest(kind=kind):
                path = packages.make(self, kind, "cuda", self.directory)
                packages.check_in_python(self, kind, "cuda", path, self.directory)

    def test_in_cpp(self):
        loader = packages.loader_in(self.directory)
        for kind in ("own", "user"):
            with self.subTest(kind=kind):
                path = packages.make(self, kind, "cuda", self.directory)
                packages.check_in_cpp(self, loader, "cuda", path, self.directory)


if __name__ == "__main__":
    main()
