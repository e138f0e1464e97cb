# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decorators and launches ask of the compiler: assertions, division, registers; and what kernels print."""

import os
import re
import tempfile
import unittest
from unittest import mock

from running import main, require, run_program

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from nereid import knobs
from nereid.ahead import ASTSource, compile
from nereid.target import GPUTarget


def checks_positive(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=1)
    tl.device_assert(value > 0, "positive", mask=i < n)
    tl.store(out + i, value, mask=i < n)


def divide(x, y, out):
    a, b = tl.load(x), tl.load(y)
    tl.store(out, a // b)
    tl.store(out + 1, a % b)


PROGRAM_OF_ONE_LAUNCH = """
import numpy as np
import nereid
import nereid.language as tl

@nereid.jit
def count(out):
    tl.store(out + tl.arange(0, 8), tl.arange(0, 8))

out = np.zeros(8, np.int32)
count[(1,)](out)
"""


class Environment(unittest.TestCase):

    def test_what_a_variable_cannot_mean_is_warned_of(self):
        _, errors, code = run_program("import nereid", environment={"NEREID_CACHE": "maybe", "TRITON_DEBUG": "off"})
        self.assertEqual(code, 0)
        self.assertIn("UserWarning: NEREID_CACHE is 'maybe', and must be one of on, off\n", errors)
        self.assertNotIn("TRITON_DEBUG", errors)

    def test_numbers_that_are_none_are_the_usual_ones(self):
        text = PROGRAM_OF_ONE_LAUNCH + "print(nereid.knobs.autotuning.wait, out[3])"
        for number in ("lots", "-2", ""):
            given = {"NEREID_THREADS": number, "NEREID_TUNING_WAIT": number}
            out, errors, code = run_program(text, environment=given)
            self.assertEqual((out, code), ("300 3\n", 0), errors)
            self.assertEqual("NEREID_THREADS" in errors, number != "")
        _, errors, code = run_program(text, environment={"NEREID_THREADS": "99999999999"})
        self.assertIn("threads are too many; up to 1024 are accepted", errors)

    def test_numbers_of_tritons_variables(self):
        _, errors, _ = run_program("import nereid\nnereid.knobs.autotuning.rep", environment={"TRITON_AUTOTUNE_REP": "x"})
        self.assertIn("RuntimeError: TRITON_AUTOTUNE_REP is 'x', and must be a whole number\n", errors)


class Assertions(unittest.TestCase):

    def launch(self, kernel, values, **options):
        x = np.array(values, np.int32)
        out = np.zeros_like(x)
        kernel[(nereid.cdiv(x.size, 4),)](x, out, x.size, BLOCK=4, **options)
        return out

    def test_nothing_is_checked_by_default(self):
        self.assertEqual(self.launch(nereid.jit(checks_positive), [1, -2, 3]).tolist(), [1, -2, 3])

    def test_the_first_program_that_fails_is_named_and_others_go_on(self):
        kernel = nereid.jit(checks_positive, debug=True)
        x = np.arange(1, 98, dtype=np.int32)
        x[[42, 77]] = -1
        out = np.zeros_like(x)
        with self.assertRaisesRegex(RuntimeError, r"test_options.py:\d+:5: assertion failed: positive, in program "
                                    r"\(10, 0, 0\) of kernel 'checks_positive' on a grid of \(25, 1, 1\); 2 assert"):
            kernel[(25,)](x, out, x.size, BLOCK=4)
        left = np.zeros(97, bool)
        left[40:44] = left[76:80] = True  # programs are left where their assertion fails
        np.testing.assert_array_equal(out, np.where(left, 0, x))
        np.testing.assert_array_equal(self.launch(kernel, [5] * 9), [5] * 9)

    def test_what_is_masked_is_not_looked_at(self):
        kernel = nereid.jit(checks_positive, debug=True)
        x = np.array([1, 2, 3, -4], np.int32)
        kernel[(1,)](x, np.zeros_like(x), 3, BLOCK=4)

    def test_a_launch_decides_over_the_decorator_and_the_setting_over_both(self):
        quiet, loud = nereid.jit(checks_positive), nereid.jit(checks_positive, debug=True)
        self.assertEqual(self.launch(loud, [-1], debug=False).tolist(), [-1])
        with self.assertRaises(RuntimeError):
            self.launch(quiet, [-1], debug=True)
        with knobs.runtime.scope():
            knobs.runtime.debug = True
            with self.assertRaises(RuntimeError):
                self.launch(nereid.jit(checks_positive), [-1], debug=False)

    def test_the_setting_counts_from_one_launch_to_the_next(self):
        kernel = nereid.jit(checks_positive)
        self.launch(kernel, [-1])
        with knobs.runtime.scope():
            knobs.runtime.debug = True
            with self.assertRaises(RuntimeError):
                self.launch(kernel, [-1])
            knobs.runtime.debug = False
            self.assertEqual(self.launch(kernel, [-1]).tolist(), [-1])
            del knobs.runtime.debug
            os.environ["TRITON_DEBUG"] = "On"
            with self.assertRaises(RuntimeError):
                self.launch(kernel, [-1])
        self.assertEqual(self.launch(kernel, [-1]).tolist(), [-1])

    def test_assertions_keep_accesses_inside(self):
        """Where an index is wrong, the program ends before the access."""

        @nereid.jit(debug=True)
        def gather(x, indices, out, n):
            i = tl.load(indices + tl.program_id(0))
            assert (i >= 0) & (i < n), "index"
            tl.store(out + tl.program_id(0), tl.load(x + i))

        x, out = np.arange(8, dtype=np.float32), np.zeros(3, np.float32)
        with self.assertRaisesRegex(RuntimeError, r"index, in program \(1, 0, 0\)"):
            gather[(3,)](x, np.array([7, 1 << 60, 2], np.int64), out, 8)
        self.assertEqual(out.tolist(), [7, 0, 2])

    def test_a_constant_that_is_false_fails_where_it_is_run(self):

        @nereid.jit(debug=True)
        def declines(out, is_right: tl.constexpr):
            tl.store(out, 1)
            if tl.program_id(0) == 1:
                tl.device_assert(is_right, "wrong")

        out = np.zeros(1, np.int32)
        declines[(1,)](out, False)
        self.assertEqual(out.tolist(), [1])
        with self.assertRaisesRegex(RuntimeError, r"wrong, in program \(1, 0, 0\)"):
            declines[(2,)](out, False)

    def test_in_a_loop(self):

        @nereid.jit(debug=True)
        def rounds(out, n):
            for i in range(n):
                tl.device_assert(i < 5, "few rounds")
                tl.store(out + i, i + 1)

        out = np.zeros(9, np.int32)
        with self.assertRaisesRegex(RuntimeError, "few rounds"):
            rounds[(1,)](out, 9)
        self.assertEqual(out.tolist(), [1, 2, 3, 4, 5, 0, 0, 0, 0])


class Division(unittest.TestCase):

    def test_floor_division_on_request(self):
        for floors in (False, True):
            kernel = nereid.jit(divide, floor_division=floors)
            for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2), (0, -3), (-1, 1000)):
                x, y, out = np.array([a], np.int32), np.array([b], np.int32), np.zeros(2, np.int32)
                kernel[(1,)](x, y, out)
                quotient = a // b if floors else int(a / b)
                self.assertEqual(out.tolist(), [quotient, a - quotient * b], (a, b, floors))

    def test_a_function_that_is_called_keeps_its_own(self):

        def half(x):
            return x // 2

        for floors, wanted in ((False, -3), (True, -4)):
            helper = nereid.jit(half, floor_division=floors)

            @nereid.jit
            def kernel(x, out):
                tl.store(out, helper(tl.load(x)))

            out = np.zeros(1, np.int32)
            kernel[(1,)](np.array([-7], np.int32), out)
            self.assertEqual(out.tolist(), [wanted])

    def test_mistakes_keep_their_lines(self):

        @nereid.jit(floor_division=True)
        def wrong(x):
            tl.store(x, unknown_name)

        with self.assertRaises(nereid.errors.CompilationError) as caught:
            wrong[(1,)](np.zeros(1, np.int32))
        self.assertEqual(caught.exception.node.lineno, 2)


