# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions of libdevice that no operation computes. src/frontend/sema/libdevice.def lists them with
# their types. Those of float32 are mostly computed in float64, which is more than accurate enough.
# A number that stands beside a float64 is one; assigned to a name, it would become a float32.
import triton
import triton.language as tl
from triton.language.extra import libdevice


# Integers


@triton.jit
def ffs(x):
    return x.dtype.primitive_bitwidth - libdevice.clz(x & -x)


@triton.jit
def brev(x):
    if x.dtype == tl.int64:
        bits = x.to(tl.uint64, bitcast=True)
        bits = (bits >> 32) | (bits << 32)
        bits = ((bits & 0xFFFF0000FFFF0000) >> 16) | ((bits & 0x0000FFFF0000FFFF) << 16)
        bits = ((bits & 0xFF00FF00FF00FF00) >> 8) | ((bits & 0x00FF00FF00FF00FF) << 8)
        bits = ((bits & 0xF0F0F0F0F0F0F0F0) >> 4) | ((bits & 0x0F0F0F0F0F0F0F0F) << 4)
        bits = ((bits & 0xCCCCCCCCCCCCCCCC) >> 2) | ((bits & 0x3333333333333333) << 2)
        bits = ((bits & 0xAAAAAAAAAAAAAAAA) >> 1) | ((bits & 0x5555555555555555) << 1)
    else:
        bits = x.to(tl.uint32, bitcast=True)
        bits = (bits >> 16) | (bits << 16)
        bits = ((bits & 0xFF00FF00) >> 8) | ((bits & 0x00FF00FF) << 8)
        bits = ((bits & 0xF0F0F0F0) >> 4) | ((bits & 0x0F0F0F0F) << 4)
        bits = ((bits & 0xCCCCCCCC) >> 2) | ((bits & 0x33333333) << 2)
        bits = ((bits & 0xAAAAAAAA) >> 1) | ((bits & 0x55555555) << 1)
    return bits.to(x.dtype, bitcast=True)


@triton.jit
def byte_perm(x, y, selector):
    # Bit 3 of each of the selector's four digits spreads the chosen byte's sign instead.
    eight = x.to(tl.uint32, bitcast=True).to(tl.uint64)
    eight |= y.to(tl.uint32, bitcast=True).to(tl.uint64) << 32
    result = (eight & 0).to(tl.uint32)
    for i in tl.static_range(4):
        digit = (selector >> (4 * i)) & 15
        byte = ((eight >> ((digit & 7) * 8).to(tl.uint64)) & 255).to(tl.uint32)
        byte = tl.where((digit & 8) != 0, tl.where(byte >= 128, 255, 0).to(tl.uint32), byte)
        result |= byte << (8 * i)
    return result.to(tl.int32, bitcast=True)


@triton.jit
def mulhi(x, y):
    if not x.dtype.is_int_signed():
        return tl.umulhi(x, y)
    high = tl.umulhi(x, y)
    return high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)


@triton.jit
def mul24(x, y):
    return ((x << 8) >> 8) * ((y << 8) >> 8)


@triton.jit
def sad(x, y, z):
    return tl.where(x > y, x - y, y - x) + z.to(x.dtype)


@triton.jit
def hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


@triton.jit
def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


# Sizes and signs


@triton.jit
def absolute(x):
    return tl.abs(x)


@triton.jit
def larger(x, y):
    return tl.maximum(x, y)


@triton.jit
def smaller(x, y):
    return tl.minimum(x, y)


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def isfinite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def fdim(x, y):
    return tl.where(x <= y, 0.0, x - y)


@triton.jit
def saturatef(x):
    return tl.where(x > 0.0, tl.minimum(x, 1.0), 0.0)


