#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py [--seconds N] [PROGRAM[:I/N | :TEXT]...]: runs programs of the panel under `python -m nereid compare` in so many
seconds, and writes one page: the distribution, the programs, the worst twenty.

Each program runs twice. First several at a time, with caches that are kept: that compiles what both compilers make of its
kernels, and its times are thrown away. Then one at a time, which is what counts. A program that the seconds are over for is
stopped, and what it measured until then counts. `--first` says how large a part of the seconds may be spent on the first runs.

Writes to out/panel/ (or --out): PROGRAM.json, PROGRAM.launches (for nereid replay), PROGRAM.log, page.txt. Without programs:
all that are here. --page: no program runs; the page of the files that are there.

Needs a GPU, PyTorch, Triton and the packages of fetch_packages, whose folder PYTHONPATH names."""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("serving", "flex", "liger", "linear_attention", "other_packages", "vllm_kernels", "vllm_models",
            "sglang_kernels", "state_space", "flash_attention_parts", "recurrent", "quantised", "transformer_parts",
            "unsloth_kernels", "serving_libraries", "training_libraries", "sciences", "unseen_serving",
            "unseen_training", "unseen_sciences", "unseen_vision", "unseen_scenes", "unseen_language", "unseen_tokens",
            "unseen_graphs", "unseen_numbers", "unseen_signals", "models", "torch_operators")
WORST = 20
GRACE = 20  # seconds for a program that was stopped to write what it measured

# What a process does before it is its turn: what takes seconds and no GPU.
STARTED = ("import sys, torch, triton, nereid.compare.race\nfrom nereid.compare.command import main\n"
           "sys.stdin.readline()\nsys.exit(main(sys.argv[1:]))")


class Part:
    """A program, or some of its cases: liger, models:0/4, models:llama."""

    def __init__(self, text, out):
        program, _, cases = text.partition(":")
        self.file = HERE / f"{program}.py"
        self.name = text.replace(":", ".").replace("/", "-of-").replace(" ", "_")
        self.arguments = [] if not cases else ["--part", cases] if "/" in cases else [cases]
        self.out, self.process = out, None

    def start(self, is_timed):
        """Starts it, to wait for its turn."""
        self.is_timed = is_timed
        kept = ["--json", f"{self.name}.json", "--save", f"{self.name}.launches"] if is_timed else ["--once"]
        with open(self.out / f"{self.name}.{'log' if is_timed else 'first.log'}", "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", STARTED, *kept, "--configs", "1", "--bounds", "0", "--no-remarks", str(self.file),
                 *self.arguments], stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, cwd=self.out, text=True)

    def go(self):
        self.begin = time.monotonic()
        if self.is_timed:  # what an earlier call measured counts no longer, whatever becomes of this one
            for kind in ("json", "launches"):
                (self.out / f"{self.name}.{kind}").unlink(missing_ok=True)
        try:
            self.process.stdin.write("\n")
            self.process.stdin.close()
        except BrokenPipeError:  # it ended before its turn; its log says why
            pass

    def is_done(self):
        return self.process.poll() is not None

    def stop(self):
        if not self.is_done():
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def run_first(parts, jobs, end):
    """All of them, so many at a time, until the time `end`."""
    waiting, running = list(parts), []
    while (waiting or running) and time.monotonic() < end:
        while waiting and len(running) < jobs:
            running.append(waiting.pop(0))
            running[-1].start(False)
            running[-1].go()
        running = [part for part in running if not part.is_done()]
        time.sleep(0.1)
    for part in running:
        part.process.send_signal(signal.SIGTERM)
    for part in running:
        part.stop()
    cut = [part.name for part in running + waiting]
    if cut:
        print(f"first run cut off or left out: {', '.join(cut)}", flush=True)


def run_timed(parts, end):
    """One after the other; the next one starts while its predecessor runs, and waits."""
    if parts:
        parts[0].start(True)
    for number, part in enumerate(parts):
        if time.monotonic() > end:
            part.process.kill()
            print(f"not run: {', '.join(each.name for each in parts[number:])}", flush=True)
            return
        part.go()
        if number + 1 < len(parts):
            parts[number + 1].start(True)
        while not part.is_done() and time.monotonic() < end:
            time.sleep(0.05)
        if not part.is_done():
            print(f"cut off: {part.name}", flush=True)
            part.stop()
        print(f"{part.name}: {time.monotonic() - part.begin:.0f} s", flush=True)


def page(out):
    """The distribution of all launches, a line for each program, the worst, and what was not timed."""
    from nereid.compare import command, report

    files = sorted(out.glob("*.json"))
    if not files:
        return "nothing was measured\n"
    machine, _, _ = command.merged(files)
    lines, found = [machine, "", f"{'program':<28} launches  geometric mean  least  5th  25th  median  whole"], []
    for file in files:
        _, rows, _ = command.merged([file])
        for row in rows:
            row["program"] = file.stem
        found += rows
        lines.append(_line(file.stem, rows, report))
    lines += [_line("all", found, report), "", f"the worst {WORST}"]
    lines += [f"  {row['ratio']:.2f}  {row['triton_ms'] * 1e3:9.1f} {row['nereid_ms'] * 1e3:9.1f} us  {row['program']}: "
              f"{report.name(row)}" for row in sorted(report.long_enough(found), key=lambda row: row["ratio"])[:WORST]]
    lines += ["", "other results"] + [
        f"  {row['program']}: {report.name(row)} ({report.wrong_by(row)})"
        for row in report.timed(found) if report.is_wrong(row)]
    lines += ["", "not timed"] + [f"  {row['program']}: {report.name(row)}: {row['problem'][:200]}"
                                  for row in found if "problem" in row]
    return "\n".join(lines) + "\n"


def _line(name, rows, report):
    shape = report.distribution(rows)
    if not shape:
        return f"{name:<28} no launch of 10 us"
    theirs = sum(map(report.weight, report.timed(rows)))
    ours = sum(row["calls"] * row["nereid_ms"] for row in report.timed(rows))
    return (f"{name:<28} {shape['launches']:8} {shape['geometric mean']:15.2f} {shape['least']:6.2f} "
            f"{shape['5th percentile']:4.2f} {shape['25th percentile']:5.2f} {shape['median']:7.2f} {theirs / ours:6.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--first", type=float, default=0.45, metavar="PART", help="of the seconds, for the first runs")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1), help="first runs at a time")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parents[1] / "out" / "panel")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parsed = parser.parse_args()
    parts = [Part(text, parsed.out) for text in parsed.programs]
    if unknown := [part.file.stem for part in parts if not part.file.exists()]:
        parser.error(f"no program {', '.join(unknown)}; there are: {', '.join(PROGRAMS)}")
    parsed.out.mkdir(parents=True, exist_ok=True)
    if not parsed.page:
        begin, end = time.monotonic(), time.monotonic() + parsed.seconds - GRACE
        run_first(parts, parsed.jobs, begin + parsed.first * parsed.seconds)
        print(f"first runs: {time.monotonic() - begin:.0f} s", flush=True)
        run_timed(parts, end)
    text = page(parsed.out)
    (parsed.out / "page.txt").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
