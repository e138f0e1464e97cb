# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def from_one_of_both(x, y, out, flags, n, BLOCK: tl.constexpr):
    """Sides that are alike but for where they load from, one that is not, and one that adds."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    flag = tl.load(flags + row)
    if flag % 2 == 0:
        v = tl.load(x + row * n + i, mask=i < n, other=0.0)
        w = tl.load(x + n + i, mask=i < n, other=1.0).to(tl.float32)
    else:
        v = tl.load(y + row * n + i, mask=i < n, other=0.0)
        w = tl.load(y + flag + i, mask=i < n, other=1.0).to(tl.float32)
    if flag % 3 == 0:
        u = tl.load(x + i, mask=i < n, other=0.0) * 2.0
    else:
        u = 2.0 - tl.load(x + n + i, mask=i < n, other=0.0)
    if flag % 5 < 3:
        v += 1.0
    tl.store(out + row * n + i, v * w + u, mask=i < n)


@triton.jit
def pick(x, y, out, f, N: tl.constexpr):
    i = tl.arange(0, N)
    if f > 0:
        v = tl.load(x + i)
    else:
        v = tl.load(y + i)
    tl.store(out + i, v)


@triton.jit
def last_of_rounds(x, out, rounds, N: tl.constexpr):
    """Sides of a loop's branch, one of which leaves what the loop carries."""
    i = tl.arange(0, N)
    v = tl.zeros([N], tl.float32)
    last = v
    for k in range(rounds):
        w = tl.load(x + k * N + i)
        if k % 3 == 1:
            v += w
        if k % 2 == 0:
            last = w
        else:
            last = v
    tl.store(out + i, v + last * 2.0)


@triton.jit
def join_parts(parts, logs, out, n, PARTS: tl.constexpr, D: tl.constexpr):
    """What rounds load under a condition waits for nothing that rounds compute: several rounds' loads set out together."""
    row = tl.program_id(0)
    d = tl.arange(0, D)
    most = -float("inf")
    weight = 0.0
    total = tl.zeros([D], dtype=tl.float32)
    for part in range(0, PARTS):
        if part * 3 < n + row:
            log = tl.load(logs + row * PARTS + part)
            value = tl.load(parts + (row * PARTS + part) * D + d)
            now = tl.maximum(most, log)
            fade = tl.exp(most - now)
            power = tl.exp(log - now)
            total = total * fade + power * value
            weight = weight * fade + power
            most = now
    tl.store(out + row * D + d, total / weight)
