#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""emulate.py NEREID KERNELS CASES [--target SM] [--num-warps N] [--num-stages N] [--device DEVICE] [--keep-going]
[--ptx DIRECTORY] [--case N] [FILTER]: runs each case, a line `KERNEL GRID NAME=VALUE ...` as `nereid run` takes them, on the
checked device and elsewhere: in the emulator, or on DEVICE; of kernels of threads, whose cases stand above them in their own
file, on the CPU as well; or only compiles it, into DIRECTORY. Arrays must agree: integers wholly, floats within what their
type's sums are off; where tensor cores sum in an order of their own, on DEVICE or as products of warpgroups, within what the
line's last words say, `within=DIFFERENCE`, if they do; on DEVICE alone within `on_gpu=DIFFERENCE`, where its tensor cores
leave bits out that the emulator keeps. Besides `nereid run`'s there are fills of bytes, `e4m3` and `e5m2`: codes of whole
numbers from -2 to 2, whose products tensor cores add up without leaving anything out."""

import argparse
import dataclasses
import hashlib
import itertools
import math
import os
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile

import block
import memory
import ptx
import tensor_maps
import translate

CODES = {"<f2": "e", "<f4": "f", "<f8": "d", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q", "|u1": "B",
         "<u2": "H", "<u4": "I", "<u8": "Q", "|b1": "B"}
MULTIPROCESSORS = 2  # so that blocks that run several programs do
CODES_OF_WHOLE = {"e4m3": [0x00, 0x38, 0x40, 0xB8, 0xC0], "e5m2": [0x00, 0x3C, 0x40, 0xBC, 0xC0]}
STEPS = {"e": 2e-3, "f": 1e-5, "d": 1e-12}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    return CODES[re.search(r"'descr': '([^']*)'", header)[1]], data[10 + size:]


def write_bytes(path, values):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(values)},), }}".encode().ljust(117) + b"\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + bytes(values))


def numbers(code, data):
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def allowed(code, a, b, within=None):
    """By how much two numbers may differ: what differs by less than `within` may be rounded apart besides."""
    return (within or 0) + STEPS[code] * max(abs(a), abs(b), 1) if code in STEPS else 0


def distance(a, b):
    if a == b or a != a and b != b:
        return 0
    return abs(a - b) if math.isfinite(a) and math.isfinite(b) else math.inf


def agree(code, a, b, within=None):
    """What is no number or infinite agrees with nothing else."""
    far = distance(a, b)
    return far == 0 or far < math.inf and far <= allowed(code, a, b, within)


def differences(code, wanted, got, within=None):
    """How many numbers differ, the first of them, and the most that any does; nothing if they agree."""
    wrong = [i for i, pair in enumerate(zip(wanted, got)) if not agree(code, *pair, within)]
    if not wrong:
        return ""

    def absolute(i):
        return distance(got[i], wanted[i])

    def relative(i):
        return absolute(i) / abs(wanted[i]) if wanted[i] and math.isfinite(wanted[i]) else math.inf

    def at(i):
        return f"at {i}: {got[i]}, not {wanted[i]}"

    most, farthest = max(wrong, key=absolute), max(wrong, key=relative)
    return (f"{len(wrong)} of {len(wanted)} elements differ, the first {at(wrong[0])}; "
            f"the largest difference is {absolute(most):g} {at(most)} (allowed: {allowed(code, wanted[most], got[most], within):g}); "
            f"the largest relative one {relative(farthest):g} {at(farthest)}")


def compare(case, name, code, wanted, got, within):
    """What differs, in words, and the largest difference of floats that does not matter."""
    wanted, got = numbers(code, wanted), numbers(code, got)
    if name in case.unordered:
        wanted, got = sorted(wanted), sorted(got)
    wrong = differences(code, wanted, got, within)
    return f"{name}: {wrong}" if wrong else "", max(map(distance, wanted, got), default=0)


class Case:
    """KERNEL GRID NAME=VALUE ...; names in capitals are constants."""

    block = None
    unordered = ()

    def __init__(self, text):
        self.text = text
        self.kernel, self.grid, *self.given = shlex.split(text)
        self.on_gpu = self.given_behind("on_gpu")
        self.within = self.given_behind("within")
        self.arguments = [tuple(argument.split("=", 1)) for argument in self.given]
        self.arrays = [name for name, value in self.arguments if re.match(r"\w+:\w+\[", value)]

    def given_behind(self, word):
        """What the line's last word says, if it is that one."""
        name, _, value = self.given[-1].partition("=") if self.given else ("", "", "")
        if name != word:
            return None
        self.given.pop()
        return float(value)


