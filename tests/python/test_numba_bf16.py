# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.bf16 against exact fractions, rounded once, each way. On the active device, and again on the checked one."""

import math
import unittest
import warnings
from fractions import Fraction

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda
from numba.cuda import bf16

warnings.filterwarnings(action="ignore", category=numba.NumbaPerformanceWarning, module="numba")
random = np.random.default_rng(16)
WAYS = ("rn", "rz", "rd", "ru")


def rounded(value, way):
    """A fraction as the nearest with 8 bits, of a size that is neither tiny nor huge."""
    if value == 0:
        return value
    unit = Fraction(2)**(math.floor(math.log2(abs(value))) - 7)
    while abs(value) >= 256 * unit:
        unit *= 2
    while abs(value) < 128 * unit:
        unit /= 2
    steps = value / unit
    whole = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[way](steps)
    return whole * unit


def kernel_of(function, convert):

    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        out[i] = convert(function(a[i]))

    return kernel


class Conversions(unittest.TestCase):

    def test_of_integers(self):
        for name in ("int16", "uint16", "int32", "uint32", "int64", "uint64"):
            limits = np.iinfo(name)
            a = np.array([limits.min, limits.max, 0, 1, 255, 256, 257, 258, 259, 789, 770, 1 << 14] + [
                int(x) >> int(s) for x, s in zip(random.integers(limits.min, limits.max, 40, name), random.integers(0, 15, 40))],
                dtype=name)
            for way in WAYS:
                kernel = kernel_of(getattr(bf16, f"{name}_to_bfloat16_{way}"), bf16.bfloat16_to_float32)
                out = np.zeros(len(a), np.float32)
                kernel[1, len(a)](out, a)
                self.assertEqual([Fraction(float(x)) for x in out], [rounded(Fraction(int(x)), way) for x in a], (name, way))

    def test_of_floats(self):
        a = np.concatenate([random.standard_normal(60) * 100, [0.0, 1.5, -1.5, 257 / 256, -257 / 256]]).astype(np.float32)
        for way in WAYS:
            kernel = kernel_of(getattr(bf16, f"float32_to_bfloat16_{way}"), bf16.bfloat16_to_float32)
            out = np.zeros(len(a), np.float32)
            kernel[1, len(a)](out, a)
            self.assertEqual([Fraction(float(x)) for x in out], [rounded(Fraction(float(x)), way) for x in a], way)
            for special in (np.inf, -np.inf, np.nan):
                kernel[1, 1](out, np.array([special], np.float32))
                np.testing.assert_equal(out[0], np.float32(special))

    def test_to_integers(self):
        values = [0.0, 1.5, -1.5, 2.5, 0.99609375, -0.5, 126.5, 300.0, -300.0, 1e20, -1e20, np.inf, -np.inf, np.nan]
        a = np.array(values, np.float32)
        for bits in (8, 16, 32, 64):
            for name in (f"int{bits}", f"uint{bits}"):
                limits = np.iinfo(name)
                for way in WAYS:
                    convert = getattr(bf16, f"bfloat16_to_{name}_{way}")
                    kernel = kernel_of(bf16.float32_to_bfloat16, convert)
                    out = np.zeros(len(a), name)
                    kernel[1, len(a)](out, a)
                    whole = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[way]
                    wanted = [0 if x != x else limits.max if x == math.inf else limits.min if x == -math.inf else
                              min(max(whole(rounded(Fraction(x), "rn")), limits.min), limits.max) for x in values]
                    self.assertEqual(out.tolist(), wanted, (name, way))


@cuda.jit
def arithmetic(out, a, b, c):
    i = cuda.grid(1)
    x, y, z = bf16.bfloat16(a[i]), bf16.bfloat16(b[i]), bf16.bfloat16(c[i])
    out[0, i] = bf16.bfloat16_to_float32(bf16.hadd(x, y))
    out[1, i] = bf16.bfloat16_to_float32(bf16.hsub(x, y))
    out[2, i] = bf16.bfloat16_to_float32(bf16.hmul(x, y))
    out[3, i] = bf16.bfloat16_to_float32(bf16.hdiv(x, y))
    out[4, i] = bf16.bfloat16_to_float32(bf16.hfma(x, y, z))
    out[5, i] = bf16.bfloat16_to_float32(bf16.hneg(x))
    out[6, i] = bf16.bfloat16_to_float32(bf16.habs(x))
    out[7, i] = bf16.hlt(x, y)
    out[8, i] = bf16.bfloat16_to_float32(bf16.hadd_sat(x, y))
    out[9, i] = bf16.bfloat16_to_float32(bf16.hfma_relu(x, y, z))


class Arithmetic(unittest.TestCase):

    def test_is_rounded_once(self):
        steps = random.integers(128, 256, (3, 200)) * random.choice([-1, 1], (3, 200))
        a, b, c = (steps * 2.0**random.integers(-9, 3, (3, 200))).astype(np.float32)
        a[0], b[0], c[0] = 1.0078125, 1.0078125 * 128 / 129 * 1.0, 2.0**-60  # what the product alone would tie
        a[1], b[1], c[1] = 129, 129, 2.0**-40
        a[2], b[2], c[2] = 129, 129, -2.0**-40
        a, b, c = ([float(rounded(Fraction(float(v)), "rn")) for v in part] for part in (a, b, c))
        out = np.zeros((10, 200), np.float32)
        arithmetic[2, 100](out, *(np.array(part, np.float32) for part in (a, b, c)))
        for i, (x, y, z) in enumerate(zip(*(map(Fraction, part) for part in (a, b, c)))):
            fused = rounded(x * y + z, "rn")
            wanted = [rounded(v, "rn") for v in (x + y, x - y, x * y, x / y)] + [
                fused, -x, abs(x), x < y, min(max(rounded(x + y, "rn"), 0), 1), max(fused, 0)]
            self.assertEqual([Fraction(float(v)) for v in out[:, i]], wanted, (i, a[i], b[i], c[i]))


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "this is the checked device")
    def test_the_same_there(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
