# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions whose types are asked for.

A case is the body of a kernel. What it reports, `report(INDEX, value, ...)`, is to have the same
type on both sides. The names in it tell its parameters: p_T points to elements of type T, a_T is a
run-time argument, c_N is a constexpr with the N-th literal.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from node import Node

INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
DTYPES = ["i1", *INTEGERS, *FLOATS]
LANGUAGE_NAMES = {
    "f16": "tl.float16",
    "bf16": "tl.bfloat16",
    "f32": "tl.float32",
    "f64": "tl.float64",
    "i1": "tl.int1",
} | {name: f"tl.{'u' if name[0] == 'u' else ''}int{name[1:]}" for name in INTEGERS}

LITERALS = [
    "0", "1", "2", "3", "7", "100", "127", "128", "200", "255", "256", "300", "32767", "32768",
    "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "(-1)", "(-2)", "(-128)", "(-129)", "(-32768)", "(-32769)", "(-2147483648)", "(-2147483649)",
    "(-9223372036854775808)", "True", "False",
    "0.0", "(-0.0)", "0.5", "0.1", "(-1.5)", "2.0", "65504.0", "65520.0", "1e5", "3.4e38", "3.5e38",
    "1e-38", "1e-39", "1e-46", "1e300", 'float("inf")', '(-float("inf"))', 'float("nan")',
]  # fmt: skip

PRELUDE = """\
import triton
import triton.language as tl


@triton.jit
def vector(p):
    return tl.load(p + tl.arange(0, 16))


@triton.jit
def matrix(p):
    return tl.load(p + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])


@triton.jit
def same(x):
    return x


@triton.jit
def total(x, y):
    return x + y


@triton.jit
def stored(x):
    y = x
    return y


@triton.jit
def chosen(which: tl.constexpr, x, y):
    if which:
        return x
    else:
        return y


@triton.jit
def pair(x, y):
    return x, y


@triton.jit
def multiply(x, y):
    return x * y


@triton.jit
def larger(x, y):
    return tl.maximum(x, y)

"""

ARITHMETIC = ["+", "-", "*", "/", "//", "%"]
BITWISE = ["&", "|", "^", "<<", ">>"]
BINARY = [*ARITHMETIC, *BITWISE]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
MATH = ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "erf", "floor", "ceil"]
REDUCTIONS = ["sum", "max", "min", "argmax", "argmin"]

# What a case is made of: types that get on with the operators are accepted more often.
PALETTES: list[tuple[list[str], list[str]]] = [
    (DTYPES, BINARY),
    (DTYPES, ["+", "-", "*"]),
    (["i1", *INTEGERS], BINARY),
    (["i8", "i16", "i32", "i64"], BINARY),
    (["i1", "u8", "u16", "u32", "u64"], BINARY),
    ([*FLOATS, "i32", "u8"], ["+", "-", "*", "/"]),
    (FLOATS, ["+", "-", "*", "/", "%"]),
]


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str  # p, a or c
    what: str  # the type, or the text of a constexpr's value


@dataclass(frozen=True)
class TypeCase:
    body: Node

    def parameters(self) -> list[Parameter]:
        names = sorted(set(re.findall(r"\b([pac]_\w+)", self.body.text())))
        # Constexprs have defaults and so stand last.
        names.sort(key=lambda name: name[0] == "c")
        return [parameter(name) for name in names]

    def source(self) -> str:
        declared = [
            f"{p.name}: tl.constexpr = {p.what}" if p.kind == "c" else p.name
            for p in self.parameters()
        ]
        body = self.body.text().replace("\n", "\n    ")
        return f"@triton.jit\ndef kernel({', '.join(declared)}):\n    {body}\n"


def parameter(name: str) -> Parameter:
    kind, what = name[0], name[2:]
    return Parameter(name, kind, LITERALS[int(what)] if kind == "c" else what)


