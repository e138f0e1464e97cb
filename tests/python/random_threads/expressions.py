# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of kernels of threads. Python and Numba agree on them: integers are of 64 bits where they are
computed, floats stay so short that sums and products of two are exact in 64 bits."""

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DIFFERING = ("v0", "v1", "v2", "v3")  # integers of a thread
UNIFORM = ("u0", "u1")  # the same in all threads of a block
FLOATS = ("f0", "f1")
INPUTS = 32  # elements of each input


class Expressions:

    def __init__(self, draw, inputs):
        self.draw, self.inputs = draw, inputs  # inputs: the names of arrays by their types
        self.functions = []  # names of device functions of two integers, and of theirs that call themselves
        self.depth_limit = 3

    def maybe(self, one_in):
        return self.draw.randrange(one_in) == 0

    def integer(self, uniform=False, depth=0):
        if depth >= self.depth_limit or self.maybe(3):
            return self.leaf(uniform)
        inner = lambda: self.integer(uniform, depth + 1)
        kind = self.draw.randrange(20)
        if kind < 8:
            return f"({inner()} {self.draw.choice(('+', '-', '*', '^', '&', '|'))} {inner()})"
        if kind == 8:
            return f"({inner()} {self.draw.choice(('<<', '>>'))} ({inner()} & 7))"
        if kind == 9:
            return f"({inner()} {self.draw.choice(('//', '%'))} {self.divisor(inner)})"
        if kind == 10:
            return f"{self.draw.choice(('min', 'max'))}({inner()}, {inner()})"
        if kind == 11:
            return f"({inner()} if {self.condition(uniform, depth + 1)} else {inner()})"
        if kind == 12:
            return f"int({self.condition(uniform, depth + 1)})"
        if kind == 13:
            return f"{self.draw.choice(('-', '~'))}{inner()}"
        if kind == 14:
            return f"abs({inner()})"
        if kind == 15:
            return f"np.int64(np.{self.draw.choice(INTEGERS)}({inner()}))"
        if kind == 16 and not uniform:
            return f"int({self.draw.choice(FLOATS)})"
        if kind == 17 and self.functions:
            return f"{self.draw.choice(self.functions)}({inner()} & 7, {inner()})"
        if kind == 18:
            return f"cuda.{self.draw.choice(('popc', 'clz', 'ffs'))}(np.uint32({inner()}))"
        return self.read(inner())

    def divisor(self, inner):
        return self.draw.choice((f"(({inner()} & 7) + 1)", "3", "8", "-3", "5"))

    def read(self, index):
        kind = self.draw.choice([kind for kind in self.inputs if "float" not in kind])
        return f"np.int64({self.inputs[kind]}[{index} & {INPUTS - 1}])"

    def leaf(self, uniform):
        kind = self.draw.randrange(8)
        if kind == 0:
            return str(self.draw.choice((0, 1, 2, 3, 7, 16, 100, 1000003, self.draw.randrange(64))))
        if kind == 1:
            return self.draw.choice(("n", "p"))
        if uniform or kind == 2:
            return self.draw.choice(UNIFORM)
        if kind == 3:
            return self.draw.choice(("t", "t", "lane", "g"))
        return self.draw.choice(DIFFERING)

    def condition(self, uniform=False, depth=1):
        kind = self.draw.randrange(9)
        if kind == 0 and depth < self.depth_limit:
            inner = lambda: self.condition(uniform, depth + 1)
            return f"({inner()} {self.draw.choice(('and', 'or'))} {inner()})"
        if kind == 1 and depth < self.depth_limit:
            return f"(not {self.condition(uniform, depth + 1)})"
        if kind == 2 and not uniform:
            return f"({self.float_leaf()} {self.draw.choice(('<', '>='))} {self.float_leaf()})"
        if kind == 3 and not uniform:
            return f"({self.integer(uniform, depth)} % 3 == lane % 3)"
        return (f"({self.integer(uniform, depth)} {self.draw.choice(('<', '<=', '>', '!=', '=='))} "
                f"{self.integer(uniform, depth)})")

    def float_leaf(self):
        kind = self.draw.randrange(6)
        if kind == 0:
            return str(self.draw.randrange(-64, 64) / 8)
        if kind == 1:
            return "x"
        if kind == 2:
            return f"({self.draw.choice(DIFFERING)} & 255)"
        floats = [name for kind, name in self.inputs.items() if "float" in kind]
        if kind == 3 and floats:
            return f"float({self.draw.choice(floats)}[{self.draw.choice(DIFFERING)} & {INPUTS - 1}])"
        return self.draw.choice(FLOATS)

    def float_value(self):
        """What may be kept: a multiple of 1/8 that is not large."""
        a, b, c = self.float_leaf(), self.float_leaf(), self.float_leaf()
        made = self.draw.choice((f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} * {b} + {c}", f"{c} - {a} * {b}",
                                 f"abs({a}) * 0.5", f"min({a}, {b})", f"({a} if {self.condition(depth=2)} else {b})",
                                 f"math.fabs({a}) / 4.0", f"math.ceil({a} * 0.5) + {b}"))
        return f"math.floor(min(max({made}, -4096.0), 4096.0) * 8.0) * 0.125"
