# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler remarks, in Python: of a launch, of a kernel compiled ahead, and printed as kernels are compiled."""

import contextlib
import io
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

from running import main

import numpy as np

import nereid
import nereid.language as tl


@nereid.jit
def columns(x, y, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i * stride))


PROGRAM = """
import numpy as np
import nereid
import nereid.language as tl

@nereid.jit
def columns(x, y, stride, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i * stride))

for stride in (4, 4, 1):
    columns[(1,)](np.zeros(1024, np.float32), np.zeros(256, np.float32), stride, B=256)
"""


def launched(stride):
    return columns[(1,)](np.zeros(1024, np.float32), np.zeros(256, np.float32), stride, B=256)


class Remarks(unittest.TestCase):
    def test_of_a_launch(self):
        remark, = launched(4).remarks
        self.assertEqual((remark.id, remark.count), ("access_by_element", 1))
        self.assertEqual(os.path.basename(remark.file), "test_remarks.py")
        self.assertEqual(remark.line, columns.fn.__code__.co_firstlineno + 3)
        self.assertIn("one by one", remark.text)
        self.assertIn("^", str(remark))
        self.assertIn("note: accepted: " + remark.accepted, str(remark))
        self.assertEqual(launched(1).remarks, [])

    def test_of_a_kernel_compiled_ahead(self):
        from nereid.ahead import ASTSource, compile
        from nereid.target import GPUTarget

        source = ASTSource(columns, {"x": "*fp32", "y": "*fp32", "stride": "i32", "B": "constexpr"}, {"B": 256})
        compiled = compile(source, target=GPUTarget("cpu", "haswell", 32))
        # Nothing says that the arrays are two.
        self.assertEqual([remark.id for remark in compiled.remarks], ["store_not_streamed", "access_by_element"])
        self.assertEqual(pickle.loads(pickle.dumps(compiled.remarks)), compiled.remarks)
        printed = io.StringIO()
        with nereid.knobs.compilation.scope(), contextlib.redirect_stderr(printed):
            nereid.knobs.compilation.remarks = True
            compile(source, target=GPUTarget("cpu", "haswell", 32))
        self.assertEqual(printed.getvalue().count("[access_by_element]"), 1)

    def test_are_printed_when_asked_for(self):
        printed = io.StringIO()
        with nereid.knobs.compilation.scope(), contextlib.redirect_stderr(printed):
            nereid.knobs.compilation.remarks = True
            launched(5)
            launched(5)
        self.assertEqual(printed.getvalue().count("[access_by_element]"), 1)
        with contextlib.redirect_stderr(printed):
            launched(6)
        self.assertEqual(printed.getvalue().count("[access_by_element]"), 1)

    def test_variable(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "program.py")
            with open(path, "w") as file:
                file.write(PROGRAM)
            run = lambda **more: subprocess.run([sys.executable, path], capture_output=True, text=True, check=True,
                                                env=dict(os.environ, **more)).stderr
            self.assertIn("program.py:9:21: remark: this load goes through its elements one by one", run(NEREID_REMARKS="1"))
            self.assertNotIn("remark", run())


if __name__ == "__main__":
    main()
