#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile_time.py [--nereid PROGRAM] [--check] [KERNEL...]: how compile time grows with a kernel's length.

Each kernel of unrolled.py is compiled with 16, 32, 64 and 128 rounds, for the CPU that is here and for sm_90a. Printed is the
processor time of the whole command without that of an empty kernel, and the exponent of its growth from 32 to 128 rounds: 1 is as
the length, 2 its square. --check fails where a kernel takes more than two seconds at 128 rounds and grows faster than
length to the power of 1.7; what takes less is not measured, so that scripts/presubmit can ask."""

import argparse
import math
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE / "unrolled.py"
ROUNDS = (16, 32, 64, 128)
TARGETS = {"cpu": [], "sm_90a": ["--target", "sm_90a", "--num-warps", "4"]}
MOST_SECONDS, MOST_GROWTH = 2.0, 1.7


def seconds(nereid, kernel, rounds, options, runs=3):
    """Of the processor, the least of some runs."""
    command = [nereid, "compile", f"{KERNELS}::{kernel}", "--signature", f"x=*i32:16,y=*i32:16,N=1024,ROUNDS={rounds}", *options]

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default="build/release/nereid")
    parser.add_argument("--check", action="store_true")
    known = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)
    parser.add_argument("kernels", nargs="*", default=known)
    options = parser.parse_args()
    if unknown := set(options.kernels) - set(known):
        parser.error(f"no kernel {', '.join(sorted(unknown))} in {KERNELS.name}; there are: {', '.join(known)}")
    print(f"{'':20}" + "".join(f"{rounds:>9}" for rounds in ROUNDS) + "   growth")
    missed = []
    for target, chosen in TARGETS.items():
        empty = seconds(options.nereid, options.kernels[0], 0, chosen)
        for kernel in options.kernels:
            if options.check and seconds(options.nereid, kernel, ROUNDS[-1], chosen, runs=1) <= MOST_SECONDS:
                continue
            times = [max(0.001, seconds(options.nereid, kernel, rounds, chosen) - empty) for rounds in ROUNDS]
            growth = math.log(times[-1] / times[1]) / math.log(ROUNDS[-1] / ROUNDS[1])
            print(f"{target + ' ' + kernel:20}" + "".join(f"{time:8.2f}s" for time in times) + f"{growth:9.2f}", flush=True)
            if times[-1] > MOST_SECONDS and growth > MOST_GROWTH:
                missed.append(f"{target} {kernel}")
    if options.check and missed:
        sys.exit(f"grow too fast: {', '.join(missed)}")


if __name__ == "__main__":
    main()
