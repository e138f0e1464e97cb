# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A table of two contenders, measured in turns."""

import csv
import statistics
import time

import kernels
import torch

TURNS, CALLS, PAUSE = 7, 5, 0.03
IN_MEMORY = 1 << 26  # bytes that a row has to move before it is held against what memory gives


def seconds(call):
    """Of one call: the least of some in a row."""
    times = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def memory_rate():
    """Bytes a second that memory gives at most, as STREAM asks for it: the best of copies and sums of arrays of 128 MiB, with
    stores that read first what they overwrite (PyTorch's) and with those that pass the caches by (Nereid's)."""
    n = 1 << 25
    x, y, out = (torch.ones(n) for _ in range(3))
    calls = {lambda: out.copy_(x): 2, lambda: torch.add(x, y, out=out): 3,
             lambda: kernels.add[(n // 4096,)](x, y, out, n, 4096): 3}
    return max(x.nbytes * arrays / min(seconds(call) for _ in range(3)) for call, arrays in calls.items())


def compared(out, expected, tolerance):
    """How far off, of the peer's greatest number, and whether that is right."""
    size = max(expected.double().abs().max().item(), 1e-30)
    error = (out.double() - expected.double()).abs().max().item() / size
    return error, error <= tolerance


class Table:
    """Prints rows as they are measured, those whose names hold one of `only`."""

    def __init__(self, only=("",)):
        self.only, self.rows, self.memory = only, [], memory_rate()

    def wants(self, name):
        return any(words in name for words in self.only)

    def fastest(self, launch, tiles):
        """That of `tiles` with which `launch` takes the least time."""
        def time_of(tile):
            launch(tile)
            return seconds(lambda: launch(tile))

        return min(tiles, key=time_of)

    def head(self):
        print(f"{'':34}{'best':>10}{'median':>10}{'peer':>10}{'ratio':>7}")

    def compare(self, name, ours, theirs, out, work, unit, tolerance):
        """`work` in `unit`s ("FLOP" or "B"), which a row shows per second, or no unit. `out` is ours; it may be off by `tolerance` of the
        peer's greatest number, or is asked `tolerance()` where the peer's result is another."""
        ours()
        expected = theirs()
        error, right = (float("nan"), tolerance()) if callable(tolerance) else compared(out, expected, tolerance)
        nereid, peer = [], []
        for turn in range(TURNS):
            for times, call in ((nereid, ours), (peer, theirs))[:: 1 if turn % 2 else -1]:
                times.append(seconds(call))
                time.sleep(PAUSE)
        self.add(name, nereid, peer, work, unit, error, right)

    def compare_apart(self, name, ours, peer, out, expected, tolerance):
        """With a peer of another process, of which there are the times of some calls and the result."""
        ours()
        nereid = [seconds(ours) for _ in peer]
        self.add(name, nereid, peer, 1, "", *compared(out, expected, tolerance))

    def add(self, name, nereid, peer, work, unit, error, right):
        ratios = [b / a for a, b in zip(nereid, peer)]
        middle, other = statistics.median(nereid), statistics.median(peer)
        row = {"name": name, "best_ms": min(nereid) * 1e3, "median_ms": middle * 1e3, "peer_ms": other * 1e3,
               "ratio": other / middle, "least": min(ratios), "greatest": max(ratios), "rate": work / middle,
               "unit": unit, "right": right}
        self.rows.append(row)
        share = f" ({100 * row['rate'] / self.memory:.0f} % of memory's)" if unit == "B" and work >= IN_MEMORY else ""
        rate = f"{row['rate'] / 1e9:10.1f} G{unit}/s{share}" if unit else ""
        verdict = "right" if row["right"] else f"WRONG by {error:.1e}"
        print(f"{name:34}{row['best_ms']:10.4f}{row['median_ms']:10.4f}{row['peer_ms']:10.4f}{row['ratio']:7.{2 if row['ratio'] < 1000 else 0}f} "
              f"({row['least']:.2f} to {row['greatest']:.2f}){rate}  {verdict}", flush=True)

    def write_csv(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)
