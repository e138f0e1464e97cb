# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written for Triton, under `python -m nereid`: `import triton` means Nereid, in this process and in those
that it starts, and nothing installed is touched."""

import os
import subprocess
import sys
import tempfile
import unittest

from running import main, require, run_program

require("numpy")

ADD = '''
import numpy as np
import sys
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)

def add(x, y):
    output = np.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.size, meta["BLOCK_SIZE"]), )
    add_kernel[grid](x, y, output, x.size, BLOCK_SIZE=1024)
    return output

if __name__ == "__main__":
    x, y = np.random.rand(98432), np.random.rand(98432)
    print(abs(add(x, y) - (x + y)).max(), sys.argv[1:])
'''


class Programs(unittest.TestCase):

    def test_script_and_arguments(self):
        for environment in ({}, {"TRITON_INTERPRET": "1"}):
            output, errors, code = run_program(ADD, "--size", "3", environment=environment)
            self.assertEqual((output, code), ("0.0 ['--size', '3']\n", 0), errors)

    def test_what_cannot_be_run_is_said_in_a_line(self):
        with tempfile.TemporaryDirectory() as directory:
            for argument, reason in (("nofile.py", "there is no file nofile.py"), ("tune", "there is no file tune"),
                                     ("-x", "there is no option -x"), (directory, "has no __main__.py")):
                done = subprocess.run([sys.executable, "-B", "-m", "nereid", argument], capture_output=True, text=True)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
                self.assertIn(reason, done.stderr)

    def test_program_on_standard_input(self):
        done = subprocess.run([sys.executable, "-B", "-m", "nereid", "-", "3"], capture_output=True, text=True,
                              input="import sys, triton\nprint(sys.argv, triton.__version__)\n")
        self.assertEqual(done.stdout, "['-', '3'] 3.8.0\n", done.stderr)

    def test_installed_triton_is_hidden_and_kept(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "triton"))
            with open(os.path.join(directory, "triton", "__init__.py"), "w") as file:
                file.write("name = 'the installed one'\n")
            path = os.pathsep.join([directory, os.environ.get("PYTHONPATH", "")])
            text = ("import subprocess, sys\nprogram = 'import triton; print(triton.__file__)'\n"
                    "exec(program)\nprint(subprocess.check_output([sys.executable, '-c', program], text=True))")
            output, errors, code = run_program(text, environment={"PYTHONPATH": path})
            self.assertEqual(code, 0, errors)
            self.assertEqual(output.count("as_triton"), 2, output)
            plain = subprocess.check_output([sys.executable, "-c", "import nereid, triton; print(triton.name)"],
                                            env={**os.environ, "PYTHONPATH": path}, text=True)
            self.assertEqual(plain, "the installed one\n")

    def test_install_function(self):
        text = "import nereid; nereid.install_as_triton(); import triton; assert triton.jit is nereid.jit"
        subprocess.run([sys.executable, "-c", text], check=True)

    def test_install_function_after_another_triton(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "triton"))
            with open(os.path.join(directory, "triton", "__init__.py"), "w"):
                pass
            path = os.pathsep.join([directory, os.environ.get("PYTHONPATH", "")])
            text = ("import triton, nereid\nnereid.install_as_triton()\n"
                    "import triton; assert triton.jit is nereid.jit")
            done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": path},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("RuntimeWarning: another Triton was imported before install_as_triton()", done.stderr)
        output, errors, code = run_program("import triton, nereid, subprocess, sys\n"
                                           "text = 'import triton, nereid; nereid.install_as_triton(); '\\\n"
                                           "       'before = triton; import triton; assert triton is before'\n"
                                           "subprocess.run([sys.executable, '-W', 'error', '-c', text], check=True)")
        self.assertEqual(code, 0, errors)

    def test_modules(self):
        text = '''
import importlib
for name in """triton triton.language triton.language.core triton.language.math triton.language.standard
        triton.language.extra triton.language.extra.libdevice triton.language.extra.cuda.libdevice triton.runtime
        triton.runtime.jit triton.runtime.driver triton.runtime.errors triton.runtime.autotuner triton.runtime.cache
        triton.compiler triton.compiler.compiler triton.compiler.errors triton.backends.compiler triton.testing
        triton.tools.tensor_descriptor triton.knobs triton.profiler triton.errors""".split():
    module = importlib.import_module(name)
import triton, triton.language as tl
from triton.runtime import driver
assert driver.active.get_current_target().backend == "cpu" and driver is triton.runtime.driver
assert repr(tl.float32) == "triton.language.float32" and eval(repr(tl.float16), {"triton": triton}) == tl.float16
assert tl.float32.is_fp32() and tl.int8.primitive_bitwidth == 8 and tl.bfloat16.fp_mantissa_width == 7
assert tl.pointer_type(tl.int32).element_ty == tl.int32 and tl.constexpr(3) + 4 == 7
assert triton.next_power_of_2(100) == 128 and triton.cdiv(7, 2) == 4
assert triton.cdiv(7, tl.constexpr(2)) == 4 and type(triton.cdiv(tl.constexpr(7), tl.constexpr(2))) is int
try:
    tl.load(3)
except ValueError as error:
    assert "Did you forget to add @triton.jit" in str(error)
else:
    raise AssertionError
print("fine")
'''
        output, errors, code = run_program(text)
        self.assertEqual(output, "fine\n", errors)

    def test_names_of_the_parts_of_the_language(self):
        text = '''
import numpy as np
import triton
import triton.language as tl
from triton.language.core import get_int_dtype
from triton.language.standard import _log2

assert get_int_dtype(16, signed=False) == tl.uint16 and get_int_dtype(1, True) == tl.int1

@triton.jit
def kernel(out, N: tl.constexpr, first: tl.constexpr = tl.core.CONSTEXPR_0):
    kind: tl.constexpr = get_int_dtype(64, True)
    i = tl.arange(0, N)
    tl.store(out + i, (i + first).to(kind) * 10000000000 + _log2(N))

out = np.zeros(32, np.int64)
kernel[(1,)](out, 32)
print((out == np.arange(32) * 10000000000 + 5).all())
'''
        output, errors, _ = run_program(text)
        self.assertEqual(output, "True\n", errors)

    def test_constexpr_function_of_one(self):
        text = '''
import numpy as np
import triton
import triton.language as tl

get_int_dtype = triton.constexpr_function(tl.core.get_int_dtype)  # as programs do that serve older versions, too

@triton.constexpr_function
def twice(n):
    return 2 * n

still_twice = triton.constexpr_function(twice)

@triton.jit
def kernel(x, out, n: tl.constexpr):
    kind: tl.constexpr = get_int_dtype(bitwidth=x.dtype.element_ty.primitive_bitwidth, signed=True)
    i = tl.arange(0, n)
    tl.store(out + i, tl.load(x + i).to(kind, bitcast=True).to(tl.int64) + still_twice(n))

x, out = np.array([1, -1, 0.5, 3], np.float32), np.zeros(4, np.int64)
kernel[(1,)](x, out, 4)
assert (out == x.view(np.int32).astype(np.int64) + 8).all(), out
assert still_twice(3) == 6
print("fine")
'''
        output, errors, code = run_program(text)
        self.assertEqual(output, "fine\n", errors)

    def test_functions_that_are_texts_in_modules_of_the_language(self):
        text = '''
import numpy as np
import triton
import triton.language as tl
from triton.language.standard import _log2

@triton.jit
def bits(x, out, n: tl.constexpr):
    unsigned: tl.constexpr = tl.core.get_int_dtype(x.dtype.element_ty.primitive_bitwidth, signed=False)
    values = tl.load(x + tl.arange(0, n))
    steps: tl.constexpr = _log2(n) + tl.standard._log2(tl.core._unwrap_if_constexpr(4))
    tl.store(out + tl.arange(0, n), values.to(unsigned, bitcast=True).to(tl.int64) + steps)

x = np.array([1, -1, 0.5, 3], np.float32)
out = np.zeros(4, np.int64)
bits[(1,)](x, out, 4)
assert (out == x.view(np.uint32).astype(np.int64) + 4).all(), out
assert tl.core.get_int_dtype(16, True) == tl.int16 and tl.core._unwrap_if_constexpr(tl.constexpr(3)) == 3
print("fine")
'''
        output, errors, code = run_program(text)
        self.assertEqual(output, "fine\n", errors)

    def test_executed_text_in_the_checked_mode(self):
        text = '''
import numpy as np
import triton
import triton.language as tl
space = {}
exec("import triton\\nimport triton.language as tl\\n@triton.jit\\ndef one(x):\\n    tl.store(x, 5)\\n", space)
x = np.zeros(1, np.float32)
space["one"][(1,)](x)
print(x)
'''
        output, errors, code = run_program(text, environment={"TRITON_INTERPRET": "1"})
        self.assertEqual(output, "[5.]\n", errors)

    def test_checked_mode_finds_what_is_wrong(self):
        text = ADD.replace(", mask=mask)", ")")
        output, errors, code = run_program(text, environment={"TRITON_INTERPRET": "1"})
        self.assertEqual(code, 1)
        self.assertIn("out-of-bounds read of x_ptr[98432] (98432 elements) in program (96, 0, 0)", errors)
        self.assertIn("program.py:12:", errors)

    def test_what_this_is_and_carries(self):

        def said(*options):
            done = subprocess.run([sys.executable, "-m", "nereid", *options], capture_output=True, text=True)
            return done.stdout if done.returncode == 0 else done.stderr

        self.assertRegex(said("--version"), r"^nereid [0-9.]+ \((commit [0-9a-f]+\+?, )?LLVM [0-9.]+\)\n$")
        carried, _, texts = said("--licences").partition("\n\n=")
        lines = [line for line in carried.splitlines() if line.startswith("  ")]
        self.assertIn("nanobind", carried)
        for line in lines:
            self.assertRegex(line, r"^  .* \S*\d\S*: ")  # a version
        self.assertFalse("was not at hand" in texts)
        self.assertIn("stands alone; 'extra' is too much", said("--licences", "extra"))

    def test_module_and_usage(self):
        done = subprocess.run([sys.executable, "-m", "nereid", "-m", "this_is_no_module"], capture_output=True, text=True)
        self.assertIn("No module named this_is_no_module", done.stderr)
        self.assertEqual(subprocess.run([sys.executable, "-m", "nereid"], capture_output=True).returncode, 2)


if __name__ == "__main__":
    main()
