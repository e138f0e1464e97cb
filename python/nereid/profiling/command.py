# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of python -m nereid profile."""

import argparse
import json
import os
import sys
import traceback

from .. import _native
from ..install import install_as_numba_cuda, install_as_triton, install_for_children
from ..launchfile import LaunchFile, can_write
from ..programs import is_program, run_program
from . import report
from .recorder import Recorder

HEAVIEST = 8  # kernels that get a page


def _arguments(arguments):
    parser = argparse.ArgumentParser(prog="python -m nereid profile", description="Runs a program for which `import "
                                     "triton` means Nereid, and says what it launched, from where, and how long that took.")
    parser.add_argument("--json", metavar="FILE", type=os.path.abspath, help="write all that was measured")
    parser.add_argument("--trace", metavar="FILE", type=os.path.abspath,
                        help="write when what was launched, for Perfetto")
    parser.add_argument("--pages", metavar="FOLDER", type=os.path.abspath,
                        help="write nereid.analyze's page for each of the heaviest kernels")
    parser.add_argument("--save", metavar="FILE", type=os.path.abspath,
                        help="keep each distinct launch, for nereid replay")
    parser.add_argument("--no-bytes", action="store_true", help="do not count what launches ask of memory")
    parser.add_argument("--numba", action="store_true", help="`from numba import cuda` means Nereid, too")
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    parsed = parser.parse_args(arguments)
    if not parsed.module and not is_program(parsed.program):
        parser.error(f"there is no file {parsed.program}")
    for path in filter(None, (parsed.json, parsed.trace, parsed.save)):  # before the program runs for an hour
        if not can_write(path):
            parser.error(f"cannot write {path}")
    if parsed.pages and parsed.no_bytes:
        parser.error("--pages and --no-bytes: pages are what was counted")
    if parsed.pages and not _can_hold_files(parsed.pages):
        parser.error(f"--pages: {parsed.pages} is no folder that files can be written to")
    return parsed


def _can_hold_files(folder):
    """Makes the folder where there is none."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _run(parsed):
    """The program's exit status."""
    try:
        run_program(parsed.program, parsed.arguments, parsed.module)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main(arguments):
    parsed = _arguments(arguments)
    install_as_triton()
    install_for_children()
    if parsed.numba:
        install_as_numba_cuda()
    kept = LaunchFile() if parsed.save else None
    recorder = Recorder(analysis_seconds=0.0 if parsed.no_bytes else 5.0, keeps_pages=bool(parsed.pages), kept=kept)
    recorder.start()
    try:
        status = _run(parsed)
    finally:
        recorder.stop()
    sys.stdout.flush()
    # What the program prints is its own; the report stands beside it.
    color = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    print(report.as_text(recorder, color), end="", file=sys.stderr)
    if parsed.json:
        report.write(parsed.json, json.dumps(report.as_document(recorder)))
    if parsed.trace:
        report.write(parsed.trace, json.dumps(report.as_trace(recorder)))
    if kept is not None:
        devices = dict.fromkeys(launch.device for launch in recorder.launches)
        kept.write(parsed.save, f"{', '.join(devices) or 'nothing'}, Nereid {_native.version()}")
    for name, page in report.pages(recorder, HEAVIEST).items() if parsed.pages else ():
        report.write(os.path.join(parsed.pages, name), page)
    return status
