# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Versions of Triton: which one programs are told that they have, and what differs between them."""

import os
import tempfile
import unittest

from running import main, require, run_program

require("numpy")
kept = tempfile.TemporaryDirectory()

PROGRAM = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    ones = tl.load(x + i).to(tl.bfloat16)
    running = tl.cumsum(ones)
    product = tl.cumprod(ones)
    largest, place = tl.max(ones, 0, return_indices=True)
    tl.store(out, running.dtype.primitive_bitwidth)
    tl.store(out + 1, product.dtype.primitive_bitwidth)
    tl.store(out + 2, largest.dtype.primitive_bitwidth)

x, out = np.ones(8, np.float32), np.zeros(3, np.int32)
kernel[(1,)](x, out, 8)
print(triton.__version__, *out)
"""


def run(version, program=PROGRAM):
    environment = {"NEREID_CACHE_DIR": os.path.join(kept.name, "kernels")}
    return run_program(program, environment=environment | ({"NEREID_TRITON_VERSION": version} if version else {}))


class Versions(unittest.TestCase):

    def test_what_is_said(self):
        for version, wanted in ((None, "3.8.0"), ("3.6", "3.6.0"), ("3.7.1", "3.7.1"), ("3.9", "3.9.0")):
            out, errors, _ = run(version, "import triton\nprint(triton.__version__)")
            self.assertEqual(out, wanted + "\n", errors)

    def test_unknown(self):
        _, errors, code = run("2.0", "import triton")
        self.assertNotEqual(code, 0)
        self.assertIn("NEREID_TRITON_VERSION is '2.0', and must be one of 3.6, 3.7, 3.8, 3.9", errors)

    def test_bfloat16(self):
        """In one directory of kept kernels: each version has its own."""
        for version, wanted in (("3.8", "3.8.0 32 32 32"), ("3.9", "3.9.0 16 16 16"), ("3.8", "3.8.0 32 32 32")):
            out, errors, _ = run(version)
            self.assertEqual(out, wanted + "\n", errors)

    def test_aggregates(self):
        program = """
import triton
import triton.language as tl

class Plain:
    pass

try:
    @triton.aggregate
    class Derived(Plain):
        x: tl.constexpr
    print("taken", end=" ")
except TypeError as error:
    print("refused", end=" ")

@triton.aggregate
class Pair:
    a: tl.constexpr

    def __init__(self, a):
        self.a = tl.constexpr(a)

pair = Pair(1)
try:
    pair.a = tl.constexpr(2)
    print("changed")
except AttributeError:
    print("kept")
"""
        self.assertEqual(run("3.6", program)[0], "taken changed\n")
        self.assertEqual(run("3.8", program)[0], "refused kept\n")


if __name__ == "__main__":
    main()
