# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Barriers that the author wrote: what waits at them, and what need not wait once more.
import triton
import triton.language as tl


@triton.jit
def passed_on(x, out, rounds, BLOCK: tl.constexpr):
    """All accesses of a round stand between its two barriers and the round before."""
    at = tl.arange(0, BLOCK)
    v = at * 3
    for i in range(rounds):
        tl.store(x + at, v)
        tl.debug_barrier()
        v = tl.load(x + (at + 37) % BLOCK) + i
        tl.debug_barrier()
    tl.store(out + at, v)


@triton.jit
def butterfly(x, strides, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    for i in range(strides):
        stride = 1 << i
        tl.store(x + at, v)
        tl.debug_barrier()
        other = tl.load(x + (at ^ stride))
        tl.debug_barrier()
        v = tl.where(at & stride == 0, v + other, other - v)
    tl.store(x + at, v)


@triton.jit
def flipped(x, out, shift, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    """Runs of STRIDE neighbours, and of as many as the number's divisor says."""
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + (at ^ STRIDE)))
    tl.store(out + BLOCK + at, tl.load(x + (at | STRIDE)))
    tl.store(out + 2 * BLOCK + at, tl.load(x + (at ^ shift) % BLOCK))


@triton.jit
def flipped_below_zero(x, out, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(-BLOCK, BLOCK)
    tl.store(out + BLOCK + at, tl.load(x + BLOCK + (at ^ STRIDE)))
    tl.store(out + 3 * BLOCK + at, tl.load(x + BLOCK + (tl.arange(3 - BLOCK, 3 + BLOCK) ^ STRIDE)))


@triton.jit
def barrier_between(x, out, rounds, BLOCK: tl.constexpr):
    """What a round stores behind its barrier, the next loads before it."""
    at = tl.arange(0, BLOCK)
    v = at
    for i in range(rounds):
        v = tl.load(x + (at + 37) % BLOCK) + v
        tl.debug_barrier()
        tl.store(x + at, v + i)
    tl.store(out + at, v)


@triton.jit
def loop_in_loop(x, out, rounds, BLOCK: tl.constexpr):
    """The inner loop, and its barriers, may have no round."""
    at = tl.arange(0, BLOCK)
    v = at
    for i in range(rounds):
        for j in range(i % 3):
            tl.store(x + at, v + j)
            tl.debug_barrier()
            v = tl.load(x + (at + 37) % BLOCK)
            tl.debug_barrier()
        tl.store(x + (BLOCK - 1 - at), v)
        v += tl.load(x + at)
    tl.store(out + at, v)


@triton.jit
def behind_inner_loop(x, out, rounds, BLOCK: tl.constexpr):
    """The last barrier of a round is one of another loop's, which the next begins without."""
    at = tl.arange(0, BLOCK)
    v = at
    for i in range(rounds):
        tl.store(x + at, v)
        for j in range(i % 3):
            tl.debug_barrier()
        v = tl.load(x + (at + 37) % BLOCK) + i
    tl.store(out + at, v)


@triton.jit
def now_and_then(x, out, rounds, BLOCK: tl.constexpr):
    """Some rounds have a barrier."""
    at = tl.arange(0, BLOCK)
    v = at
    for i in range(rounds):
        tl.store(x + at, v + i)
        if i % 2 == 0:
            tl.debug_barrier()
        v = tl.load(x + (at + 37) % BLOCK)
        if i % 3 == 0:
            tl.debug_barrier()
    tl.store(out + at, v)


@triton.jit
def while_it_is_small(x, out, most, BLOCK: tl.constexpr):
    """The condition of a round is computed in front of its barrier."""
    at = tl.arange(0, BLOCK)
    v = at
    i = 0
    while i < most:
        v = tl.load(x + (at + 37) % BLOCK) + v
        tl.debug_barrier()
        tl.store(x + at, v)
        i += 1 + tl.load(x + 5) % 2
    tl.store(out + at, v)


@triton.jit
def counted_between(x, counts, out, rounds, BLOCK: tl.constexpr):
    """An atomic waits as a barrier does, and is itself an access behind it."""
    at = tl.arange(0, BLOCK)
    v = at
    for i in range(rounds):
        tl.store(x + at, v)
        tl.atomic_add(counts, 1)
        v = tl.load(x + (at + 37) % BLOCK) + tl.load(counts)
    tl.store(out + at, v)


@triton.jit
def product(a, b, c, counts, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
            WAITS: tl.constexpr, COUNTED: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        if WAITS == 1:
            tl.debug_barrier()
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        right = tl.load(b + (at + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
        if WAITS == 2:
            tl.debug_barrier()
    tl.store(c + i[:, None] * N + j[None, :], total)
    if COUNTED:
        tl.atomic_add(counts, 1)


@triton.jit
def product_of_written(a, b, c, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
                       LATER: tl.constexpr):
    """Each round writes its own left factor, or the next one's."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    total = tl.zeros((M, N), tl.float32)
    for at in range(0, K, D):
        next = (at + LATER * D + k) % K
        number = (i[:, None] * 5 + next[None, :] * 3 + at // D) % 7
        if LATER == 0:
            tl.store(a + i[:, None] * K + next[None, :], number.to(tl.float16))
            tl.debug_barrier()
        left = tl.load(a + i[:, None] * K + (at + k)[None, :])
        right = tl.load(b + (at + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
        tl.debug_barrier()
        if LATER:
            tl.store(a + i[:, None] * K + next[None, :], number.to(tl.float16))
    tl.store(c + i[:, None] * N + j[None, :], total)