@triton.jit
def remainder(x, y):
    # x - n * y with n nearest to x / y, and even between two. Each step is exact.
    size = tl.abs(y)
    rest = tl.abs(x)
    twice = size + size
    rest = tl.where(twice < float("inf"), rest % twice, rest)
    # Halves of what is tiny are not exact, and twice what is huge is none.
    is_tiny = size < 1.0
    is_more = tl.where(is_tiny, rest + rest > size, rest > 0.5 * size)
    reduced = tl.where(is_more, rest - size, rest)
    is_still = tl.where(is_tiny, reduced + reduced >= size, reduced >= 0.5 * size)
    reduced = tl.where(is_more & is_still, reduced - size, reduced)
    reduced = tl.where(libdevice.signbit(x) != 0, -reduced, reduced)
    valid = isfinite(x) & (size > 0.0)
    return tl.where(valid, reduced, (x * y) / (x * y))


# Exponents


@triton.jit
def _exponent(x):
    # Of finite numbers other than 0.
    wide = tl.abs(x).to(tl.float64)
    is_tiny = wide < 2.2250738585072014e-308
    bits = tl.where(is_tiny, wide * 18014398509481984.0, wide).to(tl.int64, bitcast=True)
    return ((bits >> 52) - 1023 - tl.where(is_tiny, 54, 0)).to(tl.int32)


@triton.jit
def ilogb(x):
    is_number = isfinite(x) & (x != 0.0)
    return tl.where(is_number, _exponent(x), tl.where(isinf(x), 2147483647, -2147483648))


@triton.jit
def logb(x):
    exponent = _exponent(x).to(x.dtype)
    exponent = tl.where(x == 0.0, float("-inf"), exponent)
    return tl.where(isfinite(x), exponent, x * x)


@triton.jit
def _power_of_two(n):
    return ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)


@triton.jit
def ldexp(x, n):
    wide = x.to(tl.float64)
    if x.dtype == tl.float32:
        n = tl.minimum(tl.maximum(n, -300), 300)
        return (wide * _power_of_two(n)).to(tl.float32)
    # Downwards, each step keeps enough of a distance to the smallest numbers that only the last rounds.
    for _ in tl.static_range(2):
        wide = tl.where(n > 1023, wide * 8.98846567431158e307, wide)
        wide = tl.where(n < -1022, wide * 2.004168360008973e-292, wide)
        n = tl.where(n > 1023, n - 1023, tl.where(n < -1022, n + 969, n))
    n = tl.minimum(tl.maximum(n, -1022), 1023)
    return wide * _power_of_two(n)


# Powers, exponentials and logarithms


@triton.jit
def rsqrt_rn(x):
    return (1.0 / tl.sqrt(x.to(tl.float64))).to(tl.float32)


@triton.jit
def rcbrt(x):
    return (1.0 / libdevice.cbrt(x.to(tl.float64))).to(x.dtype)


@triton.jit
def pow(x, y):
    # An integer may have more digits than a float32.
    return libdevice.pow(x.to(tl.float64), y.to(tl.float64)).to(x.dtype)


@triton.jit
def exp10(x):
    wide = x.to(tl.float64)
    product = wide * 3.321928094887362
    # What the product lacks, of its rounding and of the factor's.
    rest = tl.fma(wide, 3.321928094887362, -product) + wide * 1.661617516973592e-16
    power = tl.exp2(product)
    corrected = power + power * (rest * 0.6931471805599453)
    is_ordinary = (tl.abs(wide) < 400.0) & isfinite(power)
    return tl.where(is_ordinary, corrected, power).to(x.dtype)


@triton.jit
def _scaled_norm(x, y, z, w):
    # Scaled by a power of two near the largest, so that squares neither overflow nor vanish.
    largest = tl.maximum(tl.maximum(tl.abs(x), tl.abs(y)), tl.maximum(tl.abs(z), tl.abs(w)))
    is_ordinary = (largest > 0.0) & isfinite(largest)
    exponent = tl.where(is_ordinary, _exponent(largest), 0)
    exponent = tl.minimum(tl.maximum(exponent, -1000), 1000)
    scale = _power_of_two(-exponent)
    a = x * scale
    b = y * scale
    c = z * scale
    d = w * scale
    size = tl.sqrt(tl.fma(a, a, b * b) + tl.fma(c, c, d * d))
    is_infinite = isinf(x) | isinf(y) | isinf(z) | isinf(w)  # even beside a NaN
    return tl.where(is_infinite, float("inf"), size), exponent


