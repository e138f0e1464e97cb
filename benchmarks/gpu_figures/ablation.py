#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid ablation.py [--only TEXT] [--rounds N] [--seconds S]: what each choice of the NVIDIA back end is worth in time.

Each number of policy.def is halved and doubled, each pass that only makes kernels faster left out, one at a time, for the
figures' kernels (cases.py), of which the first variant is taken. Where the PTX becomes another, both codes take turns, with the
second-level cache flushed before each launch. Printed, as Markdown: the time with the choice changed over the time as it is
(above 1: the choice is worth that much there), for the cases that it moves by a hundredth. What is compiled for which GPU is
docs/ablation.md's matter (scripts/ablate); this wants a GPU, PyTorch and the Python package, and no Triton."""

import argparse
import os
import re
import statistics
import time

import torch

import cases
import kernels
from nereid.jit import JITFunction

LEAST = 0.01  # of the time: what moves a case by less moves it by chance


def chosen_cases():
    """One of each kind, of sizes that a GPU is busy with."""
    found = {case.name: case for case in cases.memory_cases(8)}
    names = [name for name in found if re.search(r"dot f32|transpose|softmax f32 4096 x (1024|12672)|"
                                                 r"layer norm f16 4096 x (4096|16384)|entropy", name)]
    yield from (found[name] for name in names)
    yield cases.matmul(4096, 4096, 4096)
    yield cases.matmul(2048, 2048, 2048, torch.float32, tolerance=5e-2)
    for causal in (False, True):
        yield cases.attention(32, 4096, 64, causal)
    yield from list(cases.backward_cases(8))[:1]


class Compiled:
    """A case's kernel under a choice of the policy. Calling it launches it."""

    def __init__(self, case, choice):
        os.environ["NEREID_POLICY"] = choice  # a device asks for it when it is opened
        variant = case.variants[0]
        constants = {name: getattr(kernels.tl, value) if name in ("SUM", "OUT") else value
                     for name, value in variant.constants.items()}
        limits = {"num_warps": variant.warps, "num_stages": variant.stages}
        self._launch = JITFunction(getattr(kernels, case.kernel).fn)[variant.grid]
        self._given = {**case.arguments, **constants, **limits}
        self.kernel = self._launch(**self._given)
        self.ptx = self.kernel.asm["ptx"]  # compiled anew, while the choice is set

    def __call__(self):
        self._launch(**self._given)


def rows_of(compiled):
    """Name, value, unit and bounds of each choice that is one (what is 0 the compiler finds)."""
    rows = re.findall(r"^([\w-]+) +(\d+) ([^:,]+), (\d+) to (\d+):", compiled.kernel.dump("policy"), re.MULTILINE)
    return [(name, int(value), unit, int(least), int(most)) for name, value, unit, least, most in rows if int(value)]


def ratio(usual, other, flush, rounds):
    """The other's time over the usual one's: the median of rounds in which both took a turn."""
    pairs = []
    for number in range(rounds + 2):
        events = []
        for function in (usual, other) if number % 2 else (other, usual):
            flush.zero_()
            torch.cuda._sleep(200_000)  # so that what a launch costs the host is not seen
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            function()
            end.record()
            events.append((begin, end))
        pairs.append(events if number % 2 else events[::-1])
    torch.cuda.synchronize()
    times = [[begin.elapsed_time(end) for begin, end in pair] for pair in pairs[2:]]
    return statistics.median(after / before for before, after in times)


def measured(case, usual, name, other, flush, rounds):
    """The ratio, nothing where the code is the same, or what is wrong."""
    try:
        changed = Compiled(case, f"{name}={other}")
    except Exception as error:  # a choice that does not fit is an answer
        return type(error).__name__
    if changed.ptx == usual.ptx:
        return None
    if changed.kernel.device is usual.kernel.device:
        raise SystemExit(f"{case.name}: what is launched with {name}={other} was compiled for the usual choices")
    return ratio(usual, changed, flush, rounds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="cases with this in their names")
    parser.add_argument("--rounds", default=15, type=int)
    parser.add_argument("--seconds", default=170, type=float, help="no case is begun after that")
    options = parser.parse_args()
    os.environ["NEREID_CACHE"] = "off"
    flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    begin, found, counts = time.perf_counter(), {}, {}
    for case in chosen_cases():
        if options.only not in case.name or time.perf_counter() - begin > options.seconds:
            continue
        usual = Compiled(case, "")
        for name, value, unit, least, most in rows_of(usual):
            for other in sorted({0} if unit == "pass" else {max(value // 2, least), min(value * 2, most)} - {value}):
                moved = measured(case, usual, name, other, flush, options.rounds)
                key = f"| `{name}` | {'on' if unit == 'pass' else f'{value} {unit}'} | {'out' if unit == 'pass' else other} |"
                counts[key] = counts.get(key, 0) + (moved is not None)
                if isinstance(moved, str) or moved is not None and abs(moved - 1) >= LEAST:
                    found.setdefault(key, []).append(f"{case.name} {moved if isinstance(moved, str) else f'{moved:.2f}'}")
        print(f"{case.name}: {time.perf_counter() - begin:.0f} s", flush=True)
    print(f"\n{torch.cuda.get_device_name()}\n\n| choice | is | tried | codes that change | time over the usual |\n|---|---|---|---:|---|")
    for key, count in counts.items():
        if count:
            print(f"{key} {count} | {'; '.join(found.get(key, [])) or 'within 1 %'} |")


main()
