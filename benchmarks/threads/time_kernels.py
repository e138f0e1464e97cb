# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times one contender of compare.py, a line for each case: "threads cuda" under Nereid or numba-cuda, "loops" under
Numba. Each result is checked before it is timed."""

import sys
import time
import warnings

import numpy as np

import cases

warnings.filterwarnings("ignore")
np.row_stack = np.vstack  # which older releases of Numba ask for


def best_on_host(run, rounds):
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begin)
    return best * 1e3


def best_on_gpu(cuda, run, rounds):
    """Of launches that wait for one before, so that the GPU does not wait for who launches."""
    best = float("inf")
    for _ in range(rounds):
        begin, end = cuda.event(), cuda.event()
        run()
        begin.record()
        run()
        end.record()
        end.synchronize()
        best = min(best, cuda.event_elapsed_time(begin, end))
    return best


def time_threads(is_on_gpu):
    import kernels
    from numba import cuda

    for case in cases.cases(is_small=not is_on_gpu):
        kernel = getattr(kernels, case.name)
        there = [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in case.arguments]
        run = lambda: kernel[case.grid, case.block](*there)
        begin = time.perf_counter()
        run()
        cuda.synchronize()
        first = time.perf_counter() - begin
        results = [each.copy_to_host() if hasattr(each, "copy_to_host") else each for each in there]
        report(case, results, best_on_gpu(cuda, run, 20) if is_on_gpu else best_on_host(run, 10), first)
    if is_on_gpu:
        time_launches(cuda, kernels)


def time_launches(cuda, kernels):
    a = cuda.to_device(np.zeros((8, 8)))
    out = cuda.device_array_like(a)
    launch = kernels.diffusion[(1, 1), (8, 8)]
    for _ in range(100):
        launch(out, a)
    cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(5000):
        launch(out, a)
    print("launch", (time.perf_counter() - begin) / 5000 * 1e3, 0, flush=True)


def time_loops():
    import loops

    for case in cases.cases(is_small=True):
        run = lambda: getattr(loops, case.name)(*case.arguments)
        begin = time.perf_counter()
        run()
        first = time.perf_counter() - begin
        results = [np.copy(each) for each in case.arguments]  # some kernels add to what is there
        report(case, results, best_on_host(run, 10), first)


def report(case, results, milliseconds, first):
    place = cases.wrong(case, results)
    note = "" if place is None else f" WRONG argument {place}"
    print(case.name, milliseconds, first * 1e3, note, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "loops":
        time_loops()
    else:
        time_threads(sys.argv[2] == "gpu")
