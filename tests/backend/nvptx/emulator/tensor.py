# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of a warp: mma.sync of m16n8, and of m8n8 where that is the upper half of one. Who holds which element is written as the PTX ISA draws it: what each bit of an
element's number in a thread, and of the lane's number, adds to (row, column)."""

import bisect
import functools
import math
import struct

LANES_OF_SUMS = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
SUMS = ((0, 1), (8, 0))
# By bits of an element: of the left factor (row, k) and of the right one (k, column): elements, lanes.
LEFT = {16: (((0, 1), (8, 0), (0, 8)), LANES_OF_SUMS),
        32: (((8, 0), (0, 4)), ((0, 1), (0, 2), (1, 0), (2, 0), (4, 0))),
        8: (((0, 1), (0, 2), (8, 0), (0, 16)), ((0, 4), (0, 8), (1, 0), (2, 0), (4, 0)))}
LEFT[64] = LEFT[32]
RIGHT = {16: (((1, 0), (8, 0)), ((2, 0), (4, 0), (0, 1), (0, 2), (0, 4))),
         32: (((4, 0),), ((1, 0), (2, 0), (0, 1), (0, 2), (0, 4))),
         8: (((1, 0), (2, 0), (16, 0)), ((4, 0), (8, 0), (0, 1), (0, 2), (0, 4)))}
RIGHT[64] = RIGHT[32]
WIDTHS = {"f64": 64, "tf32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8}


def place(element, lane, elements, lanes):
    row = column = 0
    for number, steps in ((element, elements), (lane, lanes)):
        for bit, (down, across) in enumerate(steps):
            if number >> bit & 1:
                row, column = row ^ down, column ^ across
    return row, column


@functools.lru_cache(maxsize=None)
def places(count, elements, lanes):
    """Where the warp's elements are, of which each lane has `count`: a list for each lane."""
    return [[place(i, lane, elements, lanes) for i in range(count)] for lane in range(32)]


def e4m3(bits):
    if bits & 127 == 127:
        return math.nan
    exponent, fraction = bits >> 3 & 15, bits & 7
    size = math.ldexp(fraction + (exponent > 0) * 8, max(exponent, 1) - 10)
    return -size if bits >> 7 else size


@functools.lru_cache(maxsize=None)
def float8_numbers(kind):
    """The finite ones that are not below zero, in the order of their codes."""
    return [value for value in (decode(kind, bits) for bits in range(127)) if math.isfinite(value)]


def to_float8(value, kind):
    """The code of the nearest, of two as near the even one; the largest for what lies beyond."""
    if math.isnan(value):
        return 127
    numbers = float8_numbers(kind)
    size = min(abs(value), numbers[-1])
    above = bisect.bisect_left(numbers, size)
    code = min((abs(numbers[each] - size), each & 1, each) for each in (max(above - 1, 0), above))[2]
    return code | (math.copysign(1, value) < 0) << 7


def decode(kind, bits):
    if kind == "f16":
        return struct.unpack("<e", bits.to_bytes(2, "little"))[0]
    if kind == "bf16":
        return struct.unpack("<f", (bits << 16).to_bytes(4, "little"))[0]
    if kind == "tf32":  # the low bits are not looked at
        return struct.unpack("<f", (bits & 0xFFFFE000).to_bytes(4, "little"))[0]
    if kind == "f64":
        return struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    if kind == "e5m2":
        return struct.unpack("<e", bytes([0, bits]))[0]
    if kind == "e4m3":
        return e4m3(bits)
    return bits - 256 if kind == "s8" and bits >= 128 else bits


def matrix(words, kind, layouts):
    """{(row, column): value} of what the lanes' words hold."""
    width = WIDTHS[kind]
    word = max(width, 32)
    count = len(words[0]) * word // width
    result = {}
    for held, at in zip(words, places(count, *layouts[width])):
        for i in range(count):
            bits = held[i * width // word] >> (i * width % word) & ((1 << width) - 1)
            result[at[i]] = decode(kind, bits)
    return result


def multiply(requests):
    """The sums of each lane, as words; a request is ("mma", left, right, sums, depth, left kind, right kind)."""
    _, _, _, _, depth, left_kind, right_kind = requests[0]
    left = matrix([request[1] for request in requests], left_kind, LEFT)
    right = matrix([request[2] for request in requests], right_kind, RIGHT)
    is_integer = left_kind in ("s8", "u8")
    code, size = ("<d", 8) if left_kind == "f64" else ("<f", 4)
    answers = []
    for request, at in zip(requests, places(len(requests[0][3]), SUMS, LANES_OF_SUMS)):
        words = []
        for word, (row, column) in zip(request[3], at):
            before = word if is_integer else struct.unpack(code, word.to_bytes(size, "little"))[0]
            total = before + sum(left[row, k] * right[k, column] for k in range(depth))
            words.append(total & 0xFFFFFFFF if is_integer else int.from_bytes(struct.pack(code, total), "little"))
        answers.append(words)
    return answers
