# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decorators and launches ask of the compiler: division, registers; and what kernels print."""

import unittest

from running import main, require, run_program

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from nereid.ahead import ASTSource, compile
from nereid.target import GPUTarget


def divide(x, y, out):
    a, b = tl.load(x), tl.load(y)
    tl.store(out, a // b)
    tl.store(out + 1, a % b)


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


class Registers(unittest.TestCase):

    def test_maxnreg_reaches_the_code(self):
        source = ASTSource(nereid.jit(divide), {"x": "*i32", "y": "*i32", "out": "*i32"}, {})
        for options, is_there in (({"maxnreg": 42}, True), ({}, False)):
            compiled = compile(source, target=GPUTarget("cuda", 90, 32), options=options)
            self.assertEqual(".maxnreg 42" in compiled.asm["ptx"], is_there)


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
    tl.device_print("row ", tl.reshape(i, (2, 8)) > 14)
    tl.device_print("nothing")

says[(1,)](np.arange(16, dtype=np.float32) / 8, np.array([42], np.int32), N=16)
'''

    def test_lines(self):
        here = "pid (0, 0, 0)"
        wanted = [f"{here} idx ({i:2}) one: {i / 8:f}" for i in range(16)]
        wanted += [f"{here} idx ({i:2}): (operand 0) {i}" for i in range(16)] + [f"{here} idx (): (operand 1) 42"]
        wanted += [f"{here} idx ({i:2}) hex: 0x{i // 8:04x}" for i in range(16)]
        wanted += [f"{here} idx ({i // 8}, {i % 8}) row: {int(i > 14)}" for i in range(16)] + [f"{here} nothing"]
        for environment in ({}, {"TRITON_INTERPRET": "1"}):
            out, errors, code = run_program(self.PROGRAM, environment=environment)
            self.assertEqual((out.splitlines(), code), (wanted, 0), errors)


if __name__ == "__main__":
    main()
