#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How right `nereid analyze` is where programs do unequally much, beside launches of equal programs that are otherwise alike: predicted and
measured times.

    benchmarks/analyze/unequal.py --nereid build/release/nereid --card h200 --out $OUT                # on a GPU
    benchmarks/analyze/unequal.py --nereid build/release/nereid --card h200 --measured $OUT/unequal.json   # anywhere: predictions anew

Times are ncu's, which flushes the caches before each launch: launches one after the other (`nereid run --time`) find in L2 what it holds, which
is all that a few programs read. Predictions are best made where PATH has ptxas and nvdisasm. Nothing but Python's own library is needed."""

import argparse
import array
import dataclasses
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile

import by_ncu
from analyses import ROOT, Analyses
from cases import Case, attention

KERNELS = "benchmarks/analyze/unequal_kernels.py"


@dataclasses.dataclass
class Launch:
    case: Case
    is_equal: bool  # a control: all programs do the same


def write_npy(path, values):
    """Integers of 32 bits."""
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + array.array("i", values).tobytes())


def late(count, long, few, short=50):
    return [short] * (count - few) + [long] * few


def lengths_of():
    """By name: how many rounds each program does."""
    chance = random.Random(1)
    long_last = late(4752, 400, 66)
    return {
        "50 each": [50] * 4752,
        "66 of 400 last": long_last,
        "66 of 400 first": long_last[::-1],
        "66 of 400 spread": [400 if i % 72 == 36 else 50 for i in range(4752)],
        "rising to 99": [i * 100 // 4752 for i in range(4752)],
        "falling from 99": [(4751 - i) * 100 // 4752 for i in range(4752)],
        "by chance": [min(900, int(chance.expovariate(1 / 50))) for _ in range(4752)],
        "one of 900": [900 if i == 3 else 0 for i in range(1024)],
        "a program of 900": [900],
    }


def launches(folder):
    table = []
    for name, lengths in lengths_of().items():
        path = folder / (name.replace(" ", "-") + ".npy")
        write_npy(path, lengths)
        count, is_equal = len(lengths), len(set(lengths)) == 1
        out = f"out=empty:f32[{count},1024] BLOCK=1024"
        table.append(Launch(Case(f"rows that all read, {name}", f"{KERNELS}::shared_rows", str(count), f"x=randn:f32[900,1024] lengths=@{path} {out}"), is_equal))
        begins = folder / ("begins-" + path.name)
        write_npy(begins, running(lengths))
        table.append(Launch(Case(f"rows of its own, {name}", f"{KERNELS}::own_rows", str(count),
                                 f"x=empty:f32[{sum(lengths)},1024] begins=@{begins} lengths=@{path} {out}"), is_equal))
        table.append(Launch(Case(f"powers, {name}", f"{KERNELS}::powers", str(count), f"x=rand:f32[{count},1024] lengths=@{path} {out}"), is_equal))
    for name, lengths in {"64 each": [64] * 64, "rising to 64": list(range(1, 65)), "falling from 64": list(range(64, 0, -1)), "one of 64": [64] + [4] * 63}.items():
        path = folder / ("products-" + name.replace(" ", "-") + ".npy")
        write_npy(path, lengths)
        for tile, warps in ((128, 8), (64, 4)):
            rows = 64 * tile
            table.append(Launch(Case(f"products by {tile}, {name}", f"{KERNELS}::products", f"64,{2048 // tile}",
                                     f"a=randn:f16[{rows},4096] b=randn:f16[2048,4096] lengths=@{path} out=empty:f16[{rows},2048] TILE={tile} DEPTH=64",
                                     f"--num-warps {warps}"), len(set(lengths)) == 1))
    for heads, n, tile, d in ((64, 1024, (128, 128), 128), (16, 2048, (128, 128), 128), (16, 4096, (128, 128), 128), (32, 4096, (128, 128), 128),
                              (16, 8192, (128, 128), 128), (32, 4096, (128, 128), 64), (32, 4096, (64, 64), 64)):
        for causal in (False, True):
            kind = "causal attention" if causal else "attention"
            table.append(Launch(attention(f"{kind}, {heads} x {n} x {d} by {tile[0]}", heads, n, causal, tile, d), not causal))
    return table


def running(lengths):
    begins, sum_of = [], 0
    for length in lengths:
        begins.append(sum_of)
        sum_of += length
    return begins


def measure(options, case):
    """In microseconds."""
    found = by_ncu.microseconds(case, options.nereid, options.ncu)
    if not found:
        raise RuntimeError("ncu says no time")
    return found


def shown(launch, predicted, measured):
    text = f"| {launch.case.name} | {predicted * 1e6:.1f} |" if predicted else f"| {launch.case.name} | |"
    if not measured:
        return text + " | |"
    return text + f" {measured:.1f} | {predicted * 1e6 / measured:.2f} |" if predicted else text + f" {measured:.1f} | |"


def summary(name, ratios):
    if not ratios:
        return ""
    errors = sorted(abs(ratio - 1) for ratio in ratios)
    ninth = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    return f"{name}: {len(errors)} launches, off by {statistics.median(errors):.3f} at the median and {ninth:.3f} at the 90th percentile"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/nereid")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--card", default="h100")
    parser.add_argument("--measured", help="a file of an earlier run: its times are taken, and nothing is launched")
    parser.add_argument("--measure-only", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="launches whose name has this")
    parser.add_argument("--out", default=".", help="a folder for unequal.json")
    options = parser.parse_args()
    options.nereid = str((ROOT / options.nereid).resolve())
    times = json.loads(pathlib.Path(options.measured).read_text()) if options.measured else {}
    with tempfile.TemporaryDirectory() as folder:
        chosen = [launch for launch in launches(pathlib.Path(folder)) if options.only in launch.case.name]
        cases = [launch.case for launch in chosen]
        made = None if options.measure_only else Analyses(options.nereid, cases, options.target, options.card, options.jobs)
        ratios = {True: [], False: []}
        print("| launch | predicted | measured | ratio |\n|---|---|---|---|")
        for launch, case in zip(chosen, cases):
            if not options.measured:
                try:
                    times[launch.case.name] = measure(options, launch.case)
                except RuntimeError as error:
                    print(f"note: {launch.case.name}: {error}")
            predicted = made.of(case)["launch"]["seconds"] if made else None
            measured = times.get(launch.case.name)
            print(shown(launch, predicted, measured), flush=True)
            if predicted and measured:
                ratios[launch.is_equal].append(predicted * 1e6 / measured)
            if not options.measured:
                (pathlib.Path(options.out) / "unequal.json").write_text(json.dumps(times, indent=1))
    print(summary("equal programs", ratios[True]), summary("unequal programs", ratios[False]), sep="\n")
    return 0


sys.exit(main())
