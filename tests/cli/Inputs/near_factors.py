import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, rounds, row_a, row_b, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(1) * BM + tl.arange(0, BM)
    j = tl.program_id(0) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), c.dtype.element_ty)
    for k in range(0, rounds * BK, BK):
        l = k + tl.arange(0, BK)
        left = tl.load(a + i[:, None] * row_a + l[None, :], mask=(i[:, None] < M) & (l[None, :] < K), other=0)
        right = tl.load(b + l[:, None] * row_b + j[None, :], mask=(l[:, None] < K) & (j[None, :] < N), other=0)
        sums = tl.dot(left, right, sums, out_dtype=c.dtype.element_ty)
    tl.store(c + i[:, None] * N + j[None, :], sums, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def read_twice(a, b, c, d, rounds, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """What the loop carries is read by more than the product."""
    i = tl.arange(0, BM)[:, None]
    j = tl.arange(0, BN)[None, :]
    l = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), tl.float32)
    seen = tl.zeros((BM, BN), tl.float32)
    for _ in range(rounds):
        seen += sums
        sums = tl.dot(tl.load(a + i * BK + l[None, :]), tl.load(b + l[:, None] * BN + j), sums)
    tl.store(c + i * BN + j, sums)
    tl.store(d + i * BN + j, seen)


@triton.jit
def two_sums(a, b, c, rounds, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Sums that change places, and a branch around one of the products."""
    i = tl.arange(0, BM)[:, None]
    j = tl.arange(0, BN)[None, :]
    l = tl.arange(0, BK)
    first = tl.zeros((BM, BN), tl.float32)
    second = tl.zeros((BM, BN), tl.float32)
    for round in range(rounds):
        left = tl.load(a + i * BK + l[None, :])
        right = tl.load(b + l[:, None] * BN + j)
        next = tl.dot(left, right, second)
        second = tl.dot(left + 1, right, first)
        first = next
    tl.store(c + i * BN + j, first - 2 * second)