class Generator:
    """Makes one case. Half of what it makes may be refused; the two sides are to agree on that."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.dtypes, self.operators = rng.choice(PALETTES)

    def case(self) -> TypeCase:
        return TypeCase(self.rng.choice(BODIES)(self))

    # Atoms

    def literal(self) -> Node:
        return Node(self.rng.choice(LITERALS).replace("{", "{{"))

    def small_literal(self) -> Node:
        return Node(self.rng.choice(["0", "1", "2", "3", "7", "True", "0.5", "2.0", "(-1)"]))

    def constant(self) -> Node:
        return Node(f"c_{self.rng.randrange(len(LITERALS))}")

    def dtype(self) -> str:
        return self.rng.choice(self.dtypes)

    def dtype_name(self) -> str:
        return LANGUAGE_NAMES[self.dtype()]

    def vector(self) -> Node:
        return Node(f"vector(p_{self.dtype()})")

    def matrix(self) -> Node:
        return Node(f"matrix(p_{self.dtype()})")

    def argument(self) -> Node:
        return Node(f"a_{self.dtype()}")

    def element(self) -> Node:
        return Node(f"tl.load(p_{self.dtype()})")

    def atom(self) -> Node:
        rng = self.rng
        kind = rng.choices(
            ["vector", "matrix", "argument", "element", "literal", "constant", "other"],
            [28, 8, 16, 8, 24, 8, 8],
        )[0]
        if kind != "other":
            return getattr(self, kind)()
        return rng.choice([
            lambda: Node("tl.program_id(0)"),
            lambda: Node("tl.num_programs(1)"),
            lambda: Node("tl.arange(0, 16)"),
            lambda: Node("p_" + self.dtype()),
            lambda: Node(f"p_{self.dtype()} + tl.arange(0, 16)"),
            lambda: Node(f"tl.zeros((16,), {self.dtype_name()})"),
        ])()  # fmt: skip

    # Expressions

    def expression(self, depth: int) -> Node:
        if depth <= 0 or self.rng.random() < 0.15:
            return self.atom()
        makers, weights = zip(*EXPRESSIONS, strict=True)
        return self.rng.choices(makers, weights)[0](self, depth - 1)

    def binary(self, depth: int) -> Node:
        operator = self.rng.choice(self.operators)
        return Node(f"({{0}} {operator} {{1}})", (self.expression(depth), self.expression(depth)))

    def literal_arithmetic(self, depth: int) -> Node:
        """Constexprs alone: Python's own arithmetic."""
        operator = self.rng.choice([*BINARY, "**", *COMPARISONS, "and", "or"])
        parts = [self.rng.choice([self.literal, self.small_literal, self.constant])() for _ in "xy"]
        return Node(f"({{0}} {operator} {{1}})", tuple(parts))

    def tile_with_literal(self, depth: int) -> Node:
        operator = self.rng.choice([*self.operators, *COMPARISONS])
        order = self.rng.choice(["({0} {2} {1})", "({1} {2} {0})"]).replace("{2}", operator)
        tile = self.rng.choice([self.vector, self.argument, self.element])()
        return Node(order, (tile, self.rng.choice([self.literal, self.constant])()))

    def comparison(self, depth: int) -> Node:
        operator = self.rng.choice(COMPARISONS)
        return Node(f"({{0}} {operator} {{1}})", (self.expression(depth), self.expression(depth)))

    def logical(self, depth: int) -> Node:
        operator = self.rng.choice(["and", "or"])
        return Node(f"({{0}} {operator} {{1}})", (self.expression(depth), self.expression(depth)))

    def unary(self, depth: int) -> Node:
        operator = self.rng.choice(["-", "-", "-", "+", "~", "not "])
        return Node(f"({operator}{{0}})", (self.expression(depth),))

    def where(self, depth: int) -> Node:
        parts = tuple(self.expression(depth) for _ in range(3))
        if self.rng.random() < 0.7:
            compared = Node("({0} > {1})", (self.vector(), self.small_literal()))
            parts = (compared, *parts[1:])
        return Node("tl.where({0}, {1}, {2})", parts)

    def extremum(self, depth: int) -> Node:
        function = self.rng.choice(["tl.minimum", "tl.maximum", "min", "max"])
        nan = ""
        if function.startswith("tl") and self.rng.random() < 0.2:
            nan = f", propagate_nan=tl.PropagateNan.{self.rng.choice(['ALL', 'NONE'])}"
        return Node(
            f"{function}({{0}}, {{1}}{nan})", (self.expression(depth), self.expression(depth))
        )

    def math(self, depth: int) -> Node:
        if self.rng.random() < 0.7:
            operand = Node("{0}.to(" + self.rng.choice(["tl.float32", "tl.float64"]) + ")")
            operand = Node(operand.form, (self.vector(),))
        else:
            operand = self.expression(depth)
        function = self.rng.choice([*MATH, "abs", "abs", "sigmoid"])
        return Node(f"tl.{function}({{0}})", (operand,))

    def cast(self, depth: int) -> Node:
        name = self.dtype_name()
        options = self.rng.choices(
            ["", ", bitcast=True", ', fp_downcast_rounding="rtne"'], [10, 1, 1]
        )[0]
        form = self.rng.choice(["{0}.to(T)", "tl.cast({0}, T)"])
        form = form.replace("T)", f"{name}{options})")
        return Node(form, (self.expression(depth),))

    def cast_like(self, depth: int) -> Node:
        return Node("{0}.to({1}.dtype)", (self.expression(depth), self.expression(depth)))

    def full(self, depth: int) -> Node:
        shape = self.rng.choice(["(16,)", "[16]", "(16, 16)", "()", "(1,)"])
        return Node(f"tl.full({shape}, {{0}}, {self.dtype_name()})", (self.expression(depth),))

    def reduction(self, depth: int) -> Node:
        function = self.rng.choice(REDUCTIONS)
        axis = self.rng.choice(["0", "0", "0", "-1", "axis=0", "1", "None"])
        form = self.rng.choice(["tl.{f}({{0}}, {a}{k})", "{{0}}.{f}({a}{k})"])
        keep = self.rng.choice(["", "", ", keep_dims=True"])
        form = form.format(f=function, a=axis, k=keep)
        operand = self.rng.choice([self.vector(), self.matrix(), self.expression(depth)])
        return Node(form, (operand,))

    def special_reduction(self, depth: int) -> Node:
        form = self.rng.choice([
            "tl.sum({0}, 0, dtype=T)",
            "tl.sum({0})",
            "tl.max({0}, 0, return_indices=True)[0]",
            "tl.max({0}, 0, return_indices=True)[1]",
            "tl.min({0}, 0, return_indices=True, return_indices_tie_break_left=False)[0]",
            "tl.reduce({0}, 0, total)",
            "tl.reduce({0}, 0, larger)",
            "tl.reduce({0}, 0, multiply)",
            "tl.softmax({0})",
        ])  # fmt: skip
        operand = self.rng.choice([self.vector(), self.matrix(), self.expression(depth)])
        return Node(form.replace("T)", self.dtype_name() + ")"), (operand,))

    def reordering(self, depth: int) -> Node:
        form = self.rng.choice([
            "tl.cumsum({0}, 0)",
            "{0}.cumsum(axis=-1, reverse=True)",
            "tl.cumsum({0}, 0, dtype=T)",
            "tl.cumprod({0}, 0)",
            "tl.associative_scan({0}, 0, total)",
            "tl.associative_scan({0}, 0, larger, reverse=True)",
            "tl.sort({0})",
            "tl.sort({0}, descending=True)",
            "tl.topk({0}, 2)",
            "tl.flip({0})",
            "tl.xor_sum({0}, 0)",
            "tl.reduce_or({0}, 0)",
            "tl.histogram({0}, 8)",
            "tl.gather({0}, tl.arange(0, 4), 0)",
        ])  # fmt: skip
        operand = self.rng.choice([self.vector(), self.matrix(), self.expression(depth)])
        return Node(form.replace("T)", self.dtype_name() + ")"), (operand,))

    def dot(self, depth: int) -> Node:
        common = self.dtype()
        rhs = common if self.rng.random() < 0.8 else self.dtype()
        options = self.rng.choice(["", "", "", ", out_dtype=T", ", T", ", acc=matrix(p_D)"])
        options = options.replace("T", self.dtype_name()).replace("D", self.dtype())
        if options.startswith(", tl."):
            options = ""
        return Node(f"tl.dot(matrix(p_{common}), matrix(p_{rhs}){options})")

    def shape(self, depth: int) -> Node:
        form = self.rng.choice([
            "{0}[:, None]", "{0}[None, :]", "{0}[None]", "{0}.T", "tl.trans({0})",
            "tl.reshape({0}, (4, 4))", "tl.reshape({0}, 256)", "{0}.reshape(2, 8)", "tl.ravel({0})",
            "tl.expand_dims({0}, 0)", "tl.expand_dims({0}, -1)", "tl.broadcast_to({0}, (16, 16))",
            "tl.zeros_like({0})", "tl.permute({0}, (1, 0))", "tl.broadcast({0}, {1})[0]",
            "tl.broadcast({0}, {1})[1]", "tl.view({0}, (16,))", "tl.trans({0}, (0, 1))",
            "tl.expand_dims({0}, (0, 1))", "tl.permute({0}, 1, 0)", "tl.reshape({0}, ())",
        ])  # fmt: skip
        parts = [self.rng.choice([self.vector, self.matrix, self.vector, self.atom])()]
        if "{1}" in form:
            parts.append(self.expression(depth))
        return Node(form, tuple(parts))

    def call(self, depth: int) -> Node:
        form = self.rng.choice([
            "same({0})", "stored({0})", "total({0}, {1})", "chosen(True, {0}, {1})",
            "chosen(False, {0}, {1})", "pair({0}, {1})[0]", "pair({0}, {1})[1]",
            "tl.cdiv({0}, {1})", "({0}, {1})[0]", "({0}, {1})[1]", "total(x={0}, y={1})", "tl.to_tensor({0})",
        ])  # fmt: skip
        return Node(form, (self.expression(depth), self.expression(depth)))

    def choice(self, depth: int) -> Node:
        condition = self.rng.choice(
            ["c_1", "True", "a_i32 > 3", "tl.load(p_i1)", "a_i32", "a_i1", "a_f32"]
        )
        return Node(
            f"({{0}} if {condition} else {{1}})", (self.expression(depth), self.expression(depth))
        )

    def load(self, depth: int) -> Node:
        name = self.dtype()
        if self.rng.random() < 0.5:
            form = f"tl.load(p_{name} + {{0}})"
        else:
            form = f"tl.load(p_{name} + tl.arange(0, 16), mask={{0}}, other={{1}})"
        if self.rng.random() < 0.5:
            mask = Node("(vector(p_i32) > 0)")
            return Node(form, (mask if "mask" in form else self.expression(depth), self.literal()))
        return Node(form, (self.expression(depth), self.expression(depth)))

    def attribute(self, depth: int) -> Node:
        form = self.rng.choice([
            "{0}.dtype", "{0}.dtype.primitive_bitwidth", "{0}.dtype.is_floating()", "{0}.numel",
            "{0}.dtype.is_int_signed()", "{0}.dtype == {1}.dtype", "{0}.shape[0]", "len({0}.shape)",
            "{0}.dtype.element_ty", "{0}.dtype.is_ptr()", "{0}.dtype.is_int()", "{0}.type.scalar",
        ])  # fmt: skip
        return Node(form, (self.expression(depth), self.expression(depth)))

    def atomic(self, depth: int) -> Node:
        name = self.dtype()
        form = self.rng.choice(
            ["tl.atomic_add(p_T, {0})", "tl.atomic_add(p_T + tl.arange(0, 16), {0})"]
        )
        return Node(form.replace("p_T", f"p_{name}"), (self.expression(depth),))


