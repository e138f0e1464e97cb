# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Products whose sums may or may not be sent, by blocks that may or may not loop over programs.
import triton
import triton.language as tl


@triton.jit
def sums(a, b, first, last, i, j, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(first, last):
        left = tl.load(a + i[:, None] * N + (step * BK + k)[None, :])
        right = tl.load(b + (step * BK + k)[:, None] * N + j[None, :])
        total = tl.dot(left, right, total)
    return total


@triton.jit
def product(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = sums(a, b, 0, N // BK, i, j, N, BM, BN, BK)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16), mask=(i < N)[:, None] & (j < N)[None, :])


@triton.jit
def triangular(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The program's number is how much it has to do."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = sums(a, b, 0, (tl.program_id(0) + 1) * BM // BK, i, j, N, BM, BN, BK)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def added(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The array is read, too."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    at = c + i[:, None] * N + j[None, :]
    total = sums(a, b, 0, N // BK, i, j, N, BM, BN, BK)
    tl.store(at, (tl.load(at) + total).to(tl.float16))


@triton.jit
def counted(a, b, c, done, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Other programs may wait for this one."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = sums(a, b, 0, N // BK, i, j, N, BM, BN, BK)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))
    tl.atomic_add(done, 1, sem="relaxed")


@triton.jit
def published(a, b, c, done, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Who finds the count sees the result, which the copy engine need not have stored by then."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = sums(a, b, 0, N // BK, i, j, N, BM, BN, BK)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))
    tl.atomic_add(done, 1, sem="release")


@triton.jit
def turned(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Columns of the result run along memory, which its threads hold in rows."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = sums(a, b, 0, N // BK, i, j, N, BM, BN, BK)
    tl.store(c + i[:, None] + j[None, :] * N, total.to(tl.float16))


@triton.jit
def guarded(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rings are in use until the end of the branch, in which the result is stored."""
    if tl.program_id(0) * BM < N:
        i = tl.program_id(0) * BM + tl.arange(0, BM)
        j = tl.program_id(1) * BN + tl.arange(0, BN)
        total = sums(a, b, 0, (tl.program_id(0) + 1) * BM // BK, i, j, N, BM, BN, BK)
        tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def lower(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Blocks left of the diagonal: along x each program has BM columns more than the one before."""
    first = tl.program_id(0) * BM
    i, j, k = first + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, first + BM, BK):
        left = tl.load(a + i[:, None] * N + (at + k)[None, :])
        total = tl.dot(left, tl.load(b + (at + k)[:, None] * N + j[None, :]), total)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def read_back(a, b, c, out, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The kernel reads what it has stored, by a pointer of which it is not seen where it leads."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = sums(a, b, 0, N // BK, i, j, N, BM, BN, BK)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))
    row = c + tl.program_id(0) * BM * N
    most = tl.zeros((BN,), dtype=tl.float16)
    for r in range(BM):
        most = tl.maximum(most, tl.load(row + j))
        row += N
    tl.store(out + tl.program_id(0) * N + j, most)


@triton.jit
def tiles(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A loop over tiles of the author's."""
    beside = N // BN
    for tile in range(tl.program_id(0), N // BM * beside, tl.num_programs(0)):
        i = tile // beside * BM + tl.arange(0, BM)
        j = tile % beside * BN + tl.arange(0, BN)
        total = sums(a, b, 0, N // BK, i, j, N, BM, BN, BK)
        tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def covering(a, b, c, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each tile covers half of the one before."""
    for tile in range(0, (N - BM) // (BM // 2) + 1):
        i = tile * (BM // 2) + tl.arange(0, BM)
        j = tl.program_id(0) * BN + tl.arange(0, BN)
        total = sums(a, b, tile % 2, N // BK, i, j, N, BM, BN, BK)
        tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


@triton.jit
def added_to(a, b, c, N, KIND: tl.constexpr, ROUNDS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Parts of depth, whose sums meet in memory: 0 adds, 1 wants what was there, 2 is heard by the host, 3 stores as well."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    first = tl.program_id(2) * ROUNDS
    total = sums(a, b, first, first + ROUNDS, i, j, N, BM, BN, BK)
    at = c + i[:, None] * N + j[None, :]
    inside = (i < N)[:, None] & (j < N)[None, :]
    if KIND == 3:
        tl.store(at, total, mask=inside)
    if KIND == 2:
        tl.atomic_add(at, total, mask=inside, sem="relaxed", scope="sys")
    else:
        old = tl.atomic_add(at, total, mask=inside, sem="relaxed")
        if KIND == 1:
            tl.store(at + N * N, old, mask=inside)
