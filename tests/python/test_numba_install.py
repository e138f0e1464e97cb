# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `from numba import cuda` comes to mean Nereid, with Numba and without it; what tells compiled kernels apart; what is
refused of arguments."""

import os
import tempfile
import unittest

from running import main, require, run_program

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
from numba import cuda

# A package with Numba's name, as far as a program sees whose it is.
NUMBA = {
    "numba/__init__.py": "from numba.core.types import float32\ndef njit(f):\n    f.by = 'numba'\n    return f\n",
    "numba/core/__init__.py": "",
    "numba/core/errors.py": "class NumbaPerformanceWarning(Warning): pass\n",
    "numba/core/types.py": "class Float:\n    name = 'float32'\n    def __str__(self): return self.name\nfloat32 = Float()\n",
    "numba/cuda/__init__.py": "raise ImportError('this is the other one')\n",
}

KERNEL = """
import numpy as np
@cuda.jit
def scale(out, a):
    shared = cuda.shared.array(8, float32)
    i = cuda.grid(1)
    if i < a.size:
        shared[i] = a[i]
        out[i] = shared[i] * 2
a = np.arange(7, dtype=np.float32)
out = np.zeros_like(a)
scale[1, 8](out, a)
print(out.tolist())
"""
SCALED = "[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]\n"


class Installation(unittest.TestCase):

    def run_beside(self, text, packages, **options):
        with tempfile.TemporaryDirectory() as directory:
            for name, content in packages.items():
                path = os.path.join(directory, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(content)
            inherited = os.environ.get("PYTHONPATH", "")
            environment = {"PYTHONPATH": os.pathsep.join([directory, inherited]), **options.pop("environment", {})}
            output, errors, code = run_program(text, environment=environment, **options)
        self.assertEqual((errors, code), ("", 0))
        return output

    def test_numba_keeps_its_half(self):
        for first in ("from numba import cuda, float32, njit", "import numba.cuda\nfrom numba import *\nfrom numba import cuda, "
                      "float32, njit", "import numba\ncuda, float32, njit = numba.cuda, numba.float32, numba.njit"):
            program = ("import numba.cuda\n" if "import numba\n" in first else "") + first + KERNEL + (
                "print(njit(lambda: 0).by, type(float32).__module__, 'as_numba' in cuda.__file__)\n")
            self.assertEqual(self.run_beside(program, NUMBA, options=("--numba", )),
                             SCALED + "numba numba.core.types True\n")

    def test_no_other_finder_is_asked_for_its_parts(self):
        program = """
import sys
class Redirector:
    def find_spec(name, path=None, target=None):
        if "numba.cuda" in name:
            raise RecursionError(name)
sys.meta_path.insert(0, Redirector)
import nereid
nereid.install_as_numba_cuda()
import numba.cuda.random
from numba.cuda.cudadrv.driver import CudaAPIError
try:
    import numba.cuda.nothing
except ModuleNotFoundError as error:
    print(error, error.name)
"""
        self.assertEqual(self.run_beside(program, NUMBA, launcher=()),
                         "Nereid's numba.cuda has no module 'numba.cuda.nothing' numba.cuda.nothing\n")

    def test_without_the_option_all_is_numba(self):
        output = self.run_beside("import numba\ntry:\n    import numba.cuda\nexcept ImportError as error:\n    print(error)",
                                 NUMBA)
        self.assertEqual(output, "this is the other one\n")

    def test_executed_texts_inherit_what_their_file_imports_from_the_future(self):
        text = "def f(x: Nothing): return x + 1"
        program = (f"from __future__ import annotations\nfrom numba import cuda\nnames = {{}}\n"
                   f"exec({text!r}, names)\nexec({text!r})\nprint(names['f'](1), f(2))\n")
        self.assertEqual(self.run_beside(program, {}, options=("--numba", )), "2 3\n")
        program = f"from numba import cuda\ntry:\n    exec({text!r}, {{}})\nexcept NameError as error:\n    print(error)\n"
        self.assertEqual(self.run_beside(program, {}, options=("--numba", )), "name 'Nothing' is not defined\n")

    def test_after_an_import_of_numba(self):
        program = "import numba, nereid\nnereid.install_as_numba_cuda()\nfrom numba import cuda, float32" + KERNEL
        self.assertEqual(self.run_beside(program, NUMBA, launcher=()), SCALED)

    def test_triton_beside_it(self):
        program = "import triton\nimport triton.language as tl\nfrom numba import cuda, float32" + KERNEL + """
@triton.jit
def one(out):
    tl.store(out, 5.0)
