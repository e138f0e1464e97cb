# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What devices may compute differently: a reduction whose function does not commute."""
import triton
import triton.language as tl


@triton.jit
def one_after_the_other(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def chained(x, out, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    slope, start = tl.reduce((v * 2 + 1, v ^ 3), 0, one_after_the_other)
    tl.store(out, slope)
    tl.store(out + 1, start)


@triton.jit
def sums(x, out, BLOCK: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, BLOCK)), 0))
