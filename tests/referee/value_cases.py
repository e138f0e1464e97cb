# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels whose results are compared.

Everything that a kernel computes with is exact, so that both sides are to agree in each bit. An
operation that rounds as it likes (exp, sums of any floats, ...) is applied to exact values, and its
result only stored, beside its operands: its bound is computed from these (bounds.py).

What has no meaning is not made: division by zero, shifts by more than the width, floats that do not
fit the integer they are cast to, elements that a mask left out. Nor is what upstream's interpreter
cannot do (see README.md).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from expressions import INTEGERS, VALUES, Expressions, Shape, Sort, numel, offsets
from inputs import VARIANTS
from node import Node

PRELUDE = """\
import triton
import triton.language as tl


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def exclusive(x, y):
    return x ^ y


@triton.jit
def product(x, y):
    return x * y


@triton.jit
def lesser(x, y):
    return tl.where(x < y, x, y)


@triton.jit
def either(which: tl.constexpr, x, y):
    if which:
        return x
    else:
        return y


@triton.jit
def swapped(x, y):
    return y, x

"""


@dataclass(frozen=True)
class Output:
    name: str
    dtype: str
    shape: Shape
    # How the result was computed from other outputs; exactly if there is no rule.
    rule: str = ""
    operands: tuple[str, ...] = ()


@dataclass(frozen=True)
class ValueCase:
    body: Node
    outputs: tuple[Output, ...]
    programs: int
    count: int
    variant: int

    def without_unused(self) -> "ValueCase":
        """Only the outputs that are stored, and those whose operands are."""
        text = self.body.text()
        stored = {output.name for output in self.outputs if f"{output.name} +" in text}
        kept = [o for o in self.outputs if {o.name, *o.operands} <= stored]
        return replace(self, outputs=tuple(kept))

    def inputs(self) -> list[str]:
        text = self.body.text()
        return [name for name in ["i1", *VALUES, "bf16"] if f"x_{name}" in text]

    def operands_of(self, output: Output) -> list[Output]:
        return [other for name in output.operands for other in self.outputs if other.name == name]

    def source(self) -> str:
        names = [f"x_{name}" for name in self.inputs()]
        names += [output.name for output in self.outputs]
        body = self.body.text().replace("\n", "\n    ")
        head = f"@triton.jit\ndef kernel({', '.join([*names, 'n'])}):\n    pid = tl.program_id(0)\n"
        return f"{head}    {body}\n"


