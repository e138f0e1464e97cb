#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""policy_bounds.py NEREID [--each]: sets each choice to the least and the most that it accepts, for two of seven kernels of
several kinds, others for each choice, or with --each for all: they compile. What lies outside, 0 and numbers without end among
it, is refused in one sentence."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

INPUTS = pathlib.Path(__file__).parent
KERNELS = [
    ("Inputs/kernels.py::matmul", "sm_90a", "a=*f16:16,b=*f16:16,c=*f16:16,M=i32:16,N=i32:16,K=i32:16,sa=i32:16,sb=i32:16,sc=i32:16,"
     "BM=64,BN=64,BK=32"),
    ("Inputs/kernels.py::matmul", "sm_80", "a=*f32:16,b=*f32:16,c=*f32:16,M=i32:16,N=i32:16,K=i32:16,sa=i32:16,sb=i32:16,sc=i32:16,"
     "BM=32,BN=32,BK=32"),
    ("Inputs/kernels.py::attention", "sm_90a", "q=*f16:16,k=*f16:16,v=*f16:16,o=*f16:16,scale=f32,S=i32:16,D=64,BM=64,BN=64"),
    ("Inputs/rows.py::softmax", "sm_90a", "x=*f32:16,out=*f32:16,n=i32:16,BLOCK=32768", "--num-warps=8"),
    ("Inputs/kernels.py::reduce2d", "sm_90a", "x=*f32,sums=*f32,maxs=*f32,arg=*i32,M=i32,N=i32,BM=16,BN=32"),
    ("ChoiceInputs/kernels.py::sorted_row", "sm_90a", "x=*f32:16,out=*f32:16,N=256"),
    ("Inputs/threads_rounds.py::sums_by_the_grid", "sm_90a", "out=f32[::1],a=f32[::1]", "--block=8"),
]


def compiled(nereid, kernel, setting, stage="ptx"):
    name, sm, signature, *options = kernel
    command = [nereid, "compile", INPUTS / name, f"--target={sm}", f"--dump={stage}", "-s", signature, *options]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NEREID_POLICY": setting})


def mistakes_of(nereid, pool, kernels, name, unit, least, most):
    least, most = int(least), int(most)
    accepted = [(kernel, number) for kernel in kernels for number in {least, most}]
    texts = pool.map(lambda case: compiled(nereid, case[0], f"{name}={case[1]}"), accepted)
    for (kernel, number), done in zip(accepted, texts):
        if done.returncode or ".entry" not in done.stdout:
            yield f"{kernel[0]}, {kernel[1]}, with {name}={number}: {done.returncode} {done.stderr[-1000:]}"
    for number in (number for number in (0, most + 1, 2**32 - 1) if not least <= number <= most):
        done = compiled(nereid, KERNELS[-1], f"{name}={number}")
        wanted = f"NEREID_POLICY: '{name}' cannot be {number}: {least} to {most} ({unit}) are accepted"
        if done.returncode != 1 or wanted not in done.stderr:
            yield f"{name}={number}: {done.returncode} {done.stderr[-1000:]}"


def main():
    nereid, is_each = sys.argv[1], sys.argv[2:] == ["--each"]
    policy = compiled(nereid, KERNELS[0], "", "policy").stdout
    rows = re.findall(r"^([\w-]+) +\d+ ([^:,]+), (\d+) to (\d+):", policy, re.MULTILINE)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = [KERNELS if is_each else (KERNELS[i % len(KERNELS)], KERNELS[(i + 3) % len(KERNELS)]) for i in range(len(rows))]
        mistakes = [mistake for row, kernels in zip(rows, chosen) for mistake in mistakes_of(nereid, pool, kernels, *row)]
    print("\n".join(mistakes) or f"{len(rows)} choices compile at their bounds")


main()
