# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compare.py` compares: the rows of include/nereid/gpu_counters.def, which `nereid analyze --json` fills as `counters`."""

import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parents[2] / "include/nereid/gpu_counters.def"


def rows():
    for key, name, how, texts in re.findall(r'^COUNTER\((\w+), "([^"]+)", (\w+),((?:\s*"[^"]*")+)\)', TABLE.read_text(), re.M):
        yield name, (key, min if how == "Least" else sum, "".join(re.findall(r'"([^"]*)"', texts)).split())


# By name: our key, how ncu's metrics are put together, and the metrics.
METRICS = dict(rows())
