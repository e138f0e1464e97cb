# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stub of the native module is what nanobind writes of it, and the package agrees with it."""

import ast
import os
import subprocess
import sys
import tempfile
import unittest

from running import main, require

require("mypy", "nanobind")

import nereid

PACKAGE = os.path.dirname(os.path.realpath(nereid.__file__))
ROOT = os.path.dirname(os.path.dirname(PACKAGE))


PROGRAM = """
from typing import Any
import nereid
import nereid.language as tl

@nereid.autotune(configs=[nereid.Config({"B": 16}, num_warps=4)], key=["n"])
@nereid.jit
def tuned(x: Any, n: int, B: tl.constexpr) -> None:
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n).to(tl.float32), mask=i < n)

@nereid.jit(do_not_specialize=["n"])
def plain(x: Any, n: int) -> None:
    tl.store(x, n)

def measure(x: Any) -> Any:
    tuned[(nereid.cdiv(5, 2),)](x, 5)
    plain[(1,)](x, 5)
    return nereid.testing.do_bench(lambda: None)

nereid.nonsense
"""


def names_of(node):
    """What a statement of a stub declares."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name for alias in node.names]
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


class Stubs(unittest.TestCase):

    def test_current(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "_native.pyi")
            subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "nereid._native", "-o", path],
                           check=True)
            with open(path) as made, open(os.path.join(PACKAGE, "_native.pyi")) as kept:
                self.assertEqual(made.read(), kept.read(), "python3 -m nanobind.stubgen -m nereid._native")

    def test_names_of_the_package_and_the_language(self):
        for module in (nereid, nereid.language):
            with open(os.path.join(PACKAGE, module.__name__.replace("nereid", ".", 1).replace(".", "/").lstrip("/"),
                                   "__init__.pyi")) as file:
                stub = ast.parse(file.read())
            declared = {name for node in stub.body for name in names_of(node)}
            there = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
            self.assertEqual(sorted(set(there) - declared), [], f"{module.__name__}: names that its stub lacks")

    def test_program(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "program.py")
            with open(path, "w") as file:
                file.write(PROGRAM)
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent",
                                   "--cache-dir", os.devnull, path], capture_output=True, text=True,
                                  env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
        lines = [line for line in done.stdout.splitlines() if line.startswith(path)]
        wrong = [line.partition(": ")[2] for line in lines]
        self.assertEqual(wrong, ['error: Module has no attribute "nonsense"  [attr-defined]'], done.stdout)

    def test_types(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", os.path.join(ROOT, "pyproject.toml"),
                               "--cache-dir", os.devnull, "-p", "nereid"], cwd=os.path.dirname(PACKAGE),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
