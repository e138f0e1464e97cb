# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ordinary functions called from kernels on the checked executor: what programs have arrives as arrays."""

import contextlib
import functools
import io
import os
import pdb
import unittest
from unittest import mock

os.environ["TRITON_INTERPRET"] = "1"

from running import main, require, run_program

require("numpy")
import numpy as np

import nereid
import nereid.language as tl

seen = []


def record(*values, **named):
    seen.append((values, named))


def selects(conditions, pids):
    return all(not each or eval(f"{int(pid[0])}{each.replace('=', '==')}") for each, pid in
               zip(conditions.split(","), pids))


def breakpoint_if(conditions, pid_0=[0], pid_1=[0]):
    if selects(conditions, (pid_0, pid_1)):
        pdb.set_trace()


def fails_at(pid):
    if pid[0] == 2:
        raise LookupError("of a program")


class Journal:
    """What kernels call that is no plain function."""

    def __init__(self):
        self.rows = []

    def add(self, tile):
        self.rows.append(tile.tolist())

    def __call__(self, tile):
        self.rows.append("called")

    @classmethod
    def note(cls, tile):
        seen.append(("class", tile.shape))


journal = Journal()
add_of_journal = journal.add
named = functools.partial(record, "first")


class Functions(unittest.TestCase):

    def setUp(self):
        seen.clear()

    def test_tiles_scalars_constants_and_texts(self):

        @nereid.jit
        def kernel(x, n, B: tl.constexpr):
            pid = tl.program_id(0)
            places = pid * B + tl.arange(0, B)
            values = tl.load(x + places, mask=places < n, other=-1)
            record(pid, values, B, "text", f"pid = {pid}", mask=(places < n)[None, :], nothing=None)

        kernel[(2,)](np.arange(6, dtype=np.float64), 6, 4)
        self.assertEqual(len(seen), 2)
        (pid, values, constant, text, formatted), named = seen[1]
        self.assertEqual((pid.tolist(), pid.dtype), ([1], np.int32))
        self.assertEqual((values.tolist(), values.dtype), ([4, 5, -1, -1], np.float64))
        self.assertEqual((constant, text, formatted), (4, "text", "pid = [1]"))
        self.assertEqual(named["mask"].tolist(), [[True, True, False, False]])
        self.assertIsNone(named["nothing"])

    def test_every_dtype(self):
        from nereid.language.dtypes import DTYPES

        @nereid.jit
        def kernel(TYPE: tl.constexpr):
            record(tl.full((2, 4), 3, tl.float32).to(TYPE))

        for name, dtype in DTYPES.items():
            if name == "void":
                continue
            seen.clear()
            kernel[(1,)](dtype)
            (tile,), _ = seen[0]
            wanted = 1.0 if dtype.is_int1() else 1.75 if dtype.is_fp8e4b15() else 3.0  # the largest that they have
            self.assertEqual((tile.shape, set(map(float, tile.flat))), ((2, 4), {wanted}), name)

    def test_only_where_control_comes_by(self):

        @nereid.jit
        def kernel(N):
            for i in range(N):
                if i % 3 == 1:
                    record(i)

        kernel[(1,)](8)
        self.assertEqual([values[0][0] for values, _ in seen], [1, 4, 7])

    def test_the_function_of_now(self):
        scope = {"tl": tl, "nereid": nereid}
        source = "def kernel(n):\n    report(n)\n"
        import linecache
        linecache.cache["<now>"] = (len(source), None, source.splitlines(True), "<now>")
        exec(compile(source, "<now>", "exec"), scope)
        kernel = nereid.jit(scope["kernel"])
        for answer in ("first", "second"):
            scope["report"] = lambda n, answer=answer: seen.append(answer)
            kernel[(1,)](5)
        self.assertEqual(seen, ["first", "second"])

    def test_what_it_raises_leaves_the_launch(self):

        @nereid.jit
        def kernel():
            record(tl.program_id(0))
            fails_at(tl.program_id(0))

        with self.assertRaisesRegex(LookupError, "of a program"):
            kernel[(5,)]()
        self.assertEqual(len(seen), 3)

    def test_breakpoint(self):

        @nereid.jit
        def kernel(x):
            pid_0, pid_1 = tl.program_id(0), tl.program_id(1)
            breakpoint_if("=1,>0", pid_0, pid_1)
            tl.store(x, 1)

        with mock.patch.object(pdb, "set_trace") as stop:
            kernel[(2, 3)](np.zeros(1, np.float32))
        self.assertEqual(stop.call_count, 2)

    def test_attributes_of_modules(self):

        @nereid.jit
        def kernel():
            pdb.set_trace()

        with mock.patch.object(pdb, "set_trace", lambda: seen.append("stopped")):
            kernel[(2,)]()
        self.assertEqual(seen, ["stopped", "stopped"])

    def test_methods_and_callable_objects(self):

        @nereid.jit
        def kernel(x):
            tile = tl.load(x + tl.arange(0, 2))
            journal.add(tile)
            add_of_journal(tile + 1)
            Journal.note(tile)
            named(tile.shape)
            seen.append("appended")

        @nereid.jit
        def calls(x):
            journal(tl.load(x))

        x = np.arange(2, dtype=np.float32)
        kernel[(1,)](x)
        calls[(1,)](x)
        self.assertEqual(journal.rows, [[0, 1], [1, 2], "called"])
        self.assertEqual(seen, [("class", (2,)), (("first", (2,)), {}), "appended"])

    def test_methods_of_several_objects(self):

        def kernel_of(report):

            @nereid.jit
            def kernel(x):
                report(tl.load(x))

            return kernel

        first, second = Journal(), Journal()
        for each in (first, second):
            kernel_of(each.add)[(1,)](np.ones(1, np.float32))
        self.assertEqual((first.rows, second.rows), ([[1]], [[1]]))

    def test_print_is_that_of_python(self):

        @nereid.jit
        def kernel(x, N: tl.constexpr):
            tile = tl.load(x + tl.arange(0, N))
            print("pid", tl.program_id(0), "tile", tile, sep="|", end=";\n")
            print("shape", tile.shape)
            print(tile, tile + 1)
            print()

        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            kernel[(1,)](np.arange(2, dtype=np.float32), 2)
        self.assertEqual(output.getvalue(), "pid|[0]|tile|[0. 1.];\nshape (2,)\n[0. 1.] [1. 2.]\n\n")

    def test_debugger_stops_in_the_kernel(self):
        program = ("import pdb, numpy as np, triton, triton.language as tl\n"
                   "@triton.jit\n"
                   "def kernel(x):\n"
                   "    tl.store(x, 1)\n"
                   "    STOP\n"
                   "kernel[(1,)](np.zeros(1, np.float32))\n"
                   "print('went on')\n")
        for stop in ("breakpoint()", "pdb.set_trace()"):
            out, errors, code = run_program(program.replace("STOP", stop), environment={"TRITON_INTERPRET": "1"},
                                            given="l\nc\n")
            self.assertRegex(out, r"program.py\(5\)kernel\(\)", errors)
            self.assertIn("5  ->\t    " + stop, out)
            self.assertIn("went on", out)

    def test_pdb_itself(self):
        program = ("import numpy as np, pdb, triton, triton.language as tl\n"
                   "def stop(tile):\n"
                   "    pdb.set_trace()\n"
                   "    return\n"
                   "@triton.jit\n"
                   "def kernel(x):\n"
                   "    stop(tl.load(x + tl.arange(0, 4)))\n"
                   "kernel[(1,)](np.arange(4, dtype=np.float32))\n"
                   "print('went on')\n")
        out, errors, code = run_program(program, environment={"TRITON_INTERPRET": "1"}, given="p tile * 2\nc\n")
        self.assertIn("array([0., 2., 4., 6.], dtype=float32)", out, errors)
        self.assertIn("went on", out)


