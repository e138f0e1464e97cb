# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in the cells of a notebook, in a real Jupyter kernel."""

import unittest

from running import main, require

require("numpy", "nbclient", "nbformat", "ipykernel")
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

SET_UP = """
import nereid
nereid.install_as_triton()
import numpy as np
import triton
import triton.language as tl

def run(n):
    x = np.arange(n, dtype=np.float32)
    kernel[(triton.cdiv(n, 16),)](x, n, B=16)
    return x.tolist()
"""

KERNEL = """
@triton.jit
def helper(x):
    return x * {factor}

@triton.jit
def kernel(x, n, B: tl.constexpr):
    places = tl.program_id(0) * B + tl.arange(0, B)
    mask = places < n
    tl.store(x + places, helper(tl.load(x + places, mask=mask)), mask=mask)
"""


def outputs_of(*cells):
    """The text that each cell shows."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    return ["".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
            for cell in book.cells]


class Notebook(unittest.TestCase):

    def test_a_cell_that_is_changed_and_run_again(self):
        shown = outputs_of(SET_UP, KERNEL.format(factor=2), "run(5)", KERNEL.format(factor=3), "run(5)")
        self.assertEqual((shown[2], shown[4]), ("[0.0, 2.0, 4.0, 6.0, 8.0]", "[0.0, 3.0, 6.0, 9.0, 12.0]"))

    def test_a_helper_alone_is_defined_anew(self):
        helper = "@triton.jit\ndef helper(x):\n    return x * 10"
        shown = outputs_of(SET_UP, KERNEL.format(factor=2), "run(3)", helper, "run(3)")
        self.assertEqual((shown[2], shown[4]), ("[0.0, 2.0, 4.0]", "[0.0, 10.0, 20.0]"))

    def test_a_mistake_shows_its_line(self):
        with self.assertRaises(CellExecutionError) as caught:
            outputs_of(SET_UP, "@triton.jit\ndef kernel(x, n, B: tl.constexpr):\n    tl.store(x, nothing_of_the_kind)\n",
                       "run(3)")
        text = str(caught.exception)
        self.assertIn("CompilationError", text)
        self.assertIn("tl.store(x, nothing_of_the_kind)", text)

    def test_a_magic_that_times(self):
        shown = outputs_of(SET_UP, KERNEL.format(factor=1), "%timeit -n 1 -r 1 run(100)")
        self.assertIn("per loop", shown[2])


if __name__ == "__main__":
    main()
