# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in the cells of a notebook, in a real Jupyter kernel; and pages that it shows, which headless Chromium opens
as a notebook does."""

import html.parser
import os
import subprocess
import tempfile
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


def executed(*cells):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    return book.cells


def outputs_of(*cells):
    """The text that each cell shows."""
    return ["".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
            for cell in executed(*cells)]


class Frames(html.parser.HTMLParser):
    """The pages inside of an output's frames."""

    def __init__(self, text):
        super().__init__()
        self.pages, self.names = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "iframe":
            self.pages.append(dict(attributes)["srcdoc"])
            self.names.append(dict(attributes)["title"])


CHROMIUM = "/usr/bin/chromium"
# Says of a page in a frame what is drawn, as far as a notebook that shows it may look.
LOOK = """<script>addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument, made = document.createElement("p");
  made.textContent = `drawn: ${page.querySelector("h1").textContent}; parts ${page.querySelectorAll("section").length}`;
  document.body.append(made);
});</script>"""


def drawn_in(output):
    """What Chromium draws of an output inside of a page that has more than it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "notebook.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<!doctype html><meta charset='utf-8'><body><div>{output}</div>{LOOK}</body>")
        seen = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               f"--user-data-dir={folder}/profile", "--virtual-time-budget=10000", "--dump-dom", "file://" + path],
                              capture_output=True, text=True, timeout=120, check=True)
    return seen.stdout.rpartition("drawn: ")[2].partition("</p>")[0]


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


class Pages(unittest.TestCase):

    def shown(self, *cells):
        """Of the last cell: what a notebook draws, and what it says where it cannot."""
        output, = [output for output in executed(SET_UP, KERNEL.format(factor=2), "x = np.arange(64, dtype=np.float32)",
                                                 *cells)[-1].outputs if output.output_type == "execute_result"]
        return output.data["text/html"], output.data["text/plain"]

    def check(self, kind, title, parts, *cells):
        drawn, text = self.shown(*cells)
        self.assertRegex(text, rf"^<{kind} of .*>$")
        frames = Frames(drawn)
        page, = frames.pages
        self.assertEqual(frames.names, [text.strip("<>")])  # for screen readers
        self.assertTrue(page.startswith("<!doctype html>"), page[:40])
        self.assertIn("Content-Security-Policy", page)
        if os.path.exists(CHROMIUM):
            said = drawn_in(drawn)
            self.assertRegex(said, title)
            self.assertGreaterEqual(int(said.rpartition("parts ")[2]), parts)
        elif os.environ.get("CI") == "true":
            self.fail(f"there is no {CHROMIUM}")

    def test_analysis(self):
        self.check("Analysis", "^kernel: .* predicted, bound by", 9, "nereid.analyze(kernel, (4,), x, 64, B=16)")

    def test_comparison(self):
        self.check("Comparison", "^kernel", 18, "first = nereid.analyze(kernel, (4,), x, 64, B=16)",
                   "first.against(nereid.analyze(kernel, (2,), x, 64, B=32))")

    def test_profile(self):
        self.check("Profile", "^kernel", 2, "nereid.profile(kernel, (4,), x, 64, B=16, turns=1)")

    def test_names_cannot_break_out_of_the_output(self):
        """A kernel's text, which is in the page, which is in an attribute of the output."""
        spoilt = KERNEL.format(factor="2  # \"></iframe><img src=x onerror=alert(1)>' </script>")
        drawn, _ = self.shown(spoilt, "nereid.analyze(kernel, (4,), x, 64, B=16)")
        page, = Frames(drawn).pages
        self.assertNotIn("<img", drawn)
        self.assertNotIn("<img", page)  # in JSON "<" is an escape


if __name__ == "__main__":
    main()
