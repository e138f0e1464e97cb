# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements with fields in kernels of threads, beside what NumPy does with them; NumPy's functions on whole arrays, parts
that are assigned, and loops over arrays."""

import math
import os
import shutil
import subprocess
import tempfile
import unittest

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda

CHECKED = os.environ.get("TRITON_INTERPRET") == "1"
HAS_NUMBA = hasattr(numba, "njit") and not numba.__file__.startswith(nereid.__path__[0])
INNER = np.dtype([("x", "i2"), ("y", "f4")], align=True)
PARTICLE = np.dtype([("mass", "f8"), ("kind", "i4"), ("spin", "c8"), ("name", "U3"), ("place", "f4", (3, )),
                     ("grid", "i2", (2, 2)), ("inner", INNER), ("alive", "?")], align=True)
RANDOM = np.random.default_rng(3)


def particles(count):
    made = np.zeros(count, PARTICLE)
    made["mass"], made["kind"] = RANDOM.standard_normal(count), RANDOM.integers(0, 9, count)
    made["spin"] = RANDOM.standard_normal(count) + 1j * RANDOM.standard_normal(count)
    made["name"], made["place"] = "abc", RANDOM.standard_normal((count, 3))
    made["grid"], made["inner"]["x"] = RANDOM.integers(0, 99, (count, 2, 2)), np.arange(count)
    return made


@cuda.jit
def fields(p, out):
    i = cuda.grid(1)
    if i < p.size:
        one = p[i]
        out[i] = one.mass * one.place[2] + p.kind[i] + p["grid"][i, 1, 0] + one["inner"].x + one.spin.imag
        one.mass = i
        p[i].kind += 3
        p.spin[i] = one.spin * 2
        one.grid[0, 1] = -i
        one.inner.y = 0.5
        one["alive"] = i % 2 == 0
        one.place = 7


@cuda.jit
def reverse(p):
    held = cuda.shared.array(8, PARTICLE)
    t = cuda.threadIdx.x
    held[t] = p[t]
    cuda.syncthreads()
    p[t] = held[7 - t]


@cuda.jit
def heaviest(p, out):
    own = cuda.local.array(1, PARTICLE)
    best = p[0]
    for one in p:
        if one.mass > best.mass:
            best = one
    own[0] = best
    out[0] = own[0].mass
    out[1] = own[0].inner.x


@cuda.jit
def one_record(record, out):
    out[0] = record.mass + record.place[1]
    record.kind = 41


@cuda.jit
def beyond(p, out):
    out[0] = p[0].place[cuda.threadIdx.x + 3]


@cuda.jit
def elementwise(x, y, total, largest, sines):
    np.add(x, y, total)
    np.maximum(x, 0, largest)
    np.sin(x, out=sines)


@cuda.jit
def parts(x):
    x[1:3] = 5
    x[3:, 0] = x[0, :2]
    x[0, ...] = x[1]


@cuda.jit
def loops(x, out):
    total = 0.0
    for value in x:
        total += value
    for i, value in enumerate(x, 2):
        total += i * value
    for a, b in zip(x, out):
        if b > 2:
            break
        total += a * b
    out[0] = total


@cuda.jit
def no_such_field(p):
    p[0].weight = 1


@cuda.jit
def text_of(p, out):
    out[0] = p[0].name


@cuda.jit
def allocates(x):
    y = np.add(x, x)


class StructuresTest(unittest.TestCase):

    def test_fields_are_numpys(self):
        p, out = particles(37), np.zeros(37)
        q, wanted = p.copy(), np.arange(37)
        expected = (q["mass"] * q["place"][:, 2] + q["kind"] + q["grid"][:, 1, 0] + q["inner"]["x"] + q["spin"].imag)
        fields[2, 32](p, out)
        np.testing.assert_allclose(out, expected, rtol=1e-6)
        q["mass"], q["kind"], q["spin"], q["grid"][:, 0, 1] = wanted, q["kind"] + 3, q["spin"] * 2, -wanted
        q["inner"]["y"], q["alive"], q["place"] = 0.5, wanted % 2 == 0, 7
        np.testing.assert_array_equal(p, q)

    def test_strides(self):
        p, out = particles(24), np.zeros(12)
        q = p.copy()
        fields[1, 32](p[::2], out)
        np.testing.assert_array_equal(p[1::2], q[1::2])
        np.testing.assert_array_equal(p["mass"][::2], np.arange(12))

    def test_none(self):
        fields[1, 32](particles(0), np.zeros(0))

    def test_copies_keep_texts(self):
        p = particles(8)
        q = p.copy()
        reverse[1, 8](p)
        np.testing.assert_array_equal(p, q[::-1])

    def test_variables_and_local_memory(self):
        p, out = particles(9), np.zeros(2)
        heaviest[1, 1](p, out)
        self.assertEqual(out.tolist(), [p["mass"].max(), float(p["mass"].argmax())])

    def test_one_record(self):
        p, out = particles(3), np.zeros(1)
        one_record[1, 1](p[1], out)
        self.assertAlmostEqual(out[0], p[1]["mass"] + p[1]["place"][1], places=6)
        self.assertEqual(p["kind"][1], 41)

    def test_arrays_of_the_device(self):
        p = particles(8)
        there = cuda.to_device(p)
        reverse[1, 8](there)
        np.testing.assert_array_equal(there.copy_to_host(), p[::-1])

    def test_unaligned_fields_are_refused(self):
        unaligned = np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")]))
        with self.assertRaisesRegex(TypeError, "argument 'record'|field 'b' of type float64 is not aligned"):
            one_record[1, 1](unaligned[0], np.zeros(1))

    def test_mistakes(self):
        for kernel, args, text in ((no_such_field, (particles(1), ), "no attribute 'weight'"),
                                   (text_of, (particles(1), np.zeros(1)), "a text of type U3 is not a value to compute with"),
                                   (allocates, (np.zeros(3), ), "a kernel makes no arrays")):
            with self.assertRaisesRegex(nereid.errors.CompilationError, text):
                kernel[1, 1](*args)

    @unittest.skipUnless(CHECKED, "the checked device looks at indices")
    def test_indices_of_fields_are_checked(self):
        with self.assertRaisesRegex(nereid.errors.InterpreterError, "index 3 of dimension 0"):
            beyond[1, 1](particles(2), np.zeros(1))

    @unittest.skipUnless(HAS_NUMBA and shutil.which("ptxas"), "Numba names the types, and ptxas reads the code")
    def test_code_for_gpus(self):
        kind = numba.from_dtype(PARTICLE)
        ptx, _ = cuda.compile_ptx(heaviest.py_func, (kind[:], numba.float64[:]))
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(ptx)
            file.flush()
            subprocess.run(["ptxas", "-arch=sm_90a", file.name, "-o", "/dev/null"], check=True)


class WholeArraysTest(unittest.TestCase):

    def test_functions(self):
        x, y = RANDOM.standard_normal((3, 5)), RANDOM.standard_normal(5).astype("f4")
        x[1, 2] = math.nan
        total, largest, sines = np.zeros((3, 5)), np.zeros((3, 5), "f4"), np.zeros((2, 3, 5))
        elementwise[1, 1](x, y, total, largest, sines)
        np.testing.assert_array_equal(total, x + y)
        np.testing.assert_array_equal(largest, np.maximum(x, 0).astype("f4"))
        np.testing.assert_allclose(sines, np.broadcast_to(np.sin(x), (2, 3, 5)), rtol=1e-15)

    def test_parts(self):
        x = RANDOM.standard_normal((5, 2))
        wanted = x.copy()
        wanted[1:3] = 5
        wanted[3:, 0] = wanted[0, :2]
        wanted[0] = wanted[1]
        parts[1, 1](x)
        np.testing.assert_array_equal(x, wanted)

    def test_loops(self):
        x, out = np.array([1.5, 2.5, -4.0]), np.array([1.0, 2.0, 3.0])
        wanted = x.sum() + sum(i * v for i, v in enumerate(x, 2)) + 1.5 + 5.0
        loops[1, 1](x, out)
        self.assertEqual(out[0], wanted)

    @unittest.skipUnless(CHECKED, "the checked device looks at indices")
    def test_operands_that_do_not_fit_are_reported(self):
        with self.assertRaisesRegex(nereid.errors.InterpreterError, r"read of x\[2\]"):
            elementwise[1, 1](np.zeros(2), np.zeros(3), np.zeros(3), np.zeros(2), np.zeros(2))


@unittest.skipIf(CHECKED, "it is what runs")
class CheckedTest(unittest.TestCase):

    def test_all_of_it(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
