# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of PTX as Python expressions."""

import re

SPECIAL = {"%tid.x": "tid", "%laneid": "(tid & 31)", "%lanemask_lt": "((1 << (tid & 31)) - 1)", "%ctaid.x": "ctaid[0]", "%ctaid.y": "ctaid[1]", "%ctaid.z": "ctaid[2]",
           "%nctaid.x": "grid[0]", "%nctaid.y": "grid[1]", "%nctaid.z": "grid[2]",
           # One clock for all, which goes on when somebody reads it; blocks take turns with two multiprocessors.
           "%clock": "(M.clock() & 0xFFFFFFFF)", "%clock64": "M.clock()", "%globaltimer": "M.clock()", "%smid": "(ctaid[0] % 2)"}


def width_of(kind):
    return int(re.sub(r"\D", "", kind.replace("x2", "")))


def split(text):
    """At the commas that stand outside of brackets."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "{[(") - (c in "}])")
        if c == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    return parts + [text[last:]] if text.strip() else []


class Operands:
    def operand(self, text):
        text = text.strip()
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
        value = self.operand(text)
        if kind == "pred":
            return value if value not in ("(0)", "(-1)", "(1)") else str(value != "(0)")
        width = width_of(kind)
        if kind == "bf16":
            return f"bfloat({value} & 65535)"
        if kind[0] == "f":
            return f"to_float{width}({value} & {hex((1 << width) - 1)})"
        masked = f"({value} & {hex((1 << width) - 1)})"
        return f"signed({masked}, {width})" if kind[0] == "s" else masked

    def write(self, kind, value):
        if kind == "pred":
            return f"bool({value})"
        if kind == "bf16":
            return f"to_bfloat({value})"
        if kind[0] == "f":
            return f"from_float{width_of(kind)}({value})"
        return f"({value}) & {hex((1 << width_of(kind)) - 1)}"
