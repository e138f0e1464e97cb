# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nereid, asked through its command line."""

import pathlib
import re
import subprocess

import numpy as np

import type_cases
import value_cases
from answer import Arrays, Refused, Types, describe_constant
from expressions import numel
from inputs import make_input
from type_cases import TypeCase
from value_cases import ValueCase

# Makes a line that static_print printed known as a report.
MARK = "@report"


class Nereid:
    def __init__(self, binary: pathlib.Path, directory: pathlib.Path):
        self.binary = binary
        self.directory = directory
        self.file = directory / "kernel.py"

    def types(self, case: TypeCase) -> Types | Refused:
        self.file.write_text(type_cases.PRELUDE + "\n\n" + printing(case.source()))
        signature = [
            f"{p.name}={'*' if p.kind == 'p' else ''}{p.what}"
            for p in case.parameters()
            if p.kind != "c"
        ]
        done = subprocess.run(
            [self.binary, "compile", f"{self.file}::kernel", "--target=none"]
            + ["--signature", ",".join(signature)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return Refused(diagnostic(done))
        reports = {}
        for line in done.stdout.splitlines():
            if line.startswith(MARK):
                _, index, *values = line.split("|")
                reports[int(index)] = tuple(describe(value) for value in values)
        return Types(reports)

    def values(self, case: ValueCase, device: str) -> Arrays | Refused:
        self.file.write_text(value_cases.PRELUDE + "\n\n" + case.source())
        command = [self.binary, "run", f"{self.file}::kernel", *launch(case)]
        command += ["--device", device, "--threads", "1"]
        for output in case.outputs:
            command += ["--save", f"{output.name}={output.name}.npy"]
        self.write_inputs(case)
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.directory)
        if done.returncode:
            return Refused(diagnostic(done))
        names = [output.name for output in case.outputs]
        return Arrays({name: np.load(self.directory / f"{name}.npy") for name in names})

    def write_inputs(self, case: ValueCase) -> None:
        for name in case.inputs():
            path = self.directory / input_file(name, case.variant)
            if not path.exists():
                np.save(path, make_input(name, case.variant))


def launch(case: ValueCase) -> list[str]:
    """The part of the command line that tells the arguments."""
    words = ["--grid", str(case.programs), f"n={case.count}"]
    for name in case.inputs():
        convert = ":bf16" if name == "bf16" else ""
        words.append(f"x_{name}=@{input_file(name, case.variant)}{convert}")
    for output in case.outputs:
        count = numel(output.shape) * case.programs
        words.append(f"{output.name}=zeros:{output.dtype}[{count}]")
    return words


def input_file(name: str, variant: int) -> str:
    return f"x_{name}_{variant}.npy"


def printing(source: str) -> str:
    call = f'tl.static_print("{MARK}", \\2, sep="|")'
    return re.sub(r"^( *)report\((.*)\)$", rf"\1{call}", source, flags=re.MULTILINE)


def describe(text: str) -> str:
    """A constexpr is printed as its value, everything else as its type."""
    if text in ("True", "False", "None"):
        return f"constexpr {text}"
    for parse in (int, float):
        try:
            return describe_constant(parse(text))
        except ValueError:
            pass
    return text


def diagnostic(done: subprocess.CompletedProcess[str]) -> str:
    if found := re.search(r"error: (.*)", done.stderr):
        return found[1]
    return f"exit status {done.returncode}: {done.stderr.strip()[-200:]}"
