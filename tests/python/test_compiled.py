# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch gives back: compiled kernels, their copies, and the hooks around them."""

import copy
import pickle
import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from kernels import add, fill, fill_with


class Compiled(unittest.TestCase):

    def test_cached_and_described(self):
        kernel = nereid.JITFunction(fill.fn)
        out = np.zeros(10, np.float32)
        first = kernel[(1,)](out, 1.5, 10)
        self.assertIs(kernel[(1,)](out, 2.5, 10), first)
        self.assertIsNot(kernel[(1,)](out, 2, 10), first)
        self.assertEqual(first.metadata.name, "fill")
        self.assertIn("fill", first.asm["asm"])
        self.assertIn("tile.store", first.asm["tile"])
        with self.assertRaises(KeyError):
            first.asm["ptx"]
        first[(1,)](out, 3.5, 10)
        np.testing.assert_array_equal(out, 3.5)

    def test_warmup(self):
        compiled = fill.warmup(nereid.MockTensor(tl.float32), 1.0, 10, grid=(1,))
        self.assertIn("fill", compiled.asm["llir"])

    def test_warmup_is_of_use_to_a_launch(self):
        kernel, array = nereid.JITFunction(add.fn), nereid.MockTensor(tl.float32)
        compiled = kernel.warmup(array, array, array, 32, BLOCK=32, grid=(1,))
        x, y, out = (np.ones(32, np.float32) for _ in range(3))
        self.assertIs(kernel[(1,)](x, y, out, 32, BLOCK=32), compiled)

    def test_run_with_arrays_that_overlap(self):

        @nereid.jit
        def reverse(x, y, n, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(y + (BLOCK - 1 - i), tl.load(x + i))

        a, b = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
        compiled = reverse[(1,)](a, b, 256, BLOCK=256)
        facts = (1, 1, 1, 0, compiled.function, compiled.packed_metadata, None, None, None)
        compiled.run(*facts, a, a, 256, 256)
        np.testing.assert_array_equal(a, np.arange(256)[::-1])
        compiled.run(*facts, a.ctypes.data, a.ctypes.data, 256, 256)
        np.testing.assert_array_equal(a, np.arange(256))
        compiled.run(*facts, a, b, 256, 256)
        np.testing.assert_array_equal(b, np.arange(256)[::-1])

    def test_copies(self):
        kernel = nereid.JITFunction(fill.fn)
        kernel._unsafe_update_src(kernel.src.replace("out + offsets, value", "out + offsets, value * 2"))
        np.testing.assert_array_equal(fill_with(copy.copy(kernel), np.zeros(5, np.int32), 4), 8)
        self.assertIsNot(copy.copy(kernel), kernel)
        self.assertIs(copy.deepcopy({"kernel": kernel})["kernel"], kernel)
        self.assertIs(pickle.loads(pickle.dumps(fill)), fill)
        with self.assertRaises(pickle.PicklingError):
            pickle.dumps(kernel)  # another has its name

    def test_preloaded_tuples(self):

        @nereid.jit
        def kernel(parts, out):
            tl.store(out, parts[0][0] + parts[1][0])
            tl.store(out + 1, tl.load(parts[2]))

        out, told = np.zeros(2, np.float32), []
        kernel.compiled_hook = lambda compile, **facts: told.append(compile["specialization_data"])
        compiled = kernel[(1,)](((1,), (tl.constexpr(2),), np.ones(1, np.float32)), out)
        np.testing.assert_array_equal(out, [3, 1])
        self.assertIn("((constexpr,),(constexpr,),*fp32", compiled.signature["parts"])
        kernel.device_caches.clear()
        preloaded = kernel.preload(told[0])
        self.assertEqual(preloaded.hash, compiled.hash)
        self.assertIs(kernel[(1,)](((1,), (tl.constexpr(2),), np.full(1, 7, np.float32)), out), preloaded)
        np.testing.assert_array_equal(out, [3, 7])

    def test_pre_run_hook_and_repr(self):
        kernel = nereid.jit(fill.fn, repr=lambda specialization: f"fill_{specialization.constants['BLOCK']}")
        calls = []
        kernel.add_pre_run_hook(lambda *args, **named: calls.append((len(args), named)))
        compiled = kernel[(1,)](np.zeros(3), 1.0, 3, BLOCK=4)
        self.assertEqual(compiled.name, "fill_4")
        self.assertEqual(calls, [(3, {"BLOCK": 4})])

    def test_launch_hooks(self):
        seen = []
        enter = lambda metadata: seen.append(("enter", metadata.get()["name"]))
        leave = lambda metadata: seen.append(("exit", metadata.get()["name"]))
        from nereid import knobs
        knobs.runtime.launch_enter_hook.add(enter)
        knobs.runtime.launch_exit_hook.add(leave)
        out = fill_with(fill, np.zeros(3), 1.0)
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
        fill_with(fill, out, 2.0)
        self.assertEqual(seen, [("enter", "fill"), ("exit", "fill")])
        np.testing.assert_array_equal(out, 2)

    def test_launch_hooks_of_a_programs_own(self):
        from nereid import knobs
        seen, out = [], np.zeros(3)
        with knobs.runtime.scope():
            knobs.runtime.launch_enter_hook = knobs.HookChain()
            knobs.runtime.launch_enter_hook.add(lambda metadata: seen.append("enter"))
            fill_with(fill, out, 1.0)
            knobs.runtime.launch_enter_hook = None
            knobs.runtime.launch_exit_hook = lambda metadata: seen.append("exit")
            fill_with(fill, out, 1.0)
        fill_with(fill, out, 1.0)
        self.assertEqual(seen, ["enter", "exit"])


if __name__ == "__main__":
    main()
