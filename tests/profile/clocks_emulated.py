#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clocks_emulated.py NEREID KERNELS CASES [--target SM] [--noting N] [FILTER]: runs each case (lines as
tests/backend/nvptx/emulator/emulate.py takes them) in the emulator, without clocks and with: the arrays must be the same to
the bit, and what the warps noted must be what src/runtime/ClockRecords.h says. Every N-th block, N odd, notes what its warps do."""

import argparse
import collections
import pathlib
import re
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "backend/nvptx/emulator"), str(HERE.parents[1] / "analyze")]

import count_emulated
import emulate

ROW, RECORD = struct.Struct("<5Q"), struct.Struct("<2I")


class Clocks:
    """The buffers of a launch, and what is in them afterwards."""

    def __init__(self, blocks_per_row, blocks_per_area, records):
        self.blocks_per_row, self.blocks_per_area, self.records = blocks_per_row, blocks_per_area, records

    def parameters(self, M, blocks, threads):
        self.blocks, self.warps, self.areas = blocks, -(-threads // 32), -(-blocks // self.blocks_per_area)
        self.table = M.add(bytes(ROW.size * -(-blocks // self.blocks_per_row)))
        self.notes = M.add(bytes(RECORD.size * self.records * self.areas * self.warps))
        inverse = lambda step: pow(step, -1, 1 << 32)
        return [self.table, self.notes, inverse(self.blocks_per_row), -(-blocks // self.blocks_per_row),
                inverse(self.blocks_per_area), self.areas, RECORD.size * self.records]

    def done(self, M):
        self.rows = list(ROW.iter_unpack(M.arrays[(self.table >> 32) - 1]))
        notes = list(RECORD.iter_unpack(M.arrays[(self.notes >> 32) - 1]))
        self.of_warps = [notes[i:i + self.records] for i in range(0, len(notes), self.records)]


def sites_in(text):
    """What each number stands for: (name, whether it fetches, first line, last line)."""
    sites = {}
    for number, name, fetches, line, last in re.findall(
            r"^// clock (\d+): (\w+)( of who fetches)?(?:, \S+?:(\d+):\d+)?(?: to line (\d+))?$", text, re.M):
        sites[int(number)] = (name, bool(fetches), int(line or 0), int(last or line or 0))
    return sites


def check_rows(clocks):
    for number, (begin, begin_cycles, end_cycles, end, multiprocessor) in enumerate(clocks.rows):
        if not 0 < begin < begin_cycles < end_cycles < end or multiprocessor >= emulate.MULTIPROCESSORS:
            yield f"block {number * clocks.blocks_per_row} has a row {begin, begin_cycles, end_cycles, end, multiprocessor}"


def check_warps(clocks, sites):
    """Also gives what was noted how often, by all warps."""
    wrong, seen = [], collections.Counter()
    for area, notes in enumerate(clocks.of_warps):
        where = f"warp {area % clocks.warps} of block {area // clocks.warps * clocks.blocks_per_area}"
        used = [note for note in notes[:-1] if note[1]]
        if [note[1] for note in notes[:-1]] != [note[1] for note in used] + [0] * (len(notes) - 1 - len(used)):
            wrong.append(f"{where} left gaps")
        names = [sites.get(site, ("nothing",))[0] for _, site in used + [notes[-1]]]
        if names[0] != "begin" or names[-1] != "end" or "begin" in names[1:] or "end" in names[:-1] or "nothing" in names:
            wrong.append(f"{where} noted {names}")
        times = [clock for clock, _ in used + [notes[-1]]]
        # One clock for all threads: whoever comes later reads more, and none takes half of what it counts to.
        if not all(0 < (later - earlier) % (1 << 32) < 1 << 31 for earlier, later in zip(times, times[1:])):
            wrong.append(f"{where} went back in time: {times}")
        seen.update(sites[site][:2] for _, site in used + [notes[-1]] if site in sites)
    return wrong, seen


def run_case(options, case):
    with tempfile.TemporaryDirectory() as directory:
        inputs = count_emulated.inputs_of(options, case, directory)
    if case.block:
        signature, values = emulate.signature_of(case), emulate.values_of(case, inputs)
    else:
        signature, values = count_emulated.values_of(options, case, inputs)
    source, launch = f"{options.kernels}::{case.kernel}", case.launch_options() if case.block else []
    plain = emulate.compiled(options, source, signature, *launch)
    clocked = emulate.compiled(options, source, signature, "--clocks", *launch)
    if re.search(r"clock|globaltimer|smid", plain):
        return ["code without clocks reads some"], {}
    grid = ([int(n) for n in case.grid.split(",")] + [1, 1])[:3]
    clocks = Clocks(1, options.noting, options.records)
    without = emulate.run_ptx(plain, case.kernel, values, grid)
    wrong = []
    if emulate.run_ptx(clocked, case.kernel, values, grid, clocks) != without:
        wrong.append("the arrays are others with clocks")
    sites = sites_in(clocked)
    wrong += check_rows(clocks)
    more, seen = check_warps(clocks, sites)
    return wrong + more, seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nereid")
    parser.add_argument("kernels")
    parser.add_argument("cases")
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--num-warps")
    parser.add_argument("--noting", type=int, default=1)
    parser.add_argument("--records", type=int, default=256, help="of a warp; a power of two")
    options = parser.parse_args()
    chosen = [case for case in emulate.cases_in(options.cases) if options.filter in case.text]
    failed = 0
    for case in chosen:
        wrong, seen = run_case(options, case)
        failed += bool(wrong)
        text = ", ".join(f"{count} {name}{' of who fetches' if fetches else ''}" for (name, fetches), count in seen.items())
        print(f"{'WRONG' if wrong else 'noted'}: {case.text}: {text}", *wrong, sep="\n    ", flush=True)
    print(f"{len(chosen) - failed} cases run alike with clocks")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
