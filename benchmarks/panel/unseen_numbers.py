# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of simulations and of numerical code, written on 29 November 2026 for nobody's measure and tuned for
nothing: stencils, lattices, small factorizations, paths drawn by counters, tables, transforms, doubles. Each says what it
should leave (--check)."""

import math

import torch
import triton
import triton.language as tl

from cases import checked, draw, few, on_device, run

F32, F64, I32 = torch.float32, torch.float64, torch.int32


@triton.jit
def heat_step(u, out, NX, NY, NZ, c, BY: tl.constexpr, BZ: tl.constexpr):
    """Seven points in three dimensions; the border stays."""
    x = tl.program_id(2)
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    z = tl.program_id(0) * BZ + tl.arange(0, BZ)[None, :]
    at = (x * NY + y) * NZ + z
    inside = (y < NY) & (z < NZ)
    inner = (x > 0) & (x < NX - 1) & (y > 0) & (y < NY - 1) & (z > 0) & (z < NZ - 1)
    own = tl.load(u + at, mask=inside, other=0.0)
    around = tl.load(u + at - NY * NZ, mask=inner, other=0.0) + tl.load(u + at + NY * NZ, mask=inner, other=0.0)
    around += tl.load(u + at - NZ, mask=inner, other=0.0) + tl.load(u + at + NZ, mask=inner, other=0.0)
    around += tl.load(u + at - 1, mask=inner, other=0.0) + tl.load(u + at + 1, mask=inner, other=0.0)
    tl.store(out + at, tl.where(inner, own + c * (around - 6 * own), own), mask=inside)


def heat(side):
    u, out = draw(side, side, side, dtype=F32), draw(side, side, side, dtype=F32)
    heat_step[(triton.cdiv(side, 128), triton.cdiv(side, 8), side)](u, out, side, side, side, 0.1, BY=8, BZ=128)

    def wanted():
        new = u.clone()
        around = sum(u.roll(by, axis) for by in (1, -1) for axis in range(3))
        new[1:-1, 1:-1, 1:-1] = (u + 0.1 * (around - 6 * u))[1:-1, 1:-1, 1:-1]
        return new

    yield out, wanted


@triton.jit
def wave_step(now, before, after, speed, N, M, BLOCK: tl.constexpr):
    """Nine points of the fourth order, in doubles, periodic; a line of the field at once."""
    i = tl.program_id(0)
    for first in range(0, M, BLOCK):
        j = first + tl.arange(0, BLOCK)
        m = j < M
        u = tl.load(now + i * M + j, mask=m, other=0.0)
        lap = u * -5.0
        for k in tl.static_range(1, 3):
            weight = 4.0 / 3.0 if k == 1 else -1.0 / 12.0
            lap += weight * tl.load(now + (i + k) % N * M + j, mask=m, other=0.0)
            lap += weight * tl.load(now + (i + N - k) % N * M + j, mask=m, other=0.0)
            lap += weight * tl.load(now + i * M + (j + k) % M, mask=m, other=0.0)
            lap += weight * tl.load(now + i * M + (j + M - k) % M, mask=m, other=0.0)
        c = tl.load(speed + i * M + j, mask=m, other=0.0)
        tl.store(after + i * M + j, 2 * u - tl.load(before + i * M + j, mask=m, other=0.0) + c * c * lap, mask=m)


def waves(rows, columns):
    now, before, after, speed = (draw(rows, columns, dtype=F64) for _ in range(4))
    wave_step[(rows,)](now, before, after, speed, rows, columns, BLOCK=1024)

    def wanted():
        lap = -5 * now
        for k, weight in ((1, 4 / 3), (2, -1 / 12)):
            lap = lap + weight * sum(now.roll(by, axis) for by in (k, -k) for axis in range(2))
        return 2 * now - before + speed ** 2 * lap

    yield after, wanted, 1e-6  # weights are of single precision


@triton.jit
def lattice_step(f, g, NX, NY, omega, BLOCK: tl.constexpr):
    """Lattice Boltzmann with nine speeds: what comes from the neighbours, then towards equilibrium."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = at < NX * NY
    x, y = at // NY, at % NY
    left, right = (x + NX - 1) % NX, (x + 1) % NX
    down, up = (y + NY - 1) % NY, (y + 1) % NY
    P = NX * NY
    f0 = tl.load(f + at, mask=m, other=0.0)
    f1 = tl.load(f + P + left * NY + y, mask=m, other=0.0)
    f2 = tl.load(f + 2 * P + x * NY + down, mask=m, other=0.0)
    f3 = tl.load(f + 3 * P + right * NY + y, mask=m, other=0.0)
    f4 = tl.load(f + 4 * P + x * NY + up, mask=m, other=0.0)
    f5 = tl.load(f + 5 * P + left * NY + down, mask=m, other=0.0)
    f6 = tl.load(f + 6 * P + right * NY + down, mask=m, other=0.0)
    f7 = tl.load(f + 7 * P + right * NY + up, mask=m, other=0.0)
    f8 = tl.load(f + 8 * P + left * NY + up, mask=m, other=0.0)
    rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
    ux = (f1 - f3 + f5 - f6 - f7 + f8) / rho
    uy = (f2 - f4 + f5 + f6 - f7 - f8) / rho
    usq = 1.0 - 1.5 * (ux * ux + uy * uy)
    keep = 1.0 - omega
    tl.store(g + at, keep * f0 + omega * rho * (4.0 / 9.0) * usq, mask=m)
    r = omega * rho / 9.0
    tl.store(g + P + at, keep * f1 + r * (usq + 3 * ux + 4.5 * ux * ux), mask=m)
    tl.store(g + 2 * P + at, keep * f2 + r * (usq + 3 * uy + 4.5 * uy * uy), mask=m)
    tl.store(g + 3 * P + at, keep * f3 + r * (usq - 3 * ux + 4.5 * ux * ux), mask=m)
    tl.store(g + 4 * P + at, keep * f4 + r * (usq - 3 * uy + 4.5 * uy * uy), mask=m)
    r = r * 0.25
    a, b = ux + uy, ux - uy
    tl.store(g + 5 * P + at, keep * f5 + r * (usq + 3 * a + 4.5 * a * a), mask=m)
    tl.store(g + 6 * P + at, keep * f6 + r * (usq - 3 * b + 4.5 * b * b), mask=m)
    tl.store(g + 7 * P + at, keep * f7 + r * (usq - 3 * a + 4.5 * a * a), mask=m)
    tl.store(g + 8 * P + at, keep * f8 + r * (usq + 3 * b + 4.5 * b * b), mask=m)