class Checked(unittest.TestCase):

    def test_by_a_variable_of_its_own(self):
        program = ("import numpy as np, triton, triton.language as tl\n"
                   "@triton.jit\n"
                   "def kernel(x):\n"
                   "    tl.store(x, tl.program_id(0))\n"
                   "kernel[(8,)](np.zeros(1, np.float32))\n")
        for environment in ({}, {"TRITON_INTERPRET": "0"}, {"TRITON_INTERPRET": "1"}):
            for value, found in (("1", "data_race"), ("0", "data_race" if environment.get("TRITON_INTERPRET") == "1"
                                                      else "")):
                out, errors, code = run_program(program, environment={"TRITON_INTERPRET": "", **environment,
                                                                      "NEREID_CHECK": value})
                self.assertEqual(code, 1 if found else 0, errors)
                self.assertIn(found, errors)


    def test_looks_for_all_that_is_looked_for_on_request(self):
        for body, found in (("tl.store(x, 1 / tl.load(x))", "not_finite"),
                            ("tl.atomic_xchg(x, tl.program_id(0).to(tl.float32))", "order_dependence")):
            grid = 1 if found == "not_finite" else 4
            program = ("import numpy as np, triton, triton.language as tl\n"
                       "@triton.jit\n"
                       "def kernel(x):\n"
                       f"    {body}\n"
                       f"kernel[({grid},)](np.zeros(1, np.float32))\n")
            for value in "10":
                _, errors, code = run_program(program, environment={"TRITON_INTERPRET": "1", "NEREID_CHECK": value})
                self.assertEqual(code, int(value), errors)
                self.assertEqual(found in errors, value == "1")


class Compiled(unittest.TestCase):

    def test_is_refused_by_name(self):
        out, errors, code = run_program(
            "import numpy as np, triton, triton.language as tl\n"
            "def look(tile): pass\n"
            "@triton.jit\n"
            "def kernel(x):\n"
            "    look(tl.load(x))\n"
            "kernel[(1,)](np.zeros(1, np.float32))\n", environment={"TRITON_INTERPRET": "0"})
        self.assertEqual(code, 1)
        self.assertIn("the Python function 'look'", errors)


if __name__ == "__main__":
    main()
