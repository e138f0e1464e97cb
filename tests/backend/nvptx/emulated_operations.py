#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""emulated_operations.py NEREID: which operations of the tile dialect no kernel has that the emulator runs, of those that
have an emitter for GPUs to be wrong in. The cases are those of the RUN lines beside this file."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.append(str(HERE / "emulator"))
import emulate  # noqa: E402
import run_lines  # noqa: E402

# Those that the emulator need not or cannot run, and why.
NOT_RUN = {
    **dict.fromkeys(("assume", "check_index", "variable", "yield", "assert", "hint"), "no code of its own on a GPU"),
    "assembly": "a CPU's instructions; PTX becomes other operations",
    "print": "written to a buffer that the launch reads; tests on GPUs do it",
    "table": "an array of a running Python, which the emulator's kernels have not",
}


def cases():
    """Kernels, and the case of each that is emulated."""
    for line in run_lines.run_lines_in(HERE, "nereid"):
        if line.test in ("emulated.test", "threads-emulated.test") and line.words[0].endswith("emulate.py"):
            options = emulate.parser().parse_args(line.words[1:])
            kernels = pathlib.Path(options.kernels).resolve()
            yield from ((kernels, case) for case in emulate.cases_of(options))


def compilations():
    """What tells compilations apart: many cases differ by their numbers alone."""
    return {(f"{kernels}::{case.kernel}", "-s", emulate.signature_of(case), *(["--block", case.block] if case.block else []))
            for kernels, case in cases()}


def operations_of(nereid, compilation):
    text = subprocess.run([nereid, "compile", *compilation, "--target=sm_90a", "--dump=tile"], capture_output=True, text=True,
                          check=True).stdout
    return set(re.findall(r"\btile\.(\w+)\b", text))


def main():
    nereid = sys.argv[1]
    definitions = "".join(path.read_text() for path in (ROOT / "src/dialect/tile").glob("*.td"))
    wanted = set(re.findall(r'^def Tile_\w+Op : Tile_\w*Op<"(\w+)"', definitions, re.M))
    for name in sorted(set(NOT_RUN) - wanted):
        sys.exit(f"there is no tile.{name}, which {pathlib.Path(__file__).name} lists")
    wanted -= set(NOT_RUN)
    found = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for operations in pool.map(lambda each: operations_of(nereid, each), sorted(compilations())):
            found |= operations
            if wanted <= found:
                pool.shutdown(cancel_futures=True)
                break
    for name in sorted(wanted - found):
        print(f"tile.{name} is in no kernel that the emulator runs: add one to OperationInputs")
    print(f"{len(wanted & found)} of {len(wanted)} operations are emulated")
    return 1 if wanted - found else 0


sys.exit(main())
