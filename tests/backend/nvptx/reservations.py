#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reservations.py NEREID: of the tests' kernels, what a block is believed to take of shared memory holds of the first code
that is made for it: none is translated a second time but those that are made for that."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE / "emulator"))
import emulate  # noqa: E402

TWICE = {"turned_in_round"}
SMS = ("sm_80", "sm_90a")


def cases():
    """Kernels of the same name stand in several files: then a case is one of them."""
    for folder in ("Inputs", "ProductInputs"):
        for kernels in sorted((HERE / folder).glob("*.py")):
            defined = kernels.read_text()
            for path in sorted((HERE / folder).glob("*.txt")):
                if path.name != "signatures.txt":
                    for case in emulate.cases_in(path):
                        if f"def {case.kernel}(" in defined:
                            yield kernels, case.kernel, emulate.signature_of(case)


def translations(nereid, sm, kernels, kernel, signature):
    done = subprocess.run([nereid, "compile", f"{kernels}::{kernel}", "--target", sm, "-s", signature,
                           "--dump=nvptx-configure"], capture_output=True, text=True)
    return done.stdout.count("before nvptx-configure")


def main():
    nereid, wanted = sys.argv[1], sorted(set(cases()))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = [(sm, *case) for sm in SMS for case in wanted]
        counts = list(pool.map(lambda each: translations(nereid, *each), asked))
    most = {}
    for (sm, _, kernel, signature), count in zip(asked, counts):
        most[sm, kernel, signature] = max(count, most.get((sm, kernel, signature), 0))
    wrong, twice = 0, set()
    for (sm, kernel, signature), count in most.items():
        twice |= {kernel} if count == 2 else set()
        if count != 1 and not (count == 2 and kernel in TWICE):
            print(f"{sm} {kernel} {signature}: translated {count} times")
            wrong += 1
    for kernel in TWICE - twice:
        print(f"{kernel} is made to be translated twice, and was not")
        wrong += 1
    print(f"{len(most)} kernels, {wrong} wrong")
    return 1 if wrong or not most else 0


if __name__ == "__main__":
    sys.exit(main())
