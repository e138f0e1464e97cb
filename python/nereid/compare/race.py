# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One launch under Triton and under Nereid: results compared, times taken in turns with the second-level cache
flushed before each."""

import inspect
import random
import statistics
import time

import torch

from .. import capture
from ..profiling.recorder import Analyzer
from . import meaning
from .arrays import Arrays, difference, unequal_integers

_BUDGET_MS = 250  # of the GPU's time, for the turns of one launch
_FEWEST_ROUNDS, _MOST_ROUNDS = 5, 40
_FLUSHED_BYTES = 192 << 20  # more than any second-level cache holds
_HEAD_START = 400_000  # cycles for which the GPU waits before a turn, so that what a launch costs the host is not seen


class Contest:
    """Runs races; what they have in common: the memory that flushes caches, and a random order of turns."""

    def __init__(self, kept=None, analysis_seconds=0.0, is_timed=True):
        """`kept`: a LaunchFile that gets each launch that both ran. So many seconds are spent in all to find out by what
        launches are bound. Without times, each launch runs once under both."""
        self.entries, self._kept, self._is_timed = {}, kept, is_timed
        self._analyzer = Analyzer(analysis_seconds, keeps_pages=False)
        self._flush = None
        self._shuffle = random.Random(0)

    def race(self, launch):
        """A row of the report."""
        row = {"kernel": launch.function.fn.__qualname__, "module": launch.function.fn.__module__,
               "grid": list(launch.grid), "options": launch.options,
               "constants": _constants_of(launch), "shapes": _shapes_of(launch),
               "signature": launch.launcher.source.signature,
               "texts": meaning.texts(launch.function), "file": inspect.getsourcefile(launch.function.fn)}
        if torch.cuda.is_current_stream_capturing():
            return row | {"problem": "launched first while a graph is captured: not timed"}
        arrays = Arrays(launch.arguments.values())
        row["bytes"] = arrays.bytes
        if not arrays.fit():
            return row | {"problem": f"no room to keep {arrays.bytes >> 20} MB of arrays: not timed"}
        torch.cuda.synchronize()
        arrays.keep()
        try:
            return row | self._run(launch, arrays)
        finally:
            arrays.put_back()

    def _run(self, launch, arrays):
        launch.run_theirs()
        theirs = arrays.find_written()
        arrays.put_back()
        begin = time.perf_counter()
        try:
            run_ours, compiled = prepared(launch)
            torch.cuda.synchronize()
        except Exception as error:  # whatever it is, the program goes on with Triton
            return {"problem": f"Nereid: {type(error).__name__}: {str(error).strip()[:400]}"}
        row = {"first_call_ms": (time.perf_counter() - begin) * 1e3}
        row["difference"], row["unequal_integers"] = _compared(theirs, arrays)
        row["difference"] = max(row["difference"], arrays.strayed_by())
        if row["difference"] > 1:  # perhaps the kernel leaves something else each time
            arrays.put_back()
            launch.run_theirs()
            row["difference_of_triton"], row["unequal_integers_of_triton"] = _compared(theirs, arrays)
        del theirs
        if not self._is_timed:
            return row
        times = self._turns({"triton": launch.run_theirs, "nereid": run_ours}, arrays)
        row |= {f"{name}_ms": statistics.median(each) for name, each in times.items()}
        row["ratio"] = statistics.median(a / b for a, b in zip(times["triton"], times["nereid"]))
        row["remarks"] = [str(remark) for remark in getattr(compiled, "remarks", ())]
        arrays.put_back()
        kernel = meaning.ours(launch.function)
        given = {name: meaning.argument(value) for name, value in launch.arguments.items()}
        with capture.reading(meaning):
            counts = self._analyzer.counts_of(kernel, launch.grid, compiled, given)
            if counts.bound:
                row |= {"bound": counts.bound, "predicted_ms": counts.predicted * 1e3, "bytes_moved": counts.bytes}
            if self._kept is not None:
                entry = self._kept.add(kernel, launch.grid, compiled, given)
                entry["ms"] = {"triton": row["triton_ms"], "nereid": row["nereid_ms"]}
                self.entries[launch.key] = entry
        return row

    def _turns(self, functions, arrays):
        if self._flush is None:
            self._flush = torch.empty(_FLUSHED_BYTES, dtype=torch.uint8, device="cuda")
        probe = {name: self._timed(function, arrays) for name, function in functions.items()}
        spent = sum(begin.elapsed_time(end) for begin, end in self._synchronized(probe.values()))
        rounds = int(min(max(_BUDGET_MS / (spent + 0.2), _FEWEST_ROUNDS), _MOST_ROUNDS))
        events = {name: [] for name in functions}
        for _ in range(rounds):
            for name in self._shuffle.sample(list(functions), len(functions)):
                events[name].append(self._timed(functions[name], arrays))
        torch.cuda.synchronize()
        return {name: [begin.elapsed_time(end) for begin, end in pairs] for name, pairs in events.items()}

    @staticmethod
    def _synchronized(pairs):
        torch.cuda.synchronize()
        return list(pairs)

    def _timed(self, function, arrays):
        arrays.put_back()
        self._flush.zero_()
        torch.cuda._sleep(_HEAD_START)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        function()
        end.record()
        return begin, end


def _compared(theirs, arrays):
    ours = arrays.results()
    return difference(theirs, ours), unequal_integers(theirs, ours)


def prepared(launch):
    """The same launch by Nereid, which has run once, and what was compiled for it."""
    kernel = meaning.ours(launch.function)
    arguments = {name: meaning.argument(value) for name, value in launch.arguments.items()}
    arguments |= launch.options  # some kernels have parameters of these names
    with capture.reading(meaning):
        compiled = kernel[launch.grid](**arguments)
    bound = kernel[launch.grid]

    def run():
        with capture.reading(meaning):
            bound(**arguments)

    return run, compiled


def _constants_of(launch):
    signature = launch.launcher.source.signature
    names = [name for name, kind in signature.items() if kind == "constexpr"]
    return {name: str(launch.arguments.get(name)) for name in names}


def _shapes_of(launch):
    return {name: f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
            for name, value in launch.arguments.items() if isinstance(value, torch.Tensor)}