class ThreadCase(Case):
    """A kernel of threads, under the line that says how it is run: `# run: grid=2 block=8,4 NAME=VALUE ...`, and behind
    another # `in any order: NAME ...`, arrays whose elements may be in any order."""

    def __init__(self, kernel, line):
        line, _, unordered = line.partition("#")
        words = dict(word.split("=", 1) for word in line.split())
        self.block, self.shared, grid = words.pop("block"), words.pop("shared", None), words.pop("grid")
        super().__init__(" ".join([kernel, grid, *(f"{name}={value}" for name, value in words.items())]))
        self.unordered = tuple(unordered.partition("in any order:")[2].split())

    def launch_options(self):
        return ["--block", self.block] + (["--shared", self.shared] if self.shared else [])


def thread_cases_in(path):
    text = pathlib.Path(path).read_text()
    return [ThreadCase(kernel, line)
            for line, kernel in re.findall(r"^# run: (.*)\n(?=(?:[@#].*\n)*def (\w+))", text, re.MULTILINE)]


def cases_in(path):
    if str(path).endswith(".py"):
        return thread_cases_in(path)
    lines = pathlib.Path(path).read_text().splitlines()
    return [Case(line) for line in lines if line and not line.startswith("#")]


def signature_of_threads(case):
    def kind(name, value):
        if name in case.arrays:
            dtype, shape = re.match(r"\w+:(\w+)\[(.*)\]", value).groups()
            return f"{dtype}[{':,' * shape.count(',')}::1]"
        return "f64" if "." in value else "i64"

    return ",".join(f"{name}={kind(name, value)}" for name, value in case.arguments)


def signature_of(case):
    if case.block:
        return signature_of_threads(case)

    def kind(name, value):
        value = dict(case.arguments).get(value, value)
        if re.match(r"\w+:\w+\[", value):
            return "*" + re.match(r"\w+:(\w+)\[", value)[1] + ":16"
        if name.isupper():
            return value
        return "f32" if "." in value else "i32" if int(value) % 16 else "i32:16"

    return ",".join(f"{name}={kind(name, value)}" for name, value in case.arguments)


@dataclasses.dataclass
class Same:
    """The array of an earlier parameter."""
    parameter: int


def run_ptx(text, kernel, values, grid, clocks=None):
    """Runs the grid. Values of parameters are bytes of arrays, bits of numbers, or Same; gives the arrays afterwards.
    `clocks`, of code that reads some: has parameters(M, blocks, threads), and done(M, blocks) when they have run."""
    threads = math.prod(translate.threads_of(text))
    _, shared, local = translate.declared_symbols(text)
    M = memory.Memory(max(int(re.search(r"(\d+) bytes of shared memory", text)[1]), shared), local * threads)
    size = int(found[1]) if (found := re.search(r"// (\d+) blocks run a program", text)) else 1
    M.cluster = [M]
    M.cluster += [M.beside(rank, M.cluster) for rank in range(1, size)]
    entries = [translate.translate(text, each)[f"kernel_{kernel}" + ("_clocks" if clocks else "")] for each in M.cluster]
    parameters = entries[0][1]
    numbers = []
    for value in values:
        numbers.append(M.add(value) if isinstance(value, bytes) else
                       numbers[value.parameter] if isinstance(value, Same) else value)
    given = dict(zip(parameters, numbers))
    M.maps = tensor_maps.read(text, numbers)
    blocks, more = [grid[0] * size, *grid[1:]], []
    for each in M.cluster:
        each.maps = M.maps
    if "// blocks loop over programs" in text:
        more = grid
        blocks = (min(grid[0] * grid[1] * grid[2], MULTIPROCESSORS), 1, 1)
    if clocks:
        more = [*clocks.parameters(M, math.prod(blocks), threads), *more]
    if "__assertfail" in text:
        more = [0, *more]  # no buffer for what fails: it traps
    given |= zip(parameters[len(values):], more)
    for z, y, x in itertools.product(*(range(n) for n in reversed(blocks[1:])), range(0, blocks[0], size)):
        block.run(*(([entry(tid, (x + rank, y, z), blocks, dict(given), each) for tid in range(threads)], each)
                    for rank, ((entry, _), each) in enumerate(zip(entries, M.cluster))))
    if clocks:
        clocks.done(M)
    return [bytes(M.arrays[(given[name] >> 32) - 1])
            for name, value in zip(parameters, values) if isinstance(value, bytes)]


