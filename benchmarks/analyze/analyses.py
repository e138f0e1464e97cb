# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `nereid analyze` says of many launches, by a pool of processes, and kept in a file: a count needs no GPU, so it may have been made
elsewhere, where there are NVIDIA's ptxas and nvdisasm."""

import concurrent.futures
import json
import pathlib
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNUSED = ("timeline", "flow", "touches")  # of the page alone


def words(case):
    return [case.kernel, "--grid", case.grid, *shlex.split(case.arguments), *shlex.split(case.options)]


def analyze(nereid, case, target, card):
    command = [nereid, "analyze", *words(case), "--target", target, "--card", card, "--seed", "1", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise RuntimeError(f"analyze: {done.stderr.strip()[-400:]}")
    report = json.loads(done.stdout)
    return {key: value for key, value in report.items() if key not in UNUSED}


class Analyses:
    """Begun for all cases at once; `of` waits for one. What `path` holds is not made again: who changes `nereid` removes the file."""

    def __init__(self, nereid, cases, target, card, jobs, path=None):
        self.path, self.kept = path and pathlib.Path(path), {}
        if self.path and self.path.exists():
            self.kept = json.loads(self.path.read_text())
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        key = self.key = lambda case: " ".join([*words(case), target, card])
        once = {key(case): case for case in cases if key(case) not in self.kept}
        self.begun = {name: self.pool.submit(analyze, nereid, case, target, card) for name, case in once.items()}

    def of(self, case):
        """Throws RuntimeError if `nereid analyze` refused."""
        key = self.key(case)
        if key not in self.kept:
            self.kept[key] = self.begun[key].result()
        return self.kept[key]

    def save(self):
        if self.path:
            self.path.write_text(json.dumps(self.kept))

    def cancel(self):
        self.pool.shutdown(wait=False, cancel_futures=True)
