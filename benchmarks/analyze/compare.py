#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How right `nereid analyze` is: its counts beside those of a GPU's counters (ncu), case by case, and a table.

Run on a machine with an NVIDIA GPU, ncu and permission to read counters (root, or the driver's setting):

    benchmarks/analyze/compare.py --nereid build/release/nereid --card h200 --out $OUT

Without permission it compares registers and times alone, and says so. Nothing but Python's own library is needed."""

import argparse
import csv
import io
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import time

import cases

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What is compared: a name, ncu's metrics (added up; those that a GPU lacks count as nothing), and what ours is.
def accesses(report, kinds):
    return [entry for entry in report["accesses"] if entry["kind"] in kinds]


def total(report, kinds, key):
    return sum(entry[key] for entry in accesses(report, kinds))


def executed(report, *units):
    """Of machine code where PATH has ptxas and nvdisasm: what the driver makes of the same PTX may differ by its version."""
    return sum(line[unit] for line in report["instructions"] for unit in line if unit != "place" and (not units or unit in units))


METRICS = {
    "load requests": (["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], lambda r: total(r, ["load"], "requests")),
    "load sectors": (["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], lambda r: total(r, ["load"], "sectors")),
    "store requests": (["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"], lambda r: total(r, ["store"], "requests")),
    "store sectors": (["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"], lambda r: total(r, ["store"], "sectors")),
    "copy sectors": (["l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"], lambda r: total(r, ["copy"], "sectors")),
    "shared wavefronts": (["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
                          lambda r: sum(entry["wavefronts"] for entry in r["shared"])),
    "shared requests": (["smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
                         "smsp__inst_executed_op_ldsm.sum", "smsp__inst_executed_op_stsm.sum"],
                        lambda r: sum(entry["requests"] for entry in r["shared"])),
    "sectors of L2": (["lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum",
                       "lts__t_sectors_srcunit_tex_op_red.sum", "lts__t_sectors_srcunit_tex_op_atom.sum"],
                      lambda r: r["launch"]["l2_bytes"] / 32),
    "memory bytes": (["dram__bytes_read.sum", "dram__bytes_write.sum"], lambda r: r["launch"]["memory_bytes"]),
    "registers": (["launch__registers_per_thread"], lambda r: r["launch"].get("registers")),
    "blocks on an SM": (["launch__occupancy_limit_blocks", "launch__occupancy_limit_registers",
                         "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps"],
                        lambda r: r["launch"]["resident_blocks"]),
    "barriers": (["smsp__inst_executed_op_barrier.sum", "sm__sass_inst_executed_op_barrier.sum"],
                 lambda r: r["launch"]["barriers"] * (r["launch"]["threads"] // 32)),
    "instructions": (["smsp__inst_executed.sum"], lambda r: executed(r)),
    "FMA instructions": (["smsp__inst_executed_pipe_fma.sum"], lambda r: executed(r, "fma")),
    "ALU instructions": (["smsp__inst_executed_pipe_alu.sum"], lambda r: executed(r, "alu")),
    "XU instructions": (["smsp__inst_executed_pipe_xu.sum"], lambda r: executed(r, "special", "conversion")),
    "f64 instructions": (["smsp__inst_executed_pipe_fp64.sum"], lambda r: executed(r, "f64")),
    "LSU instructions": (["smsp__inst_executed_pipe_lsu.sum"], lambda r: executed(r, "global", "local", "shared")),
    "tensor instructions": (["smsp__inst_executed_pipe_tensor.sum"], lambda r: executed(r, "tensor")),
    "uniform instructions": (["smsp__inst_executed_pipe_uniform.sum"], lambda r: executed(r, "uniform")),
    "microseconds": (["gpu__time_duration.sum"], lambda r: r["launch"]["seconds"] * 1e6),
}
# Counted alike where addresses are; for the summary.
EXACT = ["load requests", "load sectors", "store requests", "store sectors", "copy sectors", "shared wavefronts", "registers",
         "blocks on an SM", "barriers"]
SCALE = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "nsecond": 1e-3, "usecond": 1, "msecond": 1e3, "second": 1e6,
         "ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}


def words(case):
    return [case.kernel, "--grid", case.grid, *shlex.split(case.arguments), *shlex.split(case.options)]


def ours(case, options):
    command = [options.nereid, "analyze", *words(case), "--target", options.target, "--card", options.card, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"analyze: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout)


def number(text, unit):
    value = float(text.replace(",", ""))
    return value * SCALE.get(unit, 1)


def counters(case, options):
    """ncu's numbers of the one launch, by metric."""
    wanted = sorted({metric for metrics, _ in METRICS.values() for metric in metrics})
    command = [options.ncu, "--csv", "--page", "raw", "--clock-control", "none", "--launch-count", "1",
               "--metrics", ",".join(wanted), options.nereid, "run", *words(case), "--device", "cuda", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    start = done.stdout.find('"ID"')
    if start < 0:
        raise RuntimeError(f"ncu: {(done.stdout + done.stderr).strip()[-400:]}")
    table = list(csv.reader(io.StringIO(done.stdout[start:])))
    names, units, values = table[0], table[1], table[2]
    found = {}
    for name, unit, value in zip(names, units, values):
        if name in wanted:
            try:
                found[name] = number(value, unit)
            except ValueError:
                pass  # n/a
    return found


def theirs(name, metrics, found):
    values = [found[metric] for metric in metrics if metric in found]
    if not values:
        return None
    return min(values) if name == "blocks on an SM" else sum(values)


def measured(case, options):
    """Without counters: registers and the median time of launches one after the other, whose arrays L2 may hold."""
    command = [options.nereid, "run", *words(case), "--device", "cuda", "--seed", "1", "--time"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
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
    report = ours(case, options)
    row["bound"], row["programs run"] = report["launch"]["bound"], f"{report['programs_run']} of {report['programs']}"
    row["bounds"] = {bound["name"]: bound["seconds"] * 1e6 for bound in report["bounds"]}
    row["advice"] = [f"{advice['gain']:.2f} {advice['cause']}" for advice in report["advice"]]
    row["counts"] = {name: [mine(report) if mine else None, None] for name, (_, mine) in METRICS.items()}
    if state["counters"]:
        try:
            found = counters(case, options)
            for name, (metrics, _) in METRICS.items():
                row["counts"][name][1] = theirs(name, metrics, found)
        except RuntimeError as error:
            row["ncu failed"] = str(error)
            if "ERR_NVGPUCTRPERM" in str(error):
                state["counters"] = False
                print("note: no permission to read counters: registers and times alone are compared", flush=True)
    row["measured"] = measured(case, options)
    return row


def error_of(pair):
    mine, other = pair
    if mine is None or other is None:
        return None
    return abs(mine - other) / max(abs(other), 1e-12) if other else (0.0 if not mine else float("inf"))


def markdown(rows, options):
    shown = [name for name in METRICS if any(error_of(row["counts"][name]) is not None for row in rows if "counts" in row)]
    lines = [f"# `nereid analyze` beside ncu on {options.card}", "",
             "Ours / theirs; where both are zero nothing stands. Times in microseconds, arrays not in L2.", "",
             "| case | bound | " + " | ".join(shown) + " | hot us |", "|---|---|" + "---|" * (len(shown) + 1)]
    for row in rows:
        if "counts" not in row:
            lines.append(f"| {row['case']} | failed: {row['failed'][:120]} |")
            continue
        cells = []
        for name in shown:
            mine, other = row["counts"][name]
            cells.append("" if not mine and not other else f"{mine if mine is None else round(mine, 1):} / "
                         f"{other if other is None else round(other, 1):}")
        lines.append(f"| {row['case']} | {row['bound']} | " + " | ".join(cells) +
                     f" | {row['measured']['hot microseconds']:.1f} |")
    lines += ["", "| what | cases | equal | within 1 % | within 10 % | median error | 90th percentile |", "|---|---|---|---|---|---|---|"]
    for name in shown:
        errors = sorted(e for row in rows if "counts" in row for e in [error_of(row["counts"][name])]
                        if e is not None and (row["counts"][name][0] or row["counts"][name][1]))
        if not errors:
            continue
        share = lambda most: f"{sum(e <= most for e in errors)}"
        lines.append(f"| {name} | {len(errors)} | {share(0)} | {share(0.01)} | {share(0.1)} | "
                     f"{100 * statistics.median(errors):.1f} % | {100 * errors[int(0.9 * (len(errors) - 1))]:.1f} % |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/nereid")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--card", default="h100")
    parser.add_argument("--only", default="", help="cases whose names hold this")
    parser.add_argument("--held-out", action="store_true", help="the cases to which the model of time was not fitted")
    parser.add_argument("--out", default=".", help="a folder for accuracy.json and accuracy.md")
    parser.add_argument("--seconds", type=float, default=540, help="no case begins later")
    options = parser.parse_args()
    options.nereid = str((ROOT / options.nereid).resolve())
    rows, state, begun = [], {"counters": True}, time.monotonic()
    out = pathlib.Path(options.out)
    for case in cases.HELD_OUT if options.held_out else cases.CASES:
        if options.only not in case.name:
            continue
        if time.monotonic() - begun > options.seconds:
            print(f"note: no time for '{case.name}' and what follows", flush=True)
            break
        try:
            rows.append(compare(case, options, state))
        except (RuntimeError, subprocess.TimeoutExpired, OSError) as error:
            rows.append({"case": case.name, "failed": str(error)})
        print(case.name, json.dumps(rows[-1].get("counts", rows[-1])), flush=True)
        (out / "accuracy.json").write_text(json.dumps(rows, indent=1))
        (out / "accuracy.md").write_text(markdown(rows, options))
    print(markdown(rows, options))
    return 0 if rows and all("counts" in row for row in rows) else 1


sys.exit(main())
