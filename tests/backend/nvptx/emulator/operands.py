# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of PTX as Python expressions.

Most of the time would go into making floats of registers' bits and bits of floats. So a register that
is written as a float and nothing else holds that float, if it is read as one rather than as bits;
finished() decides, when all of a function is known. Until then, expressions have marks."""

import functools
import math
import re

import ptx

SPECIAL = {"%cluster_ctarank": "M.rank", "%clusterid.x": "(ctaid[0] // len(M.cluster))", "%nclusterid.x": "(grid[0] // len(M.cluster))",
           "%tid.x": "tid", "%laneid": "(tid & 31)", "%lanemask_lt": "((1 << (tid & 31)) - 1)", "%ctaid.x": "ctaid[0]", "%ctaid.y": "ctaid[1]", "%ctaid.z": "ctaid[2]",
           "%nctaid.x": "grid[0]", "%nctaid.y": "grid[1]", "%nctaid.z": "grid[2]",
           # One clock for all, which goes on when somebody reads it; blocks take turns with two multiprocessors.
           "%clock": "(M.clock() & 0xFFFFFFFF)", "%clock64": "M.clock()", "%globaltimer": "M.clock()", "%smid": "(ctaid[0] % 2)"}


@functools.cache
def width_of(kind):
    return int(re.sub(r"\D", "", kind.replace("x2", "")))


BRACKETS = re.compile(r"[{[(]")


def split(text):
    """At the commas that stand outside of brackets."""
    if not BRACKETS.search(text):
        return text.split(",") if text.strip() else []
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "{[(") - (c in "}])")
        if c == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    return parts + [text[last:]] if text.strip() else []


# Marks before a register's name: read as a float, as bits, and a float that it gets; and one behind it.
READ, BITS, WRITTEN, END = "\1\2\3\4"
MARK = re.compile(f"[{READ}{BITS}{WRITTEN}](\\w+){END}")
# Numbers that share bytes, in ptx.py, by a register's width.
FLOAT, WORD = {32: "FLOAT32[0]", 64: "FLOAT64[0]"}, {32: "WORD32[0]", 64: "WORD64[0]"}
FLOAT_KINDS = {"f16": ptx.to_float16, "bf16": ptx.bfloat, "f32": ptx.to_float32, "f64": ptx.to_float64}


def read_constant(value, kind):
    """Of bits: what they are as a number of the kind, or nothing."""
    width = width_of(kind)
    bits = value & ((1 << width) - 1)
    if kind in FLOAT_KINDS:
        number = FLOAT_KINDS[kind](bits)
        return f"({number!r})" if math.isfinite(number) else None
    return f"({ptx.signed(bits, width) if kind[0] == 's' else bits})"


CONSTANT = re.compile(r"\(?-?\d+\)?")


class Operands:
    def declare(self, body):
        """The registers of a function, but for those that products give their sums to: they may hold what
        is no number, which reading them with a mask finds out."""
        declared = re.findall(r"\.reg \.[bsuf](\d+)\s+%(\w+)<(\d+)>", body)
        self.widths = {f"{name}{i}": int(width)
                       for width, name, count in declared for i in range(int(count))}
        sums = re.findall(r"wgmma\.mma_async[^{]*\{([^}]*)\}", body)
        for name in re.findall(r"%(\w+)", " ".join(sums)):
            self.widths.pop(name, None)
        self.bits_only = set()  # registers that something else than read() and assign() names

    def mark(self, mark, text):
        return f"{mark}{text[1:]}{END}"

    def operand(self, text):
        text = text.strip()
        self.bits_only.add(text[1:])
        return self.expression(text)

    def expression(self, text):
        if text in self.symbols:
            return str(self.symbols[text])
        if text in SPECIAL:
            return SPECIAL[text]
        if text.startswith("%"):
            return text[1:].replace(".", "_")
        if re.fullmatch(r"0[fd][0-9A-Fa-f]+", text):
            return str(int(text[2:], 16))
        if re.fullmatch(r"(-?\d+|-?0x[0-9A-Fa-f]+)U?", text):
            return f"({int(text.rstrip('U'), 0)})"
        if re.fullmatch(r"[a-z]\w*", text):
            return text  # a register of an inline block
        raise ValueError(f"operand {text}")

    def read(self, text, kind):
        """The operand's value as a Python number of a PTX type."""
        text = text.strip()
        width = width_of(kind) if kind != "pred" else 1
        held = self.widths.get(text[1:]) if text[:1] == "%" else None
        if kind[0] == "f" and held == width > 16:
            return self.mark(READ, text)
        value = self.mark(BITS, text) if held else self.expression(text)
        if kind == "pred":
            return value if value not in ("(0)", "(-1)", "(1)") else str(value != "(0)")
        if CONSTANT.fullmatch(value) and (constant := read_constant(int(value.strip("()")), kind)):
            return constant
        masked = value if held and held <= width else f"({value} & {hex((1 << width) - 1)})"
        if width == 16 and kind[0] in "fb" and kind != "b16":
            return f"{kind.upper()}[{masked}]"
        if kind[0] == "f":
            return f"to_float{width}({masked})"
        sign = hex(1 << (width - 1))
        return f"(({masked} ^ {sign}) - {sign})" if kind[0] == "s" else masked

    def assign(self, target, kind, value, is_whole=False):
        """`is_whole`: the number has no more bits than the kind."""
        target = target.strip()
        held = self.widths.get(target[1:]) if target[0] == "%" and kind != "pred" else None
        fits = held is not None and held == width_of(kind)
        if fits and kind in ("f32", "f64"):
            how = "=" if is_whole or kind == "f64" else "~"
            self.emit(f"{self.mark(WRITTEN, target)}{how}{value}")
        elif fits and is_whole and kind[0] in "bu" and kind != "bf16":
            self.emit(f"{self.operand(target)} = {value}")
        else:
            self.emit(f"{self.operand(target)} = {self.write(kind, value)}")

    def finished(self, blocks):
        """Lists of lines, with what marks stand for."""
        counts = {}  # of each register: how often it is read as a float, as bits, and written as a float
        for line in (line for lines in blocks for line in lines if END in line):
            for found in MARK.finditer(line):
                counts.setdefault(found[1], [0, 0, 0])[ord(found[0][0]) - 1] += 1
        self.floats = {name for name, (read, bits, written) in counts.items()
                       if written and name not in self.bits_only and 3 * read >= 5 * bits}
        return [[done for line in lines for done in (self.unmarked(line) if END in line else (line,))]
                for lines in blocks]

    def unmarked(self, line):
        indent = " " * (len(line) - len(line.lstrip(" ")))
        before, names = [], {}

        def value(found):
            mark, name = found[0][0], found[1]
            if (mark == READ) == (name in self.floats):
                return name
            if (mark, name) not in names:
                given = names[mark, name] = f"given{len(names)}"
                to, source = (FLOAT, WORD) if mark == READ else (WORD, FLOAT)
                width = self.widths[name]
                before.extend([f"{indent}{source[width]} = {name}", f"{indent}{given} = {to[width]}"])
            return names[mark, name]

        target = MARK.match(line, len(indent))
        if not target or target[0][0] != WRITTEN:
            return [*before, text] if (text := MARK.sub(value, line)) else before
        name, how, text = target[1], line[target.end()], MARK.sub(value, line[target.end() + 1:])
        width = self.widths[name]
        if name in self.floats and how == "=":
            return [*before, f"{indent}{name} = {text}"]
        held = FLOAT if name in self.floats else WORD
        return [*before, f"{indent}{FLOAT[width]} = {text}", f"{indent}{name} = {held[width]}"]

    def write(self, kind, value):
        if kind == "pred":
            return f"bool({value})"
        if kind == "bf16":
            return f"to_bfloat({value})"
        if kind[0] == "f":
            return f"from_float{width_of(kind)}({value})"
        return f"({value}) & {hex((1 << width_of(kind)) - 1)}"
