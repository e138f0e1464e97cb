#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""figures.py [--out DIRECTORY] [--groups memory,matmul,scaled,grouped,attention,decoding,backward,compile,launch] [--filter TEXT] [--quick]:
measures Nereid beside Triton and PyTorch in one process on one GPU, from one text of each kernel (kernels.py), and writes
figures.md, figures.svg and figures.json.

Of Nereid and of Triton each variant of a case is tried, its result compared with PyTorch's, those near the best are tried for a
while, and the best one goes into the race. There the contenders take turns, with the second-level cache flushed before each
launch; a row shows means of the middle half of the times, and the middle half of the ratios of single rounds. A wrong result is
a row that says so, and exit code 1.

Both launch as programs do, through their Python packages. Needs Python with PyTorch, Triton and Nereid (its wheel, or
PYTHONPATH=build/release/python); for --groups launch also the program nereid_gpu_benchmarks (--benchmarks PATH)."""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import torch
import triton

import cases
import driver
import kernels
import nereid
import report


def timed(functions, rounds, flush, only_reads=False):
    """Milliseconds of each function in each round. Each round has an order of its own: behind one that draws little power,
    the clocks are up to a tenth higher. What flushes the second-level cache leaves it full of what is to be written back,
    for which who only reads waits, and a copy hardly (H200: 64 MB are read in 20 us, and in 25 to 41 so; copied in 19 and 20)."""
    for function in functions.values():
        for _ in range(3):
            function()
    events = {name: [] for name in functions}
    shuffle = random.Random(0)
    for _ in range(rounds):
        for name, function in shuffle.sample(list(functions.items()), len(functions)):
            flush.zero_()
            if only_reads:
                torch.amax(flush)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            function()
            end.record()
            events[name].append((begin, end))
    torch.cuda.synchronize()
    return {name: [begin.elapsed_time(end) for begin, end in pairs] for name, pairs in events.items()}


def variant_text(variant):
    blocks = "x".join(str(value) for name, value in variant.constants.items() if name.startswith(("BLOCK", "STEP", "SPLITS")))
    kernel = variant.instead.kernel + " " if variant.instead else ""
    return f"{kernel}{blocks} w{variant.warps} s{variant.stages}" + (f" r{variant.registers}" if variant.registers else "")


def constants_of(variant):
    """Types by what Triton calls them."""
    return {name: getattr(triton.language, value) if name in ("SUM", "OUT") else value
            for name, value in variant.constants.items()}


def limits_of(variant, tuned=True):
    """How both are told to launch; of Nereid also what it chooses itself."""
    options = {"num_warps": variant.warps, "num_stages": variant.stages} if tuned else {}
    return options | ({"maxnreg": variant.registers} if variant.registers else {})


def one_by_one(launches):
    """As one launch. A case's kernel may have others before and behind it."""
    def launch():
        for each in launches:
            each()
    return launches[0] if len(launches) == 1 else launch


def in_order(case, variant, launch_of):
    """What `launch_of(kernel, arguments, variant)` gives, of all that a variant launches."""
    chosen = variant.instead or case
    launches = [] if not variant.before else [launch_of(variant.before.kernel, variant.before.arguments, variant.before.variant)]
    launches.append(launch_of(chosen.kernel, chosen.arguments, variant))
    if variant.then:
        launches.append(launch_of(variant.then.kernel, variant.then.arguments, variant.then.variant))
    return one_by_one(launches)


def ours(case, variant, tuned):
    return in_order(case, variant, lambda kernel, arguments, each: driver.Kernel(
        getattr(kernels, kernel), each.grid, arguments, constants_of(each), limits_of(each, tuned)))


def theirs(case, variant):
    def launch_of(kernel, arguments, each):
        function, constants, options = getattr(kernels, kernel), constants_of(each), limits_of(each)
        return lambda: function[each.grid](*arguments.values(), **constants, **options)
    return in_order(case, variant, launch_of)


def problem_of(case, launch, wanted):
    """What is wrong with what the launch writes; empty if nothing."""
    if case.clears_out:
        case.out.zero_()
    elif case.out.is_floating_point():
        case.out.fill_(float("nan"))
    launch()
    torch.cuda.synchronize()
    error = (case.out.double() - wanted.double()).abs().max().item()
    return "" if error <= case.tolerance else f"wrong by {error:.3g}"


def mean_of_middle(times):
    """Of the middle half. A median of short times would be one of the few that the events' clock can tell apart."""
    quarter = len(times) // 4
    return statistics.mean(sorted(times)[quarter:len(times) - quarter])


def enough_rounds(wanted, milliseconds):
    """More where a launch is short: six runs of 30 rounds of 10 us gave ratios from 0.94 to 1.03, two of 400 1.00 and 1.00."""
    return int(min(400, max(wanted, 30 / milliseconds)))


def best_of(case, candidates, wanted, flush, problems, side):
    """The fastest launch that is right, and its name. `candidates` gives pairs of a name and a maker of launches."""
    right = {}
    for name, make in candidates:
        try:
            launch = make()
            problem = problem_of(case, launch, wanted)
        except Exception as error:  # noqa: one variant that does not fit is no reason to stop
            problem = str(error).strip().split("\n")[0][:120]
        if problem:
            problems.append(f"{side} {name}: {problem}")
        else:
            right[name] = launch
    if not right:
        return None, ""
    few = 5
    times = timed(right, few, flush, case.only_reads)
    means = {name: mean_of_middle(times[name]) for name in right}
    least = min(means.values())
    # Once more those among which chance may have chosen; of short ones more: of 10 us, chance is a fifth.
    rounds = enough_rounds(few, least)
    margin = 1.1 if least > 0.05 else 1.3
    near = {name: right[name] for name in right if means[name] < margin * least}
    times = timed(near, rounds, flush, case.only_reads)
    name = min(near, key=lambda name: mean_of_middle(times[name]))
    return near[name], name


