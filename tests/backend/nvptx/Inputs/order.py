# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a program does to one element happens in the order of its text, whichever threads do it.
import triton
import triton.language as tl


@triton.jit
def swap(x, y, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    a = tl.load(x + offs) + 1
    b = tl.load(y + offs) + 2
    tl.store(x + offs, b)
    tl.store(y + offs, a)


@triton.jit
def read_between(a, b, c, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(a + offs, offs)
    tl.store(c, tl.load(a + 5))
    tl.store(b + offs, offs + 1)


@triton.jit
def written_between(a, b, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(a + offs, offs)
    for i in range(4):
        tl.store(a + i, 77)
    tl.store(b + offs, offs + 1)


@triton.jit
def released_between(a, b, flag, c, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(a + offs, offs)
    tl.atomic_add(flag, 1)
    tl.store(c, tl.load(a + 5))
    tl.store(b + offs, offs + 1)


@triton.jit
def summed_behind(x, a, c, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs)
    tl.store(a + offs, v + 1)
    w = tl.load(a + 5)
    tl.store(c, w + tl.sum(v, 0))


@triton.jit
def counted_before(x, counts, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs)
    tl.atomic_add(counts + offs % 7, v, sem="relaxed")
    tl.store(out + offs, v + tl.load(counts + 3))


@triton.jit
def shared_place(p, out, BLOCK: tl.constexpr):
    """Several threads hold the address of one element."""
    offs = tl.arange(0, BLOCK)
    place = p + offs % 4
    tl.store(place, offs, mask=offs >= BLOCK - 4)
    tl.store(out + offs, tl.load(place))


@triton.jit
def shared_counters(p, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    place = p + offs % 4
    tl.atomic_add(place, offs, sem="relaxed")
    tl.store(out + offs, tl.load(place))


@triton.jit
def pairs(p, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(p + offs // 2, offs, mask=offs % 2 == 1)
    tl.store(out + offs, tl.load(p + offs // 2))


@triton.jit
def acquired_behind_store(p, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(p + offs, offs)
    tl.store(out, tl.atomic_add(p + (BLOCK - 1), 5, sem="acquire"))


@triton.jit
def acquired_behind_load(p, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(p + offs)
    tl.atomic_add(p + (BLOCK - 1), 5, sem="acquire")
    tl.store(out + offs, v)


@triton.jit
def volatile_behind_store(p, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(p + offs, offs)
    tl.store(out, tl.load(p + (BLOCK - 1), volatile=True))


@triton.jit
def last_of(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def zero_of_either_sign(x, out, BLOCK: tl.constexpr):
    """A reduction gives all threads one value, whatever its function does with operands that are equal."""
    zero = tl.reduce(tl.load(x + tl.arange(0, BLOCK)) * 0.0, 0, last_of)
    if zero.to(tl.int32, bitcast=True) < 0:
        tl.debug_barrier()
    tl.store(out, 1)


@triton.jit
def least_by_key(key, at, other_key, other_at):
    return tl.where(key <= other_key, key, other_key), tl.where(key <= other_key, at, other_at)


@triton.jit
def one_of_equals(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    key, where = tl.reduce((tl.load(x + at) % 2, at), 1, least_by_key)
    tl.store(out + tl.arange(0, M), tl.sum(tl.where(at == where[:, None], 1, 0), 1))


@triton.jit
def merge_moments(mean, squares, count, other_mean, other_squares, other_count):
    change = other_mean - mean
    both = count + other_count
    share = tl.where(both == 0.0, 0.0, other_count / both)
    return mean + change * share, squares + other_squares + change * change * count * share, both


@triton.jit
def moments(x, same, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    mean, squares, count = tl.reduce((v, v * 0, v * 0 + 1.0), 1, merge_moments)
    spread = tl.where(v == v, mean[:, None], 0.0)
    tl.store(same + tl.arange(0, M), (tl.min(spread, 1) == tl.max(spread, 1)).to(tl.int32))


@triton.jit
def promised_run(x, out, zero, BLOCK: tl.constexpr):
    """A promise about addresses reaches beyond the tile."""
    offs = tl.arange(0, BLOCK) ^ zero
    to = tl.max_contiguous(tl.multiple_of(out + offs, 16), 16)
    tl.store(to, tl.load(tl.max_contiguous(tl.multiple_of(x + offs, 16), 16)))


@triton.jit
def rounds_apart(p, out, n, STEP: tl.constexpr, AHEAD: tl.constexpr, BLOCK: tl.constexpr):
    """Each round reads AHEAD elements further than it writes, and goes on by STEP."""
    offs = tl.arange(0, BLOCK)
    for i in range(0, n, STEP):
        v = tl.load(p + i + AHEAD + offs)
        tl.store(p + i + offs, v * 2 + i)
        tl.store(out + i + offs, v)


@triton.jit
def remainders(p, out, m, BLOCK: tl.constexpr):
    """What is no run when m is no multiple of BLOCK."""
    offs = tl.arange(0, BLOCK)
    r = (tl.program_id(0) * BLOCK + BLOCK + offs) % m
    tl.store(p + r, offs)
    tl.store(out + offs, tl.load(p + r + BLOCK))


@triton.jit
def differences_of_remainders(p, out, m, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    r = (BLOCK + offs) % m
    d = r[:, None] - r[None, :]
    tl.store(p + 512 + d, d)
    tl.store(out + offs[:, None] * BLOCK + offs[None, :], tl.load(p + 512 + (2 * BLOCK - 1) + d))


@triton.jit
def from_below_zero(x, BLOCK: tl.constexpr):
    """A range may begin below zero."""
    offs = tl.arange(0, BLOCK)
    tl.store(x + (tl.arange(-BLOCK, 0) + BLOCK), offs * 3)
    v = tl.load(x + (BLOCK - 1 - offs))
    tl.store(x + offs, v)


@triton.jit
def compared_below_zero(out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs, tl.where(tl.arange(-3, BLOCK - 3) > tl.arange(2, BLOCK + 2), 1, 0))
    tl.store(out + BLOCK + offs, tl.where(tl.arange(-3, BLOCK - 3) < 0, offs, -1))
    tl.store(out + 2 * BLOCK + offs, tl.arange(-3, BLOCK - 3) // 2)


@triton.jit
def sums_of_sums(x, out, rounds, BLOCK: tl.constexpr):
    """A sum that a loop carries reads another of its round."""
    at = tl.arange(0, BLOCK)
    late = tl.zeros((BLOCK,), tl.int32)
    early = tl.zeros((BLOCK,), tl.int32)
    for i in range(rounds):
        v = tl.load(x + i * BLOCK + at) * 5 ^ i
        tl.store(out + i * BLOCK + at, v)
        early += v
        late += v * early
    tl.store(out + rounds * BLOCK + at, late ^ early)
    tl.store(out + (rounds + 1) * BLOCK + at, early)


@triton.jit
def early_sums_of_late_ones(x, y, out, rounds, BLOCK: tl.constexpr):
    """Two sums share what they add; the loop carries them in either order."""
    at = tl.arange(0, BLOCK)
    first = tl.zeros((BLOCK,), tl.int32)
    second = tl.zeros((BLOCK,), tl.int32)
    for i in range(rounds):
        v = tl.load(x + i * BLOCK + at) * 3 ^ i
        tl.store(out + i * BLOCK + at, v)
        w = tl.load(y + i * BLOCK + at) * 7 ^ i
        tl.store(y + i * BLOCK + at, w)
        both = w * w
        first ^= both
        second += v & both
        first += second
    tl.store(out + rounds * BLOCK + at, first)
    tl.store(out + (rounds + 1) * BLOCK + at, second)


@triton.jit
def places_by_turn(starts, x, wanted, places, out, K: tl.constexpr, BLOCK: tl.constexpr):
    """Each round takes the next place of a list by an atomic, for all threads."""
    at = tl.arange(0, BLOCK)
    row = tl.load(x + at)
    for k in range(K):
        list = tl.load(wanted + k) % 3
        if list > 0:
            place = tl.atomic_add(starts + list, 1)
            tl.store(places + k, place)
            tl.store(out + (list * K + place) * BLOCK + at, row + k)


@triton.jit
def rounds_of_any_distance(p, out, s, n, BLOCK: tl.constexpr):
    """Rounds whose tiles may overlap, as a parameter says."""
    at = tl.arange(0, BLOCK)
    for k in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(p + k * s + at, at * 100 + k)
        v = tl.load(p + k * s + (BLOCK - 1 - at))
        tl.store(out + k * BLOCK + at, v)


@triton.jit
def largest_of_all(x, most, BLOCK: tl.constexpr):
    """A maximum of floats is two atomics at one element, and nobody asks in which order."""
    tl.atomic_max(most, tl.max(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))) - 1.5)


@triton.jit
def asked_again(flag, x, out, tries, BLOCK: tl.constexpr):
    """What another launch may change between two rounds, and what it may not."""
    at = tl.arange(0, BLOCK)
    for i in range(tries):
        found = tl.load(flag)
        tl.atomic_add(out + 1, 1)
        if found > 0:
            tl.store(out, tl.sum(tl.load(x + at), 0))


@triton.jit
def asked_once(flags, x, out, tries, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for i in range(tries):
        found = tl.load(flags + i)
        tl.atomic_add(out + 1, 1)
        if found > 0:
            tl.store(out, tl.sum(tl.load(x + at), 0))


@triton.jit
def turn_halves(x, ROWS: tl.constexpr, HALF: tl.constexpr, STEP: tl.constexpr):
    """In place, of each row two parts, STEP apart."""
    first = x + tl.arange(0, ROWS)[:, None] * (2 * HALF) + tl.arange(0, HALF)[None, :]
    a, b = tl.load(first), tl.load(first + STEP)
    tl.store(first, a - 2 * b)
    tl.store(first + STEP, b + a)


@triton.jit
def from_the_end(x, r, N: tl.constexpr, M: tl.constexpr, AHEAD: tl.constexpr):
    """Halves of rows that count downwards, and others AHEAD behind them, of rows that the launch names."""
    at = (M - tl.arange(0, M))[:, None] * N - tl.arange(0, N // 2)[None, :] + N
    a = tl.load(x + at)
    tl.store(x + at + r * N + AHEAD, a * 2 + 1)
    b = tl.load(x + at)
    tl.store(x + at + N, b + a)


@triton.jit
def rows_that_meet(x, out, STEP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Rows of N elements begin STEP apart."""
    at = tl.arange(0, M)[:, None] * STEP + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(x + at, at * 5 + 3)
    b = tl.load(x + at)
    tl.store(x + at, b * 2)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], a + b + tl.load(x + at))


@triton.jit
def parts_in_rounds(x, rounds, N: tl.constexpr, M: tl.constexpr, W: tl.constexpr, AHEAD: tl.constexpr):
    """Parts of W columns: those of other rounds are other rows."""
    for i in range(rounds):
        for j in range(3):
            at = (tl.arange(0, M)[:, None] + i + j) * N + tl.arange(0, W)[None, :]
            a = tl.load(x + at)
            tl.store(x + at + AHEAD, a * 3 + j)
        here = x + (tl.arange(0, M)[:, None] + i) * N + tl.arange(0, W)[None, :]
        tl.store(here, tl.load(here + AHEAD))
