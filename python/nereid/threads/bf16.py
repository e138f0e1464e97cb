# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.bf16: floats of 16 bits with 8 for the exponent, as texts of kernels. What is computed is rounded once, to the
nearest unless a name says otherwise (rz: toward zero, rd: down, ru: up). Integers that a float goes beyond are their
type's last ones, and NaN is 0."""

import math

from .function import ThreadFunction
from .names import TYPES, ElementType, of_cuda

bfloat16 = ElementType("bfloat16")
_float32, _float64, _uint16, _int16 = (TYPES[name] for name in ("float32", "float64", "uint16", "int16"))
_int64, _uint32, _uint64 = (TYPES[name] for name in ("int64", "uint32", "uint64"))
_clz = of_cuda()["clz"]


def _text(function):
    return ThreadFunction(function, device=True)


@_text
def _fused(a, b, c):
    """The product is exact in float64; what the sum loses makes its last bit odd, so that it is rounded once in the end."""
    product, addend = _float64(a) * _float64(b), _float64(c)
    total = product + addend
    taken = total - product
    lost = (product - (total - taken)) + (addend - taken)
    if lost != 0 and lost == lost and total.view(_uint64) & _uint64(1) == 0:
        total = math.nextafter(total, math.inf if lost > 0 else -math.inf)
    return total


@_text
def _clamped(x):
    return bfloat16(1.0) if x > 1 else x if x > 0 else bfloat16(0.0)  # NaN is 0


@_text
def hadd(a, b):
    return bfloat16(_float32(a) + _float32(b))


@_text
def hsub(a, b):
    return bfloat16(_float32(a) - _float32(b))


@_text
def hmul(a, b):
    return bfloat16(_float32(a) * _float32(b))


@_text
def hdiv(a, b):
    return bfloat16(_float32(a) / _float32(b))


@_text
def hfma(a, b, c):
    return bfloat16(_fused(a, b, c))


hadd_rn, hsub_rn, hmul_rn = hadd, hsub, hmul


@_text
def hadd_sat(a, b):
    return _clamped(hadd(a, b))


@_text
def hsub_sat(a, b):
    return _clamped(hsub(a, b))


@_text
def hmul_sat(a, b):
    return _clamped(hmul(a, b))


@_text
def hfma_sat(a, b, c):
    return _clamped(hfma(a, b, c))


@_text
def hfma_relu(a, b, c):
    result = hfma(a, b, c)
    return bfloat16(0.0) if result < 0 else result


@_text
def hneg(a):
    return (_uint16(a.view(_uint16) ^ 0x8000)).view(bfloat16)


@_text
def habs(a):
    return (_uint16(a.view(_uint16) & 0x7fff)).view(bfloat16)


@_text
def heq(a, b):
    return _float32(a) == _float32(b)


@_text
def hne(a, b):
    return _float32(a) != _float32(b)


@_text
def hge(a, b):
    return _float32(a) >= _float32(b)


@_text
def hgt(a, b):
    return _float32(a) > _float32(b)


@_text
def hle(a, b):
    return _float32(a) <= _float32(b)


@_text
def hlt(a, b):
    return _float32(a) < _float32(b)


@_text
def hisnan(a):
    return _float32(a) != _float32(a)


@_text
def hisinf(a):
    return -1 if _float32(a) == -math.inf else 1 if _float32(a) == math.inf else 0


@_text
def hmax(a, b):
    return b if hisnan(a) or hlt(a, b) else a


@_text
def hmin(a, b):
    return b if hisnan(a) or hlt(b, a) else a


@_text
def hmax_nan(a, b):
    return a if hisnan(a) or hgt(a, b) else b


@_text
def hmin_nan(a, b):
    return a if hisnan(a) or hlt(a, b) else b


@_text
def bfloat16_to_float32(a):
    return _float32(a)


@_text
def float32_to_bfloat16(a):
    return bfloat16(_float32(a))


@_text
def float64_to_bfloat16(a):
    return bfloat16(_float64(a))


@_text
def bfloat16_as_int16(a):
    return bfloat16(a).view(_int16)


@_text
def int16_as_bfloat16(a):
    return _int16(a).view(bfloat16)


@_text
def bfloat16_as_uint16(a):
    return bfloat16(a).view(_uint16)


@_text
def uint16_as_bfloat16(a):
    return _uint16(a).view(bfloat16)


def _from_float32(way):

    def rounded(a):
        bits = _float32(a).view(_uint32)
        kept, is_negative = bits >> 16, bits >> 31 != 0
        if a != a or way == "rn":
            return bfloat16(_float32(a))
        is_inexact = bits & 0xffff != 0
        if way == "rd" and is_inexact and is_negative or way == "ru" and is_inexact and not is_negative:
            kept += 1
        return _uint16(kept).view(bfloat16)

    return _text(rounded)


def _from_integer(source, way):
    """Of the size its 8 highest bits, and 1 more of them where the rest asks for it."""

    def rounded(a):
        value = source(a)
        is_negative = value < 0
        size = _uint64(-_int64(value)) if is_negative else _uint64(value)
        shift = 56 - _int64(_clz(size))
        if shift > 0:
            kept, rest = size >> _uint64(shift), size & ((_uint64(1) << _uint64(shift)) - _uint64(1))
            half = _uint64(1) << _uint64(shift - 1)
            if (way == "rn" and (rest > half or rest == half and kept & _uint64(1) != 0)
                    or way == "rd" and rest != 0 and is_negative or way == "ru" and rest != 0 and not is_negative):
                kept += _uint64(1)
            size = kept << _uint64(shift)
            result = math.ldexp(_float32(kept), shift)
        else:
            result = _float32(size)
        return bfloat16(-result if is_negative else result)

    return _text(rounded)


def _to_integer(target, least, most, way):

    def rounded(a):
        value = _float64(a)
        if value != value:
            return target(0)
        if way == "rn":
            value = round(value, 0)
        elif way == "rz":
            value = _float64(math.trunc(value)) if abs(value) < 2.0**53 else value
        elif way == "rd":
            value = _float64(math.floor(value)) if abs(value) < 2.0**53 else value
        else:
            value = _float64(math.ceil(value)) if abs(value) < 2.0**53 else value
        if value >= most:
            return target(most)
        return target(least) if value <= least else target(value)

    return _text(rounded)


for _way in ("rn", "rz", "rd", "ru"):
    globals()[f"float32_to_bfloat16_{_way}"] = _from_float32(_way)
    for _bits in (8, 16, 32, 64):
        for _sign in ("int", "uint"):
            _name, _last = f"{_sign}{_bits}", 2**(_bits - (_sign == "int")) - 1
            _least = -_last - 1 if _sign == "int" else 0
            globals()[f"bfloat16_to_{_name}_{_way}"] = _to_integer(TYPES[_name], _least, _last, _way)
            globals()[f"{_name}_to_bfloat16_{_way}"] = _from_integer(TYPES[_name], _way)
