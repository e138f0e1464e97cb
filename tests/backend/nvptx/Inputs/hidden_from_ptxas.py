# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of what ptxas 13.0 makes wrong code unless the back end writes it otherwise."""
import triton
import triton.language as tl


@triton.jit
def constants_found_late(x, out, n):
    """What is the same in all lanes, as only the optimizer finds."""
    i = tl.arange(0, 32)
    v = tl.load(x + i, mask=i < n, other=0)
    same = ((v % tl.where(v == 0, 1, v)) & 3) + 126
    most = tl.max(same, 0)
    tl.store(out + i, tl.minimum(tl.maximum(most - 238, 0), tl.maximum(238 - most, 0)) + v)


@triton.jit
def loads_found_never_made(x, out):
    """A mask that is false everywhere, as only the optimizer finds."""
    i = tl.arange(0, 32)
    v = tl.load(x + i, mask=((i * i) & 3) > 1, other=126)
    w = tl.load(x + (i[:, None] * 4 + tl.arange(0, 4)[None, :]), mask=((i * i) & 3)[:, None] > 1, other=126)
    tl.store(out + i, tl.minimum(tl.maximum(v - 238, 0), tl.maximum(238 - v, 0)) + tl.max(w, 1))


@triton.jit
def compared_extremes(x, out):
    """Which of many the smallest is, of 16 bits; of all but the first the optimizer finds that they are 3."""
    at = tl.arange(0, 12)[:, None] * 333 + tl.arange(0, 333)[None, :]
    tl.store(out + tl.arange(0, 333), tl.argmin(tl.load(x + at, mask=at < 236, other=3), 0))


@triton.jit
def bits_of_predicates(x, out, N: tl.constexpr):
    """The least number above zero, or zero, beside a sort."""
    at = tl.arange(0, N)
    v = tl.load(x + at)
    least = (v > 0.25).to(tl.uint16).to(tl.float16, bitcast=True).to(tl.float32)
    tl.store(out + at, v * least * 1048576.0)
    tl.store(out + N + at, tl.sort(v) + least)