@dataclass
class Generator(Expressions):
    statements: list[Node] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def case(self) -> ValueCase:
        rng = self.rng
        for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
            rng.choice(STATEMENTS)(self)
        for name, sort in list(self.variables.items()):
            if rng.random() < 0.6:
                self.store(Node(name, sort=sort), sort)
        for _ in range(1 if self.outputs else rng.randint(1, 2)):
            self.rng.choice([self.store_exact, self.store_exact, self.store_rounded])()
        body = Node(
            "\n".join(f"{{{i}}}" for i in range(len(self.statements))), tuple(self.statements)
        )
        return ValueCase(
            body,
            tuple(self.outputs),
            programs=rng.choice([1, 1, 2, 3]),
            count=rng.choice([0, 2, 3, 5, 16]),
            variant=rng.randrange(VARIANTS),
        )

    # Statements

    def add(self, form: str, *parts: Node) -> None:
        self.statements.append(Node(form, parts, "statement"))

    def any_sort(self) -> Sort:
        return Sort(self.any_dtype(), self.any_shape(), self.rng.random() < 0.5)

    def any_dtype(self) -> str:
        return self.rng.choice([*VALUES, "i32", "f32", "f32", "i1"])

    def any_shape(self) -> Shape:
        rng = self.rng
        extents = [1, 2, 4, 8, 16, 32]
        return rng.choice([
            (), (rng.choice(extents),), (rng.choice(extents),),
            (rng.choice(extents), rng.choice(extents)),
        ])  # fmt: skip

    def new_name(self) -> str:
        return f"v{len(self.variables)}"

    def assign(self) -> None:
        sort, name = self.any_sort(), self.new_name()
        self.add(f"{name} = {{0}}", self.expression(sort, 3))
        self.variables[name] = sort

    def accumulate(self) -> None:
        """A variable carried around a loop; every form of loop that the language has."""
        rng = self.rng
        sort, name = Sort(rng.choice(VALUES), self.any_shape(), False), self.new_name()
        start = self.expression(sort, 1)
        self.variables[name] = sort
        i = f"i{len(self.loops)}"
        header = rng.choice([
            f"for {i} in range(3):", f"for {i} in range(n):", f"for {i} in tl.static_range(2):",
            f"for {i} in range(1, n, 2):", f"for {i} in range(pid, 4):",
        ])  # fmt: skip
        self.loops.append(f"(pid * 0 + {i})")
        update = self.expression(sort, 2)
        assignment = rng.choice(
            [f"{name} = {{1}}", f"{name} += {{1}}", f"{name} = add({name}, {{1}})"]
        )
        body = rng.choice([assignment, f"if {{2}}:\n        {assignment}"])
        condition = self.expression(Sort("i1", ()), 1)
        self.loops.pop()
        self.add(f"{name} = {{0}}\n{header}\n    {body}", start, update, condition)

    def count_down(self) -> None:
        sort, name = Sort(self.rng.choice(VALUES), self.any_shape(), False), self.new_name()
        start = self.expression(sort, 1)
        self.variables[name] = sort
        counter = name.replace("v", "k")
        self.add(
            f"{name} = {{0}}\n{counter} = n\n"
            f"while {counter} > 1:\n    {name} = {{1}}\n    {counter} //= 2",
            start,
            self.expression(sort, 2),
        )

    def branch(self) -> None:
        sort, name = self.any_sort(), self.new_name()
        condition = self.expression(Sort("i1", ()), 2)
        parts = (condition, self.expression(sort, 2), self.expression(sort, 2))
        self.add(f"if {{0}}:\n    {name} = {{1}}\nelse:\n    {name} = {{2}}", *parts)
        self.variables[name] = sort

    def unpack(self) -> None:
        first, second = self.any_sort(), self.any_sort()
        parts = (self.expression(first, 2), self.expression(second, 2))
        name = self.new_name()
        self.variables[name] = second
        other = self.new_name()
        self.variables[other] = first
        form = self.rng.choice(["{n}, {o} = swapped({{0}}, {{1}})", "{n}, {o} = {{1}}, {{0}}"])
        self.add(form.format(n=name, o=other), *parts)

    def window(self) -> None:
        """Reads through a block pointer that may lie partly outside its array."""
        rng = self.rng
        dtype, name = rng.choice(VALUES), self.new_name()
        shape = (rng.choice([1, 2, 4, 8, 16]), rng.choice([1, 2, 4, 8, 16]))
        rows, columns = rng.choice([(32, 32), (5, 7), (16, 16), (3, 40)])
        strides = rng.choice([(columns, 1), (1, rows)])
        offset = (rng.choice(["0", "1", "3", "pid"]), rng.choice(["0", "2", "n", "pid * 4"]))
        moved = rng.choice(["", f"b = tl.advance(b, ({rng.randint(0, 3)}, {rng.randint(0, 5)}))\n"])
        self.add(
            f"b = tl.make_block_ptr(x_{dtype}, shape=({rows}, {columns}), strides={strides}, "
            f"offsets=({offset[0]}, {offset[1]}), block_shape={shape}, order=(1, 0))\n{moved}"
            f'{name} = tl.load(b, boundary_check=(0, 1), padding_option="zero")'
        )
        self.variables[name] = Sort(dtype, shape)

    def collide(self) -> None:
        """Atomic additions, of which several may meet in one element."""
        dtype = self.rng.choice(["i32", "u32", "i64", "u64"])
        shape = self.any_shape()
        index = self.expression(Sort("i32", shape), 1)
        value = self.expression(Sort(dtype, shape), 1)
        output = self.new_output(dtype, (16,), shared=True)
        self.add(f"tl.atomic_add({output.name} + ({{0}} & 15), {{1}} ^ 0)", index, value)

    # Outputs

    def new_output(
        self, dtype: str, shape: Shape, rule: str = "", operands=(), shared=False
    ) -> Output:
        output = Output(f"o{len(self.outputs)}", dtype, shape, rule, tuple(operands))
        self.outputs.append(output)
        return output

    def place(self, output: Output) -> str:
        return f"{output.name} + pid * {numel(output.shape)} + {offsets(output.shape)}"

    def store(self, value: Node, sort: Sort, rule: str = "", operands=()) -> Output:
        dtype = sort.dtype
        output = self.new_output(dtype, sort.shape, rule, operands)
        mask = ""
        parts = (value,)
        if sort.shape and not rule and self.rng.random() < 0.2:
            mask = ", mask={1}"
            parts = (value, self.expression(Sort("i1", sort.shape), 1))
        self.add(f"tl.store({self.place(output)}, {{0}}{mask})", *parts)
        return output

    def store_exact(self) -> None:
        sort = self.any_sort()
        if self.rng.random() < 0.15 and sort.dtype in INTEGERS:
            # A store casts to the array's type.
            wide = Sort(self.rng.choice(INTEGERS), sort.shape)
            self.store(Node("{0}", (self.expression(wide, 2),)), sort)
        elif self.rng.random() < 0.1:
            value = Node("{0}.to(tl.bfloat16)", (self.load(Sort("bf16", sort.shape), 0),))
            self.store(value, Sort("bf16", sort.shape))
        else:
            self.store(self.expression(sort, 3), sort)

    def store_rounded(self) -> None:
        rng = self.rng
        dtype = rng.choice(["f32", "f32", "f64"])
        rule = rng.choice([
            "exp", "exp2", "log", "log2", "sin", "cos", "rsqrt", "erf", "sigmoid", "sum", "softmax",
            "dot",
        ])  # fmt: skip
        if rule == "dot":
            return self.store_dot()
        shape = (
            self.any_shape() if rule not in ("sum", "softmax") else (rng.choice([2, 8, 16, 32]),)
        )
        sort = Sort(dtype, shape)
        name = self.new_name()
        self.add(f"{name} = {{0}}", self.expression(sort, 1))
        operand = self.store(Node(name, sort=sort), Sort(dtype, shape, False), rule="exact")
        result = Sort(dtype, () if rule == "sum" else shape)
        call = f"tl.{rule}({name}, 0)" if rule == "sum" else f"tl.{rule}({name})"
        self.store(Node(call), result, rule, [operand.name])

    def store_dot(self) -> None:
        rng = self.rng
        dtype = rng.choice(["f16", "f32"])
        m, n, k = (rng.choice([16, 32]) for _ in range(3))
        names = []
        for shape in ((m, k), (k, n), (m, n)):
            sort = Sort(dtype if shape != (m, n) or len(names) < 2 else "f32", shape)
            name = self.new_name() + f"_{len(names)}"
            self.add(f"{name} = {{0}}", self.load(sort, 0))
            names.append((name, self.store(Node(name, sort=sort), sort, rule="exact").name))
        (a, _), (b, _), (c, _) = names
        call = rng.choice([f"tl.dot({a}, {b}) + {c}", f"tl.dot({a}, {b}, {c})"])
        self.store(Node(call), Sort("f32", (m, n)), "dot", [stored for _, stored in names])


STATEMENTS: list[Callable[[Generator], None]] = [
    Generator.assign, Generator.assign, Generator.assign, Generator.accumulate,
    Generator.accumulate, Generator.count_down, Generator.branch, Generator.unpack,
    Generator.window, Generator.collide,
]  # fmt: skip
