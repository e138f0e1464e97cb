# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions of complex numbers: of both parts as float64, giving both. Formulas are those of Kahan, Branch cuts for complex
# elementary functions (1987), where products of sines and exponentials do not suffice.
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
def complex_phase(x, y):
    return libdevice.atan2(y, x)


@triton.jit
def complex_polar(x, y):
    return libdevice.hypot(x, y), libdevice.atan2(y, x)


@triton.jit
def complex_rect(r, phi):
    # A size of zero, or none at all, has no part along the other axis whatever the angle.
    is_plain = phi == 0
    return tl.where(is_plain, r, r * libdevice.cos(phi)), tl.where(is_plain, r * phi, r * libdevice.sin(phi))


@triton.jit
def complex_exp(x, y):
    size = libdevice.exp(x)
    imag = tl.where(y == 0, y, size * libdevice.sin(y))
    return tl.where(y == 0, size, size * libdevice.cos(y)), imag


@triton.jit
def complex_log(x, y):
    # Near the unit circle the logarithm of the size is that of 1 + (size^2 - 1).
    size = libdevice.hypot(x, y)
    large, small = libdevice.max(libdevice.abs(x), libdevice.abs(y)), libdevice.min(libdevice.abs(x), libdevice.abs(y))
    near = libdevice.log1p((large - 1) * (large + 1) + small * small) * 0.5
    is_near = (size > 0.7) & (size < 1.5)
    return tl.where(is_near, near, libdevice.log(size)), libdevice.atan2(y, x)


@triton.jit
def complex_log10(x, y):
    real, imag = complex_log(x, y)
    return real * 0.43429448190325182765, imag * 0.43429448190325182765


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
    imag = tl.where(y == 0, y, libdevice.cosh(x) * libdevice.sin(y))
    return tl.where(x == 0, x, libdevice.sinh(x) * libdevice.cos(y)), imag


@triton.jit
def complex_cosh(x, y):
    imag = tl.where((x == 0) | (y == 0), x * y, libdevice.sinh(x) * libdevice.sin(y))
    return libdevice.cosh(x) * libdevice.cos(y), imag


@triton.jit
def complex_tanh(x, y):
    # Far out it is +-1, and what is left of the imaginary part is a quarter of e ** (-2 |x|).
    is_far = libdevice.abs(x) > 20
    near = tl.where(is_far, 0.0, x)
    tx, ty = libdevice.tanh(near), libdevice.tan(y)
    c = 1 / libdevice.cosh(near)
    t = tx * ty
    divisor = 1 + t * t
    far = 4 * libdevice.sin(y) * libdevice.cos(y) * libdevice.exp(-2 * libdevice.abs(x))
    real = tl.where(is_far, libdevice.copysign(1.0 + 0 * x, x), tx * (1 + ty * ty) / divisor)
    return real, tl.where(is_far, far, ty / divisor * c * c)


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
    return 2 * libdevice.atan2(a, c), libdevice.asinh(c * b - d * a)


@triton.jit
def complex_acosh(x, y):
    a, b = complex_sqrt(x - 1, y)
    c, d = complex_sqrt(x + 1, y)
    return libdevice.asinh(a * c + b * d), 2 * libdevice.atan2(b, c)


@triton.jit
def complex_asinh(x, y):
    a, b = complex_sqrt(1 + y, -x)
    c, d = complex_sqrt(1 - y, x)
    return libdevice.asinh(a * d - c * b), libdevice.atan2(y, a * c - b * d)


@triton.jit
def complex_asin(x, y):
    imag, real = complex_asinh(-y, x)
    return real, -imag


@triton.jit
def complex_atanh(x, y):
    ax = libdevice.abs(x)
    ay = libdevice.abs(y)
    real = libdevice.log1p(4 * ax / ((1 - ax) * (1 - ax) + ay * ay)) * 0.25
    imag = libdevice.atan2(2 * y, (1 - ax) * (1 + ax) - ay * ay) * 0.5
    return libdevice.copysign(real, x), imag


@triton.jit
def complex_atan(x, y):
    imag, real = complex_atanh(-y, x)
    return real, -imag
