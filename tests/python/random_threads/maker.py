# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a random kernel of threads for a seed: the text, the grid and the block, and its arguments."""

import math
import random

import numpy as np

from .expressions import DIFFERING, FLOATS, INPUTS, INTEGERS, UNIFORM, Expressions
from .functions import random_function, recursive_function

HEADER = "import math\nimport numpy as np\nfrom numba import cuda, int8, int16, int32, int64, uint8, uint16, uint32, uint64, " \
         "float32, float64\n\n\n"
BLOCKS = ((1, 1, 1), (8, 1, 1), (37, 1, 1), (5, 3, 1), (4, 2, 3), (1, 7, 1), (64, 1, 1), (32, 2, 1), (16, 4, 1), (3, 3, 8),
          (40, 1, 1), (2, 16, 1))
GRIDS = ((1, 1, 1), (3, 1, 1), (2, 2, 1), (2, 1, 2))
OWN, BINS = 4, 8
CHANGES = ("add", "max", "min", "and_", "or_", "xor")


class RandomKernel:
    """`text`, `grid`, `block`, `shared` (bytes of dynamic shared memory), and arguments by name."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.block, self.grid = self.draw.choice(BLOCKS), self.draw.choice(GRIDS)
        self.threads = math.prod(self.block)
        self.types = {
            "own": self.draw.choice(INTEGERS), "cell": self.draw.choice(("int32", "int64", "uint32", "uint64")),
            "real": self.draw.choice(("float32", "float64")), "cache": self.draw.choice(INTEGERS),
            "dynamic": self.draw.choice(("int32", "int64", "float64")), "local": self.draw.choice(INTEGERS),
            "bins": self.draw.choice(("int32", "int64", "uint32"))}
        self.inputs = {kind: f"in_{kind}" for kind in (*self.draw.sample(INTEGERS, 2), "float32", "float64")}
        self.changes = {name: self.draw.choice(CHANGES) for name in ("all", "bins")}
        self.expressions = Expressions(self.draw, self.inputs)
        self.shared = self.threads * np.dtype(self.types["dynamic"]).itemsize if self.draw.randrange(2) else 0
        self.has_times = self.draw.randrange(3) == 0
        self.is_plain = self.threads % 32 != 0  # a warp is not whole
        functions = [random_function(self.expressions, f"helper{i}") for i in range(self.draw.randrange(3))]
        functions += [recursive_function(self.draw, f"again{i}") for i in range(self.draw.randrange(2))]
        self.expressions.functions = [name for name, _ in functions]
        self.lines = []
        self.body()
        self.text = "".join(text for _, text in functions) + self.head() + "\n".join(self.lines) + "\n"

    # Arguments

    def parameters(self):
        arrays = [*self.inputs.values(), "own", "cell", "real", "all", "out", "out_f"]
        return arrays + (["when", "span"] if self.has_times else []) + ["n", "x"]

    def arguments(self, seed):
        draw = np.random.default_rng(seed)
        count = self.threads * math.prod(self.grid)

        def some(kind, *shape):
            if "float" in kind:
                return (draw.integers(-800, 800, shape) / 8).astype(kind)
            low = 0 if kind[0] == "u" else -40
            far = draw.integers(-2**63, 2**63 - 1, shape)
            return np.where(draw.random(shape) < 0.2, far, draw.integers(low, 100, shape)).astype(kind)

        made = {name: some(kind, INPUTS) for kind, name in self.inputs.items()}
        made["own"] = some(self.types["own"], count, OWN)
        made["cell"], made["real"] = some(self.types["cell"], count, 2), some(self.types["real"], count, 2)
        made["all"] = some(self.types["bins"], BINS)
        made["out"], made["out_f"] = some("int64", count, len(DIFFERING + UNIFORM)), some("float64", count, len(FLOATS))
        if self.has_times:
            made["when"] = draw.integers(0, 10**6, count).astype("datetime64[s]")
            made["span"] = draw.integers(-999, 999, count).astype("timedelta64[s]")
            made["when"][::7] = np.datetime64("NaT")
        made["n"], made["x"] = int(draw.integers(-5, 20)), float(draw.integers(-40, 40)) / 8
        return {name: made[name] for name in self.parameters()}

    # Text

    def head(self):
        x, y, _ = self.block
        return (f"@cuda.jit\ndef kernel({', '.join(self.parameters())}):\n"
                f"    t = cuda.threadIdx.x + {x} * (cuda.threadIdx.y + {y} * cuda.threadIdx.z)\n"
                "    p = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)\n"
                f"    g = p * {self.threads} + t\n    lane = cuda.laneid\n")

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def body(self):
        line, threads = self.line, self.threads
        line(1, f"lanes = min(32, {threads} - t // 32 * 32)")
        line(1, "mask = (1 << lanes) - 1")
        line(1, f"cache = cuda.shared.array({threads}, {self.types['cache']})")
        line(1, f"rows = cuda.shared.array((2, {threads}), int64)")
        line(1, f"bins = cuda.shared.array({BINS}, {self.types['bins']})")
        if self.shared:
            line(1, f"dynamic = cuda.shared.array(0, {self.types['dynamic']})")
        line(1, f"local = cuda.local.array({OWN}, {self.types['local']})")
        line(1, "table = cuda.local.array((2, 3), float64)")
        line(1, f"for k in range(t, {BINS}, {threads}):")
        line(2, "bins[k] = 0")
        line(1, f"for k in range({OWN}):")
        line(2, "local[k] = k")
        line(1, "for k in range(6):")
        line(2, "table[k // 3, k % 3] = k * 0.5")
        line(1, "cuda.syncthreads()")
        for number, name in enumerate(DIFFERING):
            line(1, f"{name} = {('t', 'g', 'n', '0')[number]}")
        line(1, "u0 = n\n    u1 = p\n    f0 = x\n    f1 = t * 0.5")
        self.list(1, "block", 0, 3 + self.draw.randrange(5))
        line(1, "cuda.syncthreads()")
        line(1, f"for k in range(t, {BINS}, {threads}):")
        line(2, f"cuda.atomic.{self.changes['all']}(all, k, bins[k])")
        for number, name in enumerate(DIFFERING + UNIFORM):
            line(1, f"out[g, {number}] = {name}")
        for number, name in enumerate(FLOATS):
            line(1, f"out_f[g, {number}] = {name}")
        self.list(1, "end", 0, self.draw.randrange(4))

    def list(self, indent, together, loops, count):
        """`together`: whether all threads of the block come here, or of the warp, or neither; "end": they may end."""
        for _ in range(count):
            self.statement(indent, together, loops)

    def statement(self, indent, together, loops):
        plain = ((3, self.assign), (2, self.move), (1, self.memory), (1, self.count), (1, self.own_atomic),
                 (1 if self.has_times else 0, self.times))
        nested = ((3, self.branch), (2, self.loop), (1, self.counted_while)) if indent < 4 else ()
        meeting = {"block": ((3, self.hand_over), (3, self.ask_warp), (1, self.vote_of_block), (1, self.by_warps)),
                   "warp": ((3, self.ask_warp), )}.get(together, ())
        leaving = ((2, self.leave), ) if loops or together == "end" else ()
        kinds = (*plain, *nested, *meeting, *leaving)
        self.draw.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0](indent, together, loops)

    def assign(self, indent, together, loops):
        kind = self.draw.randrange(8)
        if kind == 0 and together == "block":
            self.line(indent, f"{self.draw.choice(UNIFORM)} = {self.expressions.integer(uniform=True)}")
        elif kind == 1:
            a, b = self.draw.sample(DIFFERING, 2)
            self.line(indent, f"{a}, {b} = {b}, {self.expressions.integer()}")
        elif kind == 2:
            self.line(indent, f"{self.draw.choice(DIFFERING)} {self.draw.choice(('+', '-', '*', '^'))}= "
                              f"{self.expressions.integer()}")
        elif kind < 5:
            self.line(indent, f"{self.draw.choice(FLOATS)} = {self.expressions.float_value()}")
        else:
            self.line(indent, f"{self.draw.choice(DIFFERING)} = {self.expressions.integer()}")

    def to(self):
        return self.draw.choice(DIFFERING)

    def move(self, indent, together, loops):
        """Between variables and memory of the thread's own."""
        e, integer = self.expressions, self.expressions.integer
        place = f"{integer(depth=2)} & {OWN - 1}"
        self.line(indent, self.draw.choice((
            f"own[g, {place}] = {integer()}", f"{self.to()} = np.int64(own[g, {place}])",
            f"local[{place}] = {integer()}", f"{self.to()} = np.int64(local[{place}])",
            f"own[g, {place}] = np.int64(own[g, {place}]) + {integer()}",
            f"local[-1 - ({place})] {'^' if self.types['local'] != 'uint64' else ''}= {integer()}",
            f"real[g, {integer(depth=2)} & 1] = {self.draw.choice(FLOATS)}",
            f"{self.draw.choice(FLOATS)} = float(real[g, {integer(depth=2)} & 1])",
            f"table[{integer(depth=2)} & 1, ({integer(depth=2)} & 31) % 3] = {e.float_value()}",
            f"{self.draw.choice(FLOATS)} = table[{integer(depth=2)} & 1, ({self.to()} & 31) % 3]")))

    def memory(self, indent, together, loops):
        kind = self.draw.choice([kind for kind in self.inputs if "float" not in kind])
        self.line(indent, f"{self.to()} = {self.expressions.read(self.expressions.integer())}"
                          f" + np.int64({self.inputs[kind]}[-1 - (v0 & 15)])")

    def count(self, indent, together, loops):
        if together == "end":  # others read already
            return self.assign(indent, together, loops)
        self.line(indent, f"cuda.atomic.{self.changes['bins']}(bins, {self.expressions.integer()} & {BINS - 1}, "
                          f"{self.expressions.integer(depth=1)} & 0xffff)")

    def own_atomic(self, indent, together, loops):
        place, value = f"(g, {self.to()} & 1)", f"{self.expressions.integer(depth=1)} & 0x7fff"
        changes = ("add", "sub", "max", "min", "and_", "or_", "xor", "exch")
        if self.types["cell"] in ("uint32", "uint64"):
            changes += ("inc", "dec")
        made = f"cuda.atomic.{self.draw.choice(changes)}(cell, {place}, {value})"
        if self.draw.randrange(4) == 0:
            made = f"cuda.atomic.cas(cell, {place}, {self.to()} & 3, {value})"
        self.line(indent, f"{self.to()} = np.int64({made})")

    def times(self, indent, together, loops):
        to, integer = self.to(), self.expressions.integer(depth=2)
        made = self.draw.choice((
            "when[g] += span[g]", f"span[g] = span[g] * ({integer} & 3)", "span[g] = -span[g]", "when[g] = when[g] - span[g]",
            f"{to} = int(when[g] < when[0 * g + g] + span[g])", f"if span[g] > when[g] - when[g]:; {to} += 7",
            f"if when[g] == when[g]:; {to} = {to} ^ 1"))
        first, _, then = made.partition("; ")
        self.line(indent, first)
        if then:
            self.line(indent + 1, then)

    def some_inside(self, indent, together, loops):
        self.list(indent, together, loops, 1 + self.draw.randrange(3))

    def branch(self, indent, together, loops):
        uniform = together == "block" and self.draw.randrange(2) == 0
        inside = together if uniform else "end" if together == "end" else "alone"
        loops = loops if uniform or together != "block" else 0  # of which all of the block make the same rounds
        self.line(indent, f"if {self.expressions.condition(uniform)}:")
        self.some_inside(indent + 1, inside, loops)
        if self.draw.randrange(3) == 0:
            self.line(indent, f"elif {self.expressions.condition(uniform)}:")
            self.some_inside(indent + 1, inside, loops)
        if self.draw.randrange(2):
            self.line(indent, "else:")
            self.some_inside(indent + 1, inside, loops)

    def loop(self, indent, together, loops):
        uniform = together == "block" and self.draw.randrange(2) == 0
        inside = "block" if uniform else "end" if together == "end" else "alone"
        integer = lambda mask: f"({self.expressions.integer(uniform, 2)} & {mask})"
        bounds = self.draw.choice((f"{integer(7)}", f"{integer(3)}, {integer(7)}", f"{integer(3)}, {integer(15)}, 3",
                                   f"{integer(7)}, -2, -2", f"{integer(3)}, {integer(15)}, {integer(3)} + 1",
                                   f"{integer(15)}, {integer(7)}, -1", "3"))
        name = self.draw.choice(UNIFORM if uniform else DIFFERING) if self.draw.randrange(2) else f"i{indent}"
        self.line(indent, f"for {name} in range({bounds}):")
        if name[0] == "i":
            to = self.draw.choice(UNIFORM if uniform else DIFFERING)
            self.line(indent + 1, f"{to} += {name}")
        self.some_inside(indent + 1, inside, 1)

    def counted_while(self, indent, together, loops):
        uniform = together == "block" and self.draw.randrange(2) == 0
        inside = "block" if uniform else "end" if together == "end" else "alone"
        name, condition = f"w{indent}", self.expressions.condition(uniform, 1)
        self.line(indent, f"{name} = 0")
        if self.draw.randrange(2):
            self.line(indent, f"while {name} < ({self.expressions.integer(uniform, 2)} & 7) and {condition}:")
            self.line(indent + 1, f"{name} += 1")
        else:
            self.line(indent, "while True:")
            self.line(indent + 1, f"{name} += 1")
            self.line(indent + 1, f"if {name} > 5 or {condition}:")
            self.line(indent + 2, "break")
        self.some_inside(indent + 1, inside, 1)

    def leave(self, indent, together, loops):
        ways = (["break", "continue"] if loops else []) + (["return"] if together == "end" else [])
        self.line(indent, f"if {self.expressions.condition(uniform=together == 'block')}:")
        if self.draw.randrange(2):
            self.assign(indent + 1, "alone", 0)
        self.line(indent + 1, self.draw.choice(ways))

    # Where threads meet

    def hand_over(self, indent, together, loops):
        place = f"(t + ({self.expressions.integer(depth=2)} & 7)) % {self.threads}"
        kind = self.draw.randrange(3)
        if kind == 2 and self.shared:
            is_float = "float" in self.types["dynamic"]
            self.line(indent, f"dynamic[t] = {'f0' if is_float else self.expressions.integer()}")
            self.line(indent, "cuda.syncthreads()")
            self.line(indent, f"{'f1' if is_float else self.to()} = dynamic[{place}]")
        elif kind == 1:
            row = f"{self.expressions.integer(True, 2)} & 1"
            self.line(indent, f"rows[{row}, t] = {self.expressions.integer()}")
            self.line(indent, "cuda.syncthreads()")
            self.line(indent, f"{self.to()} = rows[{row}, {place}] if {self.expressions.condition()} else t")
        else:
            self.line(indent, f"cache[t] = {self.expressions.integer()}")
            self.line(indent, "cuda.syncthreads()")
            self.line(indent, f"{self.to()} = np.int64(cache[{place}])")
        self.line(indent, "cuda.syncthreads()")

    def ask_warp(self, indent, together, loops):
        kind, to, value = self.draw.randrange(8), self.to(), self.expressions.integer()
        by = str(self.draw.choice((1, 2, 4, 8, 16))) if self.draw.randrange(2) else f"({self.to()} & 7)"
        names = ("shfl_sync", "shfl_up_sync") if self.is_plain else ("shfl_sync", "shfl_up_sync", "shfl_down_sync",
                                                                    "shfl_xor_sync")
        if kind == 0:
            name = self.draw.choice(("any_sync", "all_sync"))
            self.line(indent, f"{to} = int(cuda.{name}(mask, {self.expressions.condition()}))")
        elif kind == 1:
            self.line(indent, f"{to} = np.int64(cuda.ballot_sync(mask, {self.expressions.condition()}))")
        elif kind == 2:
            self.line(indent, f"{to} = np.int64(cuda.match_any_sync(mask, {value} & 3))")
        elif kind == 3:
            self.line(indent, "cuda.syncwarp(mask)")
        else:
            name = self.draw.choice(names)
            by = f"(lane + {by}) % lanes" if name == "shfl_sync" else by
            if kind == 4:
                self.line(indent, f"f1 = cuda.{name}(mask, f0, {by})")
            else:
                self.line(indent, f"{to} = cuda.{name}(mask, {value}, {by})")

    def vote_of_block(self, indent, together, loops):
        name = self.draw.choice(("count", "and", "or"))
        self.line(indent, f"{self.to()} = int(cuda.syncthreads_{name}({self.expressions.condition()}))")

    def by_warps(self, indent, together, loops):
        """A branch that threads of one warp take together."""
        self.line(indent, f"if (t // 32 + {self.expressions.integer(True, 2)}) % 2 == 0:")
        self.some_inside(indent + 1, "warp", 0)
        if self.draw.randrange(2):
            self.line(indent, "else:")
            self.some_inside(indent + 1, "warp", 0)
