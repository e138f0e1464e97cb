# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of a block, and what is copied while threads go on."""

import struct

import bulk
import wgmma

SHARED = 0x400  # where dynamic shared memory begins
LOCAL = 0x40  # where that of the first thread begins; that of the next follows

BEGINNINGS = {"global": 1 << 32, "shared": SHARED, "local": LOCAL}
CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}  # of bytes as an unsigned number, for struct
CLUSTER = 1 << 59  # where blocks of a cluster see the shared memory of the first; that of the next follows in 2^32
WINDOWS = {"local": 1 << 60, "shared": 1 << 61}  # where generic addresses see them


# Much of all time goes through these two. What they do not find in the straight way, place() finds or
# complains about.

def loads(memory, space, size, count):
    unpack, arrays = struct.Struct(f"<{count}{CODES[size]}").unpack_from, memory.arrays
    begin, unaligned = BEGINNINGS[space], size * count - 1

    def load_global(address):
        if address & unaligned == 0 and address > 0xFFFFFFFF:
            try:
                return unpack(arrays[(address >> 32) - 1], address & 0xFFFFFFFF)
            except (IndexError, struct.error):
                pass
        return unpack(*memory.place(space, address, size * count))

    def load_near(address):
        if address & unaligned == 0 and address >= begin:
            try:
                return unpack(getattr(memory, space), address - begin)
            except struct.error:
                pass
        return unpack(*memory.place(space, address, size * count))

    return load_global if space == "global" else load_near


def stores(memory, space, size, count):
    pack, arrays = struct.Struct(f"<{count}{CODES[size]}").pack_into, memory.arrays
    begin, unaligned = BEGINNINGS[space], size * count - 1

    def store_global(address, *values):
        if address & unaligned == 0 and address > 0xFFFFFFFF:
            try:
                return pack(arrays[(address >> 32) - 1], address & 0xFFFFFFFF, *values)
            except (IndexError, struct.error):
                pass
        pack(*memory.place(space, address, size * count), *values)

    def store_near(address, *values):
        if address & unaligned == 0 and address >= begin:
            try:
                return pack(getattr(memory, space), address - begin, *values)
            except struct.error:
                pass
        pack(*memory.place(space, address, size * count), *values)

    return store_global if space == "global" else store_near


