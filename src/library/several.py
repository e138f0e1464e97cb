# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions of kernels of threads that give several values, of float32 or float64.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def several_frexp(x):
    # Zeros, infinities and NaN have no exponent, and are their own mantissa.
    is_plain = (x == x) & (x != 0) & (libdevice.abs(x) < float("inf"))
    exponent = tl.where(is_plain, libdevice.ilogb(tl.where(is_plain, x, 1.0)) + 1, 0)
    return libdevice.ldexp(x, -exponent), exponent.to(tl.int32)


@triton.jit
def several_modf(x):
    whole = libdevice.trunc(x)
    rest = tl.where(libdevice.abs(x) == float("inf"), 0.0, x - whole).to(x.dtype)
    return libdevice.copysign(rest, x), whole


@triton.jit
def several_sincos(x):
    return libdevice.sin(x), libdevice.cos(x)


@triton.jit
def several_sincospi(x):
    return libdevice.sinpi(x), libdevice.cospi(x)


@triton.jit
def several_remquo(x, y):
    # Of the quotient the sign and its last three bits, as C promises.
    rest = libdevice.remainder(x, y)
    quotient = libdevice.rint((x.to(tl.float64) - rest.to(tl.float64)) / y.to(tl.float64))
    low = libdevice.abs(libdevice.fmod(quotient, 8.0)).to(tl.int32)
    return rest, tl.where(quotient < 0, -low, low)
