# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inverse functions where they have cases of their own: zeros of both signs, infinities, no numbers, ends of their
domains, numbers beside which others are nothing, each with each for atan2; and numbers of all sizes."""

import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid

nereid.install_as_triton()
import triton
import triton.language as tl
from triton.language.extra import libdevice

random = np.random.default_rng(17)


@triton.jit
def angles(y, x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, libdevice.atan2(tl.load(y + i, mask=i < n), tl.load(x + i, mask=i < n)), mask=i < n)


def kernel(function):

    @triton.jit
    def inverse(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, function(tl.load(x + i, mask=i < n)), mask=i < n)

    return inverse


FUNCTIONS = {  # with what NumPy calls them, and the promise in units of float32 and float64
    "asin": (np.arcsin, 2, 2), "acos": (np.arccos, 2, 2), "atan": (np.arctan, 2, 2), "asinh": (np.arcsinh, 4, 4),
    "acosh": (np.arccosh, 3, 4), "atanh": (np.arctanh, 4, 4), "cbrt": (np.cbrt, 4, 4)
}
KERNELS = {name: kernel(getattr(libdevice, name)) for name in FUNCTIONS}


def special(dtype):
    least, most = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    sizes = [0, least, 3 * least, np.finfo(dtype).tiny, 1e-30, 1e-5, 0.5, np.nextafter(dtype(0.5), dtype(1)), 0.75,
             np.nextafter(dtype(1), dtype(0)), 1, np.nextafter(dtype(1), dtype(2)), 2, 1e9, 1e12, 1e20, 1e30, most, np.inf, np.nan]
    return np.array([sign * dtype(size) for size in sizes for sign in (1, -1)], dtype)


def of_any_size(dtype, count):
    return (random.choice([-1, 1], count) * np.exp2(random.uniform(-40, 40, count))).astype(dtype)


class InverseFunctions(unittest.TestCase):

    def expect(self, found, wanted, units, what):
        """Wanted is more precise by some digits."""
        with np.errstate(all="ignore"):
            near = wanted.astype(found.dtype)
            off = np.abs(found.astype(wanted.dtype) - wanted) / np.spacing(np.abs(near)).astype(wanted.dtype)
        same = (found == near) & (np.signbit(found) == np.signbit(near)) | (np.isnan(found) & np.isnan(near))
        wrong = ~(same | ((off <= units) & (np.signbit(found) == np.signbit(near))))
        self.assertFalse(wrong.any(), f"{what}: {found[wrong][:5]}, not {near[wrong][:5]}")

    def test_of_one(self):
        for dtype, wide in ((np.float32, np.float64), (np.float64, np.longdouble)):
            x = np.concatenate([special(dtype), of_any_size(dtype, 3000), random.uniform(-1, 1, 3000).astype(dtype)])
            for name, (reference, *promises) in FUNCTIONS.items():
                out = np.full_like(x, 7)
                KERNELS[name][(-(-x.size // 1024), )](x, out, x.size, 1024)
                with np.errstate(all="ignore"):
                    self.expect(out, reference(x.astype(wide)), promises[dtype == np.float64], f"{name} {dtype.__name__}")

    def test_of_two(self):
        for dtype, wide in ((np.float32, np.float64), (np.float64, np.longdouble)):
            some = special(dtype)
            y = np.concatenate([np.repeat(some, some.size), of_any_size(dtype, 5000)])
            x = np.concatenate([np.tile(some, some.size), of_any_size(dtype, 5000)])
            out = np.full_like(x, 7)
            angles[(-(-x.size // 1024), )](y, x, out, x.size, 1024)
            with np.errstate(all="ignore"):
                self.expect(out, np.arctan2(y.astype(wide), x.astype(wide)), 4, f"atan2 {dtype.__name__}")


if __name__ == "__main__":
    main()
