# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs PTX without a GPU: what the instructions mean, by the PTX ISA's words, one thread after the other.

A kernel becomes a Python generator for one thread. It stops where threads meet (shuffles, barriers) or wait, and
block.run() lets them go on. Registers hold bits as unsigned numbers. Slow; knows the instructions that kernels under
test have, and stops at any other. Here is what instructions compute with."""

import array
import ctypes
import ctypes.util
import fractions
import math
import struct


# What is written here as a float is read as bits, and the other way around: twice as fast as packing and
# unpacking, and what is too large becomes infinite.
FLOAT32, FLOAT64 = array.array("f", [0]), array.array("d", [0])
WORD32 = memoryview(FLOAT32).cast("B").cast("I")
WORD64 = memoryview(FLOAT64).cast("B").cast("Q")

# A number's bytes as a float and as bits, by width.
FLOATS = {width: struct.Struct(code) for width, code in ((16, "<e"), (32, "<f"), (64, "<d"))}
BITS = {width: struct.Struct(code) for width, code in ((16, "<H"), (32, "<I"), (64, "<Q"))}


# What they need is bound once for each width.

def reader_of(width):
    unpack, pack = FLOATS[width].unpack, BITS[width].pack
    return lambda bits: unpack(pack(bits))[0]


def writer_of(width):
    unpack, pack = BITS[width].unpack, FLOATS[width].pack

    def write(value):
        try:
            return unpack(pack(value))[0]
        except OverflowError:
            return unpack(pack(math.copysign(math.inf, value)))[0]

    return write


to_float16, to_float32, to_float64 = map(reader_of, (16, 32, 64))
from_float16, from_float32, from_float64 = map(writer_of, (16, 32, 64))


F16 = struct.unpack("<65536e", struct.pack("<65536H", *range(65536)))
BF16 = struct.unpack("<65536f", struct.pack("<65536I", *range(0, 1 << 32, 1 << 16)))
bfloat = BF16.__getitem__


def to_bfloat(value):
    if value != value:
        return 0x7FFF
    FLOAT32[0] = value
    bits = WORD32[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) & 1 else bits


# a * b + c rounded once, to double: Python has it since 3.13, C since long ago.
fused = getattr(math, "fma", None)
if not fused:
    fused = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6").fma
    fused.restype, fused.argtypes = ctypes.c_double, [ctypes.c_double] * 3


def fused_single(a, b, c):
    product = a * b  # exact in double
    total = product + c
    if not math.isfinite(total) or total == 0:
        return total
    # Round to odd, so that rounding again to single is right (Boldo and Melquiond 2008); what the sum lost is a double
    # itself (Knuth's two-sum).
    of_c = total - product
    lost = (product - (total - of_c)) + (c - of_c)
    if lost != 0:
        FLOAT64[0] = total
        bits = WORD64[0]
        if not bits & 1:
            WORD64[0] = bits + (1 if (lost > 0) == (total > 0) else -1)
            return FLOAT64[0]
    return total


def sum_towards_zero(a, b, width):
    """The exact sum, cut to a number of that width: rz."""
    nearest = a + b
    if not math.isfinite(nearest):
        return nearest
    exact = fractions.Fraction(a) + fractions.Fraction(b)
    read, write = (to_float32, from_float32) if width == 32 else (to_float64, from_float64)
    bits = write(nearest)
    while math.isinf(read(bits)) or abs(fractions.Fraction(read(bits))) > abs(exact):
        bits -= 1
    return read(bits)


def divided(a, b):
    if b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def root(a):
    return math.sqrt(a) if a >= 0 else math.nan


def power_of_two(a):
    try:
        return 2.0 ** a
    except OverflowError:
        return math.inf


def binary_logarithm(a):
    return math.log2(a) if a > 0 else -math.inf if a == 0 else math.nan


def to_integer(value, width, is_signed, rounding):
    if value != value:
        return 0 if width < 64 else 1 << 63
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    if math.isinf(value):
        value = low if value < 0 else high
    whole = {"rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil, "rni": round}[rounding](value)
    return min(max(whole, low), high) & ((1 << width) - 1)


def rounded(value, rounding):
    if not math.isfinite(value):
        return value
    whole = {"rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil, "rni": round}[rounding](value)
    return math.copysign(float(whole), value)


def smaller(a, b):
    if a != a or b != b:
        return b if a != a else a
    return b if b < a or (a == b and math.copysign(1, b) < 0) else a


def larger(a, b):
    return -smaller(-a, -b)


def permuted(x, y, selector):
    source = (x | y << 32).to_bytes(8, "little")
    result = 0
    for i in range(4):
        digit = selector >> 4 * i & 15
        byte = source[digit & 7]
        if digit & 8:
            byte = 255 if byte >= 128 else 0
        result |= byte << 8 * i
    return result


def looked_up(x, y, z, table):
    result = 0
    for bit in range(32):
        row = (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1)
        result |= (table >> row & 1) << bit
    return result
