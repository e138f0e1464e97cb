# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid profile on the CPU: what a program launches, from where, and how long that takes; and mistakes of use.
gpu/test_profile.py measures kernels."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

from running import main, require, run_program

require("numpy")

import numpy as np

import nereid
import nereid.language as tl
from nereid.profiling import command, report
from nereid.profiling.recorder import Counts, Launch, Recorder

PROGRAM = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

@triton.jit
def twice(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) * 2)

x, y = np.ones(5000, np.float32), np.zeros(5000, np.float32)

def step():
    add[(triton.cdiv(x.size, 1024),)](x, y, y, x.size, BLOCK=1024)

for _ in range(5):
    step()
twice[(1,)](x, BLOCK=64)
add[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, y, 1000, BLOCK=256)
print("sum", y.sum(), sys.argv[1:])
"""


@nereid.jit
def copy(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


def profiled(text, *arguments, options=()):
    return run_program(text, *arguments, launcher=("-m", "nereid", "profile"), options=options)


class Programs(unittest.TestCase):

    def test_counts_and_sites(self):
        with tempfile.TemporaryDirectory() as folder:
            path, trace = os.path.join(folder, "p.json"), os.path.join(folder, "t.json")
            pages = os.path.join(folder, "of", "pages")  # is made
            out, err, status = profiled(PROGRAM, "--its", "own",
                                        options=("--json", path, "--trace", trace, "--pages", pages))
            self.assertEqual(status, 0, err)
            self.assertEqual(out, "sum 26064.0 ['--its', 'own']\n")  # the program's own, as without us
            with open(path) as file:
                document = json.load(file)
            with open(trace) as file:
                events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
            self.assertEqual(sorted(os.listdir(pages)), ["1-add.html", "2-twice.html"])
            with open(os.path.join(pages, "1-add.html"), encoding="utf-8") as file:
                self.assertIn("<!doctype html>", file.read())
        self.assertEqual(document["launches"], 7)
        self.assertEqual(document["untimed"], 0)
        kernels = {entry["kernel"]: entry for entry in document["kernels"]}
        self.assertEqual({name: entry["launches"] for name, entry in kernels.items()}, {"add": 6, "twice": 1})
        sites = {(site["function"], tuple(site["grid"])): site for site in kernels["add"]["sites"]}
        self.assertEqual({key: site["launches"] for key, site in sites.items()},
                         {("step", (5, 1, 1)): 5, ("<module>", (4, 1, 1)): 1})
        self.assertEqual(kernels["twice"]["sites"][0]["line"], 24)
        # 5000 elements of f32 are 625 sectors: two arrays are read, and one of them written.
        self.assertEqual(sites["step", (5, 1, 1)]["bytes"], 5 * 3 * 20000)
        self.assertEqual(kernels["twice"]["bytes"], 2 * 256)
        self.assertAlmostEqual(kernels["add"]["bytes_per_second"], kernels["add"]["bytes"] / kernels["add"]["seconds"])
        self.assertAlmostEqual(sum(site["seconds"] for site in kernels["add"]["sites"]), kernels["add"]["seconds"])
        self.assertEqual(len(events), 7)
        self.assertEqual(sorted(event["name"] for event in events), ["add"] * 6 + ["twice"])
        self.assertLess(sum(entry["seconds"] for entry in kernels.values()), document["seconds"])
        self.assertIn("7 launches took", err)
        self.assertRegex(err, r"\n +5 .* program\.py:20 in step, grid 5 x 1 x 1\n")

    def test_files_are_where_the_command_stood(self):
        """A program may go elsewhere; and what stands in a folder named as the command is no program."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "profile"))
            with open(os.path.join(folder, "moves.py"), "w") as file:
                file.write(PROGRAM + "\nimport os\nos.chdir('/')\n")
            done = subprocess.run([sys.executable, "-B", "-m", "nereid", "profile", "--no-bytes", "--json", "p.json",
                                   "moves.py"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("p.json", os.listdir(folder))

    def test_one_launch(self):
        _, err, _ = profiled(PROGRAM[:PROGRAM.index("for _ in")] + "step()\n", options=("--no-bytes",))
        self.assertTrue(err.startswith("1 launch took"), err)

    def test_modules_are_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "steps.py"), "w") as file:
                file.write(PROGRAM)
            done = subprocess.run([sys.executable, "-B", "-m", "nereid", "profile", "--no-bytes", "-m", "steps"], cwd=folder,
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("7 launches took", done.stderr)
        self.assertNotIn("B/s", done.stderr)  # not counted

    def test_programs_that_fail_are_reported_as_far_as_they_came(self):
        out, err, status = profiled(PROGRAM + "\nraise KeyError('lost')\n")
        self.assertEqual(status, 1)
        self.assertIn("KeyError: 'lost'", err)
        self.assertIn("7 launches took", err)
        out, err, status = profiled(PROGRAM + "\nsys.exit(3)\n")
        self.assertEqual(status, 3)
        self.assertIn("7 launches took", err)

    def test_nothing_launched(self):
        out, err, status = profiled("print('idle')\n")
        self.assertEqual((out, err, status), ("idle\n", "no kernel of Nereid was launched\n", 0))

    def test_mistakes_of_use(self):
        for arguments, reason in ((["missing.py"], "there is no file missing.py"), ([], "PROGRAM"),
                                  (["--json", "/missing/p.json", __file__], "cannot write /missing/p.json"),
                                  (["--trace", os.path.dirname(__file__), __file__], "cannot write"),
                                  (["--pages", __file__, __file__], "is no folder"),
                                  (["--pages", tempfile.gettempdir(), "--no-bytes", __file__],
                                   "pages are what was counted")):
            errors = io.StringIO()
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(errors):
                command.main(arguments)
            self.assertEqual(end.exception.code, 2)
            self.assertIn(reason, errors.getvalue())


class Recorders(unittest.TestCase):

    def test_hooks_of_programs_are_called_as_well(self):
        calls = []
        x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
        hook = lambda metadata: calls.append(metadata.get()["name"])
        nereid.knobs.runtime.launch_enter_hook.add(hook)
        recorder = Recorder()
        recorder.start()
        try:
            copy[(1,)](x, y, BLOCK=64)
        finally:
            recorder.stop()
            nereid.knobs.runtime.launch_enter_hook.remove(hook)
        self.assertEqual(calls, ["copy"])
        self.assertEqual([launch.kernel for launch in recorder.launches], ["copy"])
        self.assertEqual(recorder.launches[0].site[0], __file__)
        copy[(1,)](x, y, BLOCK=64)
        self.assertEqual(len(recorder.launches), 1)  # it watches no more

    def test_failing_launches_are_the_programs(self):
        recorder = Recorder()
        recorder.start()
        try:
            with self.assertRaises(Exception):
                copy[(1, 1, 1, 1)](np.ones(64, np.float32), np.zeros(64, np.float32), BLOCK=64)
        finally:
            recorder.stop()
        self.assertEqual([launch for launch in recorder.launches if launch.seconds is not None], [])

    def test_why_bytes_are_missing_is_said(self):
        x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
        texts = {}
        for seconds in (0.0, 1e-9):
            recorder = Recorder(analysis_seconds=seconds)
            recorder.start()
            copy[(1,)](x, y, BLOCK=64)
            copy[(2,)](x[:32], y, BLOCK=16)
            recorder.stop()
            texts[seconds] = report.as_text(recorder)
        self.assertNotIn("not counted", texts[0.0])  # nobody asked for them
        self.assertIn("bytes of 1 launch of copy are not counted: the 0 s that counting may take were over", texts[1e-9])

    def test_names_cannot_steer_a_terminal(self):
        launch = Launch("evil\x1b[31m", (1, 1, 1), "cpu", ("a\nb.py", 3, "f"))
        launch.seconds, launch.begin, launch.counts = 1.0, 0.0, Counts(10)
        text = report.as_text(types.SimpleNamespace(launches=[launch], seconds=2.0, untimed=0))
        self.assertNotIn("\x1b", text)
        self.assertIn("10 B", text)


class Kernels(unittest.TestCase):

    def test_where_threads_of_a_cpu_stand(self):
        y = np.zeros(64, np.float32)
        profile = nereid.profile(copy, (1,), np.ones(64, np.float32), y, BLOCK=64, turns=0)
        self.assertGreater(profile.threads, 0)
        self.assertEqual(profile.sampled_launches, 1)
        self.assertEqual(y[0], 1)
        self.assertIn("Content-Security-Policy", profile.html)
        self.assertAlmostEqual(sum(line["share"] for line in profile.lines), 1)
        with self.assertRaisesRegex(nereid.errors.NereidError, "detail 'waits' is one of GPUs"):
            nereid.profile(copy, (1,), np.ones(64, np.float32), y, BLOCK=64, detail="waits")
        with self.assertRaisesRegex(ValueError, "traces are of GPUs"):
            profile.save_trace("/nowhere/trace.json")
        with self.assertRaisesRegex(TypeError, "a kernel .* is profiled, not function"):
            nereid.profile(lambda: None, (1,))


if __name__ == "__main__":
    main()
