# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What lanes tell one another, and what each of them computes once for several elements.
import triton
import triton.language as tl


@triton.jit
def joined_means(mean, weight, other_mean, other_weight):
    total = weight + other_weight
    return mean + (other_mean - mean) * (other_weight / total), total


@triton.jit
def one_for_all(x, y, kept, out, N: tl.constexpr):
    """Sums of products are the same bits in all threads: each keeps its own, and reads another's."""
    at = tl.arange(0, N)
    product = tl.load(x + at) * tl.load(y + at)
    weight = tl.load(y + at) * tl.load(y + at)
    total = tl.sum(product)
    mean, weights = tl.reduce((product, weight), 0, joined_means)
    tl.store(kept + at, tl.where(at >= 0, total, 0.0))
    tl.store(kept + N + at, tl.where(at >= 0, mean, 0.0))
    tl.store(kept + 2 * N + at, tl.where(at >= 0, weights, 0.0))
    tl.debug_barrier()
    tl.store(out + at, (tl.load(kept + (at ^ 1)) == total).to(tl.int32))
    tl.store(out + N + at, (tl.load(kept + N + (at ^ 1)) == mean).to(tl.int32))
    tl.store(out + 2 * N + at, (tl.load(kept + 2 * N + (at ^ 1)) == weights).to(tl.int32))


@triton.jit
def kept_in_order(x, out, n, least, BLOCK: tl.constexpr):
    """Where an element goes is known by a scan: elements and places are sent to who stores them, and nothing else."""
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    is_kept = (v > least) & (at < n)
    place = tl.cumsum(is_kept.to(tl.int32), 0) - 1
    tl.store(out + place, v, mask=is_kept)


@triton.jit
def distances(x, out, first, M: tl.constexpr, N: tl.constexpr):
    """A thread's rows and columns are few distances apart, each of which is made a float once."""
    rows = first + tl.arange(0, M)[:, None]
    columns = tl.program_id(0) * N + tl.arange(0, N)[None, :]
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :] + tl.program_id(0) * M * N
    far = (columns - rows).to(tl.float32) * 0.0625
    tl.store(out + at, tl.load(x + at) + far)


@triton.jit
def rounded(x, out, n, BLOCK: tl.constexpr):
    """A float that is rounded to bf16 and goes on as a float; the bits of a float16 are no such one."""
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    v = tl.where(at == 3, float("inf"), tl.where(at == 4, float("nan"), tl.where(at == 5, 3.4e38, v)))
    once = v.to(tl.bfloat16)
    tl.store(out + at, once.to(tl.float32) * 3.0, mask=at < n)
    half = tl.where(at == 4, 1.0, v).to(tl.float16).to(tl.bfloat16, bitcast=True)  # which bits a NaN has, nobody says
    tl.store(out + BLOCK + at, half.to(tl.float32), mask=at < n)


@triton.jit
def turned(x, out, BLOCK: tl.constexpr):
    """Sine and cosine of one angle, near and far."""
    at = tl.arange(0, BLOCK)
    angle = tl.load(x + at) * tl.where(at % 7 == 3, 1e6, 10.0)
    tl.store(out + at, tl.cos(angle))
    tl.store(out + BLOCK + at, tl.sin(angle))


@triton.jit
def of_columns(x, out, M: tl.constexpr, N: tl.constexpr, RUN: tl.constexpr):
    """Results of several columns, of which lanes and warps have parts: rows that lie next to each other, or columns that do."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + m[:, None] * (1 if RUN else N) + n[None, :] * (M if RUN else 1))
    total = tl.sum(v, 0)
    tl.store(out + n, total)
    tl.store(out + N + n, tl.max(v * 2 - total[None, :], 0))
    tl.store(out + 2 * N + n, tl.argmin(v, 0).to(tl.float32))