class Launches(unittest.TestCase):

    def test_an_option_that_is_none_is_not_given(self):
        kernel, x, out = nereid.jit(checks_positive), np.ones(8, np.int32), np.zeros(8, np.int32)
        compiled = kernel[(1,)](x, out, 8, BLOCK=8, num_warps=None, num_stages=None, maxnreg=None)
        self.assertEqual((compiled.metadata.num_warps, compiled.metadata.num_stages), (4, 3))
        self.assertEqual(out.sum(), 8)
        with self.assertRaisesRegex(KeyError, "colour"):
            kernel[(1,)](x, out, 8, BLOCK=8, colour=None)


class Registers(unittest.TestCase):

    def test_maxnreg_reaches_the_code(self):
        source = ASTSource(nereid.jit(divide), {"x": "*i32", "y": "*i32", "out": "*i32"}, {})
        for given, found in ((42, ["42"]), (255, ["255"]), (256, ["255"]), (1024, ["255"]), (None, [])):
            options = {} if given is None else {"maxnreg": given}
            compiled = compile(source, target=GPUTarget("cuda", 90, 32), options=options)
            self.assertEqual(re.findall(r"\.maxnreg (\d+)", compiled.asm["ptx"]), found)


class Settings(unittest.TestCase):

    def test_hooks_of_a_chain_that_the_program_made(self):

        @nereid.jit
        def kernel(x):
            tl.store(x, 1)

        seen, x = [], np.zeros(1, np.float32)
        with knobs.runtime.scope():
            knobs.runtime.launch_exit_hook = knobs.HookChain(reversed=True)
            knobs.runtime.launch_enter_hook = knobs.HookChain()
            kernel[(1,)](x)
            knobs.runtime.launch_enter_hook.add(lambda facts: seen.append("enter"))
            kernel[(1,)](x)
            knobs.runtime.launch_enter_hook = None
            knobs.runtime.launch_exit_hook.add(lambda facts: seen.append("exit"))
            kernel[(1,)](x)
        self.assertEqual(seen, ["enter", "exit"])

    def test_those_that_programs_ask_for(self):
        values = {"build": {"impl": None, "cudacrt_path": None}, "amd": {"use_async_copy": False,
                                                                         "scalarize_packed_fops": False},
                  "compilation": {"dump_ir_extract_di_local_variables": False}, "proton": {"enable_nvtx": True},
                  "nvidia": {"dump_ptxas_log": False}}
        for group, names in values.items():
            for name, value in names.items():
                self.assertEqual(getattr(getattr(knobs, group), name), value, name)

    def test_tools(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "tool")
            with open(path, "w") as file:
                file.write("#!/bin/sh\necho 'Cuda compilation tools, release 12.8, V12.8.90'\n")
            os.chmod(path, 0o755)
            with mock.patch.dict(os.environ, {"TRITON_NVDISASM_PATH": path, "PATH": ""}):
                self.assertEqual((knobs.nvidia.nvdisasm.path, knobs.nvidia.nvdisasm.version), (path, "12.8"))
                self.assertIsNone(knobs.nvidia.cuobjdump)


