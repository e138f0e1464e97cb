#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_products.py [--large] --seed N --first N --count N --print: kernels that multiply tiles in loops, as generate_kernels
prints its own: a generator for random_kernels.py. Arrays hold -1, 0 and 1, so that every order of sums gives the same.

There are sums along a depth (matmuls) and products of products (attention). --large: tiles and depths as programs have
them (the emulator takes seconds for one)."""

import argparse
import random

BYTES = {"float16": 2, "bfloat16": 2, "int8": 1, "float8e4nv": 1, "float8e5": 1, "float32": 4}


class Drawn:
    """What is drawn for one kernel: lines of its body, and its parameters with what they hold."""

    def __init__(self, draw, is_large):
        self.draw, self.is_large = draw, is_large
        self.type = draw.choice(["float16"] * 4 + ["bfloat16"] * 2 + ["int8"] * 2 + ["float8e4nv", "float8e5", "float32"])
        self.sum = "int32" if self.type == "int8" else "float32"
        self.parameters = {"out": None}  # name: what the line behind the kernel says
        self.before, self.round = [], []  # lines before the loop and in it

    def one_of(self, *choices):
        return self.draw.choice(choices)

    def array(self, name, kind, size):
        self.parameters[name] = f"{kind}[{size}], -1, 0 and 1"
        return name

    def number(self, name, value):
        self.parameters[name] = str(value)
        return name

    def tile(self, name, extents, shape, rows, columns, place, mask="", wanted=None):
        """A part of a matrix of these extents, at `place`; its coordinates are in the vectors `rows` and `columns`."""
        wanted = wanted or self.type
        kind = "int8" if wanted in ("float16", "bfloat16") and self.draw.random() < 0.1 else wanted
        height, width = extents
        self.array(name, kind, height * width)
        ways = ["rows", "columns", "turned"]
        if not mask and width * BYTES[kind] % 16 == 0 and shape[1] * BYTES[kind] >= 16:
            ways.append("descriptor")
        way = self.draw.choice(ways)
        mask = mask and f", mask={mask}, other=0"
        if way == "rows":
            loaded = f"tl.load({name} + {rows}[:, None] * {width} + {columns}[None, :]{mask})"
        elif way == "columns":
            loaded = f"tl.load({name} + {rows}[:, None] + {columns}[None, :] * {height}{mask})"
        elif way == "turned":
            turned = mask.replace("[None, :]", "[:,]").replace("[:, None]", "[None, :]").replace("[:,]", "[:, None]")
            loaded = f"tl.trans(tl.load({name} + {columns}[:, None] * {height} + {rows}[None, :]{turned}))"
        else:
            self.before.append(f"{name}_boxes = tl.make_tensor_descriptor({name}, ({height}, {width}), ({width}, 1), {shape})")
            loaded = f"{name}_boxes.load([{place[0]}, {place[1]}])"
        return f"{loaded}.to(tl.{wanted})" if kind != wanted else self.changed(loaded, kind, name, extents, rows)

    def changed(self, tile, kind, name, extents, rows):
        """Perhaps after arithmetic that keeps its elements whole, and small."""
        if self.draw.random() < 0.55 or BYTES[kind] == 1 and kind != "int8":
            return tile
        scale = f"tl.load({name}_scales + {rows})[:, None]"
        change = self.one_of(f"{tile} * 2", f"-{tile}", f"tl.maximum({tile}, 0)",
                             f"({tile}.to(tl.float32) * 2).to(tl.{kind})", f"({tile} * {scale})")
        if "_scales" in change:
            self.array(f"{name}_scales", kind, extents[0])
        return f"({change}).to(tl.{kind})" if kind in ("int8", "bfloat16") else f"({change})"  # some give wider ones

    def loop(self, variable, end, step, rounds):
        form = self.one_of(*["range"] * 5, "tl.range", "while", "static")
        if form == "while":
            self.before.append(f"{variable} = 0")
            self.round.append(f"{variable} += {step}")
            return f"while {variable} < {end}:"
        if form == "static" and rounds <= 3:
            return f"for {variable} in tl.static_range(0, {rounds * step}, {step}):"
        return f"for {variable} in {'tl.range' if form == 'tl.range' else 'range'}(0, {end}, {step}):"

    def text(self, head, after):
        inner = ["    " + line for line in self.round]
        lines = [f"def kernel({', '.join(self.parameters)}):", *self.before, head, *inner, *after]
        return "import triton\nimport triton.language as tl\n\n\n@triton.jit\n" + "\n    ".join(lines)


def matmul(kernel):
    """Sums along a depth, of which a round takes a part."""
    draw, shapes = kernel.draw, (64, 128) if kernel.is_large else (16, 32, 64, 64)
    M, N = draw.choice(shapes), draw.choice(shapes + ((256,) if kernel.is_large else (8, 128)))
    D = max(draw.choice((32, 64, 128) if kernel.is_large else (16, 32, 64)), 32 // BYTES[kernel.type])
    rounds, grid = (draw.randint(4, 16), (draw.randint(1, 6), draw.randint(1, 3))) if kernel.is_large else \
        (draw.randint(0, 4), (draw.randint(1, 2), 1))
    K = rounds * D
    short = draw.randint(1, D - 1) if rounds and draw.random() < 0.25 else 0
    K -= short
    height, width = M * grid[0], N * grid[1]
    kernel.before += [f"i, j = tl.program_id(0) * {M} + tl.arange(0, {M}), tl.program_id(1) * {N} + tl.arange(0, {N})",
                      f"k = tl.arange(0, {D})", f"total = tl.zeros(({M}, {N}), dtype=tl.{kernel.sum})"]
    end = kernel.number("K", K) if draw.random() < 0.6 and not short else str(K)
    # What is beyond the depth is beyond the rows of one matrix and the columns of the other.
    if not short and draw.random() < 0.2:
        left = computed(kernel, height, M, K, D)
    else:
        left = kernel.tile("a", (height, K), (M, D), "i", "(at + k)", (f"tl.program_id(0) * {M}", "at"),
                           f"(at + k)[None, :] < {K}" if short else "")
    right = kernel.tile("b", (K, width), (D, N), "(at + k)", "j", ("at", f"tl.program_id(1) * {N}"),
                        f"(at + k)[:, None] < {K}" if short else "")
    if short:
        right = right.replace("tl.load(b_scales + (at + k))", f"tl.load(b_scales + (at + k), mask=(at + k) < {K}, other=0)")
    kernel.round += add_up(kernel, "total", left, right, "i", height)
    head = kernel.loop("at", end, D, rounds)
    after = finish(kernel, "total", N, width)
    return kernel.text(head, after), grid, (height, width), M * N * max(K, 1) * grid[0] * grid[1]


def computed(kernel, height, M, K, D):
    """A left factor that comes from no matrix: from coordinates, or from a product before the loop."""
    if kernel.draw.random() < 0.5:
        return f"((i[:, None] * 5 + (at + k)[None, :] * 7) % 3 - 1).to(tl.{kernel.type})"
    x = kernel.tile("x", (height, D), (M, D), "i", "k", (f"tl.program_id(0) * {M}", 0))
    y = kernel.tile("y", (D, D), (D, D), "k", "k", (0, 0))
    kernel.array("scales", "int8", K)
    kernel.before.append(f"base = tl.minimum(tl.maximum(tl.dot({x}, {y}), -1), 1)")
    return f"(base * tl.load(scales + at + k)[None, :]).to(tl.{kernel.type})"


def attention(kernel):
    """Products of what is computed from products; perhaps two sums of each round."""
    draw = kernel.draw
    M = draw.choice((64, 128) if kernel.is_large else (16, 32, 64, 64))
    N = max(draw.choice((32, 64, 128) if kernel.is_large else (16, 32)), 32 // BYTES[kernel.type])
    D = max(draw.choice((32, 64, 128) if kernel.is_large else (16, 32)), 32 // BYTES[kernel.type])
    rounds, programs = (draw.randint(3, 12), draw.randint(1, 6)) if kernel.is_large else (draw.randint(1, 4), 1)
    length, height = rounds * N, M * programs
    kernel.before += [f"i, d = tl.program_id(0) * {M} + tl.arange(0, {M}), tl.arange(0, {D})", f"n = tl.arange(0, {N})",
                      f"total = tl.zeros(({M}, {D}), dtype=tl.{kernel.sum})"]
    # Scores that are exact are no tensor core's.
    is_exact = kernel.type in ("float16", "bfloat16") and draw.random() < 0.3
    kind = "float32" if is_exact else kernel.type
    q = kernel.tile("q", (height, D), (M, D), "i", "d", (f"tl.program_id(0) * {M}", 0), wanted=kind)
    if draw.random() < 0.8:
        kernel.before.append(f"first = {q}")
        q = "first"
    end = kernel.number("length", length) if draw.random() < 0.6 else str(length)
    key = kernel.tile("k", (length, D), (N, D), "(at + n)", "d", ("at", 0), wanted=kind)
    value = kernel.tile("v", (length, D), (N, D), "(at + n)", "d", ("at", 0))
    kernel.round += [f"scores = tl.dot({q}, tl.trans({key}){', input_precision=' + repr('ieee') if is_exact else ''})",
                     f"part = tl.minimum(tl.maximum(scores, -1), 1).to(tl.{kernel.type})"]
    kernel.round += add_up(kernel, "total", "part", value, "i", height)
    two = draw.random() < 0.4
    if two:
        kernel.before.append(f"other = tl.zeros(({M}, {D}), dtype=tl.{kernel.sum})")
        change = kernel.one_of("tl.maximum(scores - 1, 0)", "tl.minimum(scores, 0) + 1", "scores * 0 - 1")
        kernel.round.append(f"second = tl.minimum(tl.maximum({change}, -1), 1).to(tl.{kernel.type})")
        more = kernel.tile("w", (length, D), (N, D), "(at + n)", "d", ("at", 0)) if draw.random() < 0.5 else value
        kernel.round.append(f"other = tl.dot(second, {more}, other)")
    head = kernel.loop("at", end, N, rounds)
    kernel.before.append(f"j = tl.arange(0, {D})")
    after = finish(kernel, "total + other" if two else "total", D, D)
    return kernel.text(head, after), (programs, 1), (height, D), 4 * M * D * length * programs


def add_up(kernel, total, left, right, rows, height):
    way = kernel.one_of(*["dot"] * 4, "plus", "signed", "scaled")
    if way == "plus":
        return [f"{total} += tl.dot({left}, {right})"]
    if way in ("signed", "scaled"):
        kernel.array("signs", "int8", height)
    if way == "scaled":
        return [f"{total} += tl.dot({left}, {right}) * tl.load(signs + {rows})[:, None].to(tl.{kernel.sum})"]
    if way == "signed":
        return [f"{total} = tl.dot({left}, {right}, {total} * tl.load(signs + {rows})[:, None].to(tl.{kernel.sum}))"]
    return [f"{total} = tl.dot({left}, {right}, {total})"]


def finish(kernel, total, columns, width):
    result = kernel.one_of(total, total, f"tl.maximum({total}, 0)", f"-({total})", f"({total}) * 2")
    return [f"tl.store(out + i[:, None] * {width} + j[None, :], {result})"]


def print_kernel(number, seed, is_large):
    most = 1 << (27 if is_large else 20)
    draw = random.Random(f"{seed} {number}")
    family = draw.choice((matmul, attention))
    while True:
        kernel = Drawn(draw, is_large)
        text, grid, extents, work = family(kernel)
        if work <= most:
            break
    kernel.parameters["out"] = f"{kernel.sum}[{extents[0] * extents[1]}], zeros"
    options = f"--num-warps={draw.choice((4, 8))} --num-stages={draw.randint(1, 4)}"
    print(f"# kernel {number}\n{text}\n\ngrid {grid[0]},{grid[1]}\nwith {options}")
    for name, content in kernel.parameters.items():
        print(f"{name} = {content}")
    print()


def main():
    parser = argparse.ArgumentParser()
    for name in ("seed", "first", "count"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    for number in range(options.first, options.first + options.count):
        print_kernel(number, options.seed, options.large)


if __name__ == "__main__":
    main()
