# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def add_and_norm(x, residual, weight, sums, out, n, BLOCK: tl.constexpr):
    """Two rows of one ring; the second program of y has the second half of the arrays."""
    row = (tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)) * n
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row + i, mask=i < n, other=1.0).to(tl.float32) + tl.load(residual + row + i, mask=i < n, other=0.0)
    tl.store(sums + row + i, v.to(tl.float16), mask=i < n)
    scale = tl.sqrt(tl.sum(v * v, 0))
    tl.store(out + row + i, v / scale * tl.load(weight + i, mask=i < n), mask=i < n)


@triton.jit
def surprise(x, targets, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    tl.store(out + row, tl.max(v, 0) - tl.load(x + row * n + (tl.load(targets + row) & 16383)))


@triton.jit
def most(x, begins, out, n, past, BLOCK: tl.constexpr):
    """Rows of whole tiles, and of as many elements as are left, perhaps none."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    begin = row * BLOCK
    v = tl.load(x + begin + i, mask=begin + i < n - past, other=-7)
    tl.store(out + row, tl.max(v, 0) + tl.load(begins + row))


@triton.jit
def most_of_both(x, y, out, n, BLOCK: tl.constexpr):
    """Of so many warps that all of them read more than a piece at once."""
    row = tl.program_id(0) * n
    i = tl.arange(0, BLOCK)
    v = tl.maximum(tl.load(x + row + i, mask=i < n, other=-128), tl.load(y + row + i, mask=i < n, other=-128))
    tl.store(out + tl.program_id(0), tl.max(v, 0))


@triton.jit
def one_behind_the_other(x, y, out, n, BLOCK: tl.constexpr):
    """The second row's place is computed behind the first one's reduction."""
    i = tl.arange(0, BLOCK)
    first = tl.max(tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-5), 0)
    row = (tl.num_programs(0) - 1 - tl.program_id(0)) * n
    second = tl.load(y + row + i, mask=i < n, other=0)
    tl.store(out + tl.program_id(0), tl.sum(second - first, 0))


@triton.jit
def copied_and_summed(x, out, sums, n, BLOCK: tl.constexpr):
    """What was stored may be what is loaded."""
    row = tl.program_id(0) * n
    i = tl.arange(0, BLOCK)
    tl.store(out + row + i, i, mask=i < n)
    tl.store(sums + tl.program_id(0), tl.sum(tl.load(x + row + i, mask=i < n, other=0), 0))


@triton.jit
def wrapped(x, out, n, BLOCK: tl.constexpr):
    i = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) % n
    tl.store(out + tl.program_id(0), tl.max(tl.load(x + i), 0))


@triton.jit
def counted(x, out, n, BLOCK: tl.constexpr):
    """Programs may wait for one another by an atomic."""
    row = tl.program_id(0) * n
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + row + i, mask=i < n, other=0), 0))
