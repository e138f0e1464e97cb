#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""whole.py [--turns N] [--out FILE] [--kinds first,tuned,steps] [--fill] [TEXT...]: what a user waits for, under Triton and under
Nereid, each in processes of its own that take turns, with caches that are empty at first:

- first: wall time of the first launch of a kernel, compiled and run (kernels of ../gpu_figures, one configuration each);
- tuned: wall time of the first launch of the same kernels under @triton.autotune with all their configurations;
- steps: a training step (forward, backward and an optimizer's step) of models.py through torch.compile: wall time of the
  first one, the median of later ones between synchronisations, and the time of its kernels, and of Triton's among them, as
  PyTorch's profiler has them.

Prints a table of medians over turns and Triton's time over Nereid's, and writes FILE (JSON). A TEXT keeps the rows whose names
hold it. With --fill all of it runs once before, at the same time, and what is timed finds its caches full: several models'
steps in the time that one compiles, and no first times. Needs a GPU and Python with PyTorch, Triton, Nereid and, for steps, transformers and torchvision."""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 30
# Models of the steps: as models.py makes them.
MODELS = ("llama", "bert", "vit", "resnet")
KINDS = ("first", "tuned", "steps")


def kernels_cases():
    """Cases of the figures, one of each kind that is tuned."""
    sys.path.insert(0, str(HERE.parent / "gpu_figures"))
    import cases
    import torch

    yield cases.matmul(2048, 2048, 2048)
    yield cases.matmul_gelu(2048, torch.bfloat16)
    yield cases.attention(32, 2048, 64, True)
    yield cases.attention_backward(32, 2048, 64, False)
    rows = "softmax", "layer norm", "cross", "transpose"
    yield from (case for case in cases.memory_cases(4) if case.name.startswith(rows))


def launches(case, variants):
    """A function that launches the case's kernel, tuned where there are several variants."""
    import kernels
    import triton

    function = getattr(kernels, case.kernel)
    constants = [{name: getattr(triton.language, value) if name in ("SUM", "OUT") else value
                  for name, value in variant.constants.items()} for variant in variants]
    if len(variants) == 1:
        options = {"num_warps": variants[0].warps, "num_stages": variants[0].stages}
        return lambda: function[variants[0].grid](*case.arguments.values(), **constants[0], **options)
    grids = {tuple(variant.constants.items()): variant.grid for variant in variants}
    configurations = [triton.Config(each, num_warps=variant.warps, num_stages=variant.stages)
                      for each, variant in zip(constants, variants)]
    tuned = triton.autotune(configs=configurations, key=[])(function)

    def grid(meta):
        return next(grid for values, grid in grids.items()
                    if all(name in ("SUM", "OUT") or meta[name] == value for name, value in values))

    return lambda: tuned[grid](*case.arguments.values())


def time_kernels(kind, texts):
    import torch

    for case in kernels_cases():
        name = f"{kind}: {case.name}"
        if texts and not any(text in name for text in texts):
            continue
        launch = launches(case, case.variants if kind == "tuned" else case.variants[:1])
        torch.cuda.synchronize()
        begin = time.perf_counter()
        launch()
        torch.cuda.synchronize()
        yield name, (time.perf_counter() - begin) * 1e3


def time_steps(texts):
    import torch

    import models

    for model_name in MODELS:
        if texts and not any(text in f"steps: {model_name}" for text in texts):
            continue
        torch.manual_seed(0)
        model, inputs = getattr(models, model_name)()
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        compiled = torch.compile(model)

        def step():
            result = compiled(**inputs)
            first = result if isinstance(result, torch.Tensor) else next(iter(result.values()))
            first.float().square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()

        walls = []
        for _ in range(STEPS + 5):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            step()
            torch.cuda.synchronize()
            walls.append((time.perf_counter() - begin) * 1e3)
        yield f"steps: {model_name}, first", walls[0]
        yield f"steps: {model_name}, later", statistics.median(walls[5:])
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(3):
                step()
            torch.cuda.synchronize()
        kernels = [event for event in profile.key_averages() if event.device_type == torch.autograd.DeviceType.CUDA]
        yield f"steps: {model_name}, kernels", sum(event.self_device_time_total for event in kernels) / 3e3
        yield (f"steps: {model_name}, Triton's kernels",
               sum(event.self_device_time_total for event in kernels if "triton_" in event.key) / 3e3)


def work(kind, texts, out):
    """What one process does: its times in milliseconds by name."""
    times = {}
    for name, milliseconds in time_steps(texts) if kind == "steps" else time_kernels(kind, texts):
        times[name] = milliseconds
        pathlib.Path(out).write_text(json.dumps(times))


def turn(under, kind, texts, folder):
    """Times of a new process under `nereid` or `triton`, whose caches are in `folder`."""
    out = f"{folder}/times-{'-'.join(texts)}.json"
    caches = {"TRITON_CACHE_DIR": f"{folder}/triton", "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
              "NEREID_CACHE_DIR": f"{folder}/nereid", "CUDA_CACHE_PATH": f"{folder}/driver"}
    command = [sys.executable, *(["-m", "nereid"] if under == "nereid" else []), __file__, "--worker", out, "--kinds", kind, *texts]
    ended = subprocess.run(command, env=os.environ | caches, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ended.returncode:
        print(f"under {under}: " + "\n".join(ended.stderr.strip().splitlines()[-3:]), file=sys.stderr)
    return json.loads(pathlib.Path(out).read_text()) if os.path.exists(out) else {}


def fill(kinds, texts, folders):
    """Runs each model and each other kind once, all at the same time: what compiles of them is in the folders' caches then."""
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for under, folder in folders.items():
            for kind in kinds:
                rows = [[model] for model in MODELS if not texts or any(text in model for text in texts)]
                for part in rows if kind == "steps" else [texts]:
                    pool.submit(turn, under, kind, part, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--out", default="whole.json")
    parser.add_argument("--fill", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("texts", nargs="*")
    parsed = parser.parse_args()
    kinds = parsed.kinds.split(",")
    for kind in kinds:
        if kind not in KINDS:
            parser.error(f"--kinds: {kind!r} is none of {', '.join(KINDS)}")
    if parsed.worker:
        return work(parsed.kinds, parsed.texts, parsed.worker)
    turns = {"triton": [], "nereid": []}
    with contextlib.ExitStack() as kept:
        def folder():
            return kept.enter_context(tempfile.TemporaryDirectory())

        full = {under: folder() for under in turns} if parsed.fill else {}
        if full:
            print("filling the caches", file=sys.stderr)
            fill(kinds, parsed.texts, full)
        for number in range(parsed.turns):
            for under in turns:
                print(f"turn {number + 1} of {parsed.turns}: {under}", file=sys.stderr)
                times = {}
                for kind in kinds:
                    times |= turn(under, kind, parsed.texts, full.get(under) or folder())
                turns[under].append(times)
                pathlib.Path(parsed.out).write_text(json.dumps(turns, indent=1))
    print(f"{'ms':60} {'Triton':>10} {'Nereid':>10} {'ratio':>6}")
    for name in turns["triton"][0]:
        both = [[times[name] for times in turns[under] if name in times] for under in turns]
        if all(both):
            theirs, ours = map(statistics.median, both)
            print(f"{name:60} {theirs:10.2f} {ours:10.2f} {theirs / ours if ours else 0:6.2f}")


if __name__ == "__main__":
    main()