def chosen_by(options):
    """What a launch would choose, as the command line has it."""
    words = []
    for name in ("num_warps", "num_stages"):
        if value := getattr(options, name, None):
            words += ["--" + name.replace("_", "-"), value]
    return words


def compiled(options, source, signature, *more):
    return run(options.nereid, "compile", source, f"--target={options.target}", "--dump=ptx", "-s", signature, *more,
               *chosen_by(options))


def values_of(case, inputs):
    """What the kernel's parameters get."""
    if not case.block:
        given = [(name, value) for name, value in case.arguments if not name.isupper()]
        names = [name for name, _ in given]
        return [inputs[name] if name in inputs else Same(names.index(value)) if value in inputs else
                ptx.from_float32(float(value)) if "." in value else int(value) & 0xFFFFFFFF
                for name, value in given]
    values = []
    for name, value in case.arguments:
        if name in inputs:  # behind an array its extents
            values += [inputs[name], *(int(extent) for extent in re.search(r"\[(.*)\]", value)[1].split(","))]
        else:
            values.append(ptx.from_float64(float(value)) if "." in value else int(value) & 0xFFFFFFFFFFFFFFFF)
    return values


def emulate(options, case, inputs):
    """The arrays after the kernel ran, by name, and how far they may be off."""
    text = compiled(options, f"{options.kernels}::{case.kernel}", signature_of(case),
                    *(case.launch_options() if case.block else []),
                    *(["--may-overlap"] if any(value in case.arrays for _, value in case.arguments) else []))
    values = values_of(case, inputs)
    grid = ([int(n) for n in case.grid.split(",")] + [1, 1])[:3]
    try:
        arrays = dict(zip(case.arrays, run_ptx(text, case.kernel, values, grid)))
        return arrays, case.within if "wgmma" in text else None
    except (RuntimeError, ValueError) as error:
        sys.exit(f"{case.text}: {error}")


def given_to(case, directory):
    """What `nereid run` gets; our own fills as files."""
    words = []
    for word in case.given:
        if match := re.fullmatch(r"(\w+)=(e4m3|e5m2):u8\[(\d+)\]", word):
            file = f"{directory}/{match[1]}.given.npy"
            write_bytes(file, random.Random(word).choices(CODES_OF_WHOLE[match[2]], k=int(match[3])))
            word = f"{match[1]}=@{file}:u8"
        words.append(word)
    return words


def run_on(options, case, directory, device, kernels):
    files = {name: f"{directory}/{device.replace(':', '')}.{name}.npy" for name in case.arrays}
    threads = case.launch_options() if case.block and kernels == options.kernels else []
    run(options.nereid, "run", f"{kernels}::{case.kernel}", "--grid", case.grid, *given_to(case, directory), *threads,
        *(chosen_by(options) if device == options.device else []),
        "--device", device, *(f"--save={name}={file}" for name, file in files.items()))
    return {name: read_npy(file) for name, file in files.items()}


