# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups. Each warp has 16 of their 64 rows and goes on for itself: nothing here makes the four meet.

They are computed when a group is waited for, and read their factors then. What they read must have been the same when
they were begun: who writes too late or too early is told so."""

import functools
import operator
import struct

import descriptors
import ptx
import tensor

FACTOR_BYTES = 32  # of a row or column, along the depth


class Product:
    """One thread's part, which stands in the registers of its sums until it has been awaited.

    form: (columns, sum kind, left kind, right kind, whether left and right are transposed, left's registers or None,
    which list of sums). left: a descriptor or words. before: words, the product before, or None."""

    def __init__(self, form, left, right, before):
        self.form, self.left, self.right, self.before = form, left, right, before
        self.seen = None  # of a warp's first thread: the bytes of its factors
        self.sums = None  # of a warp's first thread: 16 lists
        self.words = None
        self.is_followed = self.is_taken = False

    def is_read(self, *_):
        raise RuntimeError("sums are read before their products have been awaited")

    __and__ = __rand__ = __or__ = __ror__ = __rshift__ = __lshift__ = __bool__ = is_read

    def take(self, registers):
        if registers.count(self) != len(registers):
            raise RuntimeError("a sum is overwritten while its product goes on")
        self.is_taken = True
        return self.words


class Products:
    """Those of a block that are on their way."""

    def __init__(self, memory):
        self.memory = memory
        self.groups = {}  # of each thread, the newest last
        self.fenced = set()
        self.sequence, self.counts = {}, {}  # what each warpgroup has begun; how much of that each warp

    def fence(self, thread):
        self.fenced.add(thread)

    def begin(self, thread, form, registers, left, right, adds):
        if thread not in self.fenced:
            raise RuntimeError("no wgmma.fence stands before the first product")
        held = registers[0]
        before = registers if adds else None
        if type(held) is Product:
            if registers.count(held) != len(registers):
                raise RuntimeError("a product goes on with parts of others")
            held.is_followed = True
            before = held if adds else None
        product = Product(form, left, right, before)
        if thread % 32 == 0:
            self.look(thread, product)
        self.groups.setdefault(thread, [[]])[-1].append(product)
        return product

    def look(self, thread, product):
        product.seen = self.factor_bytes(thread, product)
        group, warp = thread // 128, thread // 32
        number = self.counts[warp] = self.counts.get(warp, 0) + 1
        sequence = self.sequence.setdefault(group, [])
        what = (product.form[:6], type(product.left) is int and product.left, product.right)
        if number > len(sequence):
            sequence.append(what)
        elif sequence[number - 1] != what:
            raise RuntimeError(f"warps of one group multiply different things: {sequence[number - 1]}, {what}")

    def factor_bytes(self, thread, product):
        columns, _, _, _, is_left_transposed, is_right_transposed, _, _ = product.form
        row = thread % 128 // 32 * 16
        left = None
        if type(product.left) is int:
            left = self.memory.published(descriptors.chunks(product.left, row, 16, is_left_transposed), 16)
        return left, self.memory.published(descriptors.chunks(product.right, 0, columns, is_right_transposed), 16)

    def commit(self, thread):
        self.groups.setdefault(thread, [[]]).append([])

    def finish(self, thread, pending):
        """The thread's products that a wait leaves done."""
        groups = self.groups.setdefault(thread, [[]])
        done = max(len(groups) - 1 - pending, 0)
        finished = [product for group in groups[:done] for product in group]
        del groups[:done]
        return finished

    def check(self, finished):
        for product in finished:
            if not product.is_taken and not product.is_followed:
                raise RuntimeError("the registers of sums are overwritten while their product goes on")

    def end(self):
        if any(any(groups) for groups in self.groups.values()):
            raise RuntimeError("a block ends before its products")
        for group, sequence in self.sequence.items():
            if any(self.counts.get(4 * group + i) != len(sequence) for i in range(4)):
                raise RuntimeError("warps of one group have not multiplied together")


def multiply(first, lanes, registers, products):
    """The part of one warp, whose first thread is `first`. registers(i, names): what thread i of the warp has now."""
    product = lanes[0]
    columns, sum_kind, left_kind, right_kind, is_left_transposed, is_right_transposed, names, _ = product.form
    if any(other.form != product.form or other.right != product.right for other in lanes):
        raise RuntimeError("threads of one warp multiply different things")
    left, right = products.factor_bytes(first, product)
    if (left, right) != product.seen:
        raise RuntimeError("a factor in shared memory changes while it is multiplied")
    if names is None:
        if any(other.left != product.left for other in lanes):
            raise RuntimeError("threads of one warp multiply different things")
        rows = decoded(left, left_kind, 16, is_left_transposed)
    else:
        if any(registers(i, names) != other.left for i, other in enumerate(lanes)):
            raise RuntimeError("a factor in registers changes while it is multiplied")
        rows = fragment_rows([other.left for other in lanes], left_kind)
    factors = decoded(right, right_kind, columns, is_right_transposed)
    before = product.before
    if type(before) is Product:
        sums = before.sums
    elif before is not None:
        sums = sums_in([other.before for other in lanes], sum_kind, columns)
    else:
        sums = [[0] * columns] * 16
    product.sums = [[total + sum(map(operator.mul, row, column)) for total, column in zip(totals, factors)]
                    for row, totals in zip(rows, sums)]
    if product.is_followed:
        return
    for lane, other in enumerate(lanes):
        other.words = words_of(product.sums, lane, sum_kind)


# Sums: lane 4 r + c has elements 2 c and 2 c + 1 of each 8 of rows r and r + 8.

def words_of(sums, lane, kind):
    high, low = sums[lane // 4], sums[lane // 4 + 8]
    values = []
    for column in range(lane % 4 * 2, len(high), 8):
        values += [*high[column:column + 2], *low[column:column + 2]]
    if kind == "s32":
        return tuple(value & 0xFFFFFFFF for value in values)
    try:
        return struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))
    except OverflowError:
        return tuple(ptx.from_float32(value) for value in values)


def sums_in(words, kind, columns):
    sums = [[None] * columns for _ in range(16)]
    for lane, held in enumerate(words):
        code = "i" if kind == "s32" else "f"
        values = struct.unpack(f"<{len(held)}{code}", struct.pack(f"<{len(held)}I", *held))
        for i in range(0, len(values), 4):
            column = lane % 4 * 2 + i * 2
            sums[lane // 4][column:column + 2] = values[i:i + 2]
            sums[lane // 4 + 8][column:column + 2] = values[i + 2:i + 4]
    return sums


# Factors

def fragment_rows(words, kind):
    """Of words in registers, which are as mma.sync has them."""
    return tensor.lines(words, kind, tensor.LEFT, False)


@functools.lru_cache(maxsize=256)
def decoded(data, kind, count, is_transposed):
    """Rows of the left factor, or columns of the right one, as descriptors.chunks lists their bytes."""
    values = tensor.numbers(data, kind)
    depth = len(values) // count
    if is_transposed:
        return [values[i::count] for i in range(count)]
    return [values[i:i + depth] for i in range(0, len(values), depth)]
