# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The error function's and the normal distribution's relatives of libdevice, in float64 whatever the type
# of the argument.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _erfcx_of_large(x):
    # The asymptotic series, of which each term is less than a 600th of the one before.
    square = 0.5 / (x * x)
    sum = 1.0 - 13.0 * square
    sum = 1.0 - 11.0 * square * sum
    sum = 1.0 - 9.0 * square * sum
    sum = 1.0 - 7.0 * square * sum
    sum = 1.0 - 5.0 * square * sum
    sum = 1.0 - 3.0 * square * sum
    sum = 1.0 - square * sum
    return 0.5641895835477563 / x * sum


@triton.jit
def erfcx(x):
    wide = x.to(tl.float64)
    is_large = wide > 25.0
    small = tl.where(is_large, 0.0, wide)
    square = small * small
    rest = tl.fma(small, small, -square)
    power = tl.exp(square)
    power = tl.where(libdevice.isinf(power), power, power + power * rest)
    large = _erfcx_of_large(tl.where(is_large, wide, 30.0))
    return tl.where(is_large, large, power * libdevice.erfc(small)).to(x.dtype)


@triton.jit
def _erfinv_near_zero(x):
    # The first terms of the series, and Halley's steps. For |x| up to 1/2.
    square = x * x
    z = x * (0.886226925452758 + square * (0.2320136665346544 + square * 0.1275561753055979))
    for _ in tl.static_range(2):
        step = (tl.erf(z) - x) / (1.1283791670955126 * tl.exp(-z * z))
        z -= step / (1.0 + z * step)
    return z


@triton.jit
def _erfcinv_near_zero(y):
    # Abramowitz and Stegun, 26.2.23, and Halley's steps. For y up to 1/2.
    t = tl.sqrt(-2.0 * tl.log(0.5 * y))
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    z = (t - above / below) * 0.7071067811865476
    for _ in tl.static_range(3):
        step = (libdevice.erfc(z) - y) / (1.1283791670955126 * tl.exp(-z * z))
        z += step / (1.0 - z * step)
    return z


@triton.jit
def _inverse(x, y):
    # The inverse of erf at x, which is 1 - y: of the two, the one that is exact is used.
    tail = tl.minimum(y, 2.0 - y)
    is_tail = tail < 0.5
    near = _erfinv_near_zero(tl.where(is_tail, 0.0, x))
    far = _erfcinv_near_zero(tl.where(is_tail & (tail > 0.0), tail, 0.25))
    far = tl.where(tail > 0.0, far, tl.where(tail == 0.0, float("inf"), float("nan")))
    return tl.where(is_tail, tl.where(y > 1.0, -far, far), near)


@triton.jit
def erfinv(x):
    size = tl.abs(x.to(tl.float64))
    return libdevice.copysign(_inverse(size, 1.0 - size).to(x.dtype), x)


@triton.jit
def erfcinv(x):
    wide = x.to(tl.float64)
    return _inverse(1.0 - wide, wide).to(x.dtype)


@triton.jit
def normcdfinv(x):
    wide = x.to(tl.float64)
    return (-1.4142135623730951 * _inverse(1.0 - 2.0 * wide, 2.0 * wide)).to(x.dtype)


@triton.jit
def normcdf(x):
    wide = tl.minimum(tl.maximum(x.to(tl.float64), -40.0), 40.0)
    z = wide * -0.7071067811865476
    # What z lacks of x / sqrt(2), of its rounding and of the factor's.
    rest = tl.fma(wide, -0.7071067811865476, -z) + wide * 4.833646656726457e-17
    value = libdevice.erfc(z) - 1.1283791670955126 * tl.exp(-z * z) * rest
    return tl.where(x == x, 0.5 * value, x.to(tl.float64)).to(x.dtype)
