# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are kept in a file and run again by the command line, without Python: what they leave is what they left
here, bit by bit; and files that are none."""

import collections
import json
import os
import subprocess
import tempfile
import unittest

from running import main, require, run_program

require("numpy")

import numpy as np

import nereid
import nereid.language as tl
from nereid.launchfile import KEPT_FLOATS, LaunchFile
from nereid.profiling.recorder import Recorder

BINARY = os.environ.get("NEREID_TEST_BINARY", "")
OFFSET = tl.constexpr(-7)
SMALLEST = tl.constexpr(float("-inf"))


@nereid.constexpr_function
def rounded_up(size, to):
    return -(-size // to) * to


class Range(collections.namedtuple("Range", ["low", "high"])):
    pass


@nereid.jit
def square(x):
    return x * x


@nereid.jit
def mixed(x, index, y, between, n, name: tl.constexpr, f: tl.constexpr, B: tl.constexpr):
    tl.static_assert(rounded_up(5, 4) == 8)
    i = tl.program_id(0) * B + tl.arange(0, rounded_up(B - 1, 16))
    at = tl.load(index + i, mask=i < n, other=0)
    v = tl.load(x + at, mask=i < n, other=SMALLEST)
    if name == "exp":
        v = tl.exp(v) + OFFSET
    v = tl.minimum(tl.maximum(f(v), between.low), between.high)
    tl.store(y + i, v, mask=i < n)


@nereid.jit
def shift(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + 1 + i, tl.load(x + i, mask=i < n - 1), mask=i < n - 1)


@nereid.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@nereid.jit
def checked(x):
    tl.device_assert(tl.load(x) > 1, "small")


@nereid.jit
def several(n, B: tl.constexpr, *arrays):
    i = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for k in tl.static_range(len(arrays) - 1):
        total += tl.load(arrays[k] + i, mask=i < n, other=0.0)
    tl.store(arrays[len(arrays) - 1] + i, total, mask=i < n)


@nereid.jit
def indirect(table, out):
    tl.store(out, tl.load(tl.load(table).to(tl.pointer_type(tl.float32))))


def kept(*launches):
    """A LaunchFile of launches: (kernel, grid, arguments, constants)."""
    file = LaunchFile()
    recorder = Recorder(analysis_seconds=0.0, kept=file)
    recorder.start()
    try:
        for kernel, grid, arguments, constants in launches:
            kernel[grid](*arguments, **constants)
    finally:
        recorder.stop()
    return file


def replayed(path, *options, status=0):
    done = subprocess.run([BINARY, "replay", path, *options], capture_output=True, text=True, timeout=300,
                          env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
    if done.returncode != status:
        raise AssertionError(f"{done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout if status == 0 else done.stderr


@unittest.skipUnless(BINARY, "NEREID_TEST_BINARY does not say where the command line is")
class ReplayTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "run.launches")

    def left(self, launch, name):
        return np.load(os.path.join(self.folder, f"{launch}.{name}.npy"))

    def require_same(self, launch, **arrays):
        for device in ("cpu", "check"):
            replayed(self.path, "--device", device, "--launches", str(launch), "--outputs", self.folder, "--time", "1")
            for name, array in arrays.items():
                found = self.left(launch, name)
                self.assertEqual(found.dtype, array.dtype)
                if device == "cpu":
                    self.assertEqual(found.tobytes(), array.tobytes(), name)
                else:  # whose functions of floats are rounded in their own way
                    np.testing.assert_allclose(found, array, rtol=1e-6, atol=1e-5)

    def test_results_are_those_of_the_recorded_run(self):
        rng = np.random.default_rng(3)
        x = rng.standard_normal(1000, dtype=np.float32)
        index, y = rng.integers(0, 1000, 777), np.full(1001, 9, np.float32)
        limits = Range(-3.5, 1 << 40)
        constants = {"name": "exp", "f": square, "B": 64}
        before = x.copy(), index.copy()
        kept((mixed, (13,), (x, index, y, limits, 777), constants)).write(self.path, "here")
        self.assertEqual(np.count_nonzero(y == 9), 1001 - 777)
        self.require_same(0, x=before[0], index=before[1], y=y)

    def test_constants_tell_launches_apart(self):
        x, index = np.arange(8, dtype=np.float32), np.arange(8)
        first, second = np.zeros(8, np.float32), np.zeros(8, np.float32)
        rest = {"f": square, "B": 16}
        kept((mixed, (1,), (x, index, first, Range(-1e9, 1e9), 8), {"name": "exp", **rest}),
             (mixed, (1,), (x, index, second, Range(-1e9, 1e9), 8), {"name": "none", **rest})).write(self.path, "here")
        self.assertFalse(np.array_equal(first, second))
        self.require_same(0, y=first)
        self.require_same(1, y=second)

    def test_arrays_that_overlap_do_so_again(self):
        whole = np.arange(100, dtype=np.float32)
        before = whole.copy()
        kept((add, (1,), (whole[3:40], whole[10:], whole[50:], 30), {"B": 32})).write(self.path, "here")
        self.assertEqual(whole[50:80].tolist(), (before[3:33] + before[10:40]).tolist())
        self.require_same(0, x=whole)
        with open(self.path) as file:
            self.assertEqual(len(json.load(file)["contents"]), 1)

    def test_as_many_arrays_as_were_given(self):
        arrays = [np.arange(10, dtype=np.float32) * k for k in (1, 10, 100)] + [np.zeros(10, np.float32)]
        kept((several, (1,), (10, 16, *arrays), {})).write(self.path, "here")
        self.assertEqual(arrays[3].tolist(), [111.0 * k for k in range(10)])
        self.require_same(0, **{f"arrays.{k}": array for k, array in enumerate(arrays)})

    def test_what_failed_is_not_run_again(self):
        x, file = np.zeros(4, np.float32), LaunchFile()
        recorder = Recorder(analysis_seconds=0.0, kept=file)
        recorder.start()
        try:
            with self.assertRaises(Exception):
                checked[(1,)](x, debug=True)
        finally:
            recorder.stop()
        file.write(self.path, "here")
        self.assertIn("#0 1x1x1: it failed or was interrupted when it was recorded", replayed(self.path))

    def test_what_a_kernel_changes_is_put_back_before_it_is_timed(self):
        x = np.arange(64, dtype=np.float32)
        kept((shift, (1,), (x, 64), {"B": 64})).write(self.path, "here")
        document = json.loads(replayed(self.path, "--json", "--outputs", self.folder, "--time", "2"))
        self.assertEqual(self.left(0, "x").tobytes(), x.tobytes())
        [launch] = document["launches"]
        self.assertEqual((launch["kernel"], launch["calls"], launch["grid"]), ("shift", 1, [1, 1, 1]))
        self.assertGreaterEqual(launch["turns"], 5)
        self.assertGreater(launch["median_ms"], 0)
        self.assertGreater(launch["recorded_ms"]["nereid"], 0)

    def test_large_arrays_of_floats_are_drawn_from_their_distribution(self):
        rng = np.random.default_rng(4)
        n = KEPT_FLOATS // 4 + 1000
        x = rng.standard_normal(n, dtype=np.float32) * 3 + 5
        x[rng.random(n) < 0.1] = -np.inf
        index, y = rng.permutation(n), np.zeros(n, np.float32)
        kept((mixed, (1,), (x, index, y, Range(-1e9, 1e9), 10), {"name": "", "f": square, "B": 16})).write(self.path, "here")
        replayed(self.path, "--outputs", self.folder, "--time", "1")
        drawn = self.left(0, "x")
        self.assertEqual(drawn.shape, x.shape)
        self.assertFalse(np.array_equal(drawn, x))
        self.assertAlmostEqual(np.isinf(drawn).mean(), 0.1, delta=0.01)
        found, expected = (each[np.isfinite(each)] for each in (drawn, x))
        self.assertAlmostEqual(found.mean(), expected.mean(), delta=0.1)
        self.assertAlmostEqual(np.median(found), np.median(expected), delta=0.1)
        self.assertEqual(self.left(0, "index").tobytes(), index.tobytes())  # addresses: as they were
        [launch] = json.loads(replayed(self.path, "--json", "--time", "1"))["launches"]
        self.assertEqual(launch["described"], ["x", "y"])

    def test_what_cannot_run_again_says_why(self):
        value, out = np.ones(1, np.float32), np.zeros(1, np.float32)
        table = np.array([value.ctypes.data], np.int64)
        kept((indirect, (1,), (table, out), {}), (shift, (1,), (value, 1), {"B": 16})).write(self.path, "here")
        text = replayed(self.path)
        self.assertIn("#0 1x1x1: not kept: ValueError: it follows addresses that it reads from memory", text)
        self.assertIn("2 distinct launches, 1 of which did not run", text)

    def test_a_program(self):
        with open(__file__) as file:
            text = file.read()
        program = text[:text.index("def kept(")].replace("import nereid.language as tl", "import triton.language as tl")
        program = program.replace("import nereid\n", "import triton as nereid\n").replace(
            "from nereid.launchfile import KEPT_FLOATS, LaunchFile\n", "").replace(
                "from nereid.profiling.recorder import Recorder\n", "").replace(
                    "from running import main, require, run_program\n\nrequire(\"numpy\")\n", "")
        program += "x = np.arange(64, dtype=np.float32)\nfor _ in range(4):\n    shift[(1,)](x, 64, B=64)\n"
        out, err, status = run_program(program, launcher=("-m", "nereid", "profile"), options=("--save", self.path))
        self.assertEqual((out, status), ("", 0), err)
        text = replayed(self.path)
        self.assertRegex(text, r"recorded on cpu, Nereid .*; replayed on cpu\n")
        self.assertRegex(text, r" 100\.0% +4 +\d+\.\d +- +#0 1x1x1\n")

    def test_launches_are_predicted_without_a_gpu(self):
        x, y, out = (np.arange(5000, dtype=np.float32) for _ in range(3))
        file = kept((add, (5,), (x, y, out, 5000), {"B": 1024, "num_warps": 8}), (shift, (1,), (x, 64), {"B": 64}))
        file.launches[0]["ms"], file.launches[1]["ms"] = {"nereid": 0.004}, {}
        file.write(self.path, "here")
        document = json.loads(replayed(self.path, "--predict", "--json"))
        first, second = document["launches"]
        self.assertEqual((first["kernel"], first["grid"], first["recorded_ms"]), ("add", [5, 1, 1], {"nereid": 0.004}))
        self.assertEqual((first["analysis"]["launch"]["threads"], first["analysis"]["programs"]), (256, 5))
        self.assertEqual([a["memory_bytes"] for a in first["analysis"]["arrays"]][:2], [20000, 20000])
        self.assertGreater(first["predicted_ms"], 0.001)
        self.assertEqual(second["recorded_ms"], {})
        text = replayed(self.path, "--predict")
        self.assertRegex(text, r"recorded on here; predicted for sm_90a\n")
        off = abs(first["predicted_ms"] / 0.004 - 1) * 100
        self.assertRegex(text, fr"\n +{first['predicted_ms'] * 1e3:.1f} +4\.0 +\d\.\d\d +\w.* #0 add 5x1x1\n")
        self.assertIn(f"2 launches; of 1 that were timed predictions are off by {off:.1f} % at the median", text)
        self.assertIn("shift for sm_80 on a100: ", replayed(self.path, "--predict", "--launches", "1", "--target", "sm_80"))
        self.assertIn("2 of 2 launches failed; the last: cannot analyze for target 'cpu'",
                      replayed(self.path, "--predict", "--target", "cpu", status=1))
        self.assertIn("no card 'abacus'", replayed(self.path, "--predict", "--card", "abacus", status=1))
        self.assertRegex(replayed(self.path, "--predict", "--outputs", self.folder, status=1), "--outputs excludes --predict")
        self.assertIn("--target requires --predict", replayed(self.path, "--target", "sm_80", status=1))

    def test_files_that_are_none(self):
        x = np.arange(64, dtype=np.float32)
        kept((shift, (1,), (x, 64), {"B": 64})).write(self.path, "here")
        with open(self.path) as file:
            whole = file.read()
        damaged = {
            "": "cannot read launches|holds no launches, or is damaged",
            "[1]": "holds no launches",
            whole[:len(whole) // 2]: "holds no launches, or is damaged",
            whole.replace('"version": 1', '"version": 2'): "as another version of Nereid writes them",
            whole.replace('"language": "', '"language": "1'): "was recorded where the language was that of Triton 1",
            whole.replace('"grid"', '"gird"'): "/launches/0 has no 'grid'",
            whole.replace('"warps": ', '"warps": "4", "w": '): "/launches/0/options/warps is of the wrong kind: string",
            '{"format": "nereid launches"}': "or is damaged: it has no 'version'",
            whole.replace('"description": 0', '"description": 7'): "a kernel that is none",
            whole.replace('"content": 0', '"content": 7'): "an array that is none",
            whole.replace('"extent": 256', '"extent": 9999'): "an argument that reaches beyond its memory",
            whole.replace('"memory": 0,', '"memory": 3,'): "an argument in memory that is none",
            whole.replace('"slots": [', '"slots": ["1", '): "has 3 arguments, and its kernel takes 2",
            whole.replace('"zlib": "', '"zlib": "AAAA'): "an array of the recording is damaged",
            whole.replace('"bytes": 256', '"bytes": 255'): "reaches beyond its memory",
            whole.replace('"part": "triton.language"', '"thing": "triton.language"'): "no value of kind 'thing'",
            whole.replace('{"part": "triton.language"}', '{"tuple": [' * 9999 + ']}' * 9999): "values within values, too deep",
            whole.replace('tl.arange', 'tl.arrange'): "arrange",
        }
        for text, reason in damaged.items():
            with self.subTest(reason=reason):
                self.assertNotEqual(text, whole)
                with open(self.path, "w") as file:
                    file.write(text)
                error = replayed(self.path, status=1)
                self.assertRegex(error, reason)
                self.assertEqual(error.count("error: "), 1)

    def test_mistakes(self):
        x = np.arange(64, dtype=np.float32)
        kept((shift, (1,), (x, 64), {"B": 64})).write(self.path, "here")
        self.assertIn(".none: No such file or directory", replayed(self.path + ".none", status=1))
        self.assertIn(f"cannot read launches from {self.folder}: Is a directory", replayed(self.folder, status=1))
        self.assertIn("has no launch 1; it holds 1", replayed(self.path, "--launches", "0,1", status=1))
        self.assertIn("no kernel in", replayed(self.path, "--filter", "softmax", status=1))
        self.assertIn("there is no folder", replayed(self.path, "--outputs", self.path, status=1))
        self.assertIn("no device 'tpu'", replayed(self.path, "--device", "tpu", status=1))
        os.environ["NEREID_LIBCUDA"] = "/nowhere/libcuda.so"
        try:
            self.assertIn("cannot open device 'cuda'", replayed(self.path, "--device", "cuda", status=1))
        finally:
            del os.environ["NEREID_LIBCUDA"]


if __name__ == "__main__":
    main()
