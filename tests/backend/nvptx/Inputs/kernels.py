# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels that use each part of the NVIDIA back end.
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=m) + tl.load(y + offs, mask=m), mask=m)

@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    m = offs < n
    v = tl.load(x + row * stride + offs, mask=m, other=-float("inf"))
    v = v - tl.max(v, axis=0)
    e = tl.exp(v)
    tl.store(out + row * stride + offs, e / tl.sum(e, axis=0), mask=m)

@triton.jit
def layernorm(x, w, b, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    m = offs < n
    v = tl.load(x + row * n + offs, mask=m, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mean, 0.0)
    var = tl.sum(d * d, axis=0) / n
    r = 1 / tl.sqrt(var + eps)
    y = d * r * tl.load(w + offs, mask=m).to(tl.float32) + tl.load(b + offs, mask=m).to(tl.float32)
    tl.store(out + row * n + offs, y.to(tl.float16), mask=m)

@triton.jit
def matmul(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    ap = a + rm[:, None] * sa + rk[None, :]
    bp = b + rk[:, None] * sb + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(ap, mask=(rm[:, None] < M) & (rk[None, :] + k < K), other=0.0)
        y = tl.load(bp, mask=(rk[:, None] + k < K) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
        ap += BK
        bp += BK * sb
    tl.store(c + rm[:, None] * sc + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))

@triton.jit
def matmul_ieee(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (rk[None, :] + k), mask=(rm[:, None] < M) & (rk[None, :] + k < K), other=0.0)
        y = tl.load(b + (rk[:, None] + k) * N + rn[None, :], mask=(rk[:, None] + k < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))

@triton.jit
def transpose(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))
    tl.store(out + rn[:, None] * M + rm[None, :], tl.trans(v), mask=(rn[:, None] < N) & (rm[None, :] < M))

@triton.jit
def reduce2d(x, sums, maxs, arg, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.arange(0, BM)
    rn = tl.arange(0, BN)
    m = (rm[:, None] < M) & (rn[None, :] < N)
    v = tl.load(x + rm[:, None] * N + rn[None, :], mask=m, other=-1000.0)
    tl.store(maxs + rn, tl.max(v, axis=0), mask=rn < N)
    tl.store(arg + rm, tl.argmax(v, axis=1), mask=rm < M)
    tl.store(sums + rm, tl.sum(tl.where(m, v, 0.0), axis=1), mask=rm < M)

@triton.jit
def collatz(x, steps, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=1)
    count = tl.zeros((BLOCK,), tl.int32)
    while tl.max(v, axis=0) > 1:
        odd = v % 2 == 1
        nxt = tl.where(odd, 3 * v + 1, v // 2)
        count += (v > 1).to(tl.int32)
        v = tl.where(v > 1, nxt, v)
    tl.store(steps + offs, count, mask=offs < n)

@triton.jit
def count(x, out, old, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    v = tl.load(x + offs, mask=m, other=0)
    o = tl.atomic_add(out + v, 1, mask=m)
    tl.store(old + offs, o, mask=m)

@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + offs, mask=offs < n, other=0.0), axis=0))

@triton.jit
def attention(q, k, v, o, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    base = tl.program_id(1) * S * D
    qt = tl.load(q + base + rm[:, None] * D + rd[None, :])
    m_i = tl.full((BM,), -float("inf"), tl.float32)
    l_i = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, S, BN):
        rn = start + tl.arange(0, BN)
        kt = tl.load(k + base + rn[None, :] * D + rd[:, None])
        s = tl.dot(qt, kt) * scale
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        vt = tl.load(v + base + rn[:, None] * D + rd[None, :])
        acc += tl.dot(p.to(tl.float16), vt)
        m_i = m_new
    tl.store(o + base + rm[:, None] * D + rd[None, :], (acc / l_i[:, None]).to(tl.float16))

@triton.jit
def wave(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.sin(tl.load(x + i)))


@triton.jit
def turned_product(x, a, b, c, K):
    i = tl.arange(0, 64)
    square = i[:, None] * 64 + i[None, :]
    turned = tl.load(x + square).trans()  # through shared memory
    tl.store(c + square, turned)
    sums = tl.zeros((64, 64), dtype=tl.float32)
    for k in range(0, K, 64):
        left = tl.load(a + i[:, None] * K + (K - 64 - k) + i[None, :])  # backwards: no boxes
        right = tl.load(b + (K - 64 - k + i[:, None]) * 64 + i[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + 4096 + square, sums)

@triton.jit
def backwards_product(a, b, c, K):
    i, j = tl.arange(0, 64), tl.arange(0, 128)
    sums = tl.zeros((64, 128), dtype=tl.float32)
    for k in range(0, K, 64):
        left = tl.load(a + i[:, None] * K + (K - 64 - k) + i[None, :])
        right = tl.load(b + (K - 64 - k + i[:, None]) * 128 + j[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + i[:, None] * 128 + j[None, :], sums)


@triton.jit
def batch_product(a, b, c, rows, depth):
    m = tl.program_id(0)
    total = tl.zeros([64, 64], tl.float32)
    for k in range(0, depth, 32):
        total = tl.dot(a.load([m * rows, k]), b.load([m * depth + k, 0]), total)
    i, j = tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    tl.store(c + (m * rows + i) * 64 + j, total)


@triton.jit
def far_matrices(a, b, c, pitch, K, APART: tl.constexpr):
    """Matrices APART elements apart, whatever lies between their rows."""
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    j = tl.arange(0, 64)
    matrix = a + tl.program_id(1).to(tl.int64) * APART
    total = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 64):
        right = tl.load(b + (k + j)[:, None] * 64 + j[None, :])
        total = tl.dot(tl.load(matrix + i[:, None] * pitch + (k + j)[None, :]), right, total)
    tl.store(c + (tl.program_id(1) * 64 + i)[:, None] * 64 + j[None, :], total)


@triton.jit
def many_factors(a, b, c, K):
    """Eight tiles in each round, all from arrays."""
    i = tl.arange(0, 64)
    sums = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 16):
        inner = k + tl.arange(0, 16)
        left = tl.load(a + i[:, None] * K + inner[None, :])
        for part in tl.static_range(7):
            sums = tl.dot(left, tl.load(b + part * 64 * K + inner[:, None] * 64 + i[None, :]), sums)
    tl.store(c + i[:, None] * 64 + i[None, :], sums)


@triton.jit
def promised(x, y, first):
    tl.multiple_of(first, 4)
    i = tl.arange(0, 512)
    tl.store(y + i, tl.load(x + first + i))


@triton.jit
def kept_beside_loops(x, a, b, c, d, H, K, sa, sb):
    """A factor of the outer loop's product is there while the inner loop runs."""
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    kept = tl.load(x + i[:, None] * 64 + j[None, :])
    total = tl.zeros((128, 64), dtype=tl.float32)
    for h in range(0, H, 64):
        inner = tl.zeros((128, 64), dtype=tl.float32)
        for k in range(0, K, 64):
            left = tl.load(a + i[:, None] * sa + (k + j)[None, :])
            inner = tl.dot(left, tl.load(b + (k + j)[:, None] * sb + (h + j)[None, :]), inner)
        total += inner * tl.dot(kept, tl.trans(tl.load(c + (h + j)[:, None] * 67 + j[None, :])))
    tl.store(d + i[:, None] * 64 + j[None, :], total)


@triton.jit
def scale_channels(x, weight, out, n, AREA, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < n
    scale = tl.load(weight + at // AREA, inside, 1.0)
    tl.store(out + at, tl.load(x + at, inside, 0.0) * scale, inside)


@triton.jit
def norm_weights(dy, x, dx, dw, rows, n, BLOCK: tl.constexpr):
    """What rows add to the weights' gradient, beside a sum of each row."""
    at = tl.arange(0, BLOCK)
    of_weights = tl.zeros((BLOCK,), tl.float32)
    for row in range(rows):
        gradient = tl.load(dy + row * n + at, at < n, 0.0)
        normal = tl.load(x + row * n + at, at < n, 0.0)
        of_weights += gradient * normal
        mean = tl.sum(gradient * normal, 0) / n
        tl.store(dx + row * n + at, gradient - normal * mean, at < n)
    tl.store(dw + at, of_weights, at < n)


@triton.jit
def summed_columns(x, out, rows, n, STAGES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for row in tl.range(0, rows, num_stages=STAGES):
        total += tl.load(x + row * n + at, at < n, 0.0)
    tl.store(out + at, total, at < n)


@triton.jit
def shares(x, out, BLOCK: tl.constexpr, EXACT: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs, tl.softmax(tl.load(x + offs), ieee_rounding=EXACT))
