# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python3 benchmarks/threads/compare.py [--gpu] [--numba PYTHON] [--nereid PYTHON]: kernels written thread by thread beside
what a user would run instead, in one go, each contender as a process of its own.

On a CPU that is Numba's parallel loops; with --gpu numba-cuda with the same text, and nvcc with the same in CUDA C++,
if they are there. PYTHON is an interpreter that finds the package. Times are milliseconds of the best launch, on a GPU
by its events, of a launch that waits for the one before; "first" is compiling, loading and running once."""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def rows_of(command, hides_gpus=False):
    """What a contender printed, by case: (milliseconds, first, note). Without rows it is not there, and says why."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""} if hides_gpus else None
    try:
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=600, env=environment)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        return {}
    if done.returncode:
        print(f"{' '.join(command)}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    rows = {}
    for line in done.stdout.splitlines():
        name, milliseconds, first, *note = line.split(None, 3)
        rows[name] = float(milliseconds), float(first), "".join(note)
    return rows


def compiled_by_nvcc(directory):
    program = os.path.join(directory, "kernels")
    try:
        subprocess.run(["nvcc", "-O3", "-arch=native", "-o", program, os.path.join(HERE, "kernels.cu")], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"nvcc: {error}", file=sys.stderr)
        return None
    return program


def show(contenders):
    nereid = contenders["Nereid"]
    others = [name for name in contenders if name != "Nereid" and contenders[name]]
    print(f"{'':12}{'Nereid':>10}{'first':>9}", *(f"{name:>11}{'first':>9}{'rate':>6}" for name in others))
    for name, (milliseconds, first, note) in nereid.items():
        line = f"{name:12}{milliseconds:10.4f}{first:9.0f}"
        for other in others:
            theirs = contenders[other].get(name)
            line += f" {theirs[0]:11.4f}{theirs[1]:9.0f}{theirs[0] / milliseconds:6.2f}" if theirs else " " * 27
            note += f" {other}: {theirs[2]}" if theirs and theirs[2] else ""
        print(line, note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--nereid", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--numba", default=sys.executable, metavar="PYTHON")
    arguments = parser.parse_args()
    where = "gpu" if arguments.gpu else "cpu"
    contenders = {"Nereid": rows_of([arguments.nereid, "-m", "nereid", "--numba", "time_kernels.py", "threads", where],
                                     hides_gpus=not arguments.gpu)}
    if not contenders["Nereid"]:
        return 1
    if arguments.gpu:
        contenders["numba-cuda"] = rows_of([arguments.numba, "time_kernels.py", "threads", where])
        with tempfile.TemporaryDirectory() as directory:
            program = compiled_by_nvcc(directory)
            contenders["nvcc"] = rows_of([program]) if program else {}
    else:
        contenders["Numba"] = rows_of([arguments.numba, "time_kernels.py", "loops"])
    show(contenders)
    return 0


if __name__ == "__main__":
    sys.exit(main())
