# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many cases on several processes, with progress and a summary."""

import collections
import multiprocessing
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor

from contest import Contest, Outcome

Make = Callable[[int, pathlib.Path, pathlib.Path], Contest]

# Each process has one.
_contest: Contest


def start_worker(make: Make, seed: int, binary: pathlib.Path, directory: str) -> None:
    global _contest
    own = tempfile.mkdtemp(dir=directory)
    _contest = make(seed, binary, pathlib.Path(own))


def judge(index: int) -> Outcome:
    return _contest.judge(index)


def run(make: Make, seed: int, indices: range, jobs: int, binary: pathlib.Path, show: int) -> bool:
    """True if no difference is left unexplained."""
    # Not daemonic, as multiprocessing's own pool is: the workers have children.
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="referee-") as directory:
        arguments = (make, seed, binary, directory)
        with ProcessPoolExecutor(jobs, context, start_worker, arguments) as pool:
            outcomes = pool.map(judge, indices, chunksize=8)
            return report(outcomes, len(indices), show)


def report(outcomes: Iterable[Outcome], count: int, show: int) -> bool:
    kinds: collections.Counter[str] = collections.Counter()
    start = time.monotonic()
    for done, outcome in enumerate(outcomes, 1):
        kinds[outcome.kind] += 1
        if outcome.report and kinds[outcome.kind] <= show:
            print(f"---- case {outcome.index}, {outcome.kind}\n{outcome.report}", flush=True)
        if done % 100 == 0 or done == count:
            progress(done, count, time.monotonic() - start, kinds)
    print(file=sys.stderr)
    for kind, number in sorted(kinds.items(), key=lambda item: -item[1]):
        print(f"{number:>8}  {kind}")
    print(f"{count:>8}  cases in {time.monotonic() - start:.0f} s")
    return not any(kind.startswith("different") for kind in kinds)


def progress(done: int, count: int, seconds: float, kinds: collections.Counter[str]) -> None:
    if not sys.stderr.isatty():
        return
    different = sum(n for kind, n in kinds.items() if kind.startswith("different"))
    text = f"\r{done} of {count}, {done / seconds:.0f} a second, {different} unexplained "
    print(text, end="", file=sys.stderr, flush=True)