EXPRESSIONS: list[tuple[Callable[[Generator, int], Node], int]] = [
    (Generator.binary, 22), (Generator.literal_arithmetic, 6), (Generator.tile_with_literal, 14),
    (Generator.comparison, 7), (Generator.logical, 3), (Generator.unary, 6), (Generator.where, 6),
    (Generator.extremum, 7), (Generator.math, 4), (Generator.cast, 9), (Generator.cast_like, 2),
    (Generator.full, 4), (Generator.reduction, 8), (Generator.special_reduction, 5),
    (Generator.reordering, 6),
    (Generator.dot, 4), (Generator.shape, 7), (Generator.call, 8), (Generator.choice, 4),
    (Generator.load, 4), (Generator.attribute, 3), (Generator.atomic, 1),
]  # fmt: skip


def body(form: str, count: int, depth: int = 2) -> Callable[[Generator], Node]:
    def make(generator: Generator) -> Node:
        operators = generator.operators
        if "OP=" not in form:
            operators = [*operators, *COMPARISONS]
        text = form.replace("OP", generator.rng.choice(operators))
        return Node(text, tuple(generator.expression(depth) for _ in range(count)))

    return make


def weighted(*rows: tuple[int, Callable[[Generator], Node]]) -> list[Callable[[Generator], Node]]:
    return [make for weight, make in rows for _ in range(weight)]


