# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps: boxes of arrays that the copy engine takes to shared memory and back."""

import itertools
import math
import re

from ptx import signed

# Maps are parameters; here their addresses, which nothing but the engine reads.
FIRST, DISTANCE = 0x80, 0x80
SWIZZLES = {0: 0, 32: 1, 64: 3, 128: 7}  # which bits of a chunk's number are changed


def swizzled(address, mask):
    """The chunk of 16 bytes, counted in the pattern, takes up bits of the row's number: both by address."""
    return address ^ (address >> 7 & mask) << 4


class NoBoxes(RuntimeError):
    """What was compiled is not for these arguments; a launch would take code without maps."""


class TensorMap:
    """Extents and strides are of elements, the innermost dimension first."""

    def __init__(self, base, element, extents, strides, box, steps, swizzle):
        self.base, self.element, self.extents, self.box, self.steps = base, element, extents, box, steps
        self.strides = [element] + [stride * element for stride in strides]
        self.mask = SWIZZLES[swizzle]
        row = box[0] * element
        if base % 16 or any(stride % 16 or stride >= 1 << 40 for stride in self.strides[1:]):
            raise NoBoxes("a map's address or stride is no multiple of 16 bytes")
        if any(not 0 < extent <= 1 << 32 for extent in extents):
            raise NoBoxes(f"a map has extents {extents}")
        if any(not 0 < count * step <= 256 or step > 8 for count, step in zip(box, steps)):
            raise RuntimeError(f"a map has boxes of {box} by {steps}")
        if row % 16 or swizzle and row > swizzle:
            raise RuntimeError(f"a box has rows of {row} bytes, swizzled by {swizzle}")

    def rows(self, target, at):
        """Of each row of the box at these coordinates, in the order in which shared memory has them: its address there
        as if nothing were swizzled, where it is in the array, and from where to where (in bytes) it is inside."""
        if at[0] * self.element % 16:
            raise RuntimeError("an illegal instruction: a box begins at no multiple of 16 bytes")
        if target % 128:
            raise RuntimeError("a box is no multiple of 128 bytes into shared memory")
        first, last = max(-at[0], 0), min(self.extents[0] - at[0], self.box[0])
        for number, outer in enumerate(itertools.product(*(range(count) for count in reversed(self.box[1:])))):
            place = [at[0]] + [begin + count * step for begin, count, step in zip(at[1:], reversed(outer), self.steps[1:])]
            is_inside = all(0 <= c < extent for c, extent in zip(place[1:], self.extents[1:])) and first < last
            source = self.base + sum(c * stride for c, stride in zip(place, self.strides))
            yield (target + number * self.box[0] * self.element, source,
                   *((first * self.element, last * self.element) if is_inside else (0, 0)))

    def fetched(self, memory, target, at):
        """What comes: pieces of 16 bytes (address in shared memory, bytes), zeros beyond the extents."""
        at = [signed(c & 0xFFFFFFFF, 32) for c in at]
        size = self.box[0] * self.element
        pieces = []
        for begin, source, first, last in self.rows(target, at):
            row = bytearray(size)
            if last:
                array, offset = memory.range("global", source + first, last - first)
                row[first:last] = array[offset:offset + last - first]
            pieces += [(swizzled(begin + i, self.mask), bytes(row[i:i + 16])) for i in range(0, size, 16)]
        return pieces

    def sent(self, source, at):
        """What goes: (address in shared memory, where to, bytes); nothing beyond the extents."""
        at = [signed(c & 0xFFFFFFFF, 32) for c in at]
        places = []
        for begin, target, first, last in self.rows(source, at):
            for i in range(first // 16 * 16, last, 16):
                low, high = max(i, first), min(i + 16, last)
                places.append((swizzled(begin + i, self.mask) + low - i, target + low, high - low))
        return places


def value_of(text, values):
    """Of a sum of terms FACTOR*pN*pM."""
    def term(factor, *parameters):
        return int(factor) * math.prod(signed(values[int(p[1:])] & 0xFFFFFFFF, 32) for p in parameters)

    return sum(term(*part.split("*")) for part in text.split("+"))


def read(text, values):
    """The maps by address, as the lines in front of the PTX describe them, for parameters of these values."""
    for parameter, divisor in re.findall(r"(?m)^// only if p(\d+) is a multiple of (\d+)", text):
        if values[int(parameter)] % int(divisor):
            raise NoBoxes(f"p{parameter} is no multiple of {divisor}")
    maps = {}
    line = r"(?m)^// map: array p(\d+) \D+(\d+) offset (\S+) extents (.*) strides (.*?) ?copied (.*) swizzle (\d+)"
    for number, (array, bits, offset, *lists, swizzle) in enumerate(re.findall(line, text)):
        extents, strides = ([value_of(part, values) for part in each.split(", ") if part] for each in lists[:2])
        copied = [[int(number) for number in part.split(" by ")] for part in lists[2].split(", ")]
        box, steps = [part[0] for part in copied], [part[1] if len(part) > 1 else 1 for part in copied]
        element = int(bits) // 8
        base = values[int(array)] + value_of(offset, values) * element
        maps[FIRST + number * DISTANCE] = TensorMap(base, element, extents, strides, box, steps, int(swizzle))
    return maps
