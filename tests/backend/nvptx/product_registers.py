#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""product_registers.py NEREID PTXAS NVDISASM KERNELS CASES [--num-warps N]: no machine code of the cases (see
emulator/emulate.py) writes registers from which a product of a warpgroup (HGMMA) takes its left factor before the product has
been waited for. The instruction reads them while it runs; PTX forbids to write them, but the assembler does it all the same
where a product goes on at the end of a loop. Without roles and with them nothing but a GPU at work shows it."""

import argparse
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "emulator"))
import emulate  # noqa

SETS_PREDICATES_ONLY = ("ISETP", "FSETP", "HSETP", "DSETP", "PLOP3", "FCHK", "R2P")
READS_ONLY = ("BAR", "WARPSYNC", "NANOSLEEP")


class Instruction:
    """Of the text, `opcode first, second, ...` behind a guard."""

    def __init__(self, text):
        self.text = text
        guard, text = re.fullmatch(r"(@!?U?P\w+ )?\s*(.*)", text).groups()
        self.opcode, _, operands = text.partition(" ")
        self.operands = [operand.strip() for operand in operands.split(",")]
        self.is_guarded = bool(guard) or re.match(r"!?U?P\d", self.operands[0]) is not None

    def written(self):
        """The registers that it writes; wide results begin with the one that the text names."""
        if self.opcode.startswith(SETS_PREDICATES_ONLY + READS_ONLY):
            return range(0)
        results = [operand for operand in self.operands if not re.fullmatch(r"!?U?P\w+", operand)]
        first = re.match(r"R(\d+)", results[0]) if results else None
        return range(int(first[1]), int(first[1]) + self.width()) if first else range(0)

    def width(self):
        if ".128" in self.opcode or "MMA" in self.opcode or self.opcode.startswith("LDSM"):
            return 4
        return 2 if re.search(r"\.64|WIDE|F64|^CS2R|^D[A-Z]", self.opcode) else 1

    def is_product(self):
        return "GMMA" in self.opcode

    def factor_registers(self):
        """Of a left factor in registers: four, behind the sums."""
        second = re.match(r"R(\d+)", self.operands[1]) if self.is_product() else None
        return range(int(second[1]), int(second[1]) + 4) if second else range(0)

    def ends_group(self):
        return self.is_product() and self.operands[-1] == "gsb0"

    def pending(self):
        """Of a wait: how many groups may go on; None if it is none."""
        return int(self.operands[1], 16) if self.opcode == "WARPGROUP.DEPBAR.LE" else None

    def target(self):
        label = re.search(r"`\((\.L_\w+)\)", self.text)
        return label[1] if label and self.opcode.startswith("BRA") else None


def read(sass):
    """The instructions, and where labels stand among them."""
    code, labels = [], {}
    for line in sass.splitlines():
        if label := re.match(r"(\.L_\w+):", line):
            labels[label[1]] = len(code)
        elif instruction := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
            code.append(Instruction(instruction[1]))
    return code, labels


def early_write(code, labels, product):
    """An instruction that writes the product's factor before it is done, on any way from it; None if there is none."""
    registers = set(code[product].factor_registers())
    begin = (product + 1, 0 if code[product].ends_group() else -1)  # and groups begun after the product's own
    ways, seen = [begin], set()
    while ways:
        at, newer = ways.pop()
        if at == len(code) or (at, newer) in seen:
            continue
        seen.add((at, newer))
        instruction = code[at]
        pending = instruction.pending()
        if pending is not None and newer >= pending:
            continue
        if registers.intersection(instruction.written()) and not instruction.is_product():
            return instruction
        if target := instruction.target():
            ways.append((labels[target], newer))
            if not instruction.is_guarded:
                continue
        if instruction.opcode != "EXIT" or instruction.is_guarded:
            ways.append((at + 1, newer + instruction.ends_group()))
    return None


def main():
    parser = argparse.ArgumentParser()
    for name in ("nereid", "ptxas", "nvdisasm", "kernels", "cases"):
        parser.add_argument(name)
    parser.add_argument("--num-warps")
    options = parser.parse_args()
    options.target, checked = "sm_90a", 0
    with tempfile.TemporaryDirectory() as directory:
        ptx, cubin = f"{directory}/kernel.ptx", f"{directory}/kernel.cubin"
        for case in emulate.cases_in(options.cases):
            signature = emulate.signature_of(case)
            pathlib.Path(ptx).write_text(emulate.compiled(options, f"{options.kernels}::{case.kernel}", signature))
            emulate.run(options.ptxas, "-arch=sm_90a", ptx, "-o", cubin)
            code, labels = read(emulate.run(options.nvdisasm, "-c", cubin))
            for at in range(len(code)):
                if not code[at].factor_registers():
                    continue
                checked += 1
                if write := early_write(code, labels, at):
                    sys.exit(f"{case.text}: '{write.text}' writes a factor of '{code[at].text}', which may still read it")
    print(f"{checked} products have their left factor in registers until they are done")


if __name__ == "__main__":
    main()
