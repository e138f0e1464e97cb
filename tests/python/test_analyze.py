# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch would ask of a GPU, in Python: figures that follow from the shapes, and mistakes of use."""

import os
import tempfile
import unittest

from running import main

import numpy as np

import nereid
import nereid.language as tl


@nereid.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@nereid.jit
def gather(x, index, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + tl.load(index + i)))


@nereid.jit
def copy_in_rounds(x, y, n, BLOCK: tl.constexpr):
    for begin in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = begin + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


class Analyzed(unittest.TestCase):

    def setUp(self):
        self.x, self.y = np.ones(4096, np.float32), np.zeros(4096, np.float32)

    def test_counts(self):
        analysis = nereid.analyze(copy, lambda meta: (nereid.cdiv(4096, meta["BLOCK"]),), self.x, self.y, 4096, BLOCK=1024)
        self.assertEqual([access["sectors"] for access in analysis.accesses], [512, 512])
        self.assertEqual({access["kind"]: access["requests"] for access in analysis.accesses}, {"load": 32, "store": 32})
        self.assertEqual(analysis.card, "h100")
        self.assertGreater(analysis.seconds, 0)
        self.assertIn("copy for sm_90a", str(analysis))
        self.assertFalse(self.y.any())  # nothing ran
        self.assertLessEqual({"accesses", "advice", "save"}, set(dir(analysis)))  # what a notebook completes

    def test_options_of_the_launch(self):
        analysis = nereid.analyze(copy, (4,), self.x, self.y, 4096, BLOCK=1024, num_warps=8, target="sm_80", card="a100")
        self.assertEqual(analysis.launch["threads"], 256)
        self.assertEqual(analysis.target, "sm_80")

    def test_programs_are_followed_as_far_as_is_said(self):
        arguments = (copy_in_rounds, (4,), self.x, self.y, 4096)
        with self.assertRaisesRegex(Exception, "followed for 100 accesses"):
            nereid.analyze(*arguments, BLOCK=256, most_accesses=100)
        self.assertEqual(nereid.analyze(*arguments, BLOCK=256, most_accesses=100_000).programs, 4)
        self.assertEqual(nereid.analyze(copy, (4,), self.x, self.y, 4096, BLOCK=1024, most_accesses=100).programs, 4)

    def test_what_arrays_hold_counts(self):
        near = np.arange(1024, dtype=np.int32)
        far = near * 8 % 4096 + near // 512
        sectors = [nereid.analyze(gather, (1,), self.x, index, self.y, BLOCK=1024).accesses for index in (near, far)]
        self.assertEqual(max(access["sectors"] for access in sectors[1] if access["array"] == "x"), 1024)
        self.assertLess(max(access["sectors"] for access in sectors[0] if access["array"] == "x"), 1024)

    def test_side_by_side(self):
        first, second = (nereid.analyze(copy, (4096 // block,), self.x, self.y, 4096, BLOCK=block) for block in (1024, 512))
        comparison = first.against(second)
        rows = {row["name"]: row for row in comparison.differences}
        self.assertEqual((rows["programs"]["first"], rows["programs"]["second"], rows["programs"]["ratio"]), ("4", "8", 2))
        self.assertIn("The second takes", str(comparison))
        self.assertIn("<iframe", comparison._repr_html_())
        self.assertFalse(any(row["differs"] for row in first.against(first).differences))
        with self.assertRaisesRegex(TypeError, "compared with an analysis, not with int"):
            first.against(5)

    def test_page(self):
        analysis = nereid.analyze(copy, (4,), self.x, self.y, 4096, BLOCK=1024)
        self.assertIn("<iframe", analysis._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            analysis.save(os.path.join(folder, "page.html"))
            with open(os.path.join(folder, "page.html"), encoding="utf-8") as page:
                self.assertEqual(page.read(), analysis.html)

    def test_mistakes(self):
        with self.assertRaisesRegex(Exception, "GPUs are analyzed: sm_80"):
            nereid.analyze(copy, (4,), self.x, self.y, 4096, BLOCK=1024, target="cpu")
        with self.assertRaisesRegex(TypeError, "missing required arguments: 'n'"):
            nereid.analyze(copy, (4,), self.x, self.y, BLOCK=1024)
        with self.assertRaisesRegex(TypeError, "a kernel .* is analyzed, not int"):
            nereid.analyze(5, (4,))
        with self.assertRaisesRegex(AttributeError, "no 'speed'; it has seconds"):
            nereid.analyze(copy, (4,), self.x, self.y, 4096, BLOCK=1024).speed


main()
