# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels that are as long as they have rounds: each is unlike the others in what a compiler might do for every pair of them.
import triton
import triton.language as tl


@triton.jit
def mixed(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    """A hash, whose rounds depend on one another."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + at)
    b = ~a
    for i in tl.static_range(ROUNDS):
        a += (b << 5) | (b >> 27)
        b = (b ^ a) * 0x01000193 + i
    tl.store(y + at, a ^ b)


@triton.jit
def pairs(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    """A sorting network's exchanges between neighbours."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in tl.static_range(ROUNDS):
        low, high = tl.split(tl.reshape(v, [N // 2, 2]))
        v = tl.reshape(tl.join(tl.minimum(low, high), tl.maximum(low, high) + i), [N])
    tl.store(y + at, v)


@triton.jit
def transposed(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in tl.static_range(ROUNDS):
        v = tl.reshape(tl.trans(tl.reshape(v, [8, N // 8])), [N]) * 3 + i
    tl.store(y + at, v)


@triton.jit
def followed(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    """Each load says where the next one is."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in tl.static_range(ROUNDS):
        v = tl.load(x + (v & 511), mask=v != i, other=7)
    tl.store(y + at, v)


@triton.jit
def copied(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    for i in tl.static_range(ROUNDS):
        tl.store(y + at + i * N, tl.load(x + at + i * N) + tl.load(y + at + i))


@triton.jit
def guarded(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    """Loads and stores under masks, which are blocks of their own by the thousand."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    last = tl.load(y)
    for i in tl.static_range(ROUNDS):
        within = at + i * N < last
        sum = tl.load(x + at + i * N, mask=within, other=0) + tl.load(y + at + i, mask=within, other=0)
        tl.store(y + at + i * N, sum, mask=within)


@triton.jit
def weighed(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    """A convolution's gradient: each round loads under a mask of its own, and takes a sigmoid."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    last = tl.load(y)
    v = tl.zeros([N], tl.float32)
    for i in tl.static_range(ROUNDS):
        w = tl.load(x + at * ROUNDS + i, mask=at + i < last, other=0).to(tl.float32)
        v += w * tl.sigmoid(w)
    tl.store(y + at, v.to(tl.int32))


@triton.jit
def summed(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in tl.static_range(ROUNDS):
        v = v * i - tl.sum(v, axis=0) // N
    tl.store(y + at, v)


@triton.jit
def scanned(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in tl.static_range(ROUNDS):
        v = tl.cumsum(v, axis=0) ^ i
    tl.store(y + at, v)


@triton.jit
def branched(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in tl.static_range(ROUNDS):
        if tl.max(v, axis=0) > i:
            v = v * 3 + i
        else:
            v = v ^ i
    tl.store(y + at, v)


@triton.jit
def looped(x, y, N: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in tl.static_range(ROUNDS):
        for j in range(i + 2):
            v = v * 3 + tl.load(x + at + j)
    tl.store(y + at, v)
