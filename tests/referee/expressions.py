# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of a wanted type and shape, all of them exact and with a meaning."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from inputs import LENGTH
from node import Node
from type_cases import LANGUAGE_NAMES

INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "f32", "f64"]
VALUES = [*INTEGERS, *FLOATS]

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Sort:
    """What may stand in a place. A clean value is no NaN."""

    dtype: str
    shape: Shape
    is_clean: bool = True


def shape_text(shape: Shape) -> str:
    return f"({shape[0]},)" if len(shape) == 1 else str(shape)


def offsets(shape: Shape) -> str:
    """The index of each element of a tile, in the order of rows."""
    if not shape:
        return "0"
    if len(shape) == 1:
        return f"tl.arange(0, {shape[0]})"
    rows, columns = shape
    return f"(tl.arange(0, {rows})[:, None] * {columns} + tl.arange(0, {columns})[None, :])"


def numel(shape: Shape) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def literal(rng: random.Random, dtype: str) -> str:
    if dtype == "i1":
        return rng.choice(["True", "False"])
    if dtype == "bf16":
        return rng.choice(["0.5", "2.0", "(-1.5)", "3.0"])
    if dtype in FLOATS:
        return rng.choice(["0.5", "2.0", "(-1.5)", "3.0", "0.1", "1", "(-2)"])
    choices = ["0", "1", "2", "3", "5", "7", "100", "True"]
    if dtype[0] == "i":
        choices += ["(-1)", "(-3)", "(-128)"]
    return rng.choice(choices)


