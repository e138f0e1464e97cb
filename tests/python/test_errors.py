# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes as exceptions: the class, the line of the function's text, the causes."""

import pickle
import unittest

from running import main, require

require("numpy")
import numpy as np

import nereid
import nereid.language as tl
from nereid.errors import CompilationError, CompileTimeAssertionFailure, TritonError, UnsupportedLanguageConstruct
from nereid.jit import must_use_result


def failure_of(kernel, *arguments):
    try:
        kernel[(1,)](*arguments)
    except TritonError as error:
        return error
    raise AssertionError("no error")


class Compilation(unittest.TestCase):

    def test_pointers_are_named_as_pointers(self):

        @nereid.jit
        def kernel(x, y):
            tl.store(x, x + 1 > y)

        with self.assertRaises(CompilationError) as refused:
            kernel[(1,)](np.zeros(1, np.float32), np.zeros(1, np.int64))
        cause = refused.exception.__cause__
        self.assertIsInstance(cause, TypeError)
        self.assertEqual(str(cause), "invalid operands of type pointer<fp32> and pointer<int64>")

    def test_place_in_the_function(self):

        @nereid.jit
        def kernel(x):
            a = tl.load(x)
            b = a + missing

        error = failure_of(kernel, np.zeros(1))
        self.assertIs(type(error), CompilationError)
        lines = str(error).split("\n")
        self.assertEqual(lines[:5], ["at 3:12:", "def kernel(x):", "    a = tl.load(x)", "    b = a + missing",
                                     " " * 12 + "^"])
        self.assertIn("unknown name 'missing'", str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual(str(again), str(error))

    def test_texts_reach_no_terminal_raw(self):
        '''What a kernel's author wrote is shown and not obeyed, in excerpts as in messages.'''
        turned, escape = "\u202e", "\x1b[2J"
        source = nereid.errors.Location(lineno=2, col_offset=len(turned))
        error = CompilationError(f"def kernel(x):  # {escape}\n{turned}y = missing\n", source, f"in {escape}.py")
        lines = str(error).split("\n")
        self.assertEqual(lines[1:4], [r"def kernel(x):  # \x1b[2J", r"\u202ey = missing", " " * 6 + "^"])
        self.assertEqual(lines[4], r"in \x1b[2J.py")
        self.assertIn(escape, error.src)  # which is the text itself

        @nereid.jit
        def kernel(x):
            tl.store(x, 1)

        with self.assertRaisesRegex(KeyError, r"x1b\[2J") as refused:
            kernel[(1,)](np.zeros(1), **{escape: 1})
        self.assertNotIn("\x1b", refused.exception.args[0])
        self.assertEqual(nereid.wording.printable("\udcff\t\u00e4"), r"\xed\xb3\xbf" + "\t\u00e4")

    def test_called_function_is_the_cause(self):

        @nereid.jit
        def inner(x):
            return tl.arange(0, x)

        @nereid.jit
        def kernel(x):
            y = 1
            inner(tl.load(x))

        error = failure_of(kernel, np.zeros(1, np.int32))
        self.assertIn("at 3:4:", str(error))
        self.assertIn("at 2:", str(error.__cause__))
        self.assertIn("def inner", str(error.__cause__))

    def test_classes(self):

        @nereid.jit
        def asserts(x, N: tl.constexpr):
            tl.static_assert(N == 3, "three")

        @nereid.jit
        def tries(x):
            try:
                pass
            finally:
                pass

        asserts[(1,)](np.zeros(1), 3)
        error = failure_of(asserts, np.zeros(1), 4)
        self.assertIs(type(error), CompileTimeAssertionFailure)
        self.assertIn("three", str(error))
        self.assertIs(type(failure_of(tries, np.zeros(1))), UnsupportedLanguageConstruct)

    def test_failure_is_not_kept(self):

        @nereid.jit
        def kernel(x, N: tl.constexpr):
            tl.static_assert(N > 3)

        for _ in range(2):
            failure_of(kernel, np.zeros(1), 2)
        kernel[(1,)](np.zeros(1), 4)

    def test_calls_and_declarations(self):

        @nereid.jit
        def kernel(x):
            pass

        with self.assertRaisesRegex(RuntimeError, "Cannot call @triton.jit'd outside of the scope of a kernel"):
            kernel(3)

        @nereid.jit(do_not_specialize=["N"])
        def other(N: tl.constexpr):
            pass

        with self.assertRaisesRegex(CompilationError, "N marked as constexpr and listed in do_not_specialize"):
            other[(1,)](3)
        with self.assertRaises(ValueError):
            nereid.jit(eval("lambda x: x"))

    def test_words_that_programs_look_for(self):

        @nereid.jit
        def scaled(x):
            a = tl.full((32, 64), 0, tl.uint8)
            tl.dot_scaled(a, tl.full((32, 4), 0, tl.uint8), "e5m2", a.T, None, "e5m2")

        @nereid.jit
        def imprecise(x):
            a = tl.full((64, 64), 0.0, tl.float8e5)
            tl.dot(a, a, max_num_imprecise_acc=128)

        @must_use_result("It's a \"pity\", \u00e9t\u00e9.")
        @nereid.jit
        def cube(x):
            return x * x * x

        @nereid.jit
        @must_use_result
        def square(x):
            return x * x

        @nereid.jit
        def cubed(x):
            cube(tl.load(x))

        @nereid.jit
        def squared(x):
            square(tl.load(x))

        self.assertEqual(str(failure_of(scaled, np.zeros(1)).__cause__),
                         "lhs_scale must be a tensor of shape [32, 2]. Got ['32', '4']")
        self.assertEqual(str(failure_of(imprecise, np.zeros(1)).__cause__),
                         "max_num_imprecise_acc (128) must be <= K (64)")
        for kernel, words in ((cubed, "The result of cube is not being used. It's a \"pity\", \u00e9t\u00e9."),
                              (squared, "The result of square is not being used.")):
            self.assertEqual(str(failure_of(kernel, np.zeros(1))).split("\n")[-1], words)

    def test_the_later_return_is_to_blame(self):

        @nereid.jit
        def either(n):
            if n == 0:
                return tl.arange(0, 4)
            else:
                return tl.arange(0, 8)

        @nereid.jit
        def kernel(x, n):
            either(n)

        error = failure_of(kernel, np.zeros(1), 7)
        self.assertIn("at 2:4:", str(error))
        self.assertIn("at 5:8:", str(error.__cause__))


if __name__ == "__main__":
    main()
