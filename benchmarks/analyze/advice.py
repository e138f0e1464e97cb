#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What following the advice of `nereid analyze` brings, beside what it promises: slow kernels, each with a form that follows its three best
pieces of advice.

    benchmarks/analyze/advice.py --nereid build/release/nereid --card h200 --out $OUT

Times are ncu's where it may count, with caches flushed; otherwise those of launches one after the other (`nereid run --time`). `--promises`
says what is promised and what is predicted of the other form, and needs no GPU; with `--check` it fails where the prediction keeps less than
0.75 of the promise. Promised is what is left after the three best gains, each of what the others leave; of a kernel that is mended in one respect
alone (`cause`), the gain of that piece."""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

import by_ncu
from analyses import ROOT, Analyses, words
from cases import FIGURES, GUIDE, Case, flat

SLOW = "benchmarks/analyze/slow_kernels.py"


@dataclasses.dataclass
class Repair:
    loss: str
    slow: Case
    better: Case
    cause: str = ""  # what the one piece of advice says that is followed


def transpose(version, grid, block):
    return Case(f"transpose V{version}", f"{GUIDE}::transpose_v{version}", grid,
                f"input_ptr=randn:f32[4096,4096] output_ptr=empty:f32[4096,4096] M=4096 N=4096 BLOCK_SIZE={block}")


def product(m, n, k, tile, kind="f16", precision="ieee", options=""):
    bm, bn, bk = tile
    return Case(f"product {m} x {n} x {k} by {bm} x {bn}", f"{SLOW}::product", f"cdiv({m},{bm}),cdiv({n},{bn})",
                f"a=randn:{kind}[{m},{k}] b=randn:{kind}[{k},{n}] c=empty:{kind}[{m},{n}] M={m} N={n} K={k} BM={bm} BN={bn} BK={bk} "
                f"PRECISION=\"'{precision}'\"", options)


def scaled(pitch):
    return Case(f"rows {pitch} apart", f"{SLOW}::scale_rows", "8192",
                f"x=randn:f16[8192,{pitch}] scale=randn:f16[8192] out=empty:f16[8192,{pitch}] cols=4001 pitch={pitch} BLOCK=4096", "--num-warps 4")


def totals(part):
    return Case(f"totals by {part}", f"{SLOW}::row_totals", f"16,{(1 << 20) // part}", f"x=randn:f32[16,1048576] out=zeros:f32[16] cols=1048576 PART={part} BLOCK=4096")


def pixels(kind):
    return Case(f"pixels of {kind}", f"{SLOW}::pixels_to_planes_by_tiles", "cdiv(n,BLOCK)", f"x=randn:{kind}[4194304,4] out=empty:{kind}[4,4194304] n=4194304 BLOCK=512")


def decays(blocks):
    return Case(f"decays of {blocks} blocks", f"{SLOW}::decays", str(blocks), f"x=rand:f32[{1024 * blocks}] out=empty:f32[{1024 * blocks}] n={1024 * blocks} COUNT=32 BLOCK=1024")


def sums_of_rounds(rounds, block):
    return Case(f"{rounds} rounds of {block}", f"{SLOW}::sums_of_rounds", "264", f"x=randn:f32[264,{rounds * block}] out=empty:f32[264,{block}] n={rounds} BLOCK={block}")


def long_rows(options):
    return Case(f"softmax, {options}", f"{FIGURES}::softmax", "1024", "x=randn:f32[1024,12672] out=empty:f32[1024,12672] columns=12672 BLOCK=16384", options)


COLUMNS = "x=randn:f32[8192,4096] rows=8192 cols=4096"
DECAYS = "x=rand:f32[4194304] out=empty:f32[4194304] n=4194304 COUNT=32 BLOCK=1024"
REPAIRS = [
    Repair("columns are loaded", transpose(1, "4096", 1024), transpose(3, "64,64", 64)),
    Repair("columns are stored", transpose(2, "4096", 1024), transpose(3, "64,64", 64)),
    Repair("a column for each program", Case("sums of columns", f"{SLOW}::column_sums", "4096", f"{COLUMNS} out=empty:f32[4096] ROWS=1024"),
           Case("sums of strips", f"{SLOW}::column_sums_of_tiles", "64,16", f"{COLUMNS} out=zeros:f32[4096] ROWS=32 COLS=64 PART=512")),
    Repair("rows that begin anywhere", scaled(4001), scaled(4096)),
    Repair("small tiles", product(4096, 4096, 4096, (32, 32, 32)), product(4096, 4096, 4096, (128, 256, 64), options="--num-warps 8")),
    Repair("products of threads", product(2048, 2048, 2048, (128, 128, 32), "f32", options="--num-warps 8"),
           product(2048, 2048, 2048, (128, 128, 32), "f32", "tf32", options="--num-warps 8")),
    Repair("elements of 32 bits", flat("add of f32", "add", 1 << 25, 1024, "xy"), flat("add of f16", "add", 1 << 25, 2048, "xy", kind="f16")),
    Repair("few programs", totals(1 << 20), totals(1 << 15)),
    Repair("exponentials", Case("decays", f"{SLOW}::decays", "4096", DECAYS), Case("decays by powers", f"{SLOW}::decays_by_powers", "4096", DECAYS)),
    Repair("pixels of 32 bits", pixels("f32"), pixels("f16")),
    Repair("a block too many", decays(133), decays(132), "133 blocks for 132 SMs"),
    Repair("rounds that wait", sums_of_rounds(64, 128), sums_of_rounds(32, 256), "each program waits for memory"),
    Repair("spills", long_rows("--num-warps 4 --maxnreg 32"), long_rows("--num-warps 16"), "registers are spilled"),
]


def without_contents(case):
    """What is counted is the same, since no number decides an address here; to draw them takes half of the time."""
    return dataclasses.replace(case, arguments=re.sub(r"=randn?:", "=empty:", case.arguments))


def promised(report, cause):
    """The share of the time that the three best pieces of advice promise together, or the one of that cause."""
    pieces = [advice for advice in report["advice"] if cause in advice["cause"]]
    return 1 - math.prod(1 - advice["gain"] for advice in sorted(pieces, key=lambda advice: -advice["gain"])[:3])


def is_kept(row):
    """Whether something is promised, and the prediction of the other form has it."""
    before, after = row["predicted"]
    return row["promised"] > 0 and 1 - after / before >= 0.75 * row["promised"]


def microseconds_by_turns(case, options):
    command = [options.nereid, "run", *words(case), "--device", "cuda", "--seed", "1", "--time"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r"launch ([\d.]+) (ms|us|ns)", done.stdout + done.stderr)
    if not found:
        raise RuntimeError(f"run: {(done.stdout + done.stderr).strip()[-300:]}")
    return float(found[1]) * {"ms": 1e3, "us": 1, "ns": 1e-3}[found[2]]


def row_of(repair, slow, better, options):
    row = {"loss": repair.loss, "slow": repair.slow.name, "better": repair.better.name, "promised": promised(slow, repair.cause),
           "advice": [f"{advice['gain']:.2f} {advice['cause']}" for advice in slow["advice"]][:3],
           "predicted": [report["launch"]["seconds"] * 1e6 for report in (slow, better)]}
    if not options.promises:
        taken = lambda case: by_ncu.microseconds(case, options.nereid, options.ncu) or microseconds_by_turns(case, options)
        row["measured"] = [min(taken(case) for _ in range(options.turns)) for case in (repair.slow, repair.better)]
    return row


def shown(row):
    text = [f"{row['loss']}: promised {row['promised']:.2f}, predicted {row['predicted'][0]:.1f} us to {row['predicted'][1]:.1f} us"]
    if "measured" in row:
        before, after = row["measured"]
        got = 1 - after / before
        text.append(f"measured {before:.1f} us to {after:.1f} us, gained {got:.2f}: {got / row['promised']:.2f} of it" if row["promised"] else f"gained {got:.2f}")
    return ", ".join(text) + "".join(f"\n    {line}" for line in row["advice"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/nereid")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--card", default="h100")
    parser.add_argument("--promises", action="store_true", help="measure nothing")
    parser.add_argument("--check", action="store_true", help="with --promises: fail where a promise is not kept")
    parser.add_argument("--turns", type=int, default=1, help="launches of each; the quickest counts (each takes some three seconds under ncu)")
    parser.add_argument("--seconds", type=float, default=600, help="no pair begins later")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--analyses", help="a file of counts: what it has is taken from there, the rest is added")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default=".", help="a folder for advice.json")
    options = parser.parse_args()
    options.nereid = str((ROOT / options.nereid).resolve())
    chosen = [repair for repair in REPAIRS if options.only in repair.loss]
    if options.promises:
        chosen = [dataclasses.replace(repair, slow=without_contents(repair.slow), better=without_contents(repair.better)) for repair in chosen]
    pairs = [(repair.slow, repair.better) for repair in chosen]
    made = Analyses(options.nereid, [case for pair in pairs for case in pair], options.target, options.card, options.jobs, options.analyses)
    reports = [[made.of(case) for case in pair] for pair in pairs]
    made.save()
    table = []
    begun = time.monotonic()
    for repair, (slow, better) in zip(chosen, reports):
        if time.monotonic() - begun > options.seconds:
            print(f"note: no time for '{repair.loss}' and what follows", flush=True)
            break
        table.append(row_of(repair, slow, better, options))
        print(shown(table[-1]), flush=True)
        (pathlib.Path(options.out) / "advice.json").write_text(json.dumps(table, indent=1))
    shares = [(1 - row["measured"][1] / row["measured"][0]) / row["promised"] for row in table if "measured" in row and row["promised"]]
    if options.check:
        broken = [row["loss"] for row in table if not is_kept(row)]
        print(f"{len(table) - len(broken)} of {len(table)} promises are kept", *broken, sep="\n    ")
        return 1 if broken or len(table) < len(chosen) else 0
    if shares:
        print(f"{sum(share >= 0.75 for share in shares)} of {len(shares)} gain at least 0.75 of what was promised; the least {min(shares):.2f}")
    return 0


sys.exit(main())