@triton.jit
def _norm(x, y, z, w):
    size, exponent = _scaled_norm(x, y, z, w)
    return size * _power_of_two(exponent)


@triton.jit
def _reciprocal_norm(x, y, z, w):
    size, exponent = _scaled_norm(x, y, z, w)
    return 1.0 / size * _power_of_two(-exponent)


@triton.jit
def hypot(x, y):
    return _norm(x.to(tl.float64), y.to(tl.float64), 0.0, 0.0).to(x.dtype)


@triton.jit
def rhypot(x, y):
    return _reciprocal_norm(x.to(tl.float64), y.to(tl.float64), 0.0, 0.0).to(x.dtype)


@triton.jit
def norm3d(x, y, z):
    return _norm(x.to(tl.float64), y.to(tl.float64), z.to(tl.float64), 0.0).to(x.dtype)


@triton.jit
def rnorm3d(x, y, z):
    size = _reciprocal_norm(x.to(tl.float64), y.to(tl.float64), z.to(tl.float64), 0.0)
    return size.to(x.dtype)


@triton.jit
def norm4d(x, y, z, w):
    size = _norm(x.to(tl.float64), y.to(tl.float64), z.to(tl.float64), w.to(tl.float64))
    return size.to(x.dtype)


@triton.jit
def rnorm4d(x, y, z, w):
    size = _reciprocal_norm(x.to(tl.float64), y.to(tl.float64), z.to(tl.float64),
                            w.to(tl.float64))
    return size.to(x.dtype)


# Angles in half turns: a quarter of a turn has an exact sine, and what is left is small.


@triton.jit
def _half_turns(x):
    quarters = libdevice.rint(x + x)
    angle = (x - 0.5 * quarters) * 3.141592653589793
    quadrant = (quarters - 4.0 * tl.floor(0.25 * quarters)).to(tl.int32)
    return tl.sin(angle), tl.cos(angle), quadrant


@triton.jit
def sinpi(x):
    wide = x.to(tl.float64)
    wide = tl.where(isfinite(wide), wide, float("nan"))
    is_whole = tl.floor(wide) == wide  # 0 of the sign of x
    sine, cosine, quadrant = _half_turns(tl.where(is_whole, 0.0, wide))
    result = tl.where((quadrant & 1) == 0, sine, cosine)
    result = tl.where((quadrant & 2) == 0, result, -result)
    zero = tl.where(libdevice.signbit(x) != 0, -0.0, 0.0)
    return tl.where(is_whole, zero, result).to(x.dtype)


@triton.jit
def cospi(x):
    wide = tl.abs(x.to(tl.float64))
    wide = tl.where(isfinite(wide), wide, float("nan"))
    wide = tl.where(wide >= 9007199254740992.0, 0.0, wide)  # even from here on
    sine, cosine, quadrant = _half_turns(wide)
    result = tl.where((quadrant & 1) == 0, cosine, 0.0 - sine)
    return tl.where((quadrant & 2) == 0, result, 0.0 - result).to(x.dtype)


# Bits


@triton.jit
def hiloint2double(high, low):
    bits = (high.to(tl.int64) << 32) | low.to(tl.uint32, bitcast=True).to(tl.int64)
    return bits.to(tl.float64, bitcast=True)


@triton.jit
def double2loint(x):
    return x.to(tl.int64, bitcast=True).to(tl.int32)


@triton.jit
def double2hiint(x):
    return (x.to(tl.int64, bitcast=True) >> 32).to(tl.int32)
