# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same kernels in Triton's interpreter: TRITON_INTERPRET=1 and an installed Triton, in a process of its own (nothing else
can make the name `triton` mean another package). Run as a program, it prints each row's seconds as JSON."""

import json
import os
import subprocess
import sys
import time

ROWS = {"add 65536": 65536, "softmax 256x781": 256, "matmul 256": 256}


def arguments_of(name, torch, kernels, tl, cdiv):
    """A launch and what it writes."""
    torch.manual_seed(0)
    size = ROWS[name]
    if name.startswith("add"):
        x, y, out = torch.randn(size), torch.randn(size), torch.empty(size)
        return lambda: kernels.add[(cdiv(size, 4096),)](x, y, out, size, 4096), out
    if name.startswith("softmax"):
        x, out = torch.randn(size, 781), torch.empty(size, 781)
        return lambda: kernels.softmax[(size,)](x, out, 781, 1024), out
    a, b, c = torch.randn(size, size), torch.randn(size, size), torch.empty(size, size)
    return lambda: kernels.matmul[((size // 64) ** 2,)](a, b, c, size, size, size, size, 1, size, 1, 64, 64, 64, 4,
                                                        tl.float32), c


def times(turns):
    """Of each row: seconds of `turns` calls, and what was computed."""
    import kernels
    import torch
    import triton
    import triton.language as tl

    torch.set_num_threads(int(os.environ["NEREID_THREADS"]))
    found = {}
    for name in ROWS:
        launch, out = arguments_of(name, torch, kernels, tl, triton.cdiv)
        launch()
        seconds = []
        for _ in range(turns):
            begin = time.perf_counter()
            launch()
            seconds.append(time.perf_counter() - begin)
        found[name] = {"seconds": seconds, "result": out.flatten().tolist()}
    return {"version": triton.__version__, "rows": found}


def ask(folders):
    """What the process says; None where there is no Triton. `folders`, as in PYTHONPATH, hold the package, and a NumPy that it
    can work with (Triton 3.6: before 2.4); none: where Python finds them."""
    here = os.path.dirname(os.path.abspath(__file__))
    environment = dict(os.environ, TRITON_INTERPRET="1", PYTHONPATH=folders or "")
    asked = subprocess.run([sys.executable, os.path.join(here, "interpreted.py")], capture_output=True, text=True, env=environment)
    if asked.returncode:
        print(f"no rows beside Triton's interpreter: {(asked.stderr.strip().splitlines() or ['it ended'])[-1]}")
        return None
    return json.loads(asked.stdout)


def beside_interpreter(table, folders):
    """Nereid's checked executor has the interpreter's task; compiled kernels are what a program without a GPU runs."""
    import kernels
    import torch
    import triton
    import triton.language as tl

    wanted = [name for name in ROWS if table.wants(f"Triton's interpreter: {name}")]
    said = ask(folders) if wanted else None
    for name in wanted if said else []:
        launch, out = arguments_of(name, torch, kernels, tl, triton.cdiv)
        row = said["rows"][name]
        table.compare_apart(f"Triton's interpreter: {name}", launch, row["seconds"], out, torch.tensor(row["result"]).view_as(out), 1e-5)


if __name__ == "__main__":
    print(json.dumps(times(3)))
