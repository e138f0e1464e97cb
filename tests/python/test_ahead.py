# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are compiled for a signature, kept and launched later: triton.compile, and what carries its results to
other processes."""

import pickle
import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from nereid import _native, knobs
from nereid.ahead import ASTSource, compile
from nereid.binary import Binary
from nereid.errors import CompilationError


@nereid.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) * factor, mask=mask)


@nereid.jit
def copy_block(source, target, ROWS: tl.constexpr):
    target.store([0, 0], source.load([ROWS, 0]))


@nereid.jit
def scale_and_add(x, addend, BLOCK: tl.constexpr):
    values = tl.load(x + tl.arange(0, BLOCK)) * 2
    if addend is not None:
        values += tl.load(addend + tl.arange(0, BLOCK))
    tl.store(x + tl.arange(0, BLOCK), values)


SIGNATURE = {"x": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"}


def compiled(attrs=None, **options):
    source = ASTSource(scale, SIGNATURE, {"BLOCK": 64}, attrs)
    return compile(source, nereid.GPUTarget("cpu", 0, 32), options)


def launch(kernel, x, out, factor, grid=None):
    kernel.run(grid or -(-x.size // 64), 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, out,
               x.size, factor, 64)


class Compiled(unittest.TestCase):

    def setUp(self):
        self.x = np.random.default_rng(5).standard_normal(333).astype(np.float32)
        self.want = self.x * np.float32(2.5)

    def test_run(self):
        kernel, out = compiled(), np.zeros_like(self.x)
        self.assertIsNone(kernel._loaded)
        launch(kernel, self.x, out, 2.5)
        np.testing.assert_array_equal(out, self.want)
        self.assertIsNotNone(kernel.function)
        launch(kernel, self.x, out, 1, grid=1)  # an integer for a float, and a part of the array
        np.testing.assert_array_equal(out[:64], self.x[:64])
        np.testing.assert_array_equal(out[64:], self.want[64:])

    def test_targets_that_there_are_not(self):
        source = ASTSource(scale, SIGNATURE, {"BLOCK": 64})
        with self.assertRaisesRegex(ValueError, "hip.*cpu and cuda"):
            compile(source, nereid.GPUTarget("hip", "gfx942", 64))

    def test_descriptors(self):
        kinds = {"source": "tensordesc<fp16[8, 16]>", "target": "tensordesc<fp16[8,16]>", "ROWS": "constexpr"}
        for target in (nereid.GPUTarget("cpu", 0, 32), nereid.GPUTarget("cuda", 90, 32)):
            kernel = compile(ASTSource(copy_block, kinds, {"ROWS": 8}), target)
            self.assertIn("tensor<8x16xf16>", kernel.asm["tile"])
        for kind in ("tensordesc<fp16>", "tensordesc<[8, 16]>", "tensordesc<fp16[]>", "tensordesc<fp16[8, x]>",
                     "tensordesc<fp16[8 8]>", "tensordesc<fp16[0, 8]>"):
            with self.assertRaisesRegex(ValueError, r"a descriptor is tensordesc<fp16\[64, 32\]>"):
                compile(ASTSource(copy_block, {**kinds, "source": kind}, {"ROWS": 8}), nereid.GPUTarget("cpu", 0, 32))

    def test_hooks_of_a_launch(self):
        from nereid import knobs
        kernel, seen = compiled(), []
        x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
        chain = knobs.HookChain()

        def launch_with(enter, leave):
            kernel.run(1, 1, 1, None, kernel.function, kernel.packed_metadata, "metadata", enter, leave, x, out, 64, 2.0,
                       64)

        launch_with(chain, chain)  # holds none
        self.assertEqual(seen, [])
        chain.add(lambda metadata: seen.append(("enter", metadata, out[0])))
        launch_with(chain, lambda metadata: seen.append(("exit", metadata, out[0])))
        self.assertEqual(seen, [("enter", "metadata", 2), ("exit", "metadata", 2)])

        class Recorder:
            """Not a chain, whatever its attributes are called."""

            def __init__(self):
                self.calls = []

            def __call__(self, metadata):
                self.calls.append(metadata)

        recorder = Recorder()
        launch_with(recorder, recorder)
        self.assertEqual(recorder.calls, ["metadata", "metadata"])

        def refuse(metadata):
            raise RuntimeError("not now")

        out[:] = 0
        with self.assertRaisesRegex(RuntimeError, "not now"):
            launch_with(refuse, None)
        self.assertEqual(out[0], 0)  # it was not launched

    def test_an_array_that_is_none(self):
        kinds, x = {"x": "*fp32", "addend": "constexpr", "BLOCK": "constexpr"}, np.arange(16, dtype=np.float32)
        kernel = compile(ASTSource(scale_and_add, kinds, {"addend": None, "BLOCK": 16}), nereid.GPUTarget("cpu", 0, 32))
        kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, None, 16)
        np.testing.assert_array_equal(x, np.arange(16) * 2)

    def test_parameters_of_which_nothing_is_said(self):
        target = nereid.GPUTarget("cpu", 0, 32)
        short = {name: kind for name, kind in SIGNATURE.items() if name != "n"}
        with self.assertRaisesRegex(ValueError, "kernel scale gives no type for parameter 'n'"):
            compile(ASTSource(scale, short, {"BLOCK": 64}), target)
        with self.assertRaisesRegex(ValueError, "kernel scale gives no value for parameter 'BLOCK'"):
            compile(ASTSource(scale, SIGNATURE), target)

    def test_arrays_may_overlap(self):
        memory = np.arange(200, dtype=np.float32)
        want = memory[:100] * 3
        launch(compiled(), memory[:100], memory[:100], 3.0)
        np.testing.assert_array_equal(memory[:100], want)
        np.testing.assert_array_equal(memory[100:], np.arange(100, 200))

    def test_arrays_that_lie_apart(self):
        kernel = compiled()
        scratch = {name: _native.cpu_entry(vars(kernel)[name])["scratch_bytes"] for name in ("_code", "_code_apart")}
        self.assertGreater(scratch["_code"], 0)  # what is loaded is kept until all of it is there
        self.assertEqual(scratch["_code_apart"], 0)
        for distance in (0, 1, 63, 333):
            memory = np.zeros(700, np.float32)
            x, out = memory[:333], memory[distance:distance + 333]
            x[:] = self.x
            kernel.run(1, 1, 1, 0, kernel.function, None, None, None, None, x, out, 64, 2.5, 64)
            np.testing.assert_array_equal(out[:64], self.x[:64] * np.float32(2.5), str(distance))
            np.testing.assert_array_equal(x[:distance][:64], self.x[:distance][:64])

    def test_grid(self):
        out = np.zeros_like(self.x)
        compiled()[(6,)](self.x, out, self.x.size, 2.5, 64)
        np.testing.assert_array_equal(out, self.want)
        launch(compiled(), self.x[:0], out[:0], 2.5, grid=1)
        launch(compiled(), self.x, out * 0, 2.5, grid=0)

    def test_hooks(self):
        kernel, out, told = compiled(), np.zeros_like(self.x), []
        self.assertIsNone(kernel.launch_metadata((6,), 0, self.x, out, 333, 2.5, 64))

        def enter(metadata):
            told.append(("enter", metadata.get()["name"], out.any()))

        def leave(metadata):
            told.append(("leave", metadata.get()["name"], out.any()))

        knobs.runtime.launch_enter_hook.add(enter)
        knobs.runtime.launch_exit_hook.add(leave)
        try:
            kernel[(6,)](self.x, out, self.x.size, 2.5, 64)
        finally:
            knobs.runtime.launch_enter_hook.remove(enter)
            knobs.runtime.launch_exit_hook.remove(leave)
        self.assertEqual(told, [("enter", "scale", False), ("leave", "scale", True)])

    def test_mistakes(self):
        kernel, out = compiled(), np.zeros_like(self.x)
        run = kernel.run
        with self.assertRaisesRegex(TypeError, "takes 5 arguments but 2 were given"):
            run(1, 1, 1, 0, None, None, None, None, None, self.x, out)
        with self.assertRaisesRegex(TypeError, "None or a constant"):
            run(1, 1, 1, 0, None, None, None, None, None, None, out, 5, 1.0, 64)
        aligned = compiled({(1,): [["tt.divisibility", 16]]})
        memory = np.zeros(400, dtype=np.float32)
        begin = -(memory.ctypes.data // 4) % 4
        launch(aligned, self.x, memory[begin:], 2.5)
        np.testing.assert_array_equal(memory[begin:begin + 333], self.want)
        with self.assertRaisesRegex(ValueError, "'out' is not the multiple of 16 that"):
            launch(aligned, self.x, memory[begin + 1:], 2.5)
        with self.assertRaises(CompilationError):
            compile(ASTSource(scale, {**SIGNATURE, "n": "*fp32"}, {"BLOCK": 64}), nereid.GPUTarget("cpu", 0, 32))

    def test_options_of_other_targets_are_passed_over(self):
        kernel = compile(ASTSource(scale, SIGNATURE, {"BLOCK": 64}), nereid.GPUTarget("cpu", 0, 32),
                         options={"num_warps": 8, "num_stages": None, "schedule_hint": "attention"})
        self.assertEqual((kernel.metadata.num_warps, kernel.metadata.num_stages), (8, 3))

    def test_addresses(self):
        out = np.zeros_like(self.x)
        compiled()[(6,)](self.x.ctypes.data, out.ctypes.data, self.x.size, 2.5, 64)
        np.testing.assert_array_equal(out, self.want)

    def test_texts(self):
        self.assertIn("scale", compiled().asm["llir"])
        hopper = compile(ASTSource(scale, SIGNATURE, {"BLOCK": 64}), nereid.GPUTarget("cuda", 90, 32))
        self.assertIn(".target sm_90a", hopper.asm["ptx"])


class Carried(unittest.TestCase):
    """The state of a kernel in another process, where its function is not."""

    def test_state(self):
        kernel = compiled(num_warps=8)
        wanted = dict(kernel.metadata._asdict())
        scale.fn, function = None, scale.fn
        try:
            state = pickle.loads(pickle.dumps({**vars(kernel), "metadata": wanted, "run": None, "function": None}))
        finally:
            scale.fn = function
        other = Binary.__new__(Binary)
        other.__dict__.update(state)
        self.assertEqual((other.hash, other.src.fn.arg_names), (kernel.hash, list(SIGNATURE)))
        self.assertEqual(other.metadata["num_warps"], 8)
        self.assertIsNone(other.src.fn.fn)
        x = np.arange(70, dtype=np.float32)
        out = np.zeros_like(x)
        launch(other, x, out, 0.5)
        np.testing.assert_array_equal(out, x / 2)
        with self.assertRaisesRegex(KeyError, "is with the process that compiled it"):
            other.asm["llir"]


class OfLaunches(unittest.TestCase):

    def test_run(self):
        """What a launch compiled has the same interface."""
        x, out = np.arange(64, dtype=np.float32), np.zeros(64, dtype=np.float32)
        kernel = scale[(1,)](x, out, 64, 1.0, BLOCK=64)
        self.assertIsInstance(kernel, Binary)
        launch(kernel, x, out, 4.0)
        np.testing.assert_array_equal(out, x * 4)


if __name__ == "__main__":
    main()
