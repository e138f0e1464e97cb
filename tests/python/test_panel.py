# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What carries the panel (benchmarks/panel) to a machine without a network, and the page of what it measured. Packages are
made here; nothing is downloaded."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile

from nereid.compare import report
from running import main

PANEL = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "panel"

PROGRAM = """
from absent import thing, Base
from absent.below.further import other
import some

class Derived(Base):
    pass

@other
def same():
    return 5

assert same() == 5 and not thing and thing.attribute(3) is not None
assert (Base | None) is not None and [*thing] == []
assert isinstance(Derived(), Derived)
with thing("a", b=1) as entered:
    pass
import some.compiled
assert some.compiled.function is not None
assert some.VALUE == 3
"""


def load(name):
    loader = importlib.machinery.SourceFileLoader(f"panel_{name.partition('.')[0]}", str(PANEL / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def row(ratio, kernel="k", **more):
    return {"kernel": kernel, "grid": [8, 1, 1], "options": {"num_warps": 4, "num_stages": 3}, "calls": 2,
            "triton_ms": 0.1 * ratio, "nereid_ms": 0.1, "ratio": ratio, "difference": 0.1, "remarks": []} | more


class PackagesTest(unittest.TestCase):

    def pack(self, folder, table):
        fetch = load("fetch_packages")
        with zipfile.ZipFile(folder / "some_thing-1.0-py3-none-any.whl", "w") as wheel:
            for name, text in {"some/__init__.py": "VALUE = 3", "some/heavy/__init__.py": "import nowhere",
                               "some/models/one.py": "", "some/kernel.so": "", "tests/test.py": "",
                               "some_thing-1.0.dist-info/METADATA": "Name: some-thing"}.items():
                wheel.writestr(name, text)
        out = folder / "packages.tar.xz"
        fetch.pack(table, None, folder, out)
        site = folder / "site"
        with tarfile.open(out) as archive:
            # Debian's Python 3.11.2 has no filters yet, and later ones want to be told.
            archive.extractall(site, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        return site

    def test_what_is_kept_and_what_stands_in(self):
        table = {"stand_ins": ["absent", "some.compiled"],
                 "texts": {"some/heavy/__init__.py": "", "some/made.py": "A = 1", "other/not.py": ""},
                 "packages": {"some-thing": {"version": "1.0", "folders": ["some"], "without": ["some/models"]}}}
        with tempfile.TemporaryDirectory() as folder:
            site = self.pack(pathlib.Path(folder), table)
            found = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
            self.assertEqual(found, {"some/__init__.py", "some/heavy/__init__.py", "some/compiled.py", "some/made.py",
                                     "absent/__init__.py", "stand_ins.py", "some_thing-1.0.dist-info/METADATA"})
            self.assertEqual((site / "some/made.py").read_text(), "A = 1")
            self.assertEqual((site / "some/heavy/__init__.py").read_text(), "")
            done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=site, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_others_are_not_to_find(self):
        table = {"stand_ins": [], "texts": {}, "packages": {"some-thing": {"version": "1.0", "folders": ["some"], "apart": True}}}
        with tempfile.TemporaryDirectory() as folder:
            site = self.pack(pathlib.Path(folder), table)
            self.assertTrue((site / "apart" / "some" / "__init__.py").exists())
            self.assertFalse((site / "some").exists())

    def test_the_table(self):
        import tomllib

        table = tomllib.loads((PANEL / "packages.toml").read_text())
        known = {"version", "folders", "without", "compiled", "source", "apart"}
        for name, package in table["packages"].items():
            self.assertLessEqual(set(package), known, name)
            self.assertIn("version", package)


class PageTest(unittest.TestCase):

    def test_the_page(self):
        run = load("run.py")
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            report.write_json(out / "first.json", "a GPU", [row(2.0), row(0.5, "slow"), row(0.01, "short", triton_ms=0.001)])
            untimed = {"kernel": "none", "grid": [1], "options": {}, "calls": 1, "problem": "no room"}
            report.write_json(out / "second.json", "a GPU", [row(1.0, "other", difference=3.0), untimed])
            page = run.page(out)
        self.assertTrue(page.startswith("a GPU\n"))
        self.assertRegex(page, r"all +3 +1\.00 +0\.50")
        self.assertRegex(page, r"first +2 +1\.00 +0\.50")
        self.assertRegex(page, r"0\.50 +50\.0 +100\.0 us  first: slow 8x1x1 w4 s3")
        self.assertNotIn("short", page)
        self.assertIn("second: other 8x1x1 w4 s3 (3 of what may be)", page)
        self.assertIn("second: none 1 wNone sNone: no room", page)

    def test_parts_have_names_of_files(self):
        run = load("run.py")
        part = run.Part("models:1/4", pathlib.Path())
        self.assertEqual((part.name, part.arguments), ("models.1-of-4", ["--part", "1/4"]))
        self.assertEqual(run.Part("liger:rms norm", pathlib.Path()).arguments, ["rms norm"])
        for program in run.PROGRAMS:
            self.assertTrue(run.Part(program, pathlib.Path()).file.exists())

    def test_what_an_earlier_call_measured_is_gone_when_a_program_runs_again(self):
        run = load("run.py")
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            part = run.Part("liger", out)
            part.file = out / "no_such_program.py"
            for name in ("liger", "models"):
                report.write_json(out / f"{name}.json", "a GPU", [row(2.0, name)])
            run.run_first([part], 1, time.monotonic() + 60)
            self.assertTrue((out / "liger.json").exists())
            with contextlib.redirect_stdout(io.StringIO()):
                run.run_timed([part], time.monotonic() + 60)
            self.assertEqual([file.name for file in out.glob("*.json")], ["models.json"])

    def test_programs_that_are_not_there(self):
        done = subprocess.run([sys.executable, PANEL / "run.py", "liger", "ligre:0/2"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no program ligre; there are: serving, ", done.stderr)


WRONG = """
import torch
from cases import checked, run

def off(by):
    yield torch.ones(4) + by, lambda: torch.ones(4)
    yield torch.arange(4), lambda: torch.arange(4), 0.0

run(checked({"right": lambda: off(0.001), "wrong": lambda: off(0.1), "no number": lambda: off(float("nan"))}))
"""


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class CheckedTest(unittest.TestCase):
    """Programs that say what they should leave, on the host."""

    def run_checked(self, *program, **options):
        done = subprocess.run([sys.executable, *program, "--check"], capture_output=True, text=True,
                              env=os.environ | {"CUDA_VISIBLE_DEVICES": "", "PYTHONWARNINGS": "ignore"}, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_what_nobody_had_run_leaves_what_it_should(self):
        for name in ("unseen_serving", "unseen_training", "unseen_sciences"):
            with self.subTest(name):
                self.assertEqual(self.run_checked("-m", "nereid", PANEL / f"{name}.py"), "")

    def test_what_is_wrong_is_said(self):
        errors = self.run_checked("-c", WRONG, cwd=PANEL)
        self.assertRegex(errors, r"(?m)^wrong: AssertionError: .*launch 0 leaves other numbers: 0\.1 for 0\.02")
        self.assertRegex(errors, r"(?m)^no number: AssertionError: .*nan for 0\.02")
        self.assertNotIn("right", errors)


if __name__ == "__main__":
    main()
