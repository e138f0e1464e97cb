# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of python -m nereid compare."""

import argparse
import importlib.util
import json
import os
import signal
import sys
import traceback

from ..launchfile import LaunchFile, can_write
from ..programs import is_program, run_program
from . import report


def _arguments(arguments):
    parser = argparse.ArgumentParser(prog="python -m nereid compare", description="Runs a program with the installed "
                                     "Triton, and times each distinct launch under Triton and under Nereid.")
    parser.add_argument("--json", metavar="FILE", type=os.path.abspath, help="keep all that was measured")
    parser.add_argument("--plot", metavar="FILE", type=os.path.abspath, help="draw the ratios (.svg, .png)")
    parser.add_argument("--merge", metavar="FILE", nargs="+", help="no program: show what several runs kept as one")
    parser.add_argument("--save", metavar="FILE", type=os.path.abspath,
                        help="keep each distinct launch, for nereid replay")
    parser.add_argument("--filter", metavar="TEXT", default="", help="only kernels whose name has it")
    parser.add_argument("--configs", metavar="N", type=int,
                        help="let tuners try no more than N configurations of a kernel")
    parser.add_argument("--bounds", metavar="SECONDS", type=float, default=60.0,
                        help="how long, in all, to count by what launches are bound (default: 60; 0: not at all)")
    parser.add_argument("--once", action="store_true", help="each launch once: results are compared, nothing is timed")
    parser.add_argument("--no-remarks", action="store_true", help="no lines about what stood in the way")
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    parser.add_argument("program", nargs="?", metavar="PROGRAM")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    parsed = parser.parse_args(arguments)
    if not parsed.program and not parsed.merge:
        parser.error("a program is missing")
    if parsed.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot needs Matplotlib, which is not installed")
    if parsed.save and parsed.once:
        parser.error("--save and --once: a launch is kept with its times")
    if parsed.save and parsed.merge:
        parser.error("--save and --merge: what is merged was measured, and is not launched")
    for path in filter(None, (parsed.json, parsed.plot, parsed.save)):  # before the program runs for an hour
        if not can_write(path):
            parser.error(f"cannot write {path}")
    if parsed.program and not parsed.module and not is_program(parsed.program):
        parser.error(f"there is no file {parsed.program}")
    return parsed


def _requirements():
    """What stands in the way of comparing anything; None if nothing does."""
    try:
        import torch
        import triton
    except ImportError as error:
        return f"{error.name} is not installed, which the programs to be compared need"
    if "nereid" in (getattr(triton, "__file__", None) or "").replace("\\", "/").split("/"):
        return "`import triton` means Nereid here: nothing to compare with"
    if not torch.cuda.is_available():
        return "PyTorch finds no GPU: launches are compared where Triton can run them"
    return None


class _Rows:
    """A row for each distinct launch, raced when it comes first, and counted whenever it comes."""

    def __init__(self, contest, wanted):
        self.rows, self._contest, self._wanted = {}, contest, wanted
        self._is_shown = sys.stderr.isatty()

    def look(self, launch):
        if self._wanted not in launch.function.fn.__qualname__:
            return
        row = self.rows.get(launch.key)
        if row is None:
            if self._is_shown:
                name = launch.function.fn.__qualname__
                print(f"\r\033[K{len(self.rows)} launches compared, now {name[:60]}", end="", file=sys.stderr,
                      flush=True)
            row = self.rows[launch.key] = self._contest.race(launch)
            row["calls"] = 0
        row["calls"] += 1
        if launch.key in self._contest.entries:
            self._contest.entries[launch.key]["calls"] += 1

    def clear_line(self):
        if self._is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _stop(*_):
    raise KeyboardInterrupt


def _compare(parsed):
    import torch
    import triton

    from .launches import limit_configurations, watch_launches
    from .race import Contest

    kept = LaunchFile() if parsed.save else None
    rows = _Rows(Contest(kept, parsed.bounds, not parsed.once), parsed.filter)
    unwatched = watch_launches(rows.look)
    if parsed.configs:
        limit_configurations(parsed.configs)
    status = 0
    signal.signal(signal.SIGTERM, _stop)
    try:
        run_program(parsed.program, parsed.arguments, parsed.module)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except BaseException:  # what was measured until then is not lost
        traceback.print_exc()
        status = 1
    with unwatched():
        rows.clear_line()
        machine = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}"
        if kept is not None:
            kept.write(parsed.save, machine)
        return machine, list(rows.rows.values()), status


def merged(files):
    """Which machines several runs were on, and their rows, as one run."""
    machines, rows = [], []
    for file in files:
        with open(file) as text:
            try:
                kept = json.load(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"{file} is no record of a comparison: {error}") from None
        if not isinstance(kept, dict) or "rows" not in kept:
            raise ValueError(f"{file} is no record of a comparison")
        machines.append(kept["machine"])
        rows += kept["rows"]
    return "; ".join(dict.fromkeys(machines)), rows, 0


def main(arguments):
    parsed = _arguments(arguments)
    if parsed.merge:
        try:
            machine, rows, status = merged(parsed.merge)
        except (OSError, ValueError, KeyError) as error:
            print(f"python -m nereid compare: nothing to merge: {error}", file=sys.stderr)
            return 2
    else:
        if reason := _requirements():
            print(f"python -m nereid compare: {reason}", file=sys.stderr)
            return 2
        machine, rows, status = _compare(parsed)
    print(machine)
    print(report.table(rows, not parsed.no_remarks), end="")
    if parsed.json:
        report.write_json(parsed.json, machine, rows)
    if parsed.plot and report.timed(rows):
        report.write_plot(parsed.plot, rows)
    return status
