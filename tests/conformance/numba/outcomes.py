# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what passes of numba-cuda's test suite, by what the tests are of. stand_in.py counts with it for Nereid; for
numba-cuda itself it is a plugin of pytest's (-p outcomes). As a program it puts two runs side by side, each a file that
--outcomes wrote:

    python outcomes.py NUMBA_CUDA.json NEREID.json
"""

import fnmatch
import json
import sys
from pathlib import Path

import pytest


class Counts:
    """What passed of the tests of the language, and of those that apart.txt sets apart, with reasons."""

    def __init__(self, config):
        self.config = config
        self.groups, self.outcomes = [], {}  # (name, what it is, patterns); of each test the worst
        for line in (Path(__file__).parent / "apart.txt").read_text().splitlines():
            if line.startswith("["):
                name, _, meaning = line[1:].partition("] ")
                self.groups.append((name, meaning, []))
            elif line and not line.startswith("#"):
                self.groups[-1][2].append(line)

    def group_of(self, test):
        return next((name for name, _, patterns in self.groups
                     if any(fnmatch.fnmatch(test, pattern) for pattern in patterns)), "language")

    def note(self, nodeid, outcome):
        order = ["skipped", "passed", "failed"]
        test = nodeid[nodeid.find("tests/") + len("tests/"):] if "tests/" in nodeid else nodeid
        self.outcomes[test] = max(outcome, self.outcomes.get(test, "skipped"), key=order.index)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            wanted = report.outcome == "skipped" and hasattr(report, "wasxfail")
            is_unwanted = "Unexpected success" in str(report.longrepr)  # numba-cuda does not pass it
            self.note(report.nodeid, "passed" if wanted or is_unwanted else report.outcome)

    def pytest_collectreport(self, report):
        if report.failed:
            self.note(report.nodeid, "failed")

    def pytest_terminal_summary(self, terminalreporter):
        found = {}
        for test, outcome in self.outcomes.items():
            found.setdefault(self.group_of(test), []).append((outcome, test))
        terminalreporter.section("by what the tests are of")
        for name, meaning, _ in [("language", "what kernels are written in", []), *self.groups]:
            outcomes = [outcome for outcome, _ in found.get(name, [])]
            passed, failed = outcomes.count("passed"), outcomes.count("failed")
            terminalreporter.line(f"{passed:5} of {passed + failed:5} {name}: {meaning}")
        for outcome, test in sorted(found.get("language", [])):
            if outcome == "failed":
                terminalreporter.line(f"not passed: {test}")
        if path := self.config.getoption("--outcomes"):
            groups = {test: self.group_of(test) for test in self.outcomes}
            Path(path).write_text(json.dumps({"outcomes": self.outcomes, "groups": groups}))


def pytest_addoption(parser):
    parser.addoption("--outcomes", metavar="FILE", help="writes how each test ended")


def pytest_configure(config):
    if not config.pluginmanager.hasplugin("stand_in"):
        config.pluginmanager.register(Counts(config))


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """What the suite asks of a conftest.py that its packages lack."""
    request.cls._dump_failed_filechecks = False


def compare(reference, ours):
    """Of the tests that the reference passes, how many we pass, by what they are of; and the names of the others."""
    rows, missed = {}, []
    for test, outcome in reference["outcomes"].items():
        if outcome != "passed":
            continue
        row = rows.setdefault(reference["groups"][test], [0, 0])
        row[0] += ours["outcomes"].get(test) == "passed"
        row[1] += 1
        if reference["groups"][test] == "language" and ours["outcomes"].get(test) != "passed":
            missed.append(f"{test} ({ours['outcomes'].get(test, 'not there')})")
    for name, (passed, wanted) in sorted(rows.items()):
        print(f"{name:10}{passed:5} of {wanted:5} that numba-cuda passes: {100 * passed / wanted:.1f} %")
    also = [test for test, outcome in ours["outcomes"].items() if outcome == "passed"
            and ours["groups"][test] == "language" and reference["outcomes"].get(test) == "failed"]
    print(f"{len(also)} of the language pass here and fail there:", *also[:20])
    print(*sorted(missed), sep="\n")


if __name__ == "__main__":
    compare(*(json.loads(Path(path).read_text()) for path in sys.argv[1:]))
