# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the copy engine does: barriers that count bytes, tiles on their way to arrays."""

import struct


class TransactionBarrier:
    """mbarrier: a phase ends when all have arrived and all bytes have come that arrivals announced."""

    def __init__(self, arrivals):
        self.arrivals = self.missing = arrivals
        self.phase = self.announced = self.come = 0
        self.copies = []

    def expect(self, pieces):
        """A copy of pieces (address in shared memory, bytes) that will be there when the phase ends."""
        self.copies.append(pieces)
        self.come += sum(len(data) for _, data in pieces)

    def arrive(self, announced):
        if not self.missing:
            raise RuntimeError("one arrives more than a barrier waits for")
        self.missing -= 1
        self.announced += announced

    def is_complete(self):
        return not self.missing and self.announced == self.come

    def turn(self):
        self.missing, self.announced, self.come, self.copies = self.arrivals, 0, 0, []
        self.phase ^= 1


def added(before, data):
    """Floats of 32 bits, each the sum of two."""
    return b"".join(struct.pack("<f", a + b) for (a,), (b,) in zip(*(struct.iter_unpack("<f", each) for each in (before, data))))


class Send:
    """A tile that goes to an array, or is added to what is there: places there by addresses in shared memory."""

    def __init__(self, memory, places, adds):
        self.memory, self.places, self.adds = memory, places, adds
        self.begun_with = self.read()

    def read(self):
        return [self.memory.published([at], size) for at, _, size in self.places]

    def capture(self):
        if self.read() != self.begun_with:
            raise RuntimeError("a tile is overwritten before it has been sent")

    def land(self):
        for (_, to, size), data in zip(self.places, self.begun_with):
            array, offset = self.memory.range("global", to, size)
            array[offset:offset + size] = added(array[offset:offset + size], data) if self.adds else data


class Sends:
    """Groups of each thread. Shared memory has been read when a group is waited for; the array has it when it is waited
    for without .read, the newest first, or when the block has ended."""

    def __init__(self, memory):
        self.memory = memory
        self.groups, self.captured = {}, {}

    def send(self, thread, places, adds):
        self.groups.setdefault(thread, [[]])[-1].append(Send(self.memory, places, adds))

    def commit(self, thread):
        self.groups.setdefault(thread, [[]]).append([])

    def wait(self, thread, pending, is_read):
        groups = self.groups.setdefault(thread, [[]])
        captured = self.captured.setdefault(thread, [])
        done = max(len(groups) - 1 - pending, 0)
        for group in groups[:done]:
            for send in group:
                send.capture()
        captured += groups[:done]
        del groups[:done]
        if is_read:
            return
        # Groups that .read has waited for are as old as those, or older.
        for group in reversed(captured):
            for send in group:
                send.land()
        captured.clear()

    def end(self):
        if any(any(groups) for groups in self.groups.values()):
            raise RuntimeError("a block ends before what it sends has been read")
        for captured in self.captured.values():
            for group in reversed(captured):
                for send in group:
                    send.land()
