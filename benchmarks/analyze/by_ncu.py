# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a launch takes under ncu, which flushes the caches before it and leaves the clock as it is."""

import csv
import io
import subprocess

from analyses import ROOT, words

SCALE = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3}


def microseconds(case, nereid, ncu="ncu"):
    """None where ncu says nothing: it may not count here, or the kernel was not launched."""
    command = [ncu, "--csv", "--page", "raw", "--clock-control", "none", "--launch-count", "1", "--metrics", "gpu__time_duration.sum",
               nereid, "run", *words(case), "--device", "cuda", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    rows = list(csv.reader(io.StringIO("\n".join(line for line in done.stdout.splitlines() if line.startswith('"')))))
    if len(rows) < 3:
        return None
    at = next(place for place, name in enumerate(rows[0]) if name.startswith("gpu__time_duration"))
    return float(rows[2][at].replace(",", "")) * SCALE[rows[1][at]]
