# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Floats of 8 bits: what multiplies them, and how they become others.
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, LEFT: tl.constexpr,
            RIGHT: tl.constexpr, EXACT: tl.constexpr, RIGHT_BY_COLUMNS: tl.constexpr):
    """Of bytes that are numbers below two once they have been masked."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    for at in range(0, K, D):
        of_left = a + i[:, None] * K + (at + k)[None, :]
        of_right = b + j[:, None] * K + (at + k)[None, :]
        tl.store(of_left, tl.load(of_left) & 191)
        tl.store(of_right, tl.load(of_right) & 191)
    tl.debug_barrier()
    lefts = tl.multiple_of(a.to(tl.pointer_type(LEFT)), 16)
    rights = tl.multiple_of(b.to(tl.pointer_type(RIGHT)), 16)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        left = tl.load(lefts + i[:, None] * K + (at + k)[None, :])
        if RIGHT_BY_COLUMNS:
            right = tl.load(rights + j[:, None] * K + (at + k)[None, :]).T
        else:
            right = tl.load(rights + (at + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total, max_num_imprecise_acc=0 if EXACT else None)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def product_of_bits(a, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
                    LEFT: tl.constexpr, RIGHT: tl.constexpr, EXACT: tl.constexpr):
    """Bytes are numbers below two: none is infinite."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (at + k)[None, :]) & 191
        right = tl.load(b + j[:, None] * K + (at + k)[None, :]).T & 191
        total = tl.dot(left.to(LEFT, bitcast=True), right.to(RIGHT, bitcast=True), total,
                       max_num_imprecise_acc=0 if EXACT else None)
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def widened(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n, 0.0).to(tl.float32) * 3.0, at < n)


@triton.jit
def widened_bits(x, out, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    """All numbers, and what is none."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n, 0).to(TYPE, bitcast=True).to(tl.float32), at < n)


@triton.jit
def every_other_widened(x, out, BLOCK: tl.constexpr):
    """Of a pair, one becomes wide; of another, one twice."""
    at = tl.arange(0, BLOCK)
    even, odd = tl.split(tl.reshape(tl.load(x + at), [BLOCK // 2, 2]))
    to = tl.arange(0, BLOCK // 2)
    number = even.to(tl.float8e4nv, bitcast=True)
    tl.store(out + to, number.to(tl.float32) + (odd & 7).to(tl.float32))
    tl.store(out + BLOCK // 2 + to, number.to(tl.float32) * 2.0)


@triton.jit
def narrowed(x, out, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, at < n, 0.0) * 50.0
    tl.store(out + at, v.to(TYPE).to(out.dtype.element_ty, bitcast=True), at < n)


@triton.jit
def narrowed_among_others(x, out, BLOCK: tl.constexpr):
    """Some bytes of a thread are rounded floats, others are not."""
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at) * 50.0
    small = v.to(tl.float8e4nv).to(tl.uint8, bitcast=True)
    large = v.to(tl.float8e5).to(tl.uint8, bitcast=True)
    tl.store(out + at, tl.where(at % 4 < 2, small, large))
    tl.store(out + BLOCK + at, tl.where(at % 3 == 0, small, (at & 255).to(tl.uint8)))


@triton.jit
def product_of_rows(a, b, c, K, N: tl.constexpr, D: tl.constexpr):
    """The right factor's columns lie side by side."""
    i, j, k = tl.arange(0, 64), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((64, N), tl.float32)
    for at in range(0, K, D):
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        total = tl.dot(left, tl.load(b + (at + k)[:, None] * N + j[None, :]), total)
    tl.store(c + i[:, None] * N + j[None, :], total)
