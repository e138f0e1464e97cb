# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions of complex numbers: of both parts as float64, giving both. Formulas are those of Kahan, Branch cuts for complex
# elementary functions (1987), where products of sines and exponentials do not suffice. Infinities, NaN and signs of zeros as
# C's annex G has them, of signs that it leaves open either.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def complex_isnan(x, y):
    return (x != x) | (y != y)


@triton.jit
def complex_isinf(x, y):
    return (libdevice.abs(x) == float("inf")) | (libdevice.abs(y) == float("inf"))


@triton.jit
def complex_isfinite(x, y):
    return (libdevice.abs(x) < float("inf")) & (libdevice.abs(y) < float("inf"))


@triton.jit
def angle_of(y, x):
    # Below the axis it is negative, zero too.
    return libdevice.copysign(libdevice.atan2(y, x), y)


@triton.jit
def complex_phase(x, y):
    return angle_of(y, x)


@triton.jit
def complex_polar(x, y):
    return libdevice.hypot(x, y), angle_of(y, x)


@triton.jit
def complex_rect(r, phi):
    # Nothing has no part along an axis, whatever the angle; along the real axis all of it lies there.
    is_nothing = (r == 0) & ~(libdevice.abs(phi) < float("inf"))
    real, imag = r * libdevice.cos(phi), r * libdevice.sin(phi)
    endless = (libdevice.abs(r) == float("inf")) & ~(libdevice.abs(phi) < float("inf"))
    real = tl.where(phi == 0, r, tl.where(endless, float("inf"), real))
    imag = tl.where(phi == 0, libdevice.copysign(1.0 + 0 * phi, r) * phi, imag)
    return tl.where(is_nothing, 0.0, real), tl.where(is_nothing, 0.0, imag)


@triton.jit
def complex_exp(x, y):
    size = libdevice.exp(x)
    turns = libdevice.abs(y) < float("inf")
    real = tl.where(y == 0, size, size * libdevice.cos(y))
    imag = tl.where(y == 0, y, size * libdevice.sin(y))
    # Of nothing and of all without an angle, the size is known.
    real = tl.where(turns, real, tl.where(size == 0, 0.0, tl.where(x == float("inf"), x, real)))
    return real, tl.where(~turns & (size == 0), 0.0, imag)


@triton.jit
def complex_log(x, y):
    # Near the unit circle the logarithm of the size is that of 1 + (size^2 - 1).
    size = libdevice.hypot(x, y)
    large, small = libdevice.max(libdevice.abs(x), libdevice.abs(y)), libdevice.min(libdevice.abs(x), libdevice.abs(y))
    near = libdevice.log1p((large - 1) * (large + 1) + small * small) * 0.5
    is_near = (size > 0.7) & (size < 1.5)
    return tl.where(is_near, near, libdevice.log(size)), angle_of(y, x)


@triton.jit
def complex_log10(x, y):
    real, imag = complex_log(x, y)
    return real * 0.43429448190325182765, imag * 0.43429448190325182765


@triton.jit
def log_of_twice(x, y):
    # The logarithm of twice the size, which may be too large for a number.
    return libdevice.log(libdevice.hypot(x * 0.5, y * 0.5)) + 1.3862943611198906188


@triton.jit
def is_huge(x, y):
    return (libdevice.abs(x) > 1e300) | (libdevice.abs(y) > 1e300)


@triton.jit
def complex_sqrt(x, y):
    size = libdevice.hypot(x * 0.5, y * 0.5)
    root = libdevice.sqrt(libdevice.abs(x) * 0.5 + size)
    other = tl.where(root == 0, 0.0, libdevice.abs(y) / (root * 2))
    real, imag = tl.where(x >= 0, root, other), tl.where(x >= 0, other, root)
    is_beyond = libdevice.abs(y) == float("inf")
    real = tl.where(is_beyond, float("inf"), real)
    imag = tl.where(is_beyond, float("inf"), imag)
    return real, libdevice.copysign(imag, y)


@triton.jit
def complex_pow(x, y, u, v):
    # e ** (w log z); of zero only the zeroth power is not zero.
    size, angle = libdevice.hypot(x, y), libdevice.atan2(y, x)
    is_zero = size == 0
    log = libdevice.log(tl.where(is_zero, 1.0, size))
    grown = libdevice.pow(tl.where(is_zero, 1.0, size), u) * libdevice.exp(-v * angle)
    turned = u * angle + v * log
    real, imag = grown * libdevice.cos(turned), grown * libdevice.sin(turned)
    is_one = (u == 0) & (v == 0)
    real = tl.where(is_one, 1.0, tl.where(is_zero, 0.0, real))
    return real, tl.where(is_one | is_zero, 0.0, imag)