class Memory:
    """Arrays far apart, so that what leaves one is noticed."""

    def __init__(self, shared_bytes, local_bytes=0):
        """Of a block: what its threads share, and what all of them have for themselves."""
        self.arrays = []
        self.shared_bytes, self.local_bytes = shared_bytes, local_bytes
        self.maps = {}  # tensor maps by address
        self.cycles = (1 << 32) - 1000  # the low half turns over soon
        self.rank, self.cluster = 0, [self]  # of the block in its cluster, and the memories of all its blocks
        self.begin_block()

    def begin_block(self):
        self.shared = bytearray(b"\xcd" * self.shared_bytes)
        self.local = bytearray(b"\xcd" * self.local_bytes)
        self.copying = {}  # of each thread: groups of copies that nobody waited for, the newest last
        self.barriers = {}  # by address
        self.sent = bulk.Sends(self)
        self.products = wgmma.Products(self)
        self.unpublished = bytearray(self.shared_bytes)
        self.written = {}  # of each thread: what it wrote without a fence behind it

    def end_block(self):
        self.sent.end()
        self.products.end()

    def clock(self):
        self.cycles += 7
        return self.cycles

    def beside(self, rank, cluster):
        """That of another block of the cluster, with the same arrays."""
        other = type(self)(self.shared_bytes, self.local_bytes)
        other.arrays, other.maps = self.arrays, self.maps
        other.rank, other.cluster = rank, cluster
        return other

    def send(self, address, size, value, barrier):
        """st.async, to shared memory of the cluster's block that mapa named, where a barrier counts it."""
        if address < CLUSTER or address >> 32 != barrier >> 32 or address % size:
            raise RuntimeError(f"nothing is sent to {address:#x}, with a barrier at {barrier:#x}")
        other = self.cluster[(address >> 32) - (CLUSTER >> 32)]
        other.fetch(barrier & 0xFFFFFFFF, [(address & 0xFFFFFFFF, value.to_bytes(size, "little"))])

    def add(self, data):
        self.arrays.append(bytearray(data))
        return len(self.arrays) << 32

    def text(self, address):
        """Up to its end, a zero."""
        array, offset = self.range("global", address, 1)
        return bytes(array[offset:array.index(0, offset)]).decode()

    def place(self, space, address, size):
        if address % size:
            raise RuntimeError(f"access of {size} bytes at {address:#x}")
        return self.range(space, address, size)

    def range(self, space, address, size):
        if space == "global" and address < WINDOWS["local"]:
            array, offset = self.arrays[(address >> 32) - 1], address & 0xFFFFFFFF
        elif space == "shared":
            array, offset = self.shared, address - SHARED
        elif space == "local":
            array, offset = self.local, address - LOCAL
        elif window := next((name for name in ("shared", "local") if address >= WINDOWS[name]), None):
            return self.range(window, address - WINDOWS[window], size)
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

    def access_functions(self):
        """Functions that load and store numbers, by name: load_SPACE_SIZE_COUNT(address), and the
        same for store, which takes the numbers behind it."""
        return {f"{name}_{space}_{size}_{count}": make(self, space, size, count)
                for name, make in (("load", loads), ("store", stores)) for space in BEGINNINGS
                for size in CODES for count in (1, 2, 4, 8) if size * count <= 32}

    # Tensor cores and the copy engine see what a thread stored (cp.async does so too) once that thread has
    # passed fence.proxy.async.

    def wrote(self, thread, address, size):
        self.written.setdefault(thread, []).append((address - SHARED, size))
        self.unpublished[address - SHARED:address - SHARED + size] = b"\1" * size

    def publish(self, thread):
        for offset, size in self.written.pop(thread, ()):
            self.unpublished[offset:offset + size] = bytes(size)

    def published(self, addresses, size):
        """The bytes at these addresses, as the engines see them."""
        offsets = [address - SHARED for address in addresses]
        if offsets and (min(offsets) < 0 or max(offsets) + size > self.shared_bytes):
            raise RuntimeError(f"an engine reads beyond shared memory: {min(offsets):#x} to {max(offsets) + size:#x}")
        if self.written and any(1 in self.unpublished[offset:offset + size] for offset in offsets):
            raise RuntimeError("no fence.proxy.async stands between a store and an engine that reads it")
        return b"".join([self.shared[offset:offset + size] for offset in offsets])

    # Asynchronous copies are made when they are waited for, so that what does not wait reads what was there.

    def copy(self, thread, to, source, size, given):
        data = b""
        if given:
            if source % size:
                raise RuntimeError(f"a copy of {size} bytes from {source:#x}")
            array, offset = self.range("global", source, given)
            data = bytes(array[offset:offset + given])
        self.copying.setdefault(thread, [[]])[-1].append((to, size, data.ljust(size, b"\0")))

    def commit(self, thread):
        self.copying.setdefault(thread, [[]]).append([])

    def wait(self, thread, pending):
        groups = self.copying.setdefault(thread, [[]])
        while len(groups) - 1 > pending:
            for to, size, data in groups.pop(0):
                self.store("shared", to, size, int.from_bytes(data, "little"))
                self.wrote(thread, to, size)

    # Barriers, and copies in bulk that they count

    def fetch(self, barrier, pieces):
        """A copy of pieces (address in shared memory, bytes). What was there is gone at once, and what comes is there
        when somebody waits for it and nothing else can go on: so reading too early shows, and so does overwriting."""
        for at, data in pieces:
            target, offset = self.range("shared", at, len(data))
            target[offset:offset + len(data)] = b"\xff" * len(data)  # not a number, in floats of any kind
            self.unpublished[offset:offset + len(data)] = bytes(len(data))
        self.barrier(barrier).expect(pieces)

    def copy_in_bulk(self, to, source, size, barrier):
        if to % 16 or source % 16 or size % 16:
            raise RuntimeError("a copy in bulk is not aligned")
        given, begin = self.range("global", source, size)
        self.fetch(barrier, [(to, bytes(given[begin:begin + size]))])

    def barrier(self, address):
        if address not in self.barriers:
            raise RuntimeError(f"no barrier is at {address:#x}")
        return self.barriers[address]

    def has_passed(self, address, parity, lands):
        """Whether the phase of this parity has ended; copies of it arrive only if `lands`."""
        barrier = self.barrier(address)
        if barrier.is_complete() and (lands or not barrier.copies):
            for at, data in (piece for pieces in barrier.copies for piece in pieces):
                target, offset = self.range("shared", at, len(data))
                target[offset:offset + len(data)] = data
            barrier.turn()
        return barrier.phase != parity
