# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the threads of a block go on: those that meet, then those that wait for what comes by itself."""

import functools
import operator
import struct

import tensor
import wgmma


def load_matrices(asked, memory):
    """ldmatrix: the rows of matrix i are at the addresses of lanes 8 i to 8 i + 7."""
    _, _, count, is_transposed = asked[0]
    answers = [[] for _ in asked]
    for i in range(count):
        rows = [memory.load("shared", request[1], 16).to_bytes(16, "little")
                for request in asked[8 * i:8 * i + 8]]
        if is_transposed:
            elements = struct.unpack("<64H", b"".join(rows))
            words = [elements[column * 8 + row] | elements[column * 8 + 8 + row] << 16
                     for row in range(8) for column in range(0, 8, 2)]
        else:
            words = struct.unpack("<32I", b"".join(rows))
        for answer, word in zip(answers, words):
            answer.append(word)
    return answers


def store_matrices(asked, memory, first):
    """stmatrix: the same way back. Lane 4 i + j has elements 2 j and 2 j + 1 of row i, or of column i."""
    _, _, words, is_transposed = asked[0]
    for i in range(len(words)):
        held = [request[2][i] for request in asked]
        element = lambda line, place: held[4 * line + place // 2] >> 16 * (place % 2) & 0xFFFF
        for r in range(8):
            row = [element(c, r) if is_transposed else element(r, c) for c in range(8)]
            address = asked[8 * i + r][1]
            memory.store("shared", address, 16, sum(value << 16 * c for c, value in enumerate(row)))
            for lane in range(4 * r, 4 * r + 4):
                memory.wrote(first + lane, address, 16)


class Block:
    """Generators, one for each thread, and the memory that they share."""

    def __init__(self, threads, memory):
        self.threads, self.memory = threads, memory
        memory.begin_block()
        # The last thread first: it must not rest on what the first one makes before they meet.
        self.waiting = [next(thread, None) for thread in reversed(threads)][::-1]

    def go_on(self):
        """As far as it goes without other blocks. Whether anything went on."""
        threads, waiting, memory = self.threads, self.waiting, self.memory
        had_gone_on = False
        # What comes by itself comes late: copies when nothing else can go on, products when copies cannot come either.
        while any(waiting) and (meet(threads, waiting, memory) or await_barriers(threads, waiting, memory, lands=True)
                                or await_products(threads, waiting, memory)):
            had_gone_on = True
        return had_gone_on

    def waits_for_cluster(self):
        return all(request == ("cluster",) for request in self.waiting)

    def meet_others(self):
        self.waiting[:] = [step(thread, None) for thread in reversed(self.threads)][::-1]


def run(*cluster):
    """Runs the blocks of a cluster, each (threads, memory), to their end: the last one first, as far as it goes."""
    blocks = [Block(*each) for each in reversed(cluster)]
    while any(any(each.waiting) for each in blocks):
        if any([each.go_on() for each in blocks]):
            continue
        if not all(each.waits_for_cluster() for each in blocks):
            kinds = sorted({request[0] for each in blocks for request in each.waiting if request})
            raise RuntimeError(f"the threads wait for different things: {', '.join(kinds)}")
        for each in blocks:
            each.meet_others()
    for each in blocks:
        each.memory.end_block()


def warps(threads):
    return [range(first, min(first + 32, len(threads))) for first in range(0, len(threads), 32)]


def meet(threads, waiting, memory):
    moved = False
    for warp in warps(threads):
        asked = [waiting[i] for i in warp]
        if meet_by_masks(threads, waiting, warp, asked):
            moved = True
            continue
        kinds = {request[0] for request in asked if request}
        if len(kinds) != 1 or None in asked:
            continue
        answers = [None] * len(asked)
        kind = kinds.pop()
        if kind == "mma":
            answers = tensor.multiply(asked)
        elif kind == "ldmatrix":
            answers = load_matrices(asked, memory)
        elif kind == "stmatrix":
            store_matrices(asked, memory, warp[0])
        else:
            continue
        for i, answer in zip(warp, answers):
            waiting[i] = waiting[i] and step(threads[i], answer)
        moved = True
    for kind in {request for request in waiting if request and request[0] == "barrier"}:
        together = [i for i, request in enumerate(waiting) if request == kind]
        if len(together) == (kind[2] or len(threads)):
            for i in together:
                waiting[i] = step(threads[i], None)
            moved = True
    if all(request and request[0] == "count" for request in waiting):
        counted = sum(request[2] for request in waiting)
        waiting[:] = [step(thread, counted) for thread in threads]
        moved = True
    return await_barriers(threads, waiting, memory, lands=False) or moved


REDUCTIONS = {"add": operator.add, "min": min, "max": max, "and": operator.and_, "or": operator.or_, "xor": operator.xor}


def meet_by_masks(threads, waiting, warp, asked):
    """Shuffles, votes and barriers of a warp: lanes that name one another wait for one another. Those that have ended
    are missed by all but the last."""
    groups = {request[:2] for request in asked if request and request[0] in ("shuffle", "vote", "reduce", "warp")}
    moved = False
    kind, mask = next(iter(groups), (None, 0))
    if (mask == 0xFFFFFFFF and len(asked) == 32 and kind != "reduce"
            and all(request and request[:2] == (kind, mask) for request in asked)):  # most often
        if kind == "shuffle":
            answers = [asked[request[3] & 31][2] for request in asked]
        else:
            votes = sum(1 << lane for lane in range(32) if kind == "vote" and asked[lane][2])
            answers = [None if kind == "warp" else votes] * 32
        for i, answer in zip(warp, answers):
            waiting[i] = step(threads[i], answer)
        return True
    for kind, mask in groups:
        named = [lane for lane in range(len(asked)) if mask >> lane & 1 and (asked[lane] or kind != "warp")]
        if any(not asked[lane] or asked[lane][:2] != (kind, mask) for lane in named):
            continue
        if any(request and request[:2] == (kind, mask) and lane not in named for lane, request in enumerate(asked)):
            raise RuntimeError(f"a lane asks with a mask that leaves it out: {mask:#x}")
        votes = sum(1 << lane for lane in named if kind == "vote" and asked[lane][2])
        whole = functools.reduce(REDUCTIONS[asked[named[0]][3]], (asked[lane][2] for lane in named)) if kind == "reduce" else 0
        for lane in named:
            answer = {"vote": votes, "reduce": whole & 0xFFFFFFFF}.get(kind)
            if kind == "shuffle":
                source = asked[lane][3] & 31
                if source not in named:
                    raise RuntimeError(f"lane {lane} asks lane {source}, which the mask {mask:#x} does not name")
                answer = asked[source][2]
            waiting[warp[lane]] = step(threads[warp[lane]], answer)
        moved = True
    return moved


def await_barriers(threads, waiting, memory, lands):
    moved = False
    for i, request in enumerate(waiting):
        if request and request[0] == "await" and memory.has_passed(request[1], request[2], lands):
            waiting[i] = step(threads[i], None)
            moved = True
    return moved


def await_products(threads, waiting, memory):
    for warp in warps(threads):
        asked = [waiting[i] for i in warp]
        if None in asked or asked[0][0] != "products" or any(request != asked[0] for request in asked):
            continue
        finished = [memory.products.finish(i, asked[0][1]) for i in warp]
        if len({len(each) for each in finished}) != 1:
            raise RuntimeError("threads of one warp multiply different things")
        held = {}

        def registers(lane, names):
            if lane not in held:
                held[lane] = threads[warp[lane]].gi_frame.f_locals
            return tuple(held[lane][name] for name in names)

        for lanes in zip(*finished):
            wgmma.multiply(warp[0], lanes, registers, memory.products)
        for i, each in zip(warp, finished):
            waiting[i] = step(threads[i], each)
        return True
    return False


def step(thread, answer):
    try:
        return thread.send(answer)
    except StopIteration:
        return None