BODIES = weighted(
    (12, body("report(0, {0})", 1)),
    (4, body("report(0, {0})", 1, depth=3)),
    (4, body("v = {0}\nreport(0, v)", 1)),
    (4, body("v = {0}\nw = v OP {1}\nreport(0, v, w)", 2, depth=1)),
    (4, body("v = {0}\nv OP= {1}\nreport(0, v)", 2, depth=1)),
    (2, body("v: tl.constexpr = {0}\nreport(0, v, v OP {1})", 2, depth=1)),
    (3, body("q = ({0}, {1})\nreport(0, q[0], q[1], q[0] OP {2})", 3, depth=1)),
    (2, body("x, y = {0}, {1}\nreport(0, x OP y)", 2, depth=1)),
    (1, body("x, y = pair({0}, {1})\nreport(0, x, y, x OP {2})", 3, depth=1)),
    (3, body("v = {0}\nfor i in range({1}):\n    v = v OP {2}\nreport(0, v)", 3, depth=1)),
    (3, body("v = {0}\nfor i in range(3):\n    v += {1}\nreport(0, v)", 2, depth=1)),
    (2, body("for i in range({0}, {1}):\n    report(0, i, i OP {2})", 3, depth=1)),
    (1, body("for i in range(0, {0}, {1}):\n    report(0, i, i OP {2})", 3, depth=1)),
    (1, body("for i in tl.static_range(3):\n    report(0, i OP {0}, i)", 1, depth=1)),
    (3, body("if a_i32 > 0:\n    v = {0}\nelse:\n    v = {1}\nreport(0, v)", 2, depth=1)),
    (2, body("v = {0}\nif a_i32 > 0:\n    v = {1}\nreport(0, v)", 2, depth=1)),
    (1, body("if {0}:\n    report(0, {1})\nelse:\n    report(1, {1})", 2, depth=1)),
    (1, body("v = {0}\nwhile v < {1}:\n    v = v OP {2}\nreport(0, v)", 3, depth=1)),
    (2, body("tl.store(p_f32 + tl.arange(0, 16), {0})\nreport(0, 1)", 1)),
    (1, body("tl.store(p_i8 + tl.arange(0, 16), {0}, mask={1})\nreport(0, 1)", 2, depth=1)),
)
