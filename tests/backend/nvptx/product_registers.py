#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""product_registers.py PTXAS NVDISASM DIRECTORY...: no machine code that PTXAS makes of the directories' PTX writes
registers from which a product of a warpgroup (HGMMA) takes its left factor before the product has been waited for. The
instruction reads them while it runs; PTX forbids to write them, but the assembler looks through moves behind the wait.
Nothing but a GPU at work would show it."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

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


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxas")
    parser.add_argument("nvdisasm")
    parser.add_argument("directories", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    checked = 0
    with tempfile.NamedTemporaryFile(suffix=".cubin") as cubin:
        for ptx in sorted(path for directory in options.directories for path in directory.glob("*.ptx")):
            run(options.ptxas, "-arch=sm_90a", ptx, "-o", cubin.name)
            code, labels = read(run(options.nvdisasm, "-c", cubin.name))
            for at in range(len(code)):
                if not code[at].factor_registers():
                    continue
                checked += 1
                if write := early_write(code, labels, at):
                    sys.exit(f"{ptx}: '{write.text}' writes a factor of '{code[at].text}', which may still read it")
    print(f"{checked} products have their left factor in registers until they are done")


if __name__ == "__main__":
    main()
