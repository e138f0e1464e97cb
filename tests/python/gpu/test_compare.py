# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid compare on a GPU with Triton: launches in brackets, tuned ones, and those of torch.compile."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from running import main, require_gpu  # noqa: E402

require_gpu()

PROGRAM = """
import torch, triton, triton.language as tl

@triton.jit
def halved(x):
    return x / 2

@triton.autotune([triton.Config({"B": b}) for b in (256, 512)], key=["n"])
@triton.jit
def scaled(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, halved(tl.load(x + i, i < n)), i < n)

x = torch.randn(100001, device="cuda")
y = torch.empty_like(x)
for _ in range(3):
    scaled[lambda meta: (triton.cdiv(100001, meta["B"]),)](x, y, 100001)
assert torch.equal(y, x / 2)
print(torch.compile(lambda a: (a.sin() + 1).sum(0))(torch.randn(512, 300, device="cuda")).shape)
raise SystemExit(3)
"""


class CompareTest(unittest.TestCase):

    def test_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program, record = (os.path.join(folder, name) for name in ("program.py", "record.json"))
            with open(program, "w") as file:
                file.write(PROGRAM)
            done = subprocess.run([sys.executable, "-m", "nereid", "compare", "--json", record, program],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            with open(record) as text:
                rows = json.load(text)["rows"]
            self.assertEqual([row["calls"] for row in rows if row["kernel"] == "scaled"], [3])
            self.assertTrue(any(row["kernel"].startswith("triton_") for row in rows))
            for row in rows:
                self.assertNotIn("problem", row)
                self.assertLess(row["difference"], 1)


if __name__ == "__main__":
    main()