class Prints(unittest.TestCase):
    """In Triton's words for a GPU: a line for each element."""

    PROGRAM = '''
import numpy as np
import triton, triton.language as tl

@triton.jit
def says(x, h, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.device_print("one: ", value)
    print("", i, tl.load(h))
    tl.device_print("hex", value.to(tl.int16), hex=True)
    tl.device_print("exact", -value.to(tl.float16), hex=True)
    tl.device_print("row ", tl.reshape(i, (2, 8)) > 14)
    tl.device_print("nothing")

says[(1,)](np.arange(16, dtype=np.float32) / 8, np.array([42], np.int32), N=16)
'''

    def test_lines(self):
        here = "pid (0, 0, 0)"
        wanted = [f"{here} idx ({i:2}) one: {i / 8:f}" for i in range(16)]
        wanted += [f"{here} idx ({i:2}): (operand 0) {i}" for i in range(16)] + [f"{here} idx (): (operand 1) 42"]
        wanted += [f"{here} idx ({i:2}) hex: 0x{i // 8:04x}" for i in range(16)]
        exact = [(-i / 8).hex().replace(".0000000000000p", "p").replace("000000000000p", "p") for i in range(16)]
        wanted += [f"{here} idx ({i:2}) exact: {'-0x0p+0' if i == 0 else exact[i]}" for i in range(16)]
        wanted += [f"{here} idx ({i // 8}, {i % 8}) row: {int(i > 14)}" for i in range(16)] + [f"{here} nothing"]
        out, errors, code = run_program(self.PROGRAM)
        self.assertEqual((out.splitlines(), code), (wanted, 0), errors)
        # In the checked mode print() is Python's own, and stands in its place among the others.
        wanted[16:33] = [f" {np.arange(16)} [42]"]
        out, errors, code = run_program(self.PROGRAM, environment={"TRITON_INTERPRET": "1"})
        self.assertEqual((out.splitlines(), code), (wanted, 0), errors)


if __name__ == "__main__":
    main()
