# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions of PTX as statements of Python."""

import re

import memory
from arithmetic import Arithmetic
from engines import Engines
from operands import Operands, split, width_of


def comes_behind_wait(opcode):
    """Whether it may meet what earlier launches do, or ends a thread: a later launch waits for this one alone."""
    name, *m = opcode.split(".")
    if name == "cp":
        return not {"commit_group", "wait_group"} & {*m}
    return name in ("ret", "exit") or name in ("ld", "st", "atom", "red", "prefetch") and not {
        "param", "shared", "shared::cta", "shared::cluster", "local", "const", "tensormap"} & {*m}


class Function(Operands, Arithmetic, Engines):
    """The statements of one function, one after the other."""

    def __init__(self, name, symbols, block=()):
        """`block`: how many threads along each axis, of a kernel that tells them apart by more than one."""
        self.name, self.symbols = name, symbols
        if block[1:] not in ((), (1, 1)):
            x, y, _ = block
            self.symbols = {**symbols, "%tid.x": f"(tid % {x})", "%tid.y": f"(tid // {x} % {y})",
                            "%tid.z": f"(tid // {x * y})"}
        self.lines = []

    def emit(self, code):
        self.lines.append(code)

    # Statements

    def statement(self, text):
        text = text.strip()
        if not text or text.startswith((".reg", ".param", ".pragma", ".shared", ".local")) or text in "{}":
            return
        guard = re.match(r"@(!?)(\S+)\s+(.*)", text, re.S)
        indent = ""
        if guard:
            self.emit(f"if {'not ' if guard[1] else ''}{self.operand(guard[2])}:")
            indent, text = "  ", guard[3]
        mark = len(self.lines)
        opcode, _, rest = text.partition(" ")
        if self.overlaps and comes_behind_wait(opcode):
            self.emit(f"if not awaited: raise RuntimeError('{opcode} is not behind griddepcontrol.wait')")
        self.instruction(opcode.strip(), [a.strip() for a in split(rest)])
        self.changes(opcode, rest)
        self.lines[mark:] = [indent + line for line in self.lines[mark:]]

    def instruction(self, opcode, a):
        parts = opcode.split(".")
        handler = getattr(self, "op_" + parts[0], None)
        if not handler:
            raise ValueError(f"no instruction {opcode}")
        handler(parts[1:], a)

    def values(self, kind, operands):
        return [self.read(o, kind) for o in operands]

    # Data movement

    def op_mov(self, m, a):
        kind = m[-1]
        if a[0].startswith("{"):
            parts = split(a[0][1:-1])
            width = width_of(kind) // len(parts)
            source = self.read(a[1], f"b{width_of(kind)}")
            for i, part in enumerate(parts):
                if part.strip() != "_":
                    self.emit(f"{self.operand(part)} = ({source} >> {i * width}) & {hex((1 << width) - 1)}")
        elif a[1].startswith("{"):
            parts = split(a[1][1:-1])
            width = width_of(kind) // len(parts)
            value = " | ".join(f"({self.read(p, 'b%d' % width)} << {i * width})" for i, p in enumerate(parts))
            self.emit(f"{self.operand(a[0])} = {value}")
        else:
            self.assign(a[0], kind, self.read(a[1], kind), is_whole=True)

    def address(self, text):
        inner = text.strip()[1:-1]
        base, _, offset = inner.partition("+")
        return self.operand(base) + (f" + {int(offset)}" if offset else "")

    def space(self, m):
        return next((name for name in ("shared", "local") if name in m), "global")

    def op_createpolicy(self, m, a):
        self.emit(f"{self.operand(a[0])} = 0")  # caches are not emulated

    def op_ld(self, m, a):
        size = width_of(m[-1]) // 8

        def widened(value, target):  # to the register's bits
            bits = self.widths.get(target.strip()[1:], 64)
            if m[-1][0] != "s":
                return value
            return f"signed({value}, {size * 8}) & {hex((1 << bits) - 1)}"

        if "param" in m:
            name = a[1].strip()[1:-1]
            key = f"PARAMETERS[{self.operand(name)}]" if name.startswith("%") else repr(name)
            low = f"(P[{key}] & {hex((1 << size * 8) - 1)})"  # of what may be longer
            self.emit(f"{self.operand(a[0])} = {widened(low, a[0])}")
            return
        space = self.space(m)
        targets = split(a[0][1:-1]) if a[0].startswith("{") else [a[0]]
        self.emit(f"at = {self.address(a[1])}")
        if len(targets) == 1:
            self.emit(f"{self.operand(a[0])} = {widened(f'load_{space}_{size}_1(at)[0]', a[0])}")
            return
        names = [self.operand(target) for target in targets]
        self.emit(f"{', '.join(names)} = load_{space}_{size}_{len(names)}(at)")
        for name, target in zip(names, targets):
            if widened("", target) != "":
                self.emit(f"{name} = {widened(name, target)}")

    def op_st(self, m, a):
        size = width_of(m[-1]) // 8
        if "param" in m:
            self.emit(f"P[{a[0].strip()[1:-1]!r}] = {self.read(a[1], 'b%d' % (size * 8))}")
            return
        if "async" in m:
            self.emit(f"M.send({self.address(a[0])}, {size}, {self.read(a[1], 'b%d' % (size * 8))}, {self.address(a[2])})")
            return
        space = self.space(m)
        sources = split(a[1][1:-1]) if a[1].startswith("{") else [a[1]]
        self.emit(f"at = {self.address(a[0])}")
        values = [self.read(source, "b%d" % (size * 8)) for source in sources]
        self.emit(f"store_{space}_{size}_{len(sources)}(at, {', '.join(values)})")
        if space == "shared" and self.has_engines:
            self.emit(f"M.wrote(tid, at, {size * len(sources)})")

    def op_red(self, m, a):
        self.op_atom(m, ["old", *a])

    def op_atom(self, m, a):
        space = "shared" if "shared" in m else "global"
        kind = m[-1]
        operation = next(x for x in m if x in ("add", "exch", "cas", "min", "max", "and", "or", "xor",
                                         "inc", "dec"))
        size = width_of(kind) // 8
        self.emit(f"at = {self.address(a[1])}")
        vector = next((int(x[1:]) for x in m if re.fullmatch(r"v\d", x)), 1)
        if vector > 1 or kind.endswith("x2"):  # sums that are nobody's
            return self.add_vector(space, kind, vector, a[2])
        self.emit(f"before = M.load({space!r}, at, {size})")
        values = self.values(kind, a[2:])
        old = self.read("before", kind)
        new = {"add": lambda: f"{old} + {values[0]}", "exch": lambda: values[0],
               "cas": lambda: f"{values[1]} if {old} == {values[0]} else {old}",
               "min": lambda: f"min({old}, {values[0]})", "max": lambda: f"max({old}, {values[0]})",
               "and": lambda: f"{old} & {values[0]}", "or": lambda: f"{old} | {values[0]}",
               "xor": lambda: f"{old} ^ {values[0]}",
               "inc": lambda: f"0 if {old} >= {values[0]} else {old} + 1",
               "dec": lambda: f"{values[0]} if {old} == 0 or {old} > {values[0]} else {old} - 1"}[operation]()
        self.emit(f"M.store({space!r}, at, {size}, {self.write(kind, new)})")
        self.emit(f"{self.operand(a[0])} = before")

    def add_vector(self, space, kind, vector, values):
        words = split(values[1:-1]) if vector > 1 else [values]
        element, size = kind.removesuffix("x2"), width_of(kind) // 8
        self.emit(f"M.place({space!r}, at, {4 * len(words)})")
        for number in range(4 * len(words) // size):
            word, shift = divmod(number * size, 4)
            part = f"({self.operand(words[word])} >> {shift * 8} & {hex((1 << size * 8) - 1)})"
            self.emit(f"given = {part}")
            self.emit(f"before = M.load({space!r}, at + {number * size}, {size})")
            total = f"{self.read('before', element)} + {self.read('given', element)}"
            self.emit(f"M.store({space!r}, at + {number * size}, {size}, {self.write(element, total)})")

    def op_cp(self, m, a):  # cp.async
        if "bulk" in m:
            self.copy_in_bulk(m, a)
        elif "commit_group" in m:
            self.emit("M.commit(tid)")
        elif "wait_group" in m:
            self.emit(f"M.wait(tid, {int(a[0])})")
        else:
            given = self.operand(a[3]) if len(a) > 3 else a[2]
            self.emit(f"M.copy(tid, {self.address(a[0])}, {self.address(a[1])}, {int(a[2])}, {given})")

    def op_cvt(self, m, a):
        if m[-1] == "f32" and m[-2] in ("e4m3x2", "e5m2x2"):  # the first operand is the high half
            high, low = (f"tensor.to_float8({self.read(v, 'f32')}, {m[-2][:-2]!r})" for v in a[1:])
            self.emit(f"{self.operand(a[0])} = ({high}) << 8 | ({low})")
            return
        if "e4m3x2" in m:
            pair = self.read(a[1], "b16")
            low, high = (self.write("f16", f"tensor.e4m3({pair} >> {shift} & 255)") for shift in (0, 8))
            self.emit(f"{self.operand(a[0])} = ({high}) << 16 | ({low})")
            return
        kinds = [x for x in m if re.fullmatch(r"[subf]+\d+(x2)?", x)]
        modes = [x for x in m if x not in kinds]
        to, source = kinds
        if to in ("f16x2", "bf16x2"):  # the first operand is the high half
            half = to[:-2]
            high, low = (self.write(half, v) for v in self.values(source, a[1:]))
            self.emit(f"{self.operand(a[0])} = ({high}) << 16 | ({low})")
            return
        value = self.read(a[1], source)
        rounding = next((x for x in modes if x in ("rzi", "rmi", "rpi", "rni")), None)
        to_float, from_float = to[0] in "fb", source[0] in "fb"
        if from_float and not to_float:
            value = f"to_integer({value}, {width_of(to)}, {to[0] == 's'}, {rounding!r})"
        elif from_float and rounding:
            value = f"rounded({value}, {rounding!r})"
        elif to_float and not from_float:
            value = f"float({value})"
        if "sat" in modes:
            value = f"min(max({value}, 0.0), 1.0)"
        if to == "s8":  # registers have 16 bits at least, which the sign fills
            value, to = f"signed({value} & 255, 8)", "s16"
        self.assign(a[0], to, value)

    # Threads and control flow

    def op_shfl(self, m, a):
        given = self.read(a[2], "b32")
        if "idx" in m:
            segments = f"({self.read(a[3], 'b32')} >> 8 & 31)"
            lane = f"tid & {segments} | {given} & 31 & ~{segments}"
        elif "bfly" in m:
            lane = f"(tid & 31) ^ {given}"
        else:  # who would ask beyond the warp gets what it has itself
            sign = "-" if "up" in m else "+"
            self.emit(f"there = (tid & 31) {sign} ({given} & 31)")
            lane = "there if 0 <= there < 32 else tid & 31"
        mask = self.read(a[4], "b32")
        value = self.read(a[1], "b32")
        self.emit(f"{self.operand(a[0])} = yield ('shuffle', {mask}, {value}, {lane})")

    def op_vote(self, m, a):
        if "ballot" not in m:
            raise ValueError(f"no vote {'.'.join(m)}")
        self.emit(f"{self.operand(a[0])} = yield ('vote', {self.read(a[2], 'b32')}, {self.read(a[1], 'pred')})")

    def op_redux(self, m, a):
        self.emit(f"{self.operand(a[0])} = yield ('reduce', {self.read(a[2], 'b32')}, {self.read(a[1], m[-1])}, {m[-2]!r})")

    def op_activemask(self, m, a):  # nobody may rely on more than itself
        self.emit(f"{self.operand(a[0])} = 1 << (tid & 31)")

    def op_mma(self, m, a):
        depth = int(m[2].split("k")[1])
        word = "b64" if m[-1] == "f64" else "b32"
        given = ["(" + "".join(f"{self.read(r, word)}, " for r in split(part[1:-1])) + ")" for part in a[1:4]]
        self.emit(f"words = yield ('mma', {', '.join(given)}, {depth}, {m[-3]!r}, {m[-2]!r})")
        for i, target in enumerate(split(a[0][1:-1])):
            self.emit(f"{self.operand(target)} = words[{i}]")

    def op_ldmatrix(self, m, a):
        self.emit(f"words = yield ('ldmatrix', {self.address(a[1])}, {int(m[3][1:])}, {'trans' in m})")
        for i, target in enumerate(split(a[0][1:-1]) if a[0].startswith("{") else [a[0]]):
            self.emit(f"{self.operand(target)} = words[{i}]")

    def op_stmatrix(self, m, a):
        words = split(a[1][1:-1]) if a[1].startswith("{") else [a[1]]
        held = "".join(f"{self.read(word, 'b32')}, " for word in words)
        self.emit(f"yield ('stmatrix', {self.address(a[0])}, ({held}), {'trans' in m})")

    def op_bar(self, m, a):
        if "warp" in m:
            self.emit(f"yield ('warp', {self.read(a[0], 'b32')})")
        elif "red" in m:
            if "popc" not in m:
                raise ValueError(f"no barrier {'.'.join(m)}")
            self.emit(f"{self.operand(a[0])} = yield ('count', {int(a[1])}, {self.read(a[2], 'pred')})")
        else:
            count = int(a[1]) if len(a) > 1 else None
            self.emit(f"yield ('barrier', {int(a[0])}, {count})")

    def op_barrier(self, m, a):
        if "cluster" not in m:
            self.op_bar(m, a)
        elif "wait" in m:
            self.emit("yield ('cluster',)")

    def op_mapa(self, m, a):
        self.emit(f"{self.operand(a[0])} = {self.operand(a[1])} + {memory.CLUSTER} + ({self.operand(a[2])} << 32)")

    def op_bra(self, m, a):
        if a[0].strip() == "WAIT":  # of try_wait, which has waited
            self.emit("pass")
            return
        self.emit(f"pc = {self.labels[a[0].strip()]}")
        self.emit("continue")

    def op_griddepcontrol(self, m, a):
        self.emit("awaited = True" if "wait" in m else "pass")

    def op_ret(self, m, a):
        self.emit("return P.get('func_retval0')")

    def op_exit(self, m, a):
        self.emit("return")

    def op_call(self, m, a):
        *results, name, arguments = a
        names = [n.strip() for n in split(arguments[1:-1])]
        target = f"P[{results[0][1:-1]!r}] = " if results else ""
        self.emit(f"{target}call({name.strip()!r}, [P[n] for n in {names!r}], M)")
