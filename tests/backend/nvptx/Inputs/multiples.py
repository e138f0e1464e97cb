# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Products of matrices whose rows lie at no multiples of 16 elements.
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, m, n, k, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    ap = a + rm[:, None] * sa + rk[None, :]
    bp = b + rk[:, None] * sb + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, k, BK):
        x = tl.load(ap, mask=(rm[:, None] < m) & (rk[None, :] + i < k), other=0.0)
        y = tl.load(bp, mask=(rk[:, None] + i < k) & (rn[None, :] < n), other=0.0)
        acc = tl.dot(x, y, acc)
        ap += BK
        bp += BK * sb
    tl.store(c + rm[:, None] * sc + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm[:, None] < m) & (rn[None, :] < n))


# Rows and columns behind the last are the first ones: what is computed of them is not stored.
@triton.jit
def wrapped(a, b, c, m, n, k, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = (tl.program_id(0) * BM + tl.arange(0, BM)) % m
    rn = (tl.program_id(1) * BN + tl.arange(0, BN)) % n
    rk = tl.arange(0, BK)
    ap = a + rm[:, None] * sa + rk[None, :]
    bp = b + rk[:, None] * sb + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        x = tl.load(ap, mask=rk[None, :] < k - i * BK, other=0.0)
        y = tl.load(bp, mask=rk[:, None] < k - i * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        ap += BK
        bp += BK * sb
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm[:, None] < m) & (rn[None, :] < n))


@triton.jit
def of_columns(a, b, c, m, n, k, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, k, BK):
        rk = i + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * sa + rk[None, :], mask=(rm[:, None] < m) & (rk[None, :] < k), other=0.0)
        y = tl.load(b + rn[None, :] * sb + rk[:, None], mask=(rk[:, None] < k) & (rn[None, :] < n), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))


# The first rows, which stand behind the last as well, are summed up again.
@triton.jit
def sums_of_wrapped(a, b, c, sums, m, n, k, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = (tl.program_id(0) * BM + tl.arange(0, BM)) % m
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, k, BK):
        rk = i + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * sa + rk[None, :], mask=rk[None, :] < k, other=0.0)
        y = tl.load(b + rk[:, None] * sb + rn[None, :], mask=(rk[:, None] < k) & (rn[None, :] < n), other=0.0)
        acc = tl.dot(x, y, acc)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))
    tl.store(sums + tl.program_id(0) * sc + rn, tl.sum(acc, 0), mask=rn < n)


# Of the first rows again, too: nothing says that rows from m on are not stored.
@triton.jit
def stored_wrapped(a, b, c, m, n, k, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = (tl.program_id(0) * BM + tl.arange(0, BM)) % m
    rn = (tl.program_id(1) * BN + tl.arange(0, BN)) % n
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, k, BK):
        rk = i + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * sa + rk[None, :], mask=rk[None, :] < k, other=0.0)
        y = tl.load(b + rk[:, None] * sb + rn[None, :], mask=rk[:, None] < k, other=0.0)
        acc = tl.dot(x, y, acc)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc, mask=(rm[:, None] < m + 1) & (rn[None, :] < n))
