# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sums and products of bfloat16, of which the SM computes two at once.
import triton
import triton.language as tl


@triton.jit
def loaded(at, mask=None):
    return tl.load(at, mask).to(tl.bfloat16)


@triton.jit
def terms(x, y, out, n, N: tl.constexpr):
    at = tl.arange(0, N)
    a, b = loaded(x + at, at < n), loaded(y + at, at < n)
    products = tl.where(at < n, a * b, 0.0)
    tl.store(out + at, ((a + b) * a - b * 3.0 + tl.max(products, 0)).to(tl.float32), at < n)


@triton.jit
def turned(x, y, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    back = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    row = loaded(y + tl.arange(0, N))
    tl.store(out + at, ((loaded(x + at) - tl.trans(loaded(y + back))) * row[None, :]).to(tl.float32))


@triton.jit
def of_bits(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    a = (tl.load(x + at) & 0x3fff | 0x2000).to(tl.bfloat16, bitcast=True)  # from 2^-63 to 2
    b = (tl.load(y + at) & 0x3fff | 0x2000).to(tl.bfloat16, bitcast=True)
    tl.store(out + at, (a * b - a).to(tl.int16, bitcast=True))


@triton.jit
def softmax_backward(y, dy, dx, n, N: tl.constexpr):
    at = tl.program_id(0) * n + tl.arange(0, N)
    inside = tl.arange(0, N) < n
    grad, kept = tl.load(dy + at, inside, 0.0), tl.load(y + at, inside, 0.0)
    tl.store(dx + at, kept * (grad - tl.sum(grad * kept, 0)), inside)
