# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Scans whose axis goes through registers, lanes and warps in every order.
import triton
import triton.language as tl

@triton.jit
def sums(x, out, N: tl.constexpr, R: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0, reverse=R))

@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d

@triton.jit
def rows(x, out, M: tl.constexpr, N: tl.constexpr, A: tl.constexpr, R: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), A, reverse=R))

@triton.jit
def turned(x, out, M: tl.constexpr, N: tl.constexpr, R: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    y = tl.reshape(tl.trans(tl.load(x + at)), (M * N,))
    tl.store(out + tl.arange(0, M * N), tl.cumsum(y, 0, reverse=R))

@triton.jit
def flat(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, R: tl.constexpr):
    at = (tl.arange(0, M)[:, None, None] * N + tl.arange(0, N)[None, :, None]) * K + tl.arange(0, K)
    y = tl.reshape(tl.permute(tl.load(x + at), (2, 0, 1)), (K, M * N))
    z = tl.cumsum(y, 1, reverse=R)
    z = tl.cumsum(tl.reshape(tl.permute(tl.reshape(z, (K, M, N)), (1, 0, 2)), (M * K * N,)), 0, reverse=R)
    tl.store(out + tl.arange(0, M * N * K), z)

@triton.jit
def pairs(x, y, out, N: tl.constexpr, R: tl.constexpr):
    at = tl.arange(0, N)
    a, b = tl.associative_scan((tl.load(x + at), tl.load(y + at)), 0, affine, reverse=R)
    tl.store(out + at, a)
    tl.store(out + N + at, b)


@triton.jit
def first_beyond(x, least, places, n, N: tl.constexpr):
    at = tl.arange(0, N)
    values = tl.load(x + at, at < n, 0.0)
    kept = tl.where(values > tl.load(least), values, 0.0)
    sums = tl.cumsum(kept, 0)
    half = tl.sum(kept, 0) * 0.5
    tl.store(places, tl.min(tl.where((sums > half) & (kept > 0), at, n - 1), 0))


@triton.jit
def own(a, b, c, d):
    return a ^ c, b + d

@triton.jit
def widths(x, bytes, longs, M: tl.constexpr, N: tl.constexpr, R: tl.constexpr):
    """A byte and eight of them, through slots of one size."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    a, b = tl.associative_scan((v.to(tl.int8), v.to(tl.int64) * 12345678912345), 1, own, reverse=R)
    tl.store(bytes + at, a)
    tl.store(longs + at, b)

@triton.jit
def planes(x, y, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, A: tl.constexpr, R: tl.constexpr):
    at = (tl.arange(0, B)[:, None, None] * M + tl.arange(0, M)[None, :, None]) * N + tl.arange(0, N)[None, None, :]
    a, b = tl.associative_scan((tl.load(x + at), tl.load(y + at)), A, affine, reverse=R)
    tl.store(out + at, a)
    tl.store(out + B * M * N + at, b)

@triton.jit
def there_and_back(x, y, out, T, M: tl.constexpr, N: tl.constexpr, R: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    p, q = tl.load(x + at), tl.load(y + at)
    for i in range(T):
        p, q = tl.associative_scan((p, q + i), 0, affine, reverse=R)
        p, q = tl.associative_scan((p, q), 1, affine, reverse=not R)
    tl.store(out + at, p)
    tl.store(out + M * N + at, q)

@triton.jit
def last_there(a, b):
    return tl.where(b != 0, b, a)

@triton.jit
def filled(x, out, N: tl.constexpr, R: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(out + at, tl.associative_scan(tl.where(v % 3 == 0, v, 0), 0, last_there, reverse=R))
