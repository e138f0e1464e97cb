# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of a warp: mma.sync of m16n8, and of m8n8 where that is the upper half of one. Who holds which element is written as the PTX ISA draws it: what each bit of an
element's number in a thread, and of the lane's number, adds to (row, column)."""

import array
import bisect
import functools
import math
import operator
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


@functools.lru_cache(maxsize=None)
def table(kind):
    return [decode(kind, bits) for bits in range(1 << WIDTHS[kind])]


def numbers(data, kind):
    """Of bytes: the numbers that they are."""
    width = WIDTHS[kind]
    count = len(data) * 8 // width
    if kind in ("f16", "f64"):
        return struct.unpack(f"<{count}{'ed'[width // 64]}", data)
    if kind == "tf32":  # the low bits are not looked at
        bits = [word & 0xFFFFE000 for word in struct.unpack(f"<{count}I", data)]
        return struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *bits))
    return list(map(table(kind).__getitem__, struct.unpack(f"<{count}{'BH'[width // 16]}", data)))


@functools.lru_cache(maxsize=None)
def gatherers(count, elements, lanes, by_column):
    """For each row, or each column, what takes it out of a list of all lanes' elements."""
    found = {}
    for number, at in enumerate(at for lane in places(count, elements, lanes) for at in lane):
        found.setdefault(at[by_column], {})[at[not by_column]] = number
    return [operator.itemgetter(*(found[line][i] for i in range(len(found[line]))))
            for line in range(len(found))]


def lines(words, kind, layouts, by_column):
    """The rows, or the columns, of the matrix of which each lane holds some words."""
    width = WIDTHS[kind]
    word = max(width, 32)
    held = [each for lane in words for each in lane]
    values = numbers(struct.pack(f"<{len(held)}{'IQ'[word // 64]}", *held), kind)
    count = len(words[0]) * word // width
    return [take(values) for take in gatherers(count, *layouts[width], by_column)]


def multiply(requests):
    """The sums of each lane, as words; a request is ("mma", left, right, sums, depth, left kind, right kind)."""
    _, _, _, words, depth, left_kind, right_kind = requests[0]
    rows = lines([request[1] for request in requests], left_kind, LEFT, False)
    columns = lines([request[2] for request in requests], right_kind, RIGHT, True)
    if len(rows[0]) != depth or len(columns[0]) != depth:
        raise RuntimeError(f"a product of depth {depth} has factors of {len(rows[0])}, {len(columns[0])}")
    is_integer = left_kind in ("s8", "u8")
    of_floats, of_words = ("d", "Q") if left_kind == "f64" else ("f", "I")
    before = [word for request in requests for word in request[3]]
    if not is_integer:
        before = memoryview(array.array(of_words, before)).cast("B").cast(of_floats)
    at = [place for lane in places(len(words), SUMS, LANES_OF_SUMS) for place in lane]
    totals = [total + sum(map(operator.mul, rows[row], columns[column]))
              for total, (row, column) in zip(before, at)]
    if is_integer:
        totals = [total & 0xFFFFFFFF for total in totals]
    else:
        totals = memoryview(array.array(of_floats, totals)).cast("B").cast(of_words).tolist()
    return [totals[i:i + len(words)] for i in range(0, len(totals), len(words))]