def copy_of(moved):
    """What memory can do with as many bytes: PyTorch's copy."""
    source, target = (torch.empty(moved // 2, dtype=torch.int8, device="cuda") for _ in range(2))
    return lambda: target.copy_(source)


def race(case, rounds, flush):
    problems, contenders, chosen = [], {}, {}
    wanted = case.wanted() if case.wanted else case.peer()
    own = [(variant_text(variant) + ("" if tuned else " chosen"), lambda v=variant, t=tuned: ours(case, v, t))
           for variant in case.variants for tuned in (True, False)]
    for side, candidates in (("nereid", own), ("triton", [(variant_text(v), lambda v=v: theirs(case, v)) for v in case.variants])):
        launch, name = best_of(case, candidates, wanted, flush, problems, side)
        if launch:
            contenders[side], chosen[side] = launch, name
    contenders["torch"] = case.peer
    if case.unit == "GB/s":
        contenders["copy"] = copy_of(case.work)
    few = timed(contenders, 5, flush, case.only_reads)
    enough = enough_rounds(rounds, min(mean_of_middle(ms) for ms in few.values()))
    times = timed(contenders, enough, flush, case.only_reads)
    unit = 1e9 if case.unit == "GB/s" else 1e12
    means = {side: mean_of_middle(ms) for side, ms in times.items()}
    rates = {side: case.work / (ms * 1e-3) / unit for side, ms in means.items()}
    ratios = {}
    for side in ("triton", "torch", "copy"):
        if side in times and "nereid" in times:
            each = sorted(other / own for own, other in zip(times["nereid"], times[side]))
            ratios[side] = (each[len(each) // 4], means[side] / means["nereid"], each[3 * len(each) // 4])
    return {"name": case.name, "unit": case.unit, "rates": rates, "ratios": ratios, "chosen": chosen, "problems": problems}


def compile_times():
    """Cold compilations: from the text to the first launch, beside Triton's."""
    lines = ["", "First launch of a kernel that nothing is kept of, milliseconds (medians of 5)", "",
             "| kernel | Nereid | Triton |", "|---|---|---|"]
    chosen = [next(cases.memory_cases(16)), cases.rows("softmax", "softmax 8192", cases.random(16, 8192), {}, None, 0),
              cases.matmul(512, 512, 512)]
    for case in chosen:
        variant = case.variants[-1] if case.kernel == "softmax" else case.variants[0]
        function = getattr(kernels, case.kernel)
        runs = [driver.cold(function, variant.grid, case.arguments, constants_of(variant), limits_of(variant))
                for _ in range(5)]
        lines.append(f"| {case.name} | {statistics.median(runs):.1f} | {triton_cold(case, variant):.1f} |")
    return "\n".join(lines) + "\n"


def triton_cold(case, variant):
    """Of the first launch, its own cache on disk switched off (main() does) and the kernel's forgotten."""
    times = []
    for _ in range(5):
        function = getattr(kernels, case.kernel)
        function.device_caches.clear()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        theirs(case, variant)()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def launch_costs(program):
    if not program.exists():
        return f"\n{program} is not there: no cost of a launch\n"
    return "\nWhat a launch costs the host\n\n" + subprocess.run([program], capture_output=True, text=True).stdout


def describe_machine():
    return (f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}, "
            f"Nereid {nereid.__version__}, {time.strftime('%Y-%m-%d')}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="out/gpu_figures", type=pathlib.Path)
    parser.add_argument("--groups", default="memory,functions,matmul,scaled,grouped,attention,decoding,backward,compile,launch")
    parser.add_argument("--benchmarks", default="build/release/nereid_gpu_benchmarks", type=pathlib.Path)
    parser.add_argument("--filter", default="", help="only rows with this in their name")
    parser.add_argument("--rounds", default=30, type=int, help="at least; short kernels race more often")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds: whether all of it runs")
    options = parser.parse_args()
    os.environ["CUDA_CACHE_DISABLE"] = os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    os.environ["NEREID_CACHE"] = "off"
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True  # what tl.dot does with f32
    # Of descriptors that Triton's kernels make; ours need none.
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    groups, rows = options.groups.split(","), []
    flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    scale, rounds = (8, 5) if options.quick else (1, options.rounds)
    for group in [group for group in cases.GROUPS if group in groups]:
        for case in cases.GROUPS[group](scale):
            if options.filter in case.name:
                rows.append(race(case, rounds, flush))
                print(report.table(rows[-1:]).splitlines()[-1], flush=True)
            del case
    notes = compile_times() if "compile" in groups else ""
    notes += launch_costs(options.benchmarks) if "launch" in groups else ""
    print(report.write(options.out, describe_machine(), rows, notes))
    wrong = [row["name"] for row in rows if any(p.startswith("nereid") for p in row["problems"])]
    sys.exit(f"with problems of Nereid's: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
