# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device functions of kernels of threads that call themselves as often as the run wants, against Python. On the active
device, and again on the checked one."""

import unittest
import warnings

from running import failures_when_checked, main, require

require("numpy")
import nereid
import numpy as np

nereid.install_as_numba_cuda()
import numba
from numba import cuda

warnings.filterwarnings(action="ignore", category=numba.NumbaPerformanceWarning, module="numba")


@cuda.jit(device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit(device=True)
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@cuda.jit(device=True)
def place_of(a, low, high, x):
    if low >= high:
        return -1
    middle = (low + high) // 2
    if a[middle] == x:
        return middle
    if a[middle] < x:
        return place_of(a, middle + 1, high, x)
    return place_of(a, low, middle, x)


@cuda.jit(device=True)
def move(n, start, to, spare, moves):
    if n > 0:
        move(n - 1, start, spare, to, moves)
        moves[start] += 1
        move(n - 1, spare, to, start, moves)


@cuda.jit(device=True)
def weights(n, scale):
    total = scale
    for i in range(n):
        total += weights(i, scale) * 2
    k = 0
    while k < n:
        k += 1
        if k == 3:
            continue
        total += weights(k - 1, scale)
    return total


@cuda.jit(device=True)
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@cuda.jit(device=True)
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@cuda.jit(device=True)
def halved(x, least):
    if x < least:
        return 1
    return x + halved(x / 2, least)


@cuda.jit(device=True)
def added(numbers):
    if len(numbers) == 0:
        return 0
    return numbers[0] + added(numbers[1:])


@cuda.jit(device=True)
def depth_of(n):
    return 0 if n == 0 else 1 + depth_of(n - 1)


@cuda.jit(device=True)
def filling(n, buffer):
    mine = cuda.local.array(4, np.int64)
    for i in range(4):
        mine[i] = i + n + buffer[i]
    more = n % 3
    if n > 0:
        second = cuda.local.array((1, 2), np.int32)
        second[0, 1] = more
        more = second[0, 1] + filling(n - 1, mine)
        for i in range(4):
            buffer[i] += mine[3 - i]
        more += second[0, 1] - n % 3
    return buffer[n % 4] + more


@cuda.jit(device=True)
def filled(n):
    first = cuda.local.array(4, np.int64)
    for i in range(4):
        first[i] = i
    return filling(n, first)


def moves_of(n):
    """How often each of three pegs gives a disc away."""
    counts = [0, 0, 0]

    def python(n, start, to, spare):
        if n > 0:
            python(n - 1, start, spare, to)
            counts[start] += 1
            python(n - 1, spare, to, start)

    python(n, 0, 1, 2)
    return counts


class Recursion(unittest.TestCase):

    def each(self, function, expected, *more, dtype=np.int64, result=np.int64):
        """What a function gives for 0 to 10, threads of one warp going different ways."""

        @cuda.jit
        def kernel(out, x):
            i = cuda.grid(1)
            if i < x.size:
                out[i] = function(x[i])

        x = np.arange(40, dtype=dtype) % 11
        out = np.zeros(40, result)
        kernel[2, 32](out, x)
        cuda.synchronize()
        self.assertEqual(out.tolist(), [expected(n) for n in x.tolist()])

    def test_twice_in_one_expression(self):
        first = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
        self.each(fibonacci, lambda n: first[n])
        self.each(fibonacci, lambda n: first[n], dtype=np.int32)

    def test_with_a_signature(self):

        @cuda.jit("i8(i8)", device=True)
        def factorial(n):
            if n < 2:
                return 1
            return n * factorial(n - 1)

        self.each(factorial, lambda n: [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800][n])

    def test_as_an_argument_of_itself(self):

        @cuda.jit(device=True)
        def three(n):
            return ackermann(n % 3, n % 4)

        def python(m, n):
            return n + 1 if m == 0 else python(m - 1, 1) if n == 0 else python(m - 1, python(m, n - 1))

        self.each(three, lambda n: python(n % 3, n % 4))

    def test_arrays_are_handed_on(self):

        @cuda.jit
        def kernel(out, moves, a):
            i = cuda.grid(1)
            out[i] = place_of(a, 0, a.size, i * 3)
            move(i % 6, 0, 1, 2, moves[i])

        a = (np.arange(20) * 3).astype(np.float32)
        out, moves = np.zeros(32, np.int64), np.zeros((32, 3), np.int64)
        kernel[1, 32](out, moves, a)
        cuda.synchronize()
        self.assertEqual(out.tolist(), [i if i < 20 else -1 for i in range(32)])
        self.assertEqual(moves.tolist(), [moves_of(i % 6) for i in range(32)])

    def test_in_loops(self):

        @cuda.jit(device=True)
        def some(n):
            return weights(n % 5, 0.5)

        def python(n):
            return 0.5 + sum(2 * python(i) for i in range(n)) + sum(python(k - 1) for k in range(1, n + 1) if k != 3)

        self.each(some, lambda n: python(n % 5), result=np.float64)

    def test_by_way_of_another(self):
        self.each(is_even, lambda n: n % 2 == 0, result=np.bool_)

    def test_types_grow_until_they_hold_all(self):

        @cuda.jit(device=True)
        def some(n):
            return halved(n, 1)

        def python(x):
            return 1 if x < 1 else x + python(x / 2)

        self.each(some, python, result=np.float64)

    def test_what_ends_while_it_is_compiled(self):

        @cuda.jit(device=True)
        def some(n):
            return added((n, 2 * n, 5))

        self.each(some, lambda n: 3 * n + 5)

    def test_depth(self):

        @cuda.jit
        def kernel(out, n):
            out[0] = depth_of(n)

        out = np.zeros(1, np.int64)
        kernel[1, 1](out, 128)
        cuda.synchronize()
        self.assertEqual(out[0], 128)
        if nereid.knobs.runtime.interpret:
            with self.assertRaisesRegex(nereid.errors.InterpreterError, "calls itself more than 128 times deep"):
                kernel[1, 1](out, 130)
                cuda.synchronize()

    def refused(self, function, *words):

        @cuda.jit
        def kernel(out, n):
            function(n)

        with self.assertRaises(nereid.errors.CompilationError) as caught:
            kernel[1, 1](np.zeros(1), 3)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_what_never_ends(self):

        @cuda.jit(device=True)
        def runaway(n):
            return runaway(n)

        self.refused(runaway, "recursion that never ends", "a path on which it does not call itself")

    def test_arrays_of_its_own(self):
        """Each call has its own, whichever of its statements names it, and hands it on as it likes."""

        def python(n, buffer):
            mine = [i + n + buffer[i] for i in range(4)]
            more = n % 3
            if n > 0:
                more += python(n - 1, mine)
                for i in range(4):
                    buffer[i] += mine[3 - i]
            return buffer[n % 4] + more

        self.each(filled, lambda n: python(n, [0, 1, 2, 3]))

    def test_arrays_that_are_too_large(self):

        @cuda.jit(device=True)
        def large(n):
            a = cuda.local.array(400, np.int64)
            a[n] = n
            return large(n - 1) + a[n] if n > 0 else 0

        self.refused(large, "more than 508 bytes of arrays in a function that calls itself", "129 calls")

    def test_loops_that_do_not_call(self):

        @cuda.jit(device=True)
        def summed(n):
            total = n
            for i in range(3):
                total += n * i
            return summed(n - 1) + total if n > 0 else 0

        self.each(summed, lambda n: 4 * n * (n + 1) // 2)

    def test_what_gives_no_number(self):

        @cuda.jit(device=True)
        def pairs(n):
            if n > 3:
                pairs(n - 1)
            return (n, n)

        self.refused(pairs, "gives a tuple of 2", "one number, or nothing")

    def test_two_that_call_themselves_and_each_other(self):

        @cuda.jit(device=True)
        def outer(n):
            return 1 if n < 1 else outer(n - 1) + inner(n - 1, outer)

        @cuda.jit(device=True)
        def inner(n, other):
            return 0 if n < 1 else inner(n - 1, other) + other(n - 1)

        self.refused(outer, "by way of another that does, too")


class Checked(unittest.TestCase):

    @unittest.skipIf(nereid.knobs.runtime.interpret, "this is the checked device")
    def test_the_same_there(self):
        self.assertEqual(failures_when_checked(__file__), "")


if __name__ == "__main__":
    main()