@dataclass
class Expressions:
    rng: random.Random
    variables: dict[str, Sort] = field(default_factory=dict)
    # Run-time loop variables that can be seen.
    loops: list[str] = field(default_factory=list)

    def expression(self, sort: Sort, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.1:
            return self.leaf(sort)
        makers = [maker for maker, applies in EXPRESSIONS if applies(sort)]
        node = rng.choice(makers)(self, sort, depth - 1)
        return Node(node.form, node.parts, sort)

    def leaf(self, sort: Sort) -> Node:
        rng = self.rng
        fitting = [
            name
            for name, other in self.variables.items()
            if (other.dtype, other.shape) == (sort.dtype, sort.shape)
            and (not sort.is_clean or other.is_clean)
        ]
        if fitting and rng.random() < 0.6:
            return Node(rng.choice(fitting), sort=sort)
        if sort.dtype == "i32" and not sort.shape and rng.random() < 0.7:
            return Node(rng.choice(["pid", "n", *self.loops, "tl.num_programs(0)"]), sort=sort)
        if rng.random() < 0.2:
            value = literal(rng, sort.dtype)
            name = LANGUAGE_NAMES[sort.dtype]
            return Node(f"tl.full({shape_text(sort.shape)}, {value}, {name})", sort=sort)
        return self.load(sort, 0)

    def load(self, sort: Sort, depth: int) -> Node:
        rng = self.rng
        pointer = f"x_{sort.dtype}"
        parts: list[Node] = []
        if depth > 0 and rng.random() < 0.5:
            parts.append(self.expression(Sort("i32", sort.shape), depth))
            index = "({0} & 1023)"
        else:
            step, start = rng.choice([1, 1, 1, 3, 7]), rng.choice(["0", "5", "pid * 16", "n"])
            index = offsets(sort.shape)
            if (start, step) != ("0", 1) and sort.shape:
                index = f"({start} + {index} * {step}) % {LENGTH}"
            elif not sort.shape:
                index = start
        if rng.random() < 0.25:
            parts.append(self.expression(Sort("i1", sort.shape), depth - 1))
            other = literal(rng, sort.dtype)
            return Node(
                f"tl.load({pointer} + {index}, mask={{{len(parts) - 1}}}, other={other})",
                tuple(parts),
                sort,
            )
        return Node(f"tl.load({pointer} + {index})", tuple(parts), sort)

    def operand(self, sort: Sort, depth: int) -> Node:
        """A value that broadcasts to the sort's shape, or a literal."""
        rng = self.rng
        chance = rng.random()
        if chance < 0.15:
            return Node(literal(rng, sort.dtype))
        if chance < 0.3 and sort.shape:
            shape = rng.choice([(), tuple(rng.choice([1, extent]) for extent in sort.shape)])
            sort = Sort(sort.dtype, shape, sort.is_clean)
        return self.expression(sort, depth)

    def pair(self, sort: Sort, depth: int) -> tuple[Node, Node]:
        parts = [self.expression(sort, depth), self.operand(sort, depth)]
        if self.rng.random() < 0.3:
            parts.reverse()
        return parts[0], parts[1]

    def arithmetic(self, sort: Sort, depth: int) -> Node:
        operators = ["+", "-", "*"]
        if sort.dtype in INTEGERS:
            operators += ["&", "|", "^"]
        elif sort.dtype != "f16":
            operators += ["/", "%"]
        pair = self.pair(Sort(sort.dtype, sort.shape, False), depth)
        return Node(f"({{0}} {self.rng.choice(operators)} {{1}})", pair)

    def called(self, sort: Sort, depth: int) -> Node:
        functions = ["add", "product", "either, True", "either, False"]
        if sort.dtype in INTEGERS:
            functions.append("exclusive")
        function, _, first = self.rng.choice(functions).partition(", ")
        loose = Sort(sort.dtype, sort.shape, False)
        pair = (self.expression(loose, depth), self.expression(loose, depth))
        return Node(f"{function}({first + ', ' if first else ''}{{0}}, {{1}})", pair)

    def division(self, sort: Sort, depth: int) -> Node:
        divisor = self.rng.choice(["(({1} & 7) + 1)", "(({1} & 31) + 2)", "({1} | 1)"])
        if "|" in divisor and sort.dtype[0] == "i":
            # Its own negative, divided by -1, is the one quotient that does not fit.
            divisor = "(({1} & 15) - 17)" if sort.dtype != "i8" else "(({1} & 3) - 7)"
        operator = self.rng.choice(["//", "%"])
        parts = (self.expression(sort, depth), self.expression(sort, depth))
        return Node(f"({{0}} {operator} {divisor})", parts)

    def shift(self, sort: Sort, depth: int) -> Node:
        operator = self.rng.choice(["<<", ">>"])
        parts = (self.expression(sort, depth), self.expression(sort, depth))
        return Node(f"({{0}} {operator} ({{1}} & {int(sort.dtype[1:]) - 1}))", parts)

    def quotient(self, sort: Sort, depth: int) -> Node:
        other = self.rng.choice(["i8", "i16", "i32", "i64", "f16"])
        return Node("({0} / {1})", self.pair(Sort(other, sort.shape, False), depth))

    def mixed(self, sort: Sort, depth: int) -> Node:
        """Operands of two types: promoted, computed, then cast."""
        rng = self.rng
        if sort.dtype in FLOATS:
            types = [rng.choice(FLOATS), rng.choice([*VALUES, "i1"])]
            operators = ["+", "-", "*"]
        else:
            types = [rng.choice(INTEGERS), rng.choice([*INTEGERS, "i1"])]
            operators = ["+", "-", "*", "&", "|", "^"]
        rng.shuffle(types)
        parts = tuple(self.expression(Sort(t, sort.shape, False), depth) for t in types)
        form = f"({{0}} {rng.choice(operators)} {{1}}).to({LANGUAGE_NAMES[sort.dtype]})"
        return Node(form, parts)

    def cast(self, sort: Sort, depth: int) -> Node:
        rng, name = self.rng, LANGUAGE_NAMES[sort.dtype]
        if sort.dtype in FLOATS:
            source = rng.choice([*VALUES, "i1", "bf16"])
            # bf16 values are only read and cast: upstream's interpreter cannot compute with them.
            if source == "bf16":
                wide = f".to({name})" if sort.dtype != "f32" else ""
                return Node(
                    f"{{0}}.to(tl.float32){wide}", (self.load(Sort("bf16", sort.shape), depth),)
                )
        elif sort.dtype != "i1" and rng.random() < 0.25:
            low = "0" if sort.dtype[0] == "u" else "-100"
            value = self.expression(Sort(rng.choice(FLOATS), sort.shape), depth)
            return Node(f"tl.minimum(tl.maximum({{0}}, {low}), 100).to({name})", (value,))
        else:
            source = rng.choice([*INTEGERS, "i1"])
        is_clean = sort.is_clean or source in INTEGERS
        form = rng.choice([f"{{0}}.to({name})", f"tl.cast({{0}}, {name})"])
        return Node(form, (self.expression(Sort(source, sort.shape, is_clean), depth),))

    def bitcast(self, sort: Sort, depth: int) -> Node:
        widths = {name: name.lstrip("iuf") for name in VALUES}
        same = [name for name in VALUES if widths[name] == widths[sort.dtype]]
        source = Sort(self.rng.choice([t for t in same if t in INTEGERS]), sort.shape)
        return Node(
            f"{{0}}.to({LANGUAGE_NAMES[sort.dtype]}, bitcast=True)",
            (self.expression(source, depth),),
        )

    def where(self, sort: Sort, depth: int) -> Node:
        condition = self.operand(Sort("i1", sort.shape), depth)
        return Node("tl.where({0}, {1}, {2})", (condition, *self.pair(sort, depth)))

    def extremum(self, sort: Sort, depth: int) -> Node:
        # Unlike an operator, these promote beside a literal.
        function, name = self.rng.choice(["minimum", "maximum"]), LANGUAGE_NAMES[sort.dtype]
        pair = self.pair(Sort(sort.dtype, sort.shape), depth)
        return Node(f"tl.{function}({{0}}, {{1}}).to({name})", pair)

    def negation(self, sort: Sort, depth: int) -> Node:
        # 3.6 subtracts from zero, which gives another zero than negation; adding zero hides that.
        forms = ["(-{0})" if sort.dtype in INTEGERS else "(-{0} + 0)", "tl.abs({0})"]
        if sort.dtype[0] == "i":
            forms.append("(~{0})")
        return Node(self.rng.choice(forms), (self.expression(sort, depth),))

    def rounding(self, sort: Sort, depth: int) -> Node:
        function = self.rng.choice(["floor", "ceil", "sqrt"])
        return Node(
            f"tl.{function}({{0}})", (self.expression(Sort(sort.dtype, sort.shape, False), depth),)
        )

    def comparison(self, sort: Sort, depth: int) -> Node:
        rng = self.rng
        operator = rng.choice(["==", "!=", "<", "<=", ">", ">="])
        operand = Sort(rng.choice(VALUES), sort.shape, False)
        chance = rng.random()
        if chance < 0.25:
            number = rng.choice(
                ["0", "1", "(-1)", "300", "70000", "0.1", "0.5", "4294967296", "(-200)"]
            )
            return Node(f"({{0}} {operator} {number})", (self.expression(operand, depth),))
        if chance < 0.5:
            other = Sort(rng.choice(VALUES), sort.shape, False)
            pair = (self.expression(operand, depth), self.expression(other, depth))
            return Node(f"({{0}} {operator} {{1}})", pair)
        return Node(f"({{0}} {operator} {{1}})", self.pair(operand, depth))

    def logical(self, sort: Sort, depth: int) -> Node:
        if self.rng.random() < 0.2:
            return Node("(~{0})", (self.expression(sort, depth),))
        return Node(f"({{0}} {self.rng.choice('&|^')} {{1}})", self.pair(sort, depth))

    def either_of(self, sort: Sort, depth: int) -> Node:
        condition = self.expression(Sort("i1", ()), depth)
        parts = (self.expression(sort, depth), condition, self.expression(sort, depth))
        return Node("({0} if {1} else {2})", parts)

    def reshaped(self, sort: Sort, depth: int) -> Node:
        rng, shape = self.rng, sort.shape
        count = numel(shape)
        options: list[tuple[str, Shape]] = [
            (f"tl.broadcast_to({{0}}, {shape_text(shape)})", (1,) * len(shape))
        ]
        if len(shape) == 2:
            options += [
                ("tl.trans({0})", shape[::-1]), ("{0}.T", shape[::-1]),
                (f"tl.reshape({{0}}, {shape_text(shape)})", (count,)),
                (f"tl.broadcast_to({{0}}[None, :], {shape_text(shape)})", shape[1:]),
                (f"tl.broadcast_to({{0}}[:, None], {shape_text(shape)})", shape[:1]),
                ("tl.permute({0}, (1, 0))", shape[::-1]),
            ]  # fmt: skip
        else:
            options += [(f"{{0}}.reshape({count})", (count // 2, 2) if count > 1 else (1, 1))]
            options += [("tl.ravel({0})", (2, count // 2) if count > 1 else (1, 1))]
        form, source = rng.choice(options)
        return Node(form, (self.expression(Sort(sort.dtype, source, sort.is_clean), depth),))

    def reduction(self, sort: Sort, depth: int) -> Node:
        """A result of rank 0 or 1 from one dimension more."""
        rng = self.rng
        axis = rng.randint(0, len(sort.shape))
        extent = rng.choice([1, 2, 8, 16, 32])
        shape = (*sort.shape[:axis], extent, *sort.shape[axis:])
        if sort.dtype in FLOATS:
            return self.float_reduction(sort, shape, axis, depth)
        sources = [sort.dtype]
        if sort.dtype == "i32":
            sources += ["i8", "i16"]
            if rng.random() < 0.3:
                source = rng.choice([*VALUES])
                function = rng.choice(["argmax", "argmin"])
                operand = self.expression(Sort(source, shape), depth)
                return Node(f"tl.{function}({{0}}, axis={axis})", (operand,))
        source = rng.choice(sources)
        function = rng.choice(["sum", "max", "min", "reduce"])
        operand = self.expression(Sort(source, shape), depth)
        if function == "reduce":
            combine = rng.choice(["exclusive", "product", "lesser", "add"])
            form = f"tl.reduce({{0}}, {axis}, {combine}).to({LANGUAGE_NAMES[sort.dtype]})"
        else:
            form = f"tl.{function}({{0}}, {axis})"
        return Node(form, (operand,))

    def float_reduction(self, sort: Sort, shape: Shape, axis: int, depth: int) -> Node:
        name = LANGUAGE_NAMES[sort.dtype]
        if self.rng.random() < 0.5:
            # Whole numbers, few and small enough for the sum to be exact in any order.
            operand = self.expression(Sort("i32", shape), depth)
            form = f"tl.sum(({{0}} & 15).to({name}), {axis})"
        else:
            operand = self.expression(Sort(sort.dtype, shape), depth)
            form = f"tl.{self.rng.choice(['max', 'min'])}({{0}}, {axis}).to({name})"
        return Node(form, (operand,))

    def exact_dot(self, sort: Sort, depth: int) -> Node:
        """Products of small whole numbers."""
        rng = self.rng
        k = rng.choice([16, 32])
        dtype = "i8" if sort.dtype == "i32" else rng.choice(["f16", "f32"])
        name = LANGUAGE_NAMES[dtype]
        parts = (
            self.expression(Sort("i8", (sort.shape[0], k)), depth),
            self.expression(Sort("i8", (k, sort.shape[1])), depth),
        )
        product = f"tl.dot(({{0}} & 7).to({name}), (({{1}} & 7) - 3).to({name}))"
        # Whatever is added to a product may be added in the midst of it, and rounded there.
        return Node(f"tl.abs({product})" if sort.dtype == "f32" else product, parts)


def is_integer(sort: Sort) -> bool:
    return sort.dtype in INTEGERS


def is_number(sort: Sort) -> bool:
    return sort.dtype in VALUES


def may_be_nan(sort: Sort) -> bool:
    """Arithmetic of floats makes NaN from infinities."""
    return is_integer(sort) or sort.dtype in FLOATS and not sort.is_clean


def is_product(sort: Sort) -> bool:
    return sort.dtype in ("i32", "f32") and sort.shape in [(16, 16), (16, 32), (32, 16), (32, 32)]


EXPRESSIONS: list[tuple[Callable[[Expressions, Sort, int], Node], Callable[[Sort], bool]]] = [
    (Expressions.arithmetic, may_be_nan), (Expressions.arithmetic, may_be_nan),
    (Expressions.called, may_be_nan), (Expressions.division, is_integer),
    (Expressions.shift, is_integer),
    (Expressions.quotient, lambda sort: sort.dtype == "f32" and not sort.is_clean),
    (Expressions.mixed, may_be_nan), (Expressions.cast, lambda sort: True),
    (Expressions.bitcast, is_integer), (Expressions.where, lambda sort: True),
    (Expressions.bitcast, lambda sort: sort.dtype in ("f32", "f64") and not sort.is_clean),
    (Expressions.extremum, is_number), (Expressions.negation, is_number),
    (Expressions.rounding, lambda sort: sort.dtype in ("f32", "f64") and not sort.is_clean),
    (Expressions.comparison, lambda sort: sort.dtype == "i1"),
    (Expressions.comparison, lambda sort: sort.dtype == "i1"),
    (Expressions.logical, lambda sort: sort.dtype == "i1"),
    (Expressions.either_of, lambda sort: True),
    (Expressions.reshaped, lambda sort: len(sort.shape) > 0),
    (Expressions.reduction, lambda sort: len(sort.shape) < 2 and sort.dtype in ("i32", "u32", "i64", "u64", *FLOATS)),
    (Expressions.exact_dot, is_product), (Expressions.exact_dot, is_product),
    (Expressions.load, lambda sort: True),
]  # fmt: skip
