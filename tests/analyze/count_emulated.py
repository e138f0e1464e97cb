#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count_emulated.py NEREID KERNELS CASES [--target SM] [FILTER]: what `nereid analyze` counts of each case (lines as
tests/backend/nvptx/emulator/emulate.py takes them), beside what the PTX does in the emulator, thread by thread: requests
and sectors of arrays, requests and wavefronts of shared memory, barriers. All must be equal."""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "backend/nvptx/emulator"))

import block
import emulate
import instructions
import memory
import ptx
import translate

WORDS = 32  # banks, of 4 bytes


class CountingFunction(instructions.Function):
    """Notes each access of a thread: which instruction, and the how-many-th time the thread came to it."""
    number = 0

    def statement(self, text):
        words = text.strip().split()
        opcode = next((word for word in words if not word.startswith("@")), "").split(".")
        if opcode[0] in ("ld", "st", "atom", "red", "cp") and not {"param", "bulk"} & set(opcode):
            CountingFunction.number += 1
            self.emit(f"M.comes(tid, {CountingFunction.number})")  # whether it acts or not
        super().statement(text)

    def notes(self, space, kind, at, size):
        self.emit(f"M.notes(tid, {CountingFunction.number}, {space!r}, {kind!r}, {at}, {size})")

    def op_ld(self, m, a):
        super().op_ld(m, a)
        if "param" not in m:
            self.notes("shared" if "shared" in m else "global", "load", "at", self.bytes_of(m, a[0]))

    def op_st(self, m, a):
        super().op_st(m, a)
        if "param" not in m:
            self.notes("shared" if "shared" in m else "global", "store", "at", self.bytes_of(m, a[1]))

    def op_atom(self, m, a):
        super().op_atom(m, a)
        self.notes("shared" if "shared" in m else "global", "atomic", "at", self.bytes_of(m, "x"))

    def op_cp(self, m, a):
        super().op_cp(m, a)
        if not {"bulk", "commit_group", "wait_group"} & set(m):
            self.notes("global", "copy", self.address(a[1]), self.operand(a[3]) if len(a) > 3 else int(a[2]))

    def op_bar(self, m, a):
        if "warp" not in m and a[0].strip() == "0":
            self.emit("M.meets(tid)")
        if "warp" in m:
            self.emit("M.meets_warp(tid)")
        super().op_bar(m, a)

    def bytes_of(self, m, operand):
        return int(m[-1][1:]) // 8 * (operand.count(",") + 1 if operand.startswith("{") else 1)


class CountingMemory(memory.Memory):
    totals = collections.Counter()
    tables = 0  # the first arrays, which functions look things up in

    def begin_block(self):
        super().begin_block()
        self.times, self.accesses = collections.Counter(), collections.defaultdict(list)
        self.met = collections.Counter()

    def comes(self, thread, instruction):
        self.times[thread, instruction] += 1

    def meets(self, thread):
        self.met[thread] += 1

    def meets_warp(self, thread):
        self.totals["warp barriers"] += thread % 32 == 0

    def notes(self, thread, instruction, space, kind, at, size):
        if space == "global" and at >> 32 <= self.tables:
            return  # a function's, which no array of the kernel's is
        key = thread // 32, instruction, self.times[thread, instruction], space, kind
        self.accesses[key].append((thread % 32, at, size))

    def end_block(self):
        super().end_block()
        self.totals["barriers"] += max(self.met.values(), default=0)
        for (_, _, _, space, kind), lanes in self.accesses.items():
            if space == "shared":
                count_shared(self.totals, lanes, kind)
                continue
            # A copy of no bytes fills with zeros and asks for nothing.
            sectors = {sector for _, at, size in lanes if size for sector in range(at >> 5, (at + size - 1 >> 5) + 1)}
            if sectors:
                self.totals[kind + " requests"] += 1
                self.totals[kind + " sectors"] += len(sectors)


def wavefronts(addresses, size):
    """Of lanes that are served together: as many as the busiest bank has different words to give."""
    words = {word for at in addresses for word in range(at >> 2, (at + size - 1 >> 2) + 1)}
    return max(collections.Counter(word % WORDS for word in words).values(), default=0)


def count_shared(totals, lanes, kind):
    size = max(size for _, _, size in lanes)
    together = min(32, 128 // max(size, 4))
    totals["shared requests"] += 1
    # 16 bytes are read for half of the lanes at a time where each asks for the same as its neighbour, or as the one after that, as a GPU was
    # seen to do.
    places = {lane: at for lane, at, _ in lanes}
    if kind == "load" and size == 16 and any(all(places.get(lane ^ bit, at) == at for lane, at in places.items()) for bit in (1, 2)):
        together = 16
    for first in range(0, 32, together):
        totals["shared wavefronts"] += wavefronts([at for lane, at, _ in lanes if first <= lane < first + together], size)


def count_matrices(asked, count):
    CountingMemory.totals["shared requests"] += 1
    for i in range(count):
        CountingMemory.totals["shared wavefronts"] += wavefronts([asked[8 * i + row][1] for row in range(8)], 16)


def counted():
    """Puts the counting parts in the emulator's place."""
    load, store = block.load_matrices, block.store_matrices

    def load_matrices(asked, M):
        count_matrices(asked, asked[0][2])
        return load(asked, M)

    def store_matrices(asked, M, first):
        count_matrices(asked, len(asked[0][2]))
        store(asked, M, first)

    translate_code = translate.translate

    def translated(text, M):
        functions = translate_code(text, M)
        M.tables = len(M.arrays)
        return functions

    block.load_matrices, block.store_matrices, translate.translate = load_matrices, store_matrices, translated
    translate.Function, memory.Memory = CountingFunction, CountingMemory


