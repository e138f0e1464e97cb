# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of expressions in kernels of threads are Numba's: random expressions of parameters of all types, about which
Numba itself is asked. NEREID_TEST_SEEDS=from,to asks for others than the usual ones."""

import os
import random
import re
import subprocess
import tempfile
import unittest
import warnings

from running import main, require

require("numba")
import math

import numba

warnings.filterwarnings("ignore")
# Numba's name of each type, ours in a signature
TYPES = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32",
         "uint64": "u64", "float32": "f32", "float64": "f64", "boolean": "i1"}
PER_SEED = 40
FUNCTIONS = ("math.sqrt", "math.floor", "abs", "int", "float", "math.exp", "math.fabs")


def expression(rng, depth):
    """Every operation has a parameter in it: what is made of literals alone has a type of Numba's own."""
    if depth == 0:
        return rng.choice("abc")
    inner = lambda: expression(rng, rng.randrange(depth))
    other = lambda: rng.choice(("2", "3", "1.5", "True")) if rng.random() < 0.3 else inner()
    pair = lambda operators: f"({inner()} {rng.choice(operators)} {other()})"
    kind = rng.randrange(10)
    if kind < 4:
        return pair(("+", "-", "*", "/", "//", "%"))
    if kind == 4:
        return pair(("<", "==", ">=", "!="))
    if kind == 5:
        return f"({rng.choice(('-', '+', 'not '))}{inner()})"
    if kind == 6:
        return pair(("&", "|", "^", "<<", ">>"))
    if kind == 7:
        return f"({inner()} if {inner()} > 1 else {other()})"
    if kind == 8:
        return f"{rng.choice(('min', 'max'))}({inner()}, {other()})"
    return f"{rng.choice(FUNCTIONS)}({inner()})"


def type_in_numba(text, types):
    """None if Numba refuses."""
    scope = {"math": math}
    exec(f"def f(a, b, c):\n    return {text}", scope)
    try:
        compiled = numba.njit(scope["f"])
        compiled.compile(tuple(getattr(numba.types, each) for each in types))
        return str(compiled.nopython_signatures[0].return_type)
    except Exception:
        return None


def type_here(path, kernel, types):
    signature = ",".join(["out=f64[::1]", *(f"{name}={TYPES[each]}" for name, each in zip("abc", types))])
    done = subprocess.run([os.environ["NEREID_TEST_BINARY"], "compile", f"{path}::{kernel}", "--block", "32",
                           "--signature", signature, "--dump=types", "--target", "none"], capture_output=True,
                          text=True)
    found = re.search(r" r: (?:pointer to )?(\w+)", done.stdout)
    return {"int1": "bool"}.get(found.group(1), found.group(1)) if found and done.returncode == 0 else None


class Types(unittest.TestCase):

    def test_random_expressions(self):
        first, last = map(int, os.environ.get("NEREID_TEST_SEEDS", "1,4").split(","))
        compared = 0
        for seed in range(first, last):
            rng = random.Random(seed)
            cases = [(expression(rng, rng.randrange(1, 4)), [rng.choice(list(TYPES)) for _ in "abc"])
                     for _ in range(PER_SEED)]
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, "kernels.py")
                with open(path, "w") as file:
                    file.write("import math\nfrom numba import cuda\n")
                    for number, (text, _) in enumerate(cases):
                        file.write(f"@cuda.jit\ndef k{number}(out, a, b, c):\n    r = {text}\n")
                for number, (text, types) in enumerate(cases):
                    expected, found = type_in_numba(text, types), type_here(path, f"k{number}", types)
                    if expected is None or found is None:  # who refuses more is another question
                        continue
                    compared += 1
                    self.assertEqual(found, expected.replace("boolean", "bool"), f"{text} of {types}, seed {seed}")
        self.assertGreater(compared, (last - first) * PER_SEED * 0.7)


if __name__ == "__main__":
    main()
