#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_kernels.py GENERATOR NEREID [--seed N] [--first N] [--count N] [--device DEVICE] [--jobs N] [--ptx DIRECTORY]:
kernels that generate_kernels or random_products.py prints, with inputs of their own, on the checked device and elsewhere:
in the emulator, or on DEVICE; or only compiled, into DIRECTORY. Left out are products whose factors tensor cores round, what
the checked device does not accept with these inputs, what does not fit into DEVICE's shared memory, and what a launch would
have compiled once more, for its arrays are no boxes."""

import argparse
import concurrent.futures
import math
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile

import emulate
import ptx
import tensor
import tensor_maps

# Nereid's name, NumPy's and struct's; files hold what NumPy does not know as float32.
TYPES = {"int1": ("i1", "|b1", "?"), "int8": ("i8", "|i1", "b"), "int16": ("i16", "<i2", "h"),
         "int32": ("i32", "<i4", "i"), "int64": ("i64", "<i8", "q"), "uint8": ("u8", "|u1", "B"),
         "uint16": ("u16", "<u2", "H"), "uint32": ("u32", "<u4", "I"), "uint64": ("u64", "<u8", "Q"),
         "float16": ("f16", "<f2", "e"), "float32": ("f32", "<f4", "f"), "float64": ("f64", "<f8", "d"),
         "bfloat16": ("bf16", "<f4", "f"), "float8e5": ("f8e5", "<f4", "f"), "float8e4nv": ("f8e4nv", "<f4", "f"),
         "float8e5b16": ("f8e5b16", "<f4", "f"), "float8e4b8": ("f8e4b8", "<f4", "f")}


def without_negative_zero(code, fraction_bits):
    """float8e5b16 and float8e4b8: what would be -0 is the only NaN, and the smallest exponent is one less."""
    if code == 128:
        return math.nan
    exponent, fraction = code >> fraction_bits & (1 << (7 - fraction_bits)) - 1, code & (1 << fraction_bits) - 1
    bias = 1 << (6 - fraction_bits)
    size = math.ldexp(fraction + (exponent > 0) * (1 << fraction_bits), max(exponent, 1) - bias - fraction_bits)
    return -size if code >> 7 else size


SMALL = {"float8e5": [struct.unpack("<e", bytes([0, code]))[0] for code in range(256)],
         "float8e4nv": [tensor.e4m3(code) for code in range(256)],
         "float8e5b16": [without_negative_zero(code, 2) for code in range(256)],
         "float8e4b8": [without_negative_zero(code, 3) for code in range(256)]}


def to_small(kind, number):
    """The nearest code; of two, the even one."""
    codes = [code for code in range(256) if math.isfinite(SMALL[kind][code])]
    return min(codes, key=lambda code: (abs(SMALL[kind][code] - number), code & 1, code))


def to_memory(kind, values):
    if kind == "bfloat16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    if kind in SMALL:
        return bytes(SMALL[kind].index(value) for value in values)
    return struct.pack(f"<{len(values)}{TYPES[kind][2]}", *values)


def from_memory(kind, data):
    if kind == "bfloat16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    if kind in SMALL:
        return [SMALL[kind][code] for code in data]
    return emulate.numbers(TYPES[kind][2], data)


def number(draw, kind, contents):
    if contents == "zeros":
        return 0
    if kind == "int1":
        return draw.random() < 0.5
    if contents == "-1, 0 and 1":
        return draw.choice([0, 1] if kind[0] == "u" else [-1, 0, 1])
    if kind in SMALL or kind == "bfloat16":
        return draw.choice([0, 0.5, 1, 1.5, -1, 2, -2, 3, 4, -6, 0.25, 8])
    if kind[0] == "f":
        return draw.choice([draw.randint(-80, 80) / 8, draw.randint(-3, 3), draw.randint(-1000, 1000) / 64])
    bits = struct.calcsize(TYPES[kind][2]) * 8
    low, high = (0, 2 ** bits - 1) if kind[0] == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)
    wide = draw.randint(-5, 20) if contents == "small numbers" else draw.randint(low, high)
    return min(max(draw.choice([draw.randint(-5, 20), draw.randint(-100, 100), wide]), low), high)


def write_npy(path, kind, values, shape):
    code = TYPES[kind][2]
    header = f"{{'descr': '{TYPES[kind][1]}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    header = header.ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header +
                     struct.pack(f"<{len(values)}{code}", *values))


ARRAY = re.compile(r"(?P<name>\w+) = (?P<kind>\w+)\[(?P<size>\d+)\], (?P<contents>.*?)"
                   r"(, as \((?P<extents>.*)\) in blocks of \((?P<block>.*?)\))?(, the memory of (?P<same>\w+))?$")


class Kernel:
    """One of the generator's kernels as it prints them: the text, the grid, perhaps options, and a line for each parameter."""

    def __init__(self, printed, directory):
        self.number, _, rest = printed.partition("\n")
        self.text, _, rest = rest.rpartition("\ngrid ")
        grid, *lines = rest.strip().split("\n")
        self.grid = [int(n) for n in grid.split(",")]
        self.options = lines.pop(0).split()[1:] if lines and lines[0].startswith("with ") else []
        self.path = directory / f"kernel{self.number}.py"
        self.path.write_text(self.text)
        draw = random.Random(int(self.number))
        self.kinds, self.places, self.given, self.signature, self.values = {}, {}, [], [], []
        for line in lines:
            if match := ARRAY.match(line):
                self.add_array(draw, **match.groupdict())
            elif match := re.match(r"(\w+) = (\S+)$", line):
                self.add_number(match[1], match[2].replace("true", "True").replace("false", "False"))

    def add_array(self, draw, name, kind, size, contents, extents, block, same):
        if same:
            self.values.append(emulate.Same(self.places[same]))
            self.given.append(f"{name}={same}")
            self.signature.append(f"{name}=*{TYPES[kind][0]}:16")
            return
        file = self.path.with_suffix(f".{name}.npy")
        values = [number(draw, kind, contents) for _ in range(int(size))]
        shape = [int(extent) for extent in (extents or size).split(",") if extent]
        write_npy(file, kind, values, shape)
        self.kinds[name], self.places[name] = kind, len(self.values)
        self.values.append(to_memory(kind, values))
        given = f"@{file}:{TYPES[kind][0]}"
        if block:
            # Behind its address: the extents and, but for the last one, the strides in elements.
            block = block.replace(" ", "").rstrip(",")
            self.values += shape + [math.prod(shape[i + 1:]) for i in range(len(shape) - 1)]
            self.given.append(f"{name}=blocks[{block}]:{given}")
            self.signature.append(f"{name}=tensordesc<{TYPES[kind][0]}[{block}]>")
        else:
            self.given.append(f"{name}={given}")
            self.signature.append(f"{name}=*{TYPES[kind][0]}:16")

    def add_number(self, name, value):
        self.given.append(f"{name}={value}")
        annotation = re.search(rf"\b{name}: tl\.(\w+)", self.text)
        kind = annotation[1] if annotation else "float32" if "." in value else "int32"
        if kind == "constexpr":
            self.signature.append(f"{name}={value}")
            return
        # As a launch would compile it.
        if not annotation and value == "1":
            self.signature.append(f"{name}=1")
            return
        multiple = ":16" if not annotation and kind == "int32" and int(value) % 16 == 0 else ""
        self.signature.append(f"{name}={TYPES[kind][0]}{multiple}")
        if kind == "bfloat16":
            self.values.append(ptx.to_bfloat(float(value)))
        elif kind in SMALL:
            self.values.append(to_small(kind, float(value)))
        else:
            self.values.append(int.from_bytes(struct.pack("<" + TYPES[kind][2], eval(value)), "little"))

    def run(self, options, device):
        """The arrays afterwards, as numbers; None if the device does not accept it."""
        files = {name: self.path.with_suffix(f".{name}.{device.replace(':', '')}.npy") for name in self.kinds}
        done = subprocess.run([options.nereid, "run", f"{self.path}::kernel", "--grid", ",".join(map(str, self.grid)),
                               "--device", device, *self.given,
                               *([*self.options, *emulate.chosen_by(options)] if device != "check" else []),
                               *(f"--save={n}={f}" for n, f in files.items())],
                              capture_output=True, text=True)
        if "bytes of shared memory per block" in done.stderr:
            return None
        if done.returncode and device != "check":
            sys.exit(f"kernel {self.number}: {done.stderr}")
        return None if done.returncode else {n: emulate.numbers(*emulate.read_npy(f)) for n, f in files.items()}

    def compiled(self, options):
        overlap = ["--may-overlap"] if any(isinstance(value, emulate.Same) for value in self.values) else []
        return emulate.compiled(options, f"{self.path}::kernel", ",".join(self.signature), *overlap, *self.options)

    def emulate(self, options):
        try:
            arrays = emulate.run_ptx(self.compiled(options), "kernel", self.values, (self.grid + [1, 1])[:3])
        except tensor_maps.NoBoxes:
            return None
        except (RuntimeError, ValueError) as error:
            sys.exit(f"kernel {self.number}: {error}\n{self.text}")
        return {name: from_memory(kind, data) for (name, kind), data in zip(self.kinds.items(), arrays)}


