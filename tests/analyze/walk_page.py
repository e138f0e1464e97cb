#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tests/analyze/walk_page.py NEREID: does what docs/analyze.md's example tells its reader to type, and looks for each line that the page quotes
in what is printed; and so it does for figures with a unit, and counts of four digits or more, of the sentences between. Numbers may be off by 3 %: other versions of NVIDIA's tools, or none, give a kernel some registers more or less."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def is_quoted(line, printed):
    """The same words, the same numbers of lines, and other numbers that are alike."""
    lines = lambda text: re.findall(r"(?:^\s*|\bline )(\d+)\b(?!\.)", text)
    words = lambda text: NUMBER.sub("#", " ".join(text.split()))
    numbers = lambda text: [float(number) for number in NUMBER.findall(text)]
    return any(words(line) == words(other) and lines(line) == lines(other) and
               all(abs(a - b) <= 0.03 * max(a, b) for a, b in zip(numbers(line), numbers(other)))
               for other in printed)


def figures(text):
    """(number, unit) of each; counts have none."""
    return [(float(number), unit) for number, unit in re.findall(r"(?<![\w.])(\d+(?:\.\d+)?) ([nu]s|[kMG]B|GB/s|%)(?!\w)", text)] + \
        [(float(number), "") for number in re.findall(r"(?<![\w.])(\d{4,})(?![\w.])", text)]


def main(nereid):
    page = (ROOT / "docs/analyze.md").read_text(encoding="utf-8")
    part = page.split("## A transpose in four steps")[1].split("\n## ")[0]
    blocks = re.findall(r"```(\w*)\n(.*?)```", part, re.S)
    commands = "".join(text for language, text in blocks if language == "sh")
    quoted = [line for language, text in blocks if not language for line in text.splitlines() if line.strip() not in ("", "...")]
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "kernels", os.path.join(folder, "kernels"))
        os.symlink(os.path.abspath(nereid), os.path.join(folder, "nereid"))
        made = subprocess.run(["bash", "-e", "-c", commands], cwd=folder, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
                              capture_output=True, text=True, check=False)
        if made.returncode:
            sys.exit(f"a command of the page failed: {made.stderr.strip()}")
        lacking = [name for name in re.findall(r"--html (\S+)", commands) if not os.path.getsize(os.path.join(folder, name))]
    printed = made.stdout.splitlines()
    lacking += [line for line in quoted if not is_quoted(line, printed)]
    sentences, said = re.sub(r"```.*?```", "", part, flags=re.S), figures(made.stdout)
    told = figures(sentences)
    lacking += [f"{number:g} {unit}".strip() for number, unit in told
                if not any(unit == other and abs(number - printed) <= 0.03 * printed for printed, other in said)]
    quoted += told
    for line in lacking:
        print(f"not as the page says: {line}")
    print(f"{len(quoted) - len(lacking)} of {len(quoted)} lines and figures are printed as the page has them")


main(*sys.argv[1:])
