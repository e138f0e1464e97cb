# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a kernel that is long or deep: long.py SHAPE COUNT."""

import sys

SHAPES = {
    "sum": lambda count: ["v = " + " + ".join(["v"] * count)],
    "elif": lambda count: ["if n == 0: v += 1"] + [f"elif n == {i}: v += {i}" for i in range(1, count)],
    "constexpr-elif": lambda count: ["if B == 0: v += 1"]
    + [f"elif B == {count + 16 - i}: v += {i}" for i in range(1, count + 1)],
    "return": lambda count: [f"if n == -{i}: return" for i in range(1, count)] + ["v += n"],
    "nest": lambda count: [" " * i + f"if n > {i}:" for i in range(count)] + [" " * count + "v += 1"],
}

print("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef f(x, o, n, B: tl.constexpr):")
print("    i = tl.arange(0, B)\n    v = tl.load(x + i)")
for line in SHAPES[sys.argv[1]](int(sys.argv[2])):
    print("    " + line)
print("    tl.store(o + i, v)")