def run_checked(options, case, directory):
    """What the checked device computes, once for all who keep it in the same folder."""
    if not options.kept:
        return run_on(options, case, directory, "check", options.kernels)
    key = hashlib.sha256(f"{pathlib.Path(options.kernels).resolve()} {case.text}".encode()).hexdigest()
    kept = options.kept / key
    if not kept.is_dir():
        options.kept.mkdir(parents=True, exist_ok=True)
        made = tempfile.mkdtemp(dir=options.kept)
        run_on(options, case, made, "check", options.kernels)
        try:
            os.rename(made, kept)
        except OSError:  # somebody else was first
            kept = pathlib.Path(made)
    return {name: read_npy(f"{kept}/check.{name}.npy") for name in case.arrays}


def run_case(options, case, directory):
    """Exits with what differs, of each array; gives the largest difference of floats that is allowed."""
    def untouched():
        names = (name + (": tl.constexpr" if name.isupper() else "") for name, _ in case.arguments)
        kernels = pathlib.Path(directory, "untouched.py")
        kernels.write_text("import triton\nimport triton.language as tl\n\n@triton.jit\n"
                           f"def {case.kernel}({', '.join(names)}):\n    pass\n")
        return run_on(options, case, directory, "check", kernels)

    wanted = run_checked(options, case, directory)
    if options.device:
        within = case.on_gpu or case.within
        got = {name: data for name, (_, data) in
               run_on(options, case, directory, options.device, options.kernels).items()}
    else:
        inputs = {name: data for name, (_, data) in untouched().items()}
        for name, value in case.arguments:
            if name in inputs and value.startswith("empty:"):
                inputs[name] = b"\xcd" * len(inputs[name])
        got, within = emulate(options, case, inputs)
    compared = [compare(case, name, *wanted[name], got[name], within) for name in case.arrays]
    if case.block and not options.device:
        compared += [compare(case, name, *wanted[name], data, within)
                     for name, (_, data) in run_on(options, case, directory, "cpu", options.kernels).items()]
    if wrong := [text for text, _ in compared if text]:
        sys.exit("\n  ".join([case.text, *wrong]))
    return max((most for _, most in compared), default=0)


def parser():
    made = argparse.ArgumentParser()
    made.add_argument("nereid")
    made.add_argument("kernels")
    made.add_argument("cases")
    made.add_argument("filter", nargs="?", default="")
    made.add_argument("--target", default="sm_90a")
    made.add_argument("--num-warps")
    made.add_argument("--num-stages")
    made.add_argument("--device")
    made.add_argument("--keep-going", action="store_true")
    made.add_argument("--ptx", type=pathlib.Path)
    made.add_argument("--case", type=int, help="of those chosen, that one alone")
    made.add_argument("--kept", type=pathlib.Path, help="a folder for what the checked device computes")
    return made


def cases_of(options):
    chosen = [case for case in cases_in(options.cases) if options.filter in case.text]
    return chosen if options.case is None else [chosen[options.case]]


def main():
    options = parser().parse_args()
    chosen = cases_of(options)
    failed = 0
    if options.ptx:
        options.ptx.mkdir(parents=True, exist_ok=True)
        for number, case in enumerate(chosen):
            text = compiled(options, f"{options.kernels}::{case.kernel}", signature_of(case))
            options.ptx.joinpath(f"{number} {case.kernel}.ptx").write_text(text)
        return
    for case in chosen:
        try:
            with tempfile.TemporaryDirectory() as directory:
                most = run_case(options, case, directory)
        except SystemExit as failure:
            if not options.keep_going or "cannot open device" in str(failure):
                raise
            print(f"FAILED: {failure}", flush=True)
            failed += 1
            continue
        print(f"agrees: {case.text}" + (f" (but for {most:g})" if most else ""), flush=True)
    print(f"{len(chosen) - failed} cases agree")
    sys.exit(f"{failed} cases failed" if failed else 0)


if __name__ == "__main__":
    main()
