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
            kept = os.path.join(folder, "run.launches")
            done = subprocess.run([sys.executable, "-m", "nereid", "compare", "--json", record, "--save", kept, program],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            with open(record) as text:
                rows = json.load(text)["rows"]
            self.assertEqual([row["calls"] for row in rows if row["kernel"] == "scaled"], [3])
            self.assertTrue(any(row["kernel"].startswith("triton_") for row in rows))
            for row in rows:
                self.assertNotIn("problem", row)
                self.assertLess(row["difference"], 1)
                self.assertIn("bound", row)
            self.require_replayed(kept, rows, folder)

    def require_replayed(self, kept, rows, folder):
        binary = os.environ.get("NEREID_TEST_BINARY")
        if not binary:
            return
        done = subprocess.run([binary, "replay", kept, "--device", "cuda", "--json", "--outputs", folder],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        launches = json.loads(done.stdout)["launches"]
        self.assertEqual([(each["kernel"], each["grid"], each["calls"]) for each in launches],
                         [(row["kernel"], row["grid"], row["calls"]) for row in rows])
        for launch, row in zip(launches, rows):  # of microseconds, on a GPU that was warm or was not
            self.assertLess(abs(launch["median_ms"] - row["nereid_ms"]), 0.02)
        number = [each["kernel"] for each in launches].index("scaled")
        import numpy

        x, y = (numpy.load(os.path.join(folder, f"{number}.{name}.npy")) for name in "xy")
        # the storage's last bytes are no part of the array
        self.assertTrue(numpy.array_equal(y[:100001], x[:100001] / 2))


if __name__ == "__main__":
    main()