@triton.jit
def complex_sinh(x, y):
    turns = libdevice.abs(y) < float("inf")
    real = libdevice.sinh(x) * libdevice.cos(y)
    real = tl.where(~turns & ((x == 0) | (libdevice.abs(x) == float("inf"))), x, real)
    return tl.where(y == 0, libdevice.sinh(x), real), tl.where(y == 0, y, libdevice.cosh(x) * libdevice.sin(y))


@triton.jit
def complex_cosh(x, y):
    turns = libdevice.abs(y) < float("inf")
    real = tl.where(y == 0, libdevice.cosh(x), libdevice.cosh(x) * libdevice.cos(y))
    real = tl.where(~turns & (libdevice.abs(x) == float("inf")), float("inf"), real)
    imag = tl.where(~turns & (x == 0), x, libdevice.sinh(x) * libdevice.sin(y))
    return real, tl.where(y == 0, libdevice.copysign(1.0 + 0 * y, x) * y, imag)


@triton.jit
def complex_tanh(x, y):
    # Far out it is +-1, and what is left of the imaginary part is a quarter of e ** (-2 |x|).
    is_far = libdevice.abs(x) > 20
    turns = libdevice.abs(y) < float("inf")
    near = tl.where(is_far, 0.0, x)
    tx, ty = libdevice.tanh(near), libdevice.tan(y)
    c = 1 / libdevice.cosh(near)
    t = tx * ty
    divisor = 1 + t * t
    far = tl.where(turns, 4 * libdevice.sin(y) * libdevice.cos(y) * libdevice.exp(-2 * libdevice.abs(x)), 0.0)
    real = tl.where(is_far, libdevice.copysign(tl.where(is_far, 1.0, x), x), tx * (1 + ty * ty) / divisor)
    imag = tl.where(is_far, far, ty / divisor * c * c)
    return real, tl.where(y == 0, y, imag)


@triton.jit
def complex_sin(x, y):
    imag, real = complex_sinh(-y, x)
    return real, -imag


@triton.jit
def complex_cos(x, y):
    return complex_cosh(-y, x)


@triton.jit
def complex_tan(x, y):
    imag, real = complex_tanh(-y, x)
    return real, -imag


@triton.jit
def complex_acos(x, y):
    a, b = complex_sqrt(1 - x, -y)
    c, d = complex_sqrt(1 + x, y)
    huge = is_huge(x, y)
    real = tl.where(huge, libdevice.atan2(libdevice.abs(y), x), 2 * libdevice.atan2(a, c))
    return real, tl.where(huge, libdevice.copysign(log_of_twice(x, y), -y), libdevice.asinh(c * b - d * a))


@triton.jit
def complex_acosh(x, y):
    a, b = complex_sqrt(x - 1, y)
    c, d = complex_sqrt(x + 1, y)
    huge = is_huge(x, y)
    real = tl.where(huge, log_of_twice(x, y), libdevice.asinh(a * c + b * d))
    return real, tl.where(huge, angle_of(y, x), 2 * angle_of(b, c))


@triton.jit
def complex_asinh(x, y):
    a, b = complex_sqrt(1 + y, -x)
    c, d = complex_sqrt(1 - y, x)
    huge = is_huge(x, y)
    real = tl.where(huge, libdevice.copysign(log_of_twice(x, y), x), libdevice.asinh(a * d - c * b))
    return real, tl.where(huge, angle_of(y, libdevice.abs(x)), angle_of(y, a * c - b * d))


@triton.jit
def complex_asin(x, y):
    imag, real = complex_asinh(-y, x)
    return real, -imag


@triton.jit
def complex_atanh(x, y):
    ax, ay = libdevice.abs(x), libdevice.abs(y)
    real = libdevice.log1p(4 * ax / ((1 - ax) * (1 - ax) + ay * ay)) * 0.25
    imag = libdevice.atan2(2 * ay, (1 - ax) * (1 + ax) - ay * ay) * 0.5
    # Far out nothing is left of the real part, and the angle is a right one.
    huge = (ax > 1e150) | (ay > 1e150)
    half = libdevice.hypot(ax * 0.5, ay * 0.5)
    real = tl.where(huge, ax * 0.25 / half / half, real)
    real = tl.where(complex_isinf(x, y), 0.0, real)
    imag = tl.where(huge, 1.57079632679489661923, imag)
    # Close to 1, where the two branches part.
    close = (ax == 1) & (ay < 1e-150)
    real = tl.where(close & (ay > 0), -libdevice.log(libdevice.sqrt(ay) / libdevice.sqrt(libdevice.hypot(ay, 2.0 + 0 * ay))), real)
    real = tl.where(close & (ay == 0), float("inf"), real)
    imag = tl.where(close & (ay > 0), libdevice.atan2(2.0 + 0 * ay, -ay) * 0.5, tl.where(close, ay, imag))
    return libdevice.copysign(real, x), libdevice.copysign(tl.where(y == y, imag, y), y)


@triton.jit
def complex_atan(x, y):
    imag, real = complex_atanh(-y, x)
    return real, -imag