def lattice(side):
    f = torch.rand(9, side, side).to(on_device()) * 0.1 + 0.5
    g = torch.empty_like(f)
    lattice_step[(triton.cdiv(side * side, 512),)](f, g, side, side, 1.2, BLOCK=512)

    def wanted():
        ways = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
        shares = torch.tensor([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, device=on_device())[:, None, None]
        come = torch.stack([f[k].roll(way, (0, 1)) for k, way in enumerate(ways)])
        way = torch.tensor(ways, device=on_device()).float()
        rho = come.sum(0)
        u = torch.einsum("kd,kxy->dxy", way, come) / rho
        along = torch.einsum("kd,dxy->kxy", way, u)
        return come * -0.2 + 1.2 * shares * rho * (1 + 3 * along + 4.5 * along ** 2 - 1.5 * (u * u).sum(0))

    yield g, wanted


@triton.jit
def factorize_small(a, out, count, N: tl.constexpr, BATCH: tl.constexpr):
    """LU without pivots of BATCH matrices of N by N in registers, a column at a time."""
    which = tl.program_id(0) * BATCH + tl.arange(0, BATCH)
    i = tl.arange(0, N)
    at = which[:, None, None] * N * N + i[None, :, None] * N + i[None, None, :]
    m = (which < count)[:, None, None]
    x = tl.load(a + at, mask=m, other=1.0)
    row, col = i[None, :, None], i[None, None, :]
    for k in range(N - 1):
        pivot_row = tl.sum(tl.where(row == k, x, 0.0), 1)
        pivot_col = tl.sum(tl.where(col == k, x, 0.0), 2)
        pivot = tl.sum(tl.where(i[None, :] == k, pivot_row, 0.0), 1)
        factor = pivot_col / pivot[:, None]
        below = row > k
        x = tl.where(below & (col == k), factor[:, :, None],
                     tl.where(below & (col > k), x - factor[:, :, None] * pivot_row[:, None, :], x))
    tl.store(out + at, x, mask=m)


def factorized(count, size, batch):
    a = draw(count, size, size, dtype=F32) + 4 * size ** 0.5 * torch.eye(size, device=on_device())
    out = torch.empty_like(a)
    factorize_small[(triton.cdiv(count, batch),)](a, out, count, N=size, BATCH=batch)
    yield out, lambda: torch.linalg.lu_factor(a, pivot=False)[0] if a.is_cuda else torch.stack([by_hand(each) for each in a])


def by_hand(matrix):
    x = matrix.clone()
    for k in range(len(x) - 1):
        x[k + 1:, k] /= x[k, k]
        x[k + 1:, k + 1:] -= x[k + 1:, k, None] * x[k, k + 1:]
    return x


@triton.jit
def asian_paths(out, seed, start, drift, sigma, strike, STEPS, PATHS, BLOCK: tl.constexpr):
    """Payoffs of options on the mean of a price along a path, and of its mirror."""
    path = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    up = tl.full((BLOCK,), 0.0, tl.float32)
    down = tl.full((BLOCK,), 0.0, tl.float32)
    total_up = tl.zeros((BLOCK,), tl.float32)
    total_down = tl.zeros((BLOCK,), tl.float32)
    for t in range(0, STEPS, 4):
        a, b, c, d = tl.randn4x(seed, path * (STEPS // 4) + t // 4)
        up += drift + sigma * a
        down += drift - sigma * a
        total_up += tl.exp(up)
        total_down += tl.exp(down)
        up += drift + sigma * b
        down += drift - sigma * b
        total_up += tl.exp(up)
        total_down += tl.exp(down)
        up += drift + sigma * c
        down += drift - sigma * c
        total_up += tl.exp(up)
        total_down += tl.exp(down)
        up += drift + sigma * d
        down += drift - sigma * d
        total_up += tl.exp(up)
        total_down += tl.exp(down)
    payoff = tl.maximum(start * total_up / STEPS - strike, 0.0) + tl.maximum(start * total_down / STEPS - strike, 0.0)
    tl.store(out + path, payoff * 0.5, mask=path < PATHS)


def options(paths, steps):
    out = draw(paths, dtype=F32)
    asian_paths[(triton.cdiv(paths, 256),)](out, 7, 100.0, -0.5 * 0.01 ** 2, 0.01, 90.0, steps, paths, BLOCK=256)
    yield out.mean()[None], lambda: torch.tensor([10.0], device=on_device()), 0.05


@triton.jit
def black_scholes(spot, strike, time, rate, sigma, call, put, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < N
    s, k = tl.load(spot + i, mask=m, other=1.0), tl.load(strike + i, mask=m, other=1.0)
    t, v = tl.load(time + i, mask=m, other=1.0), tl.load(sigma + i, mask=m, other=1.0)
    root = v * tl.sqrt(t)
    d1 = (tl.log(s / k) + (rate + 0.5 * v * v) * t) / root
    n1 = 0.5 * (1 + tl.math.erf(d1 * 0.70710678118654752))
    n2 = 0.5 * (1 + tl.math.erf((d1 - root) * 0.70710678118654752))
    discounted = k * tl.exp(-rate * t)
    value = s * n1 - discounted * n2
    tl.store(call + i, value, mask=m)
    tl.store(put + i, value - s + discounted, mask=m)


def prices(count, kind):
    s, k, t, v = (torch.rand(count, dtype=kind).to(on_device()) * most + least for most, least in ((50, 80), (50, 80), (2, 0.1), (
        0.4, 0.1)))
    call, put = torch.empty_like(s), torch.empty_like(s)
    black_scholes[(triton.cdiv(count, 1024),)](s, k, t, 0.03, v, call, put, count, BLOCK=1024)

    def wanted():
        normal = torch.distributions.Normal(torch.zeros((), dtype=F64, device=on_device()), 1.0)
        a, b, c, d = (each.double() for each in (s, k, t, v))
        d1 = ((a / b).log() + (0.03 + 0.5 * d * d) * c) / (d * c.sqrt())
        return a * normal.cdf(d1) - b * torch.exp(-0.03 * c) * normal.cdf(d1 - d * c.sqrt())

    yield call, wanted, 1e-4
    yield put, lambda: wanted() - s + k * torch.exp(-0.03 * t), 1e-4


@triton.jit
def interpolate_table(x, knots, values, slopes, out, N, KNOTS, LOG: tl.constexpr, BLOCK: tl.constexpr):
    """Cubic Hermite's between knots at any distance, found by halving."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < N
    v = tl.load(x + i, mask=m, other=0.0)
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.zeros((BLOCK,), tl.int32) + (KNOTS - 1)
    for _ in range(LOG):
        mid = (low + high) >> 1
        above = tl.load(knots + mid) <= v
        low = tl.where(above, mid, low)
        high = tl.where(above, high, mid)
    low = tl.minimum(low, KNOTS - 2)
    x0, x1 = tl.load(knots + low), tl.load(knots + low + 1)
    h = x1 - x0
    t = (v - x0) / h
    a, b = tl.load(values + low), tl.load(values + low + 1)
    da, db = tl.load(slopes + low) * h, tl.load(slopes + low + 1) * h
    t2 = t * t
    t3 = t2 * t
    y = a * (2 * t3 - 3 * t2 + 1) + da * (t3 - 2 * t2 + t) + b * (3 * t2 - 2 * t3) + db * (t3 - t2)
    tl.store(out + i, y, mask=m)


def interpolated(count, knots_count, kind):
    knots = torch.rand(knots_count, dtype=kind).sort().values.to(on_device())
    values, slopes = draw(knots_count, dtype=kind), draw(knots_count, dtype=kind)
    x, out = torch.rand(count, dtype=kind).to(on_device()), draw(count, dtype=kind)
    x = x * (knots[-1] - knots[0]) + knots[0]
    interpolate_table[(triton.cdiv(count, 512),)](x, knots, values, slopes, out, count, knots_count,
                                                  LOG=math.ceil(math.log2(knots_count)), BLOCK=512)

    def wanted():
        low = (torch.searchsorted(knots, x, right=True) - 1).clamp(0, knots_count - 2)
        h = knots[low + 1] - knots[low]
        t = (x - knots[low]) / h
        return (values[low] * (2 * t ** 3 - 3 * t ** 2 + 1) + slopes[low] * h * (t ** 3 - 2 * t ** 2 + t)
                + values[low + 1] * (3 * t ** 2 - 2 * t ** 3) + slopes[low + 1] * h * (t ** 3 - t ** 2))

    yield out, wanted


@triton.jit
def radix4_stage(src, dst, twiddles, N, STRIDE, BLOCK: tl.constexpr):
    """One pass of Stockham's transform of many rows, four numbers (real, imaginary) to four."""
    row = tl.program_id(1)
    src += row * 2 * N
    dst += row * 2 * N
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    quarter = N // 4
    p = i // STRIDE
    q = i - p * STRIDE
    ar, ai = tl.load(src + 2 * i), tl.load(src + 2 * i + 1)
    br, bi = tl.load(src + 2 * (i + quarter)), tl.load(src + 2 * (i + quarter) + 1)
    cr, ci = tl.load(src + 2 * (i + 2 * quarter)), tl.load(src + 2 * (i + 2 * quarter) + 1)
    dr, di = tl.load(src + 2 * (i + 3 * quarter)), tl.load(src + 2 * (i + 3 * quarter) + 1)
    sr, si, tr, ti = ar + cr, ai + ci, ar - cr, ai - ci
    ur, ui, vr, vi = br + dr, bi + di, bi - di, dr - br
    out = q + 4 * STRIDE * p
    tl.store(dst + 2 * out, sr + ur)
    tl.store(dst + 2 * out + 1, si + ui)
    step = p * STRIDE
    for k in tl.static_range(1, 4):
        if k == 1:
            xr, xi = tr + vr, ti + vi
        elif k == 2:
            xr, xi = sr - ur, si - ui
        else:
            xr, xi = tr - vr, ti - vi
        wr, wi = tl.load(twiddles + 2 * k * step), tl.load(twiddles + 2 * k * step + 1)
        tl.store(dst + 2 * (out + k * STRIDE), xr * wr - xi * wi)
        tl.store(dst + 2 * (out + k * STRIDE) + 1, xr * wi + xi * wr)


def stages(rows, logarithm):
    size = 4 ** logarithm
    x = draw(rows, size, 2, dtype=F32)
    turns = torch.exp(-2j * torch.pi * torch.arange(size, dtype=F64) / size)
    twiddles = torch.view_as_real(turns).float().to(on_device())
    a, b = x.clone(), torch.empty_like(x)
    for stage in range(logarithm):
        radix4_stage[(size // 4 // 256, rows)](a, b, twiddles, size, 4 ** stage, BLOCK=256)
        a, b = b, a
    yield a, lambda: torch.view_as_real(torch.fft.fft(torch.view_as_complex(x)))


@triton.jit
def complex_product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Interleaved complex numbers by three real products."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    first, second, third = (tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN), tl.float32))
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        left = a + 2 * (m[:, None] * K + k[None, :])
        right = b + 2 * (k[:, None] * N + n[None, :])
        ar, ai = tl.load(left), tl.load(left + 1)
        br, bi = tl.load(right), tl.load(right + 1)
        first = tl.dot(ar, br, first)
        second = tl.dot(ai, bi, second)
        third = tl.dot(ar + ai, br + bi, third)
    at = c + 2 * (m[:, None] * N + n[None, :])
    tl.store(at, first - second)
    tl.store(at + 1, third - first - second)


def complex_matrices(size):
    a, b, c = (draw(size, size, 2, dtype=F32) for _ in range(3))
    complex_product[(size // 64, size // 64)](a, b, c, size, size, size, BM=64, BN=64, BK=32)
    yield c, lambda: torch.view_as_real(torch.view_as_complex(a) @ torch.view_as_complex(b))


@triton.jit
def shortest_tile(d, out, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The least sum over a middle place: a product of the tropical half ring."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    best = tl.load(d + m[:, None] * N + n[None, :])
    for k0 in range(0, N, BK):
        k = k0 + tl.arange(0, BK)
        left = tl.load(d + m[:, None] * N + k[None, :])
        right = tl.load(d + k[:, None] * N + n[None, :])
        best = tl.minimum(best, tl.min(left[:, :, None] + right[None, :, :], 1))
    tl.store(out + m[:, None] * N + n[None, :], best)


def shortest(size):
    d = torch.rand(size, size).to(on_device())
    out = torch.empty_like(d)
    shortest_tile[(size // 32, size // 32)](d, out, size, BM=32, BN=32, BK=8)
    yield out, lambda: torch.minimum(d, torch.stack([(line[:, None] + d).amin(0) for line in d]))


@triton.jit
def spins(lattice, seed, step, beta, N, PARITY: tl.constexpr, BLOCK: tl.constexpr):
    """Half a sweep of Ising's model on a board of N by N bytes: every other place."""
    i = tl.program_id(0)
    half = N // 2
    k = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = k < half
    j = 2 * k + (i + PARITY) % 2
    own = tl.load(lattice + i * N + j, mask=m, other=0).to(tl.int32)
    total = tl.load(lattice + (i + 1) % N * N + j, mask=m, other=0).to(tl.int32)
    total += tl.load(lattice + (i + N - 1) % N * N + j, mask=m, other=0)
    total += tl.load(lattice + i * N + (j + 1) % N, mask=m, other=0)
    total += tl.load(lattice + i * N + (j + N - 1) % N, mask=m, other=0)
    u = tl.rand(seed + step, i * half + k)
    flip = u < tl.exp(-2.0 * beta * (own * total).to(tl.float32))
    tl.store(lattice + i * N + j, tl.where(flip, -own, own).to(tl.int8), mask=m)


def magnet(side):
    board = torch.ones(side, side, dtype=torch.int8, device=on_device())
    spins[(side, triton.cdiv(side // 2, 512))](board, 3, 0, 0.2, side, PARITY=0, BLOCK=512)
    spins[(side, triton.cdiv(side // 2, 512))](board, 3, 1, 0.2, side, PARITY=1, BLOCK=512)
    black = (torch.arange(side, device=on_device())[:, None] + torch.arange(side, device=on_device())) % 2 == 0
    yield (board[black] < 0).float().mean()[None], lambda: torch.tensor([math.exp(-1.6)], device=on_device()), 0.1


@triton.jit
def compensated_sums(x, out, N, BLOCK: tl.constexpr):
    """Kahan's, a lane for each column of blocks; mean and variance of a row in doubles at the end."""
    row = tl.program_id(0).to(tl.int64)
    total, lost = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    squares, lost2 = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for first in range(0, N, BLOCK):
        at = first + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + at, mask=at < N, other=0.0)
        y = v - lost
        t = total + y
        lost = (t - total) - y
        total = t
        y = v * v - lost2
        t = squares + y
        lost2 = (t - squares) - y
        squares = t
    s = tl.sum(total.to(tl.float64) - lost.to(tl.float64), 0)
    s2 = tl.sum(squares.to(tl.float64) - lost2.to(tl.float64), 0)
    tl.store(out + 2 * row, s / N)
    tl.store(out + 2 * row + 1, s2 / N - s / N * (s / N))


def moments(rows, count):
    x, out = draw(rows, count, dtype=F32) + 3, draw(rows, 2, dtype=F64)
    compensated_sums[(rows,)](x, out, count, BLOCK=1024)
    yield out, lambda: torch.stack((x.double().mean(1), x.double().var(1, correction=0)), 1), 1e-5


CASES = {
    "heat": lambda: heat(few(512, 20)),
    "waves": lambda: waves(few(4096, 12), few(4096, 1100)),
    "lattice": lambda: lattice(few(2048, 30)),
    "factorized 16": lambda: factorized(few(65536, 10), 16, 4),
    "factorized 32": lambda: factorized(few(16384, 3), 32, 1),
    "options": lambda: options(few(1 << 20, 2000), few(252, 52)),
    "prices": lambda: prices(few(1 << 24, 3000), F32),
    "prices in doubles": lambda: prices(few(1 << 22, 2000), F64),
    "interpolated": lambda: interpolated(few(1 << 24, 2000), few(4096, 100), F32),
    "interpolated in doubles": lambda: interpolated(few(1 << 22, 2000), few(1000, 100), F64),
    "stages": lambda: stages(few(64, 2), few(8, 5)),
    "complex": lambda: complex_matrices(few(2048, 128)),
    "shortest": lambda: shortest(few(2048, 64)),
    "magnet": lambda: magnet(few(8192, 40)),
    "moments": lambda: moments(few(1024, 3), few(100000, 5000)),
}

if __name__ == "__main__":
    run(checked(CASES))
