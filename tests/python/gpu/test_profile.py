# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that note what their warps do, on a GPU: they compute what they compute without, what they say is plausible, and
it costs what it says; programs whose launches are timed; and the figures of the GPU. Needs a GPU and a PyTorch for it."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from running import main, require_gpu, run_program

torch = require_gpu()

import nereid
import nereid.language as tl


@nereid.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + i, e / tl.sum(e, 0), mask=i < columns)


@nereid.jit
def matmul(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, N, BK):
        left = tl.load(a + m[:, None] * N + (first + k)[None, :])
        total = tl.dot(left, tl.load(b + (first + k)[:, None] * N + n[None, :]), total)
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16))


@nereid.jit
def says(x):
    tl.device_print("here", tl.load(x))


class Kernels(unittest.TestCase):

    def check(self, profile, blocks):
        self.assertEqual(profile.blocks_launched, blocks)
        self.assertGreater(profile.seconds, 0)
        self.assertLess(abs(profile.overhead), 0.5)
        self.assertGreater(profile.clock_hertz, 2e8)
        self.assertLess(profile.clock_hertz, 4e9)
        # Each role's time is somewhere.
        for fetches in (False, True):
            shares = [line["share"] for line in profile.lines if line["fetches"] == fetches]
            if shares:
                self.assertAlmostEqual(sum(shares), 1, places=6)
        ends = [end for _, _, _, end in profile.blocks]
        self.assertLess(max(ends), 3 * profile.profiled_seconds + 1e-5)
        events = [event for event in json.loads(profile.trace)["traceEvents"] if event["ph"] == "X"]
        self.assertGreater(len(events), 0)
        self.assertTrue(all(event["dur"] >= 0 for event in events))

    def test_rows(self):
        x = torch.randn(4096, 4096, device="cuda")
        y = torch.empty_like(x)
        profile = nereid.profile(softmax, (4096,), x, y, 4096, BLOCK=4096)
        torch.testing.assert_close(y, torch.softmax(x, 1))
        self.check(profile, 4096)
        waits = {line["what"]: line["share"] for line in profile.lines}
        self.assertGreater(waits["await_load"], 0.1)  # a kernel of memory waits for memory

    def test_roles(self):
        a, b = (torch.randn(2048, 2048, device="cuda", dtype=torch.float16) for _ in range(2))
        c = torch.empty_like(a)
        profile = nereid.profile(matmul, (16, 16), a, b, c, 2048, BM=128, BN=128, BK=64, num_warps=8)
        torch.testing.assert_close(c, a @ b, rtol=2e-2, atol=0.2)
        self.assertGreater(len(profile.lines), 2)
        self.check(profile, profile.blocks_launched)

    def test_refusals(self):
        x = torch.ones(4, device="cuda")
        with self.assertRaisesRegex(nereid.errors.NereidError, "prints"):
            nereid.profile(says, (1,), x)
        with self.assertRaisesRegex(nereid.errors.NereidError, "without programs"):
            nereid.profile(softmax, (0,), x, x, 4, BLOCK=4)


class Programs(unittest.TestCase):

    PROGRAM = """
import torch, triton, triton.language as tl
@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
x = torch.ones(1 << 24, device="cuda")
for _ in range(3):
    scale[(triton.cdiv(x.numel(), 1024),)](x, x.numel(), BLOCK=1024)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    scale[(triton.cdiv(x.numel(), 1024),)](x, x.numel(), BLOCK=1024)
graph.replay()
torch.cuda.synchronize()
print(x[0].item())
"""

    def test_launches_are_timed_by_the_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.json")
            out, err, status = run_program(self.PROGRAM, launcher=("-m", "nereid", "profile"), options=("--json", path))
            self.assertEqual((out, status), ("16.0\n", 0), err)
            with open(path) as file:
                document = json.load(file)
        self.assertEqual((document["launches"], document["untimed"]), (4, 1))
        entry, = document["kernels"]
        self.assertEqual(entry["bytes"], 3 * 2 * 4 << 24)
        self.assertGreater(entry["bytes_per_second"], 1e11)
        self.assertEqual(entry["bounds"], ["memory"])

    def test_times_are_those_of_the_kernels(self):
        """Of short launches, for which the GPU would wait, as those of long ones: what CUPTI says, through torch.profiler."""
        from torch.profiler import ProfilerActivity, profile

        from nereid.profiling.recorder import Recorder

        for rows in (1, 256, 4096, 65536):
            x = torch.randn(rows, 256, device="cuda")
            y = torch.empty_like(x)

            def launched(times):
                for _ in range(times):
                    softmax[(rows,)](x, y, 256, BLOCK=256)
                    torch.cuda.synchronize()

            launched(3)
            with profile(activities=[ProfilerActivity.CUDA]) as seen:
                launched(20)
            kernels = [event.device_time_total for event in seen.events() if event.name == "kernel_softmax"]
            recorder = Recorder(analysis_seconds=0.0)
            recorder.start()
            try:
                launched(20)
            finally:
                recorder.stop()
            measured = statistics.median(launch.seconds for launch in recorder.launches) * 1e6
            self.assertEqual((len(kernels), len(recorder.launches)), (20, 20))
            self.assertAlmostEqual(measured, statistics.median(kernels), delta=0.6 + 0.1 * measured)
            self.assertLess(sum(not launch.is_alone for launch in recorder.launches), 5)

    def test_torch_profiler_shows_kernels_by_their_names(self):
        from torch.profiler import ProfilerActivity, profile

        x = torch.randn(64, 256, device="cuda")
        y = torch.empty_like(x)
        softmax[(64,)](x, y, 256, BLOCK=256)
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            softmax[(64,)](x, y, 256, BLOCK=256)
            torch.cuda.synchronize()
        self.assertIn("kernel_softmax", [event.key for event in seen.key_averages()])


class Cards(unittest.TestCase):

    def test_figures(self):
        binary = os.environ.get("NEREID_TEST_BINARY")
        if not binary:
            self.skipTest("NEREID_TEST_BINARY names no program")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "here.card")
            done = subprocess.run([binary, "calibrate", "-o", path], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path) as file:
                figures = dict(line.split("#")[0].split(" = ") for line in file if " = " in line)
        value = {key: float(text.split()[0]) for key, text in figures.items() if key not in ("name", "sm")}
        self.assertLess(value["memory_reached"], value["memory_peak"] * 1.02)
        self.assertGreater(value["memory_reached"], 0.5 * value["memory_peak"])
        self.assertGreater(value["l2_rate"], value["memory_reached"])
        self.assertGreater(value["memory_latency"], 200)
        self.assertLess(value["memory_latency"], 3000)
        self.assertGreater(value["tensor_share"], 20)
        self.assertLess(value["tensor_share"], 105)
        self.assertLess(value["launch_time"], 20)


if __name__ == "__main__":
    main()
