# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs PTX without a GPU: what the instructions mean, by the PTX ISA's words, one thread after the other.

A kernel becomes a Python generator for one thread. It stops where threads meet (shuffles, barriers), and run_block()
brings them together. Registers hold bits as unsigned numbers. Slow; knows the instructions that kernels under test have,
and stops at any other."""

import math
import struct

import tensor

SHARED = 0x400  # where dynamic shared memory begins


def to_float(bits, width):
    return struct.unpack({16: "<e", 32: "<f", 64: "<d"}[width], bits.to_bytes(width // 8, "little"))[0]


def from_float(value, width):
    try:
        return int.from_bytes(struct.pack({16: "<e", 32: "<f", 64: "<d"}[width], value), "little")
    except OverflowError:
        infinite = math.copysign(math.inf, value)
        return int.from_bytes(struct.pack({16: "<e", 32: "<f", 64: "<d"}[width], infinite), "little")


def bfloat(bits):
    return to_float(bits << 16, 32)


def to_bfloat(value):
    bits = from_float(value, 32)
    if value != value:
        return 0x7FFF
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) & 1 else bits


def fused(a, b, c):
    """a * b + c rounded once, to double."""
    from fractions import Fraction
    if all(map(math.isfinite, (a, b, c))):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact == 0:
            return a * b + c
        try:
            return float(exact)
        except OverflowError:
            return math.inf if exact > 0 else -math.inf
    return a * b + c


def fused_single(a, b, c):
    product = a * b  # exact in double
    total = product + c
    if not math.isfinite(total) or total == 0:
        return total
    # Round to odd, so that rounding again to single is right.
    from fractions import Fraction
    exact = Fraction(product) + Fraction(c)
    if Fraction(total) != exact:
        bits = struct.unpack("<Q", struct.pack("<d", total))[0]
        if not bits & 1:
            away = (exact > Fraction(total)) == (total > 0)
            total = struct.unpack("<d", struct.pack("<Q", bits + (1 if away else -1)))[0]
    return total


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


class TransactionBarrier:
    """mbarrier: a phase ends when all have arrived and all bytes have come that arrivals announced."""

    def __init__(self, arrivals):
        self.arrivals = self.missing = arrivals
        self.phase = self.announced = 0
        self.copies = []

    def arrive(self, announced):
        if not self.missing:
            raise RuntimeError("one arrives more than a barrier waits for")
        self.missing -= 1
        self.announced += announced

    def is_complete(self):
        return not self.missing and self.announced == sum(size for _, _, size in self.copies)

    def turn(self):
        self.missing, self.announced, self.copies = self.arrivals, 0, []
        self.phase ^= 1


class Memory:
    """Arrays far apart, so that what leaves one is noticed."""

    def __init__(self, shared_bytes):
        self.arrays = []
        self.shared = bytearray(shared_bytes)
        self.copying = {}  # of each thread: groups of copies that nobody waited for, the newest last
        self.barriers = {}  # by address

    def add(self, data):
        self.arrays.append(bytearray(data))
        return len(self.arrays) << 32

    def place(self, space, address, size):
        if address % size:
            raise RuntimeError(f"access of {size} bytes at {address:#x}")
        return self.range(space, address, size)

    def range(self, space, address, size):
        if space == "shared":
            array, offset = self.shared, address - SHARED
        else:
            array, offset = self.arrays[(address >> 32) - 1], address & 0xFFFFFFFF
        if offset < 0 or offset + size > len(array):
            raise RuntimeError(f"access of {size} bytes beyond memory: {space} {address:#x} ({len(array)} bytes)")
        return array, offset

    def load(self, space, address, size):
        array, offset = self.place(space, address, size)
        return int.from_bytes(array[offset:offset + size], "little")

    def store(self, space, address, size, value):
        array, offset = self.place(space, address, size)
        array[offset:offset + size] = value.to_bytes(size, "little")


    # Asynchronous copies are made when they are waited for, so that what does not wait reads what was there.

    def copy(self, thread, to, source, size, given):
        data = self.load("global", source, given).to_bytes(given, "little") if given else b""
        self.copying.setdefault(thread, [[]])[-1].append((to, size, data.ljust(size, b"\0")))

    def commit(self, thread):
        self.copying.setdefault(thread, [[]]).append([])

    def wait(self, thread, pending):
        groups = self.copying.setdefault(thread, [[]])
        while len(groups) - 1 > pending:
            for to, size, data in groups.pop(0):
                self.store("shared", to, size, int.from_bytes(data, "little"))


    # Copies in bulk are made when the phase of their barrier ends.

    def copy_in_bulk(self, to, source, size, barrier):
        if to % 16 or source % 16 or size % 16:
            raise RuntimeError("a copy in bulk is not aligned")
        self.barriers[barrier].copies.append((to, source, size))

    def has_passed(self, address, parity):
        barrier = self.barriers[address]
        if barrier.is_complete():
            for to, source, size in barrier.copies:
                target, at = self.range("shared", to, size)
                given, begin = self.range("global", source, size)
                target[at:at + size] = given[begin:begin + size]
            barrier.turn()
        return barrier.phase != parity


def load_matrices(asked, memory):
    """ldmatrix: the rows of matrix i are at the addresses of lanes 8 i to 8 i + 7."""
    _, _, count, is_transposed = asked[0]
    answers = [[] for _ in asked]
    for i in range(count):
        rows = [memory.load("shared", asked[8 * i + r][1], 16) for r in range(8)]
        element = lambda row, column: rows[row] >> 16 * column & 0xFFFF
        for lane, answer in enumerate(answers):
            row, column = lane // 4, lane % 4 * 2
            low, high = ((element(column, row), element(column + 1, row)) if is_transposed
                         else (element(row, column), element(row, column + 1)))
            answer.append(low | high << 16)
    return answers


def store_matrices(asked, memory):
    """stmatrix: the same way back. Lane 4 i + j has elements 2 j and 2 j + 1 of row i, or of column i."""
    _, _, words, is_transposed = asked[0]
    for i in range(len(words)):
        held = [request[2][i] for request in asked]
        element = lambda line, place: held[4 * line + place // 2] >> 16 * (place % 2) & 0xFFFF
        for r in range(8):
            row = [element(c, r) if is_transposed else element(r, c) for c in range(8)]
            memory.store("shared", asked[8 * i + r][1], 16, sum(value << 16 * c for c, value in enumerate(row)))


def run_block(threads, memory):
    """Runs generators, one for each thread, until all have returned."""
    waiting = [next(thread, None) for thread in threads]
    while any(waiting):
        moved = False
        for first in range(0, len(threads), 32):
            warp = range(first, min(first + 32, len(threads)))
            asked = [waiting[i] for i in warp]
            if all(request and request[0] == "shuffle" for request in asked):
                answers = [asked[request[2] & 31][1] for request in asked]
                for i, answer in zip(warp, answers):
                    waiting[i] = step(threads[i], answer)
                moved = True
            elif all(request and request[0] == "mma" for request in asked):
                for i, answer in zip(warp, tensor.multiply(asked)):
                    waiting[i] = step(threads[i], answer)
                moved = True
            elif all(request and request[0] == "ldmatrix" for request in asked):
                for i, answer in zip(warp, load_matrices(asked, memory)):
                    waiting[i] = step(threads[i], answer)
                moved = True
            elif all(request and request[0] == "stmatrix" for request in asked):
                store_matrices(asked, memory)
                for i in warp:
                    waiting[i] = step(threads[i], None)
                moved = True
            elif any(asked) and all(not request or request[0] == "warp" for request in asked):
                for i in warp:
                    waiting[i] = waiting[i] and step(threads[i], None)
                moved = True
        for i, request in enumerate(waiting):
            if request and request[0] == "await" and memory.has_passed(request[1], request[2]):
                waiting[i] = step(threads[i], None)
                moved = True
        for kind in {request for request in waiting if request and request[0] == "barrier"}:
            together = [i for i, request in enumerate(waiting) if request == kind]
            if len(together) == (kind[2] or len(threads)):
                for i in together:
                    waiting[i] = step(threads[i], None)
                moved = True
        if not moved:
            raise RuntimeError("the threads wait for different things")


def step(thread, answer):
    try:
        return thread.send(answer)
    except StopIteration:
        return None
