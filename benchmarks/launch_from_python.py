#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch from Python costs on the host: a cached kernel of five arguments and one constexpr, one program, with
NumPy's arrays, PyTorch's tensors where it is installed, on a GPU too where it finds one, and a function for a grid. The
kernel stores one element, so that its own time is small; what is printed includes it on a CPU. Time is what the thread
spent, since a busy machine makes it wait.

    PYTHONPATH=build/release/python python3 benchmarks/launch_from_python.py"""

import time
import timeit

import numpy as np

import nereid
import nereid.language as tl


@nereid.jit
def kernel(x, y, out, n, scale, BLOCK: tl.constexpr):
    tl.store(out, n)


def microseconds(call, number=20000):
    call()
    return min(timeit.repeat(call, number=number, repeat=7, timer=time.thread_time)) / number * 1e6


def measure(name, arrays):
    grid = lambda meta: (nereid.cdiv(meta["n"], meta["BLOCK"]),)
    rows = [("grid (1,)", lambda: kernel[(1,)](*arrays, 100, 0.5, BLOCK=128)),
            ("grid of a function", lambda: kernel[grid](*arrays, 100, 0.5, BLOCK=128)),
            ("with num_warps", lambda: kernel[(1,)](*arrays, 100, 0.5, BLOCK=128, num_warps=8)),
            ("no program", lambda: kernel[(0,)](*arrays, 100, 0.5, BLOCK=128))]
    for row, call in rows:
        print(f"{name:<8}{row:<20}{microseconds(call):6.2f} us")


def main():
    measure("numpy", [np.zeros(100, np.float32) for _ in range(3)])
    try:
        import torch
    except ImportError as error:
        print(f"torch: skipped, {error}")
    else:
        measure("torch", [torch.zeros(100) for _ in range(3)])
        if torch.cuda.is_available():
            measure("cuda", [torch.zeros(100, device="cuda") for _ in range(3)])


if __name__ == "__main__":
    main()