one[(1,)](out)
scale[1, 8](a, out)
print(a[0])
"""
        self.assertEqual(self.run_beside(program, {}, options=("--numba", )), SCALED + "10.0\n")

    def test_modules_that_programs_import(self):
        self.run_beside("from numba.cuda.cudadrv.devicearray import DeviceNDArray\n"
                        "from numba.cuda.cudadrv.driver import CudaAPIError\nfrom numba.core.errors import "
                        "NumbaPerformanceWarning as one\nfrom numba import NumbaPerformanceWarning as other, cuda, types\n"
                        "assert one is other and types.float32 is types.f4\n"
                        "assert isinstance(cuda.device_array(3), DeviceNDArray)\n"
                        "assert not isinstance(3, DeviceNDArray)\n", {}, options=("--numba", ))

    def test_what_is_missing_says_so_by_name(self):
        program = """
import numba
from numba import cuda
for call in (lambda: numba.njit(lambda: 0), lambda: cuda.declare_device("f", "int32()")):
    try:
        call()
    except (ImportError, NotImplementedError) as error:
        print(error)
"""
        output = self.run_beside(program, {}, options=("--numba", ))
        if "numba.njit" in output:  # it is not installed here
            self.assertRegex(output, "numba.njit compiles for CPUs, which Numba itself does")
        self.assertRegex(output, "numba.cuda.declare_device: is a part of Numba's that Nereid has not")

    def test_the_simulator_is_the_checked_device(self):
        mistake = """
import numpy as np
from numba import cuda
@cuda.jit
def beyond(out):
    out[cuda.grid(1)] = 1
try:
    beyond[1, 8](np.zeros(7))
except Exception as error:
    print("out_of_bounds" in str(error) or "outside" in str(error))
"""
        output = self.run_beside(mistake, {}, options=("--numba", ), environment={"NUMBA_ENABLE_CUDASIM": "1"})
        self.assertEqual(output, "True\n")


@cuda.jit
def first(out, a):
    out[0] = a.size


@cuda.jit
def number(out, value):
    out[0] = value


def compiled(kernel):
    return len(kernel._dispatcher)


class Keys(unittest.TestCase):

    def assert_new(self, count, kernel, *args, block=8):
        before = compiled(kernel)
        kernel[1, block](*args)
        self.assertEqual(compiled(kernel) - before, count)

    def test_arrays(self):
        out = np.zeros(1)
        aligned = np.zeros(100)
        self.assert_new(1, first, out, aligned[2:50])
        for same in (aligned[2:40], aligned[4:5], np.zeros(64)[2:]):  # addresses that are a multiple of 16, whatever the size
            self.assert_new(0, first, out, same)
        self.assert_new(1, first, out, aligned[3:50])
        for array in (aligned.astype(np.float32), aligned.reshape(10, 10), aligned[::2], aligned.reshape(10, 10).T):
            self.assert_new(1, first, out, array)
            self.assert_new(0, first, out, array)
        self.assert_new(0, first, out, aligned[::4])  # other strides
        self.assert_new(1, first, out, aligned[2:50], block=16)
        self.assert_new(1, first, out, aligned[2:50], block=(4, 4))
        self.assert_new(0, first, out, aligned[2:50], block=(16, 1, 1))
        self.assertEqual(out[0], 48)

    def test_numbers(self):
        out = np.zeros(1)
        for value, count in ((5, 1), (1, 0), (16, 0), (-2**63, 0), (2**40, 0), (2**63, 1), (np.uint64(3), 0),
                             (np.int64(3), 0), (np.int32(3), 1), (0.5, 1), (np.float64(0.1), 0), (np.float32(0.1), 1),
                             (np.float16(3), 1), (True, 1), (np.bool_(False), 0), (np.uint8(200), 1), (np.int8(-3), 1)):
            self.assert_new(count, number, out, value)
            self.assertEqual(out[0], float(value))

    def test_what_is_no_argument_is_named(self):
        out = np.zeros(1)
        packed = np.zeros(5, np.dtype([("a", "i1"), ("b", "f4")]))
        for given, why in ((np.zeros(3, np.longdouble), "arrays of float128"), (np.array([object()]), "arrays of object"),
                           (object(), "of type object"), (np.zeros((1, ) * 9), "9 dimensions"), (packed["b"], "5 bytes apart")):
            with self.assertRaisesRegex(TypeError, f"^argument 'value': .*{why}"):
                number[1, 1](out, given)
        with self.assertRaises(OverflowError):
            number[1, 1](out, 2**64)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'num_warps'"):
            number[1, 1](out, 1, num_warps=4)


if __name__ == "__main__":
    main()