def inputs_of(options, case, directory):
    """What the arrays hold before the kernel runs: a kernel that does nothing leaves it."""
    names = (name + (": tl.constexpr" if name.isupper() else "") for name, _ in case.arguments)
    kernels = pathlib.Path(directory, "untouched.py")
    kernels.write_text("import triton\nimport triton.language as tl\n\n@triton.jit\n"
                       f"def {case.kernel}({', '.join(names)}):\n    pass\n")
    files = {name: f"{directory}/{name}.npy" for name in case.arrays}
    emulate.run(options.nereid, "run", f"{kernels}::{case.kernel}", "--grid", case.grid, *case.given, "--device", "check",
                *(f"--save={name}={file}" for name, file in files.items()))
    return {name: emulate.read_npy(file)[1] for name, file in files.items()}


def constants_of(options, case):
    """The parameters that a launch makes constants: those that are written so, and ones."""
    text = pathlib.Path(options.kernels).read_text()
    declared = re.search(rf"def {case.kernel}\((.*?)\):\n", text, re.S)[1]
    written = re.findall(r"(\w+)\s*:\s*tl\.constexpr", declared)
    return {name for name, value in case.arguments if name in written or value == "1"}


def values_of(options, case, inputs):
    """The signature of a launch, and its values as the code takes them."""
    constants = constants_of(options, case)

    def kind(name, value):
        if name in case.arrays:
            return "*" + re.match(r"\w+:(\w+)\[", value)[1] + ":16"
        if name in constants:
            return value
        return "f32" if "." in value else "i32" if int(value) % 16 else "i32:16"

    signature = ",".join(f"{name}={kind(name, value)}" for name, value in case.arguments)
    values = [inputs[name] if name in inputs else
              ptx.from_float32(float(value)) if "." in value else int(value) & 0xFFFFFFFF
              for name, value in case.arguments if name not in constants]
    return signature, values


def run_code(options, case, inputs):
    signature, values = values_of(options, case, inputs)
    text = emulate.compiled(options, f"{options.kernels}::{case.kernel}", signature)
    grid = ([int(n) for n in case.grid.split(",")] + [1, 1])[:3]
    emulate.run_ptx(text, case.kernel, values, grid)


def analyzed(options, case):
    done = subprocess.run([options.nereid, "analyze", f"{options.kernels}::{case.kernel}", "--grid", case.grid, *case.given,
                           "--target", options.target, "--programs", "1000000", "--json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{case.text}: {done.stderr}")
    report = json.loads(done.stdout)
    totals = collections.Counter(barriers=report["launch"]["barriers"])
    for access in report["accesses"]:
        if access["kind"] in ("load", "store", "atomic", "copy"):
            totals[access["kind"] + " requests"] += access["requests"]
            totals[access["kind"] + " sectors"] += access["sectors"]
    for entry in report["shared"]:
        totals["shared requests"] += entry["requests"]
        totals["warp barriers"] += entry["warp_barriers"]
        totals["shared wavefronts"] += entry["wavefronts"]
    return totals


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nereid")
    parser.add_argument("kernels")
    parser.add_argument("cases")
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--target", default="sm_90a")
    options = parser.parse_args()
    options.num_warps = None
    counted()
    chosen = [case for case in emulate.cases_in(options.cases) if options.filter in case.text]
    failed = 0
    for case in chosen:
        CountingMemory.totals = collections.Counter()
        with tempfile.TemporaryDirectory() as directory:
            run_code(options, case, inputs_of(options, case, directory))
        ours, theirs = +analyzed(options, case), +CountingMemory.totals
        wrong = [f"{name}: {ours[name]}, and the code does {theirs[name]}"
                 for name in sorted(ours | theirs) if ours[name] != theirs[name]]
        failed += bool(wrong)
        print(f"{'differs' if wrong else 'equal'}: {case.text}", *wrong, sep="\n    ", flush=True)
    print(f"{len(chosen) - failed} cases are counted alike")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
