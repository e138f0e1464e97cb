#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How right `nereid analyze` is: its counts beside those of a GPU's counters (ncu), launch by launch, and a table.

Run on a machine with an NVIDIA GPU, ncu and permission to read counters (root, or the driver's setting):

    benchmarks/analyze/compare.py --nereid build/release/nereid --card h200 --sets all --piece 1/3 --out $OUT

Counts are made by all cores while ncu measures. They need no GPU: `--analyses FILE --count-only` makes them elsewhere, and `--analyses FILE`
takes them from there. Pieces are put together by `compare.py --merge FOLDER/accuracy.json ... --out FOLDER`. Without permission to read
counters it compares registers and times alone, and says so. Nothing but Python's own library is needed.

What was counted on 29 November stands in `counters.h200.json`, so that a changed model is judged without a GPU:

    benchmarks/analyze/compare.py --nereid build/release/nereid --kept benchmarks/analyze/counters.h200.json --sets all --out OUT

with ptxas and nvdisasm in PATH. `--keep FILE` writes such a file beside what it measures."""

import argparse
import csv
import io
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import analyses
import cases
import fresh
import gallery
import others
import table
from analyses import ROOT, words
from metrics import METRICS

SETS = {"fitted": cases.CASES, "held-out": cases.HELD_OUT, "gallery": gallery.CASES, "others": others.CASES, "fresh": fresh.CASES}
SCALE = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "nsecond": 1e-3, "usecond": 1, "msecond": 1e3, "second": 1e6,
         "ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}


def number(text, unit):
    value = float(text.replace(",", ""))
    return value * SCALE.get(unit, 1)


def counters(case, options):
    """ncu's numbers of the one launch, by metric."""
    wanted = sorted({metric for _, _, metrics in METRICS.values() for metric in metrics})
    command = [options.ncu, "--csv", "--page", "raw", "--clock-control", "none", "--launch-count", "1",
               "--metrics", ",".join(wanted), options.nereid, "run", *words(case), "--device", "cuda", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    start = done.stdout.find('"ID"')
    if start < 0:
        raise RuntimeError(f"ncu: {(done.stdout + done.stderr).strip()[-400:]}")
    rows = list(csv.reader(io.StringIO(done.stdout[start:])))
    found = {}
    for name, unit, value in zip(rows[0], rows[1], rows[2]):
        if name in wanted:
            try:
                found[name] = number(value, unit)
            except ValueError:
                pass  # n/a
    return found


def theirs(name, found):
    _, together, metrics = METRICS[name]
    values = [found[metric] for metric in metrics if metric in found]
    return together(values) if values else None


def ours(name, report):
    return report["counters"][METRICS[name][0]]


def measured(case, options):
    """Without counters: registers and the median time of launches one after the other, whose arrays L2 may hold."""
    command = [options.nereid, "run", *words(case), "--device", "cuda", "--seed", "1", "--time"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    text = done.stdout + done.stderr
    launch = re.search(r"launch ([\d.]+) (ms|ns)", text)
    registers = re.search(r"with (\d+) registers", text)
    resident = re.search(r"(\d+) programs on a multiprocessor", text)
    if not launch:
        raise RuntimeError(f"run: {text.strip()[-400:]}")
    return {"hot microseconds": float(launch[1]) * (1e3 if launch[2] == "ms" else 1e-3),
            "registers of the driver": int(registers[1]) if registers else None,
            "blocks of the driver": int(resident[1]) if resident else None}


def compare(case, options, state):
    row = {"case": case.name}
    found = {}
    if state["counters"]:
        try:
            found = counters(case, options)
        except RuntimeError as error:
            row["ncu failed"] = str(error)
            if "ERR_NVGPUCTRPERM" in str(error):
                state["counters"] = False
                print("note: no permission to read counters: registers and times alone are compared", flush=True)
    if found:
        state["found"][case.name] = found
    else:
        row["measured"] = measured(case, options)
    return row | row_of(case, found, state)


def row_of(case, found, state):
    report = state["analyses"].of(case)
    launch = report["launch"]
    return {"case": case.name, "bound": launch["bound"], "programs run": f"{report['programs_run']} of {report['programs']}",
            "instructions of": report["instructions_of"], "bounds": {bound["name"]: bound["seconds"] * 1e6 for bound in report["bounds"]},
            "advice": [f"{advice['gain']:.2f} {advice['cause']}" for advice in report["advice"]],
            "counts": {name: [ours(name, report), theirs(name, found)] for name in METRICS}}


def kept(chosen, options):
    """Beside what a file has of an earlier day's counters: no GPU is needed. Launches that it has not are left out, and it is said."""
    file = json.loads(pathlib.Path(options.kept).read_text())
    have = [case for case in chosen if case.name in file["launches"]]
    state = {"analyses": analyses.Analyses(options.nereid, have, options.target, options.card, options.jobs, options.analyses)}
    rows = []
    for case in have:
        try:
            rows.append(row_of(case, file["launches"][case.name], state))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            rows.append({"case": case.name, "failed": str(error)})
            print(f"{case.name}: {error}", flush=True)
        state["analyses"].save()
    print(f"{len(have)} of {len(chosen)} launches as counted on {file['date']}, {file['machine']}")
    (pathlib.Path(options.out) / "accuracy.json").write_text(json.dumps(rows, indent=1))
    return rows


def write_kept(path, file):
    """A line for each launch."""
    launches = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in file["launches"].items())
    path.write_text(f'{{"date": {json.dumps(file["date"])}, "machine": {json.dumps(file["machine"])}, "launches": {{\n{launches}\n}}}}\n')


def keep(rows_found, options):
    """{launch: what ncu said of it}, beside what the file has already."""
    path = pathlib.Path(options.keep)
    file = json.loads(path.read_text()) if path.exists() else {"launches": {}}
    file["date"], file["machine"] = time.strftime("%Y-%m-%d"), options.machine
    file["launches"].update(rows_found)
    write_kept(path, file)


def measure(chosen, options):
    state = {"counters": True, "found": {}, "analyses": analyses.Analyses(options.nereid, chosen, options.target, options.card, options.jobs, options.analyses)}
    rows, begun, out = [], time.monotonic(), pathlib.Path(options.out)
    for case in chosen:
        if time.monotonic() - begun > options.seconds:
            print(f"note: no time for '{case.name}' and what follows", flush=True)
            break
        try:
            rows.append(compare(case, options, state))
        except (RuntimeError, subprocess.TimeoutExpired, OSError) as error:
            rows.append({"case": case.name, "failed": str(error)})
            print(f"{case.name}: {error}", flush=True)
        (out / "accuracy.json").write_text(json.dumps(rows, indent=1))
    state["analyses"].cancel()
    if options.keep and state["found"]:
        keep(state["found"], options)
    print(f"{len(rows)} launches in {time.monotonic() - begun:.0f} s")
    return rows


def count_alone(chosen, options):
    made = analyses.Analyses(options.nereid, chosen, options.target, options.card, options.jobs, options.analyses)
    failed = 0
    for case in chosen:
        try:
            made.of(case)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{case.name}: {error}", flush=True)
        made.save()
    print(f"{len(chosen) - failed} of {len(chosen)} launches counted")
    return failed


def merged(options):
    """What the pieces measured; with --recount beside what `nereid analyze` says now."""
    rows = [row for path in options.merge for row in json.loads(pathlib.Path(path).read_text())]
    if options.recount:
        by_name = {case.name: case for cases_of_set in SETS.values() for case in cases_of_set}
        measured_rows = [row for row in rows if "counts" in row and row["case"] in by_name]
        made = analyses.Analyses(options.nereid, [by_name[row["case"]] for row in measured_rows], options.target, options.card, options.jobs, options.analyses)
        for row in measured_rows:
            report = made.of(by_name[row["case"]])
            made.save()
            row["bound"] = report["launch"]["bound"]
            row["counts"] = {name: [ours(name, report), row["counts"].get(name, [None, None])[1]] for name in METRICS}
    (pathlib.Path(options.out) / "accuracy.json").write_text(json.dumps(rows, indent=1))
    return rows


def chosen_cases(options):
    names = list(SETS) if options.sets == "all" else options.sets.split(",")
    found = [case for name in names for case in SETS[name] if options.only in case.name]
    piece, pieces = map(int, options.piece.split("/"))
    return found[piece - 1::pieces]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/nereid")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--card", default="h100")
    parser.add_argument("--sets", default="fitted", help=f"all, or of these, with commas: {', '.join(SETS)}")
    parser.add_argument("--only", default="", help="launches whose names hold this")
    parser.add_argument("--piece", default="1/1", help="K/N: each Nth launch, from the Kth on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many count at once")
    parser.add_argument("--analyses", help="a file of counts: what it has is taken from there")
    parser.add_argument("--count-only", action="store_true", help="fill that file, and measure nothing")
    parser.add_argument("--kept", help="a file of counters of an earlier day: they are taken from there, and nothing is launched")
    parser.add_argument("--keep", help="a file for what ncu counts")
    parser.add_argument("--machine", default=platform.node(), help="with --keep: what is written there of where it was")
    parser.add_argument("--merge", nargs="+", help="accuracy.json of pieces: show them as one")
    parser.add_argument("--recount", action="store_true", help="with --merge: what was measured beside what is counted now")
    parser.add_argument("--out", default=".", help="a folder for accuracy.json and accuracy.md")
    parser.add_argument("--seconds", type=float, default=540, help="no launch begins later")
    options = parser.parse_args()
    options.nereid = str((ROOT / options.nereid).resolve())
    pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
    if options.count_only:
        return 1 if count_alone(chosen_cases(options), options) else 0
    rows = merged(options) if options.merge else kept(chosen_cases(options), options) if options.kept else measure(chosen_cases(options), options)
    (pathlib.Path(options.out) / "accuracy.md").write_text(table.by_launch(rows, options.card) + "\n" + table.by_quantity(rows))
    print(table.by_quantity(rows))
    print(table.times_by(rows, {case.name: name for name, cases_of_set in SETS.items() for case in cases_of_set}))
    return 0 if rows and all("counts" in row for row in rows) else 1


sys.exit(main())
