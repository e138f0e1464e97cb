# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels and training steps on several GPUs of one machine, with Nereid and, where it is installed, with Triton:
whether results are right, and times side by side (docs/several-gpus.md).

    python3 benchmarks/several_gpus/compare.py [--gpus 2] [--parts peers,one-shot,two-shot,product,ddp,fsdp] [--turns 2]
"""

import argparse
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = ["peers", "one-shot", "two-shot", "product", "ddp", "fsdp"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processes(compiler, part, gpus, caches):
    """What is started for a part: command and environment of each."""
    launcher = [sys.executable, *(["-m", "nereid"] if compiler == "nereid" else [])]
    # Not every machine that has NVLink lets processes multicast over it.
    common = {"NCCL_NVLS_ENABLE": "0", "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1", **os.environ,
              "TORCHINDUCTOR_CACHE_DIR": os.path.join(caches, compiler, "inductor"),
              "TRITON_CACHE_DIR": os.path.join(caches, compiler, "triton"), "MASTER_ADDR": "127.0.0.1",
              "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(gpus)}
    if part == "peers":
        return [([*launcher, os.path.join(HERE, "peers.py")], common)]
    return [([*launcher, os.path.join(HERE, "rank.py"), part], {**common, "RANK": str(rank), "LOCAL_RANK": str(rank)})
            for rank in range(gpus)]


def run(compiler, part, gpus, caches, seconds=240):
    """The results of a part, by name; a text instead if it failed."""
    with tempfile.TemporaryDirectory() as outputs:
        files = [open(os.path.join(outputs, str(number)), "w+") for number in range(gpus)]
        running = [subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT, text=True)
                   for (command, environment), file in zip(processes(compiler, part, gpus, caches), files)]
        try:
            codes = [process.wait(timeout=seconds) for process in running]
        except subprocess.TimeoutExpired:
            codes = ["not done in time"]
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()
        texts = []
        for file in files:
            file.seek(0)
            texts.append(file.read())
            file.close()
    if any(codes):
        return f"{compiler}, {part}: {codes}\n" + "\n".join(text[-3000:] for text in texts)
    lines = [json.loads(line[len("RESULT "):]) for line in texts[0].splitlines() if line.startswith("RESULT ")]
    return {line["part"]: line for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--turns", type=int, default=1, help="of both compilers in turn; the best of each is shown")
    options = parser.parse_args()
    compilers = ["nereid"] + (["triton"] if importlib.util.find_spec("triton") else [])
    best, failures = {}, []
    with tempfile.TemporaryDirectory() as caches:
        for part in options.parts.split(","):
            for compiler in compilers * options.turns:
                results = run(compiler, part, options.gpus, caches)
                if isinstance(results, str):
                    failures.append(results)
                    print(results, flush=True)
                    continue
                for name, line in results.items():
                    is_right = line["error"] <= line["allowed"]
                    print(f"{compiler:7} {name:48} {line['ms']:9.4f} ms  error {line['error']:.2e}"
                          f"{'' if is_right else ', MORE THAN ' + str(line['allowed'])}", flush=True)
                    if not is_right:
                        failures.append(name)
                    times = best.setdefault(name, {})
                    times[compiler] = min(times.get(compiler, line["ms"]), line["ms"])
    print(f"\n{'ms':48} " + " ".join(f"{compiler:>9}" for compiler in compilers))
    for name, times in best.items():
        print(f"{name:48} " + " ".join(f"{times[each]:9.4f}" if each in times else "        -" for each in compilers))
    sys.exit(f"{len(failures)} failed" if failures else 0)


if __name__ == "__main__":
    main()
