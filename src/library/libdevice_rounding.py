# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Of libdevice: floats as their bits, the next float up and down, and the functions that are told how to
# round. A number that stands beside a float64 is one; assigned to a name, it would become a float32.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _bits(x):
    if x.dtype == tl.float64:
        return x.to(tl.int64, bitcast=True)
    return x.to(tl.int32, bitcast=True)


@triton.jit
def signbit(x):
    return (_bits(x) < 0).to(tl.int32)


@triton.jit
def _next_up(x):
    # Floats of one sign are ordered as their bits are. Both zeros are below the smallest number.
    bits = _bits(x)
    bits = tl.where(x == 0.0, 1, tl.where(x > 0.0, bits + 1, bits - 1))
    return tl.where(x < float("inf"), bits.to(x.dtype, bitcast=True), x)


@triton.jit
def _next_down(x):
    return -_next_up(-x)


@triton.jit
def nextafter(x, y):
    next = tl.where(y > x, _next_up(x), _next_down(x))
    return tl.where(x == y, y, tl.where((x != x) | (y != y), x + y, next))


# Rounding. An exact result is `nearest` and the `rest` that it lacks, of which the sign counts.


@triton.jit
def _rounded(nearest, rest, dtype: tl.constexpr, rounding: tl.constexpr):
    result = nearest.to(dtype)
    back = result.to(tl.float64)
    is_above = (back > nearest) | ((back == nearest) & (rest < 0.0))
    is_below = (back < nearest) | ((back == nearest) & (rest > 0.0))
    if rounding == "rz":
        is_above &= nearest > 0.0
        is_below &= nearest < 0.0
    if rounding == "rd" or rounding == "rz":
        result = tl.where(is_above, _next_down(result), result)
    if rounding == "ru" or rounding == "rz":
        result = tl.where(is_below, _next_up(result), result)
    return result


@triton.jit
def _rounded_sum(x, y, dtype: tl.constexpr, rounding: tl.constexpr):
    # Knuth's TwoSum: what the sum of two float64 lacks is a float64 itself.
    sum = x + y
    part = sum - x
    rest = (x - (sum - part)) + (y - part)
    # Where the sum overflows, it lacks much.
    overflows = libdevice.isinf(sum) & libdevice.isfinited(x) & libdevice.isfinited(y)
    result = _rounded(sum, tl.where(overflows, -sum, rest), dtype, rounding)
    if rounding == "rd":  # opposite numbers add up to -0
        is_zero = (sum == 0.0) & ((_bits(x) != 0) | (_bits(y) != 0))
        result = tl.where(is_zero, -0.0, result)
    return result


@triton.jit
def add(x, y, dtype: tl.constexpr, rounding: tl.constexpr):
    return _rounded_sum(x.to(tl.float64), y.to(tl.float64), dtype, rounding)


@triton.jit
def sub(x, y, dtype: tl.constexpr, rounding: tl.constexpr):
    return _rounded_sum(x.to(tl.float64), -y.to(tl.float64), dtype, rounding)


@triton.jit
def mul(x, y, dtype: tl.constexpr, rounding: tl.constexpr):
    product = x.to(tl.float64) * y.to(tl.float64)  # exact for float32
    return _rounded(product, product * 0.0, dtype, rounding)


@triton.jit
def fma(x, y, z, dtype: tl.constexpr, rounding: tl.constexpr):
    return _rounded_sum(x.to(tl.float64) * y.to(tl.float64), z.to(tl.float64), dtype, rounding)


@triton.jit
def div(x, y, dtype: tl.constexpr, rounding: tl.constexpr):
    dividend = x.to(tl.float64)
    divisor = y.to(tl.float64)
    quotient = dividend / divisor
    rest = tl.fma(-quotient, divisor, dividend)
    return _rounded(quotient, tl.where(divisor < 0.0, -rest, rest), dtype, rounding)


@triton.jit
def rcp(x, dtype: tl.constexpr, rounding: tl.constexpr):
    if rounding == "rn":
        return tl.div_rn(1.0, x)
    divisor = x.to(tl.float64)
    quotient = 1.0 / divisor
    rest = tl.fma(-quotient, divisor, 1.0)
    return _rounded(quotient, tl.where(divisor < 0.0, -rest, rest), dtype, rounding)


@triton.jit
def sqrt(x, dtype: tl.constexpr, rounding: tl.constexpr):
    wide = x.to(tl.float64)
    root = tl.sqrt(wide)
    return _rounded(root, tl.fma(-root, root, wide), dtype, rounding)


@triton.jit
def to_float(x, dtype: tl.constexpr, rounding: tl.constexpr):
    if rounding == "rn":
        return x.to(dtype)
    wide = x.to(tl.float64)
    return _rounded(wide, wide * 0.0, dtype, rounding)


@triton.jit
def integer_to_float(x, dtype: tl.constexpr, rounding: tl.constexpr):
    if rounding == "rn":
        return x.to(dtype)
    high = (x >> 32).to(tl.float64) * 4294967296.0
    low = (x & 0xFFFFFFFF).to(tl.float64)
    return _rounded_sum(high, low, dtype, rounding)


@triton.jit
def _whole(x, rounding: tl.constexpr):
    if rounding == "rn":
        return libdevice.rint(x)
    if rounding == "rz":
        return libdevice.trunc(x)
    if rounding == "rd":
        return tl.floor(x)
    return tl.ceil(x)


@triton.jit
def _saturated(x, dtype: tl.constexpr):
    # A whole number in an integer type, or the nearest to it that there is. A NaN becomes 0 in 32
    # bits, and the number of the highest bit alone in 64.
    size: tl.constexpr = dtype.primitive_bitwidth
    bits: tl.constexpr = size - 1 if dtype.is_int_signed() else size
    limit: tl.constexpr = 2.0**bits
    highest: tl.constexpr = 2 * (2 ** (bits - 1) - 1) + 1
    lowest: tl.constexpr = -highest - 1 if dtype.is_int_signed() else 0
    is_inside = (x >= 1.0 * lowest) & (x < limit)
    number = tl.where(is_inside, x, 0.0).to(dtype)
    number = tl.where(x >= limit, tl.full((), highest, dtype), number)
    number = tl.where(x < 1.0 * lowest, tl.full((), lowest, dtype), number)
    if size == 64:
        alone: tl.constexpr = lowest if dtype.is_int_signed() else 2**63
        number = tl.where(x != x, tl.full((), alone, dtype), number)
    return number


@triton.jit
def to_integer(x, dtype: tl.constexpr, rounding: tl.constexpr):
    return _saturated(_whole(x, rounding), dtype)


@triton.jit
def to_unsigned(x, dtype: tl.constexpr, rounding: tl.constexpr):
    # The type of the result is the signed one of the same size.
    if dtype == tl.int64:
        return _saturated(_whole(x, rounding), tl.uint64).to(dtype, bitcast=True)
    return _saturated(_whole(x, rounding), tl.uint32).to(dtype, bitcast=True)


@triton.jit
def llround(x):
    return _saturated(libdevice.round(x), tl.int64)