def compare(options, text, directory):
    """True if the kernel agrees, or is to be compiled only; None if it is left out. Exits with what differs."""
    kernel = Kernel(text, directory)
    if options.ptx:
        options.ptx.joinpath(f"{kernel.number}.ptx").write_text(kernel.compiled(options))
        return True
    wanted = None if "tensor cores round" in text else kernel.run(options, "check")
    got = wanted and (kernel.run(options, options.device) if options.device else kernel.emulate(options))
    if got is None:
        return None
    for name, kind in kernel.kinds.items():
        code = "e" if kind in SMALL or kind == "bfloat16" else TYPES[kind][2]
        if wrong := emulate.differences(code, wanted[name], got[name]):
            sys.exit(f"kernel {kernel.number}: {name}: {wrong}\n{text}")
    return True


def parser():
    made = argparse.ArgumentParser()
    made.add_argument("generator", help="a program and its options")
    made.add_argument("nereid")
    made.add_argument("--seed", default="1")
    made.add_argument("--first", default="0")
    made.add_argument("--count", default="100")
    made.add_argument("--target", default="sm_90a")
    made.add_argument("--num-warps")
    made.add_argument("--device")
    made.add_argument("--jobs", type=int, default=1, help="kernels at once")
    made.add_argument("--ptx", type=pathlib.Path)
    return made


def main():
    options = parser().parse_args()
    if options.ptx:
        options.ptx.mkdir(parents=True, exist_ok=True)
    printed = emulate.run(*shlex.split(options.generator), "--seed", options.seed, "--first", options.first, "--count",
                          options.count, "--print")
    texts = re.split(r"(?m)^# kernel ", printed)[1:]
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        compared = [pool.submit(compare, options, text, pathlib.Path(directory)) for text in texts]
        failures = [str(each.exception()) for each in compared if each.exception()]
        agreed = sum(1 for each in compared if not each.exception() and each.result())
    for failure in failures:
        print(failure)
    left_out = len(compared) - agreed - len(failures)
    print(f"{agreed} kernels {'compile' if options.ptx else 'agree'}, {left_out} are left out, {len(failures)} failed")
    sys.exit(bool(failures) or not agreed)


if __name__ == "__main__":
    main()
