# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.libdevice: every name that Numba has and Nereid does not say it lacks computes, in the types that its name
says; some of each family against Python's math and NumPy. On the active device, and again on the checked one."""

import importlib.util
import linecache
import math
import re
import struct
import unittest
import warnings

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda
from numba.cuda import libdevice

warnings.filterwarnings(action="ignore", category=numba.NumbaPerformanceWarning, module="numba")
random = np.random.default_rng(83)

# Those that give several values, or have elements of 16 bits.
LACKING = {"fast_sincosf", "float2half_rn", "frexp", "frexpf", "half2float", "modf", "modff", "remquo", "remquof",
           "sincos", "sincosf", "sincospi", "sincospif"}
# Directions of rounding that no operation of 64 bits has yet.
LACKING |= {f"d{name}_{way}" for name in ("div", "mul", "rcp", "sqrt") for way in ("rd", "ru", "rz")}
LACKING |= {f"fma_{way}" for way in ("rd", "ru", "rz")}


def made(text, **scope):
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"cuda": cuda, "libdevice": libdevice, **scope}
    exec(compile(text, name, "exec"), scope)
    return scope["kernel"]


def kernel_of(call):
    return made(f"@cuda.jit\ndef kernel(out, a, b, c):\n    i = cuda.grid(1)\n"
                f"    if i < out.size:\n        x, y, z = a[i], b[i], c[i]\n        out[i] = {call}\n")


def computed(call, x, y=None, z=None, dtype=None):
    out = np.zeros(len(x), dtype or x.dtype)
    kernel_of(call)[-(-len(x) // 64), 64](out, x, x if y is None else y, x if z is None else z)
    return out


def names_of_numba():
    """Each name with the number of its operands, as Numba's own stubs say."""
    found = importlib.util.find_spec("numba")
    if not found or "as_numba" in found.origin:
        return {}
    with open(found.origin.replace("__init__.py", "cuda/libdevice.py")) as file:
        heads = re.findall(r"^def (\w+)\((.*?)\)", file.read(), re.M)
    return {name: len(operands.split(",")) for name, operands in heads}


class Names(unittest.TestCase):

    def test_all_of_numbas(self):
        names = names_of_numba()
        if not names:
            self.skipTest("Numba is not installed")
        one = np.full(1, 0.5), np.full(1, 0.25), np.full(1, 2.0)
        for name, count in names.items():
            if name in LACKING:
                with self.assertRaises(nereid.errors.CompilationError, msg=name):
                    kernel_of(f"libdevice.{name}({', '.join('xyz'[:count])})")[1, 1](np.zeros(1), *one)
                continue
            with self.subTest(name):
                kernel_of(f"libdevice.{name}({', '.join('xyz'[:count])})")[1, 1](np.zeros(1), *one)
        self.assertGreater(len(names) - len(LACKING), 280)

    def test_a_name_that_there_is_not(self):
        with self.assertRaisesRegex(nereid.errors.CompilationError, "sine"):
            computed("libdevice.sine(x)", np.zeros(1))


class Values(unittest.TestCase):

    def test_floats_of_both_widths(self):
        x = random.random(100) + 0.25
        for name, expected in (("sin", np.sin), ("exp", np.exp), ("log1p", np.log1p), ("cbrt", np.cbrt), ("rsqrt",
                               lambda x: 1 / np.sqrt(x)), ("exp10", lambda x: 10**x), ("atan2", None), ("erf", None)):
            call = "{}(x, y)" if name == "atan2" else "{}(x)"
            if expected is None:
                expected = np.vectorize(getattr(math, name)) if name == "erf" else lambda x: np.arctan2(x, x)
            np.testing.assert_allclose(computed("libdevice." + call.format(name), x), expected(x), rtol=1e-14)
            single = computed("libdevice." + call.format(name + "f"), x)  # of a float64, which is rounded
            np.testing.assert_array_equal(single, single.astype(np.float32))
            np.testing.assert_allclose(single, expected(x.astype(np.float32).astype(float)), rtol=1e-6)

    def test_integers_of_both_widths(self):
        x = random.integers(-2**31, 2**31, 50).astype(np.int32)
        y = random.integers(-2**31, 2**31, 50).astype(np.int32)
        wide, other = x.astype(np.int64) * y, y.astype(np.int64) * 3
        plain = lambda value, bits: int(value) & (1 << bits) - 1
        self.assertEqual(computed("libdevice.mulhi(x, y)", x, y).tolist(),
                         [int(a) * int(b) >> 32 for a, b in zip(x, y)])
        self.assertEqual(computed("libdevice.umulhi(x, y)", x, y, dtype=np.uint32).tolist(),
                         [plain(a, 32) * plain(b, 32) >> 32 for a, b in zip(x, y)])
        self.assertEqual(computed("libdevice.umul64hi(x, y)", wide, other, dtype=np.uint64).tolist(),
                         [plain(a, 64) * plain(b, 64) >> 64 for a, b in zip(wide, other)])
        self.assertEqual(computed("libdevice.popcll(x)", wide).tolist(), [plain(a, 64).bit_count() for a in wide])
        self.assertEqual(computed("libdevice.clz(x)", x).tolist(), [32 - plain(a, 32).bit_length() for a in x])
        self.assertEqual(computed("libdevice.umax(x, y)", x, y, dtype=np.uint32).tolist(),
                         [max(plain(a, 32), plain(b, 32)) for a, b in zip(x, y)])
        self.assertEqual(computed("libdevice.llabs(x)", wide).tolist(), np.abs(wide).tolist())

    def test_directions_of_rounding(self):
        x, y = random.standard_normal((2, 40)).astype(np.float32)
        exact = x.astype(np.float64) + y
        down, up = computed("libdevice.fadd_rd(x, y)", x, y), computed("libdevice.fadd_ru(x, y)", x, y)
        near = computed("libdevice.fadd_rn(x, y)", x, y)
        self.assertTrue((down <= exact).all() and (exact <= up).all())
        np.testing.assert_array_equal(near, exact.astype(np.float32))
        self.assertTrue((np.nextafter(down, np.float32(np.inf)) >= up).all())
        values = np.array([1.5, -1.5, 2.5, -0.5])
        self.assertEqual(computed("libdevice.double2int_rz(x)", values, dtype=np.int32).tolist(), [1, -1, 2, 0])
        self.assertEqual(computed("libdevice.double2int_rn(x)", values, dtype=np.int32).tolist(), [2, -2, 2, 0])

    def test_bits(self):
        x = random.standard_normal(10)
        bits = [struct.unpack("<q", struct.pack("<d", value))[0] for value in x]
        self.assertEqual(computed("libdevice.double_as_longlong(x)", x, dtype=np.int64).tolist(), bits)
        self.assertEqual(computed("libdevice.double2hiint(x)", x, dtype=np.int32).tolist(), [bit >> 32 for bit in bits])


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "is the run on the checked device")
    def test_all_of_this_on_the_checked_device(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
