# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that compute, as Python: mixed into a Function (instructions.py), which knows operands."""

import re

from operands import width_of

COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
           "equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="}


class Arithmetic:
    def binary(self, m, a, text, is_whole=False):
        kind = m[-1]
        x, y = self.values(kind, a[1:3])
        if m[-2:-1] == ["f32"] and kind in ("f16", "bf16"):  # add.f32.f16: one operand is narrow
            kind = "f32"
            y = self.read(a[2], kind)
        self.assign(a[0], kind, text.format(x=x, y=y), is_whole)

    def op_add(self, m, a):
        if "rz" in m:
            return self.binary(m, a, f"sum_towards_zero({{x}}, {{y}}, {width_of(m[-1])})")
        self.binary(m, a, "{x} + {y}")

    def op_sub(self, m, a):
        self.binary(m, a, "{x} - {y}")

    def op_mul(self, m, a):
        kind = m[-1]
        x, y = self.values(kind, a[1:3])
        if "wide" in m:
            self.assign(a[0], kind[0] + str(2 * width_of(kind)), f"{x} * {y}")
        elif "hi" in m:
            self.assign(a[0], kind, f"({x} * {y}) >> {width_of(kind)}")
        else:
            self.assign(a[0], kind, f"{x} * {y}")

    def op_mad(self, m, a):
        kind = m[-1]
        x, y = self.values(kind, a[1:3])
        wide = kind[0] + str(2 * width_of(kind)) if "wide" in m else kind
        self.assign(a[0], wide, f"{x} * {y} + {self.read(a[3], wide)}")

    def op_fma(self, m, a):
        x, y, z = self.values(m[-1], a[1:4])
        if m[-2:-1] == ["f32"] and m[-1] in ("f16", "bf16"):  # fma.f32.f16: both factors are
            m, z = [*m[:-1]], self.read(a[3], "f32")
        name = "fused" if m[-1] == "f64" else "fused_single"
        self.assign(a[0], m[-1], f"{name}({x}, {y}, {z})")

    def op_div(self, m, a):
        kind = m[-1]
        if kind[0] == "f":
            return self.binary(m, a, "divided({x}, {y})")
        sign = "(1 if ({x} < 0) == ({y} < 0) else -1)"
        self.binary(m, a, "(abs({x}) // abs({y}) * " + sign + " if {y} else 0)")

    def op_rem(self, m, a):
        self.binary(m, a, "(abs({x}) % abs({y}) * (1 if {x} >= 0 else -1) if {y} else 0)")

    def op_min(self, m, a):
        self.extreme(m, a, "smaller", "min")

    def op_max(self, m, a):
        self.extreme(m, a, "larger", "max")

    def extreme(self, m, a, of_floats, of_integers):
        if m[-1][0] != "f" and m[-1][:4] != "bf16":
            return self.binary(m, a, of_integers + "({x}, {y})")
        text = of_floats + "({x}, {y})"
        if "NaN" in m:
            text = "({x} + {y} if {x} != {x} or {y} != {y} else " + text + ")"
        if "xorsign" in m:  # ... of magnitudes, and a sign of both
            text = text.replace("{x}", "abs({x})").replace("{y}", "abs({y})")
            text = f"math.copysign({text}, math.copysign(1.0, {{x}}) * math.copysign(1.0, {{y}}))"
        if m[-1].endswith("x2"):
            return self.of_pairs(m, a, text)
        self.binary(m, a, text, is_whole=True)

    def of_pairs(self, m, a, text):
        """Of both halves of registers, each by itself."""
        half = m[-1][:-2]
        bits = [self.read(operand, "b32") for operand in a[1:3]]
        low, high = (text.format(**{name: f"{half.upper()}[{value} >> {shift} & 65535]" for name, value in zip("xy", bits)})
                     for shift in (0, 16))
        self.emit(f"{self.operand(a[0])} = ({self.write(half, high)}) << 16 | ({self.write(half, low)})")

    def unary(self, m, a, text, is_whole=False):
        self.assign(a[0], m[-1], text.format(x=self.read(a[1], m[-1])), is_whole)

    def op_neg(self, m, a):
        self.unary(m, a, "-{x}", is_whole=m[-1][0] == "f")

    def op_abs(self, m, a):
        if m[-1].endswith("x2"):
            return self.of_pairs(m, a, "abs({x})")
        self.unary(m, a, "abs({x})", is_whole=m[-1][0] == "f")

    def op_sqrt(self, m, a):
        self.unary(m, a, "root({x})")

    def op_rsqrt(self, m, a):
        self.unary(m, a, "divided(1.0, root({x}))")

    def op_rcp(self, m, a):
        self.unary(m, a, "divided(1.0, {x})")

    def op_ex2(self, m, a):
        self.unary(m, a, "power_of_two({x})")

    def op_lg2(self, m, a):
        self.unary(m, a, "binary_logarithm({x})")

    def op_sin(self, m, a):
        self.unary(m, a, "math.sin({x})")

    def op_cos(self, m, a):
        self.unary(m, a, "math.cos({x})")

    def op_tanh(self, m, a):
        self.unary(m, a, "math.tanh({x})")

    def op_copysign(self, m, a):  # the sign of the first
        width = width_of(m[-1])
        x, y = self.values(f"b{width}", a[1:3])
        top = hex(1 << (width - 1))
        self.emit(f"{self.operand(a[0])} = ({x} & {top}) | ({y} & ~{top})")

    # Bits

    def op_and(self, m, a):
        self.binary(m, a, "{x} & {y}" if m[-1] != "pred" else "{x} and {y}", is_whole=True)

    def op_or(self, m, a):
        self.binary(m, a, "{x} | {y}" if m[-1] != "pred" else "{x} or {y}", is_whole=True)

    def op_xor(self, m, a):
        self.binary(m, a, "{x} ^ {y}", is_whole=True)

    def op_not(self, m, a):
        self.unary(m, a, "~{x}" if m[-1] != "pred" else "not {x}")

    def op_shl(self, m, a):
        self.assign(a[0], m[-1], f"{self.read(a[1], m[-1])} << {self.amount(a[2])}")

    def op_shr(self, m, a):
        self.assign(a[0], m[-1], f"{self.read(a[1], m[-1])} >> {self.amount(a[2])}", is_whole=True)

    def amount(self, text):
        given = self.read(text, "u32")
        return min(int(given[1:-1]), 64) if re.fullmatch(r"\(\d+\)", given) else f"min({given}, 64)"

    def op_shf(self, m, a):
        x, y, amount = (self.read(o, "b32") for o in a[1:4])
        self.emit(f"both, by = {x} | {y} << 32, " + (f"min({amount}, 32)" if "clamp" in m else f"{amount} & 31"))
        self.assign(a[0], "b32", "both << by >> 32" if "l" in m else "both >> by")

    def op_bfe(self, m, a):
        kind = m[-1]
        start, length = (self.read(o, "u32") for o in a[2:4])
        self.emit(f"start, length = {start}, {length}")
        value = f"({self.read(a[1], kind)} >> start)"
        if kind[0] == "s":
            self.assign(a[0], kind, f"signed({value} & ((1 << length) - 1), length)")
        else:
            self.assign(a[0], kind, f"{value} & ((1 << length) - 1)")

    def op_bfi(self, m, a):
        kind = m[-1]
        start, length = (self.read(o, "u32") for o in a[3:5])
        self.emit(f"mask = ((1 << {length}) - 1) << {start}")
        x, y = self.values(kind, a[1:3])
        self.assign(a[0], kind, f"({y} & ~mask) | ({x} << {start} & mask)")

    def op_clz(self, m, a):
        self.emit(f"{self.operand(a[0])} = {width_of(m[-1])} - ({self.read(a[1], m[-1])}).bit_length()")

    def op_brev(self, m, a):
        width = width_of(m[-1])
        self.assign(a[0], m[-1], f"int(format({self.read(a[1], m[-1])}, '0{width}b')[::-1], 2)")

    def op_popc(self, m, a):
        self.emit(f"{self.operand(a[0])} = ({self.read(a[1], m[-1])}).bit_count()")

    def op_prmt(self, m, a):
        x, y, selector = (self.read(o, "b32") for o in a[1:4])
        self.emit(f"{self.operand(a[0])} = permuted({x}, {y}, {selector})")

    def op_lop3(self, m, a):
        x, y, z, table = (self.read(o, "b32") for o in a[1:5])
        self.emit(f"{self.operand(a[0])} = looked_up({x}, {y}, {z}, {table})")

    # Comparison

    def op_setp(self, m, a):
        kind, compare = m[-1], m[0]
        if compare in ("lo", "ls", "hi", "hs"):
            compare = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}[compare]
        x, y = self.values(kind, a[1:3])
        is_float = kind[0] == "f" or kind == "bf16"
        if compare in ("nan", "num"):
            value = f"({x} != {x} or {y} != {y})"
            value = value if compare == "nan" else f"not {value}"
        else:
            value = f"{x} {COMPARE[compare]} {y}"
            if is_float and compare.endswith("u"):
                value = f"({value} or {x} != {x} or {y} != {y})"
            elif is_float and compare == "ne":
                value = f"({value} and {x} == {x} and {y} == {y})"
        combine = next((c for c in m[1:-1] if c in ("and", "or", "xor")), None)
        if combine:
            other = a[3].strip()
            negated, other = other.startswith("!"), other.lstrip("!")
            other = ("not " if negated else "") + self.operand(other)
            value = {"and": f"({value}) and ({other})", "or": f"({value}) or ({other})",
                     "xor": f"({value}) != ({other})"}[combine]
        self.emit(f"{self.operand(a[0])} = bool({value})")

    def op_selp(self, m, a):
        kind = f"b{width_of(m[-1])}"
        x, y = self.values(kind, a[1:3])
        self.emit(f"{self.operand(a[0])} = {x} if {self.operand(a[3])} else {y}")
