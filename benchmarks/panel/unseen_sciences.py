# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of numerical code, written on 29 November 2026 for nobody's measure and tuned for nothing: transforms,
filters, sparse products, transport, bodies, chains of matrices. Each says what it should leave (--check)."""

import torch
import triton
import triton.language as tl
from torch.nn import functional

from cases import checked, draw, few, integers, on_device, run

BF16, F16, F32, I32 = torch.bfloat16, torch.float16, torch.float32, torch.int32


@triton.jit
def sum_segments(values, starts, out, WIDTH, B: tl.constexpr, R: tl.constexpr):
    segment = tl.program_id(0)
    at = tl.program_id(1) * B + tl.arange(0, B)
    first, last = tl.load(starts + segment), tl.load(starts + segment + 1)
    total = tl.zeros((R, B), tl.float32)
    most = tl.full((R, B), -float("inf"), tl.float32)
    for row in range(first, last, R):
        line = row + tl.arange(0, R)
        inside = (line[:, None] < last) & (at[None, :] < WIDTH)
        x = tl.load(values + line[:, None].to(tl.int64) * WIDTH + at[None, :], mask=inside, other=0.0).to(tl.float32)
        total += x
        most = tl.maximum(most, tl.where(inside, x, -float("inf")))
    place = segment.to(tl.int64) * 2 * WIDTH + at
    tl.store(out + place, tl.sum(total, 0), mask=at < WIDTH)
    tl.store(out + place + WIDTH, tl.max(most, 0), mask=at < WIDTH)


def segments(count, most, width):
    lengths = integers(most, count) + 1
    starts = torch.zeros(count + 1, dtype=I32, device=on_device())
    starts[1:] = lengths.cumsum(0)
    x = draw(int(starts[-1]), width)
    out = draw(count, 2, width, dtype=F32)
    sum_segments[(count, triton.cdiv(width, 64))](x, starts, out, width, B=64, R=16)
    yield out, lambda: torch.stack([torch.stack((part.sum(0), part.amax(0))) for part in x.float().split(lengths.tolist())])


@triton.jit
def multiply_blocks(a, columns, starts, x, out, N, BM: tl.constexpr, BN: tl.constexpr):
    """Rows of blocks of a sparse matrix, each BM by BM, times a dense one."""
    line = tl.program_id(0)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    m = tl.arange(0, BM)
    total = tl.zeros((BM, BN), tl.float32)
    for block in range(tl.load(starts + line), tl.load(starts + line + 1)):
        left = tl.load(a + (block * BM + m[:, None]) * BM + m[None, :])
        row = tl.load(columns + block) * BM + m
        total = tl.dot(left, tl.load(x + row[:, None] * N + column[None, :]), total)
    row = line * BM + m
    tl.store(out + row[:, None] * N + column[None, :], total.to(out.dtype.element_ty))


def sparse(lines, block, width, share):
    filled = torch.rand(lines, lines) < share
    where = filled.nonzero().to(on_device())
    columns = where[:, 1].to(I32)
    starts = torch.zeros(lines + 1, dtype=I32, device=on_device())
    starts[1:] = filled.sum(1).cumsum(0)
    a, x = draw(len(where), block, block, dtype=F16), draw(lines * block, width, dtype=F16)
    out = torch.empty_like(x)
    multiply_blocks[(lines, width // 128)](a, columns, starts, x, out, width, BM=block, BN=128)

    def wanted():
        whole = torch.zeros(lines, lines, block, block, device=on_device())
        whole[where[:, 0], where[:, 1]] = a.float()
        return whole.transpose(1, 2).reshape(lines * block, -1) @ x.float()

    yield out, wanted


@triton.jit
def transport_rows(cost, other, weights, out, N, inverse, B: tl.constexpr):
    """A half step of Sinkhorn's in logarithms: a row of the costs, which many rounds read."""
    row = tl.program_id(0).to(tl.int64)
    most = tl.full((B,), -float("inf"), tl.float32)
    sums = tl.zeros((B,), tl.float32)
    for first in range(0, N, B):
        at = first + tl.arange(0, B)
        x = (tl.load(other + at) - tl.load(cost + row * N + at)) * inverse
        now = tl.maximum(most, x)
        sums = sums * tl.exp(most - now) + tl.exp(x - now)
        most = now
    top = tl.max(most, 0)
    whole = top + tl.log(tl.sum(sums * tl.exp(most - top), 0))
    tl.store(out + row, tl.log(tl.load(weights + row)) / inverse - whole / inverse)


def transport(size):
    cost, other = torch.rand(size, size).to(on_device()), draw(size, dtype=F32, scale=0.1)
    weights, out = torch.rand(size).to(on_device()) + 0.5, draw(size, dtype=F32)
    transport_rows[(size,)](cost, other, weights, out, size, 20.0, B=1024)
    yield out, lambda: 0.05 * (weights.log() - ((other - cost) * 20).logsumexp(1))


@triton.jit
def butterflies(real, imaginary, N: tl.constexpr, HALF: tl.constexpr):
    """One stage: the second of each pair of halves turned, then their sum and difference."""
    r0, r1 = tl.split(tl.reshape(real, (N // (2 * HALF), 2, HALF)).permute(0, 2, 1))
    i0, i1 = tl.split(tl.reshape(imaginary, (N // (2 * HALF), 2, HALF)).permute(0, 2, 1))
    angle = tl.arange(0, HALF)[None, :] * (-3.14159265358979 / HALF)
    c, s = tl.cos(angle), tl.sin(angle)
    r1, i1 = r1 * c - i1 * s, r1 * s + i1 * c
    real = tl.reshape(tl.join(r0 + r1, r0 - r1).permute(0, 2, 1), (N,))
    imaginary = tl.reshape(tl.join(i0 + i1, i0 - i1).permute(0, 2, 1), (N,))
    return real, imaginary


@triton.jit
def fourier(x, out, N: tl.constexpr, LOG: tl.constexpr):
    """A row of complex numbers by butterflies of two, all of them in one program: its real parts, then its imaginary ones."""
    row = tl.program_id(0)
    at = tl.arange(0, N)
    turned = at * 0
    for bit in tl.static_range(LOG):
        turned |= ((at >> bit) & 1) << (LOG - 1 - bit)
    real = tl.load(x + row * 2 * N + turned)
    imaginary = tl.load(x + row * 2 * N + N + turned)
    for stage in tl.static_range(LOG):
        real, imaginary = butterflies(real, imaginary, N, 1 << stage)
    tl.store(out + row * 2 * N + at, real)
    tl.store(out + row * 2 * N + N + at, imaginary)


def transform(rows, logarithm):
    size = 1 << logarithm
    x = draw(rows, 2, size, dtype=F32)
    out = torch.empty_like(x)
    fourier[(rows,)](x, out, N=size, LOG=logarithm)
    yield out, lambda: torch.view_as_real(torch.fft.fft(torch.complex(x[:, 0], x[:, 1]))).permute(0, 2, 1)


@triton.jit
def lift(x, low, high, N, B: tl.constexpr):
    """The wavelet of whole numbers of JPEG 2000 (5/3), one level along rows; ends are mirrored."""
    row = tl.program_id(0).to(tl.int64)
    pair = tl.program_id(1) * B + tl.arange(0, B)
    half = N // 2
    inside = pair < half
    line = x + row * N
    even = tl.load(line + 2 * pair, mask=inside, other=0).to(tl.int32)
    odd = tl.load(line + 2 * pair + 1, mask=inside, other=0).to(tl.int32)
    right = tl.load(line + tl.minimum(2 * pair + 2, N - 2), mask=inside, other=0).to(tl.int32)
    left = tl.load(line + tl.maximum(2 * pair - 1, 1), mask=inside, other=0).to(tl.int32)
    before = tl.load(line + tl.maximum(2 * pair - 2, 0), mask=inside, other=0).to(tl.int32)
    detail = odd - ((even + right) >> 1)
    earlier = tl.where(pair > 0, left - ((before + even) >> 1), detail)
    tl.store(high + row * half + pair, detail.to(high.dtype.element_ty), mask=inside)
    tl.store(low + row * half + pair, (even + ((earlier + detail + 2) >> 2)).to(low.dtype.element_ty), mask=inside)


def wavelet(rows, width):
    x = torch.randint(0, 4096, (rows, width), dtype=torch.int16, device=on_device())
    low, high = (torch.zeros(rows, width // 2, dtype=torch.int16, device=on_device()) for _ in range(2))
    lift[(rows, triton.cdiv(width // 2, 512))](x, low, high, width, B=512)

    def wanted():
        even, odd = x[:, 0::2].int(), x[:, 1::2].int()
        detail = odd - ((even + torch.cat((even[:, 1:], even[:, -1:]), 1)) >> 1)
        return detail, even + ((torch.cat((detail[:, :1], detail[:, :-1]), 1) + detail + 2) >> 2)

    yield high.int(), lambda: wanted()[0]
    yield low.int(), lambda: wanted()[1]


@triton.jit
def blur(image, taps, out, H, W, R: tl.constexpr, BH: tl.constexpr, BW: tl.constexpr):
    """A Gaussian of (2 R + 1) squared places, whose factor of a place is the product of two; edges repeat."""
    plane = tl.program_id(2).to(tl.int64) * H * W
    y = tl.program_id(1) * BH + tl.arange(0, BH)
    x = tl.program_id(0) * BW + tl.arange(0, BW)
    total = tl.zeros((BH, BW), tl.float32)
    for dy in tl.static_range(-R, R + 1):
        line = tl.minimum(tl.maximum(y + dy, 0), H - 1)
        across = tl.zeros((BH, BW), tl.float32)
        for dx in tl.static_range(-R, R + 1):
            column = tl.minimum(tl.maximum(x + dx, 0), W - 1)
            across += tl.load(image + plane + line[:, None] * W + column[None, :]).to(tl.float32) * tl.load(taps + dx + R)
        total += across * tl.load(taps + dy + R)
    tl.store(out + plane + y[:, None] * W + x[None, :], (total + 0.5).to(out.dtype.element_ty),
             mask=(y[:, None] < H) & (x[None, :] < W))


def blurred(planes, height, width):
    image = torch.randint(0, 256, (planes, height, width), device=on_device()).to(torch.uint8)
    taps = torch.exp(-torch.arange(-2, 3).float() ** 2 / 2).to(on_device())
    taps /= taps.sum()
    out = torch.zeros_like(image)
    blur[(triton.cdiv(width, 128), triton.cdiv(height, 8), planes)](image, taps, out, height, width, R=2, BH=8, BW=128)
    kernel = (taps[:, None] * taps)[None, None]
    yield out.float(), lambda: functional.conv2d(functional.pad(
        image.float()[:, None], (2, 2, 2, 2), mode="replicate"), kernel)[:, 0]


@triton.jit
def count_kept(x, counts, N, least, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    kept = (tl.load(x + at, mask=at < N, other=-float("inf")) > least).to(tl.int32)
    tl.store(counts + tl.program_id(0), tl.sum(kept, 0))


@triton.jit
def keep(x, before, out, places, N, least, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(x + at, mask=at < N, other=-float("inf"))
    kept = value > least
    place = tl.load(before + tl.program_id(0)) + tl.cumsum(kept.to(tl.int32), 0) - 1
    tl.store(out + place, value, mask=kept)
    tl.store(places + place, at, mask=kept)


def compacted(count):
    block = 2048
    x = draw(count, dtype=F32)
    counts = integers(1, triton.cdiv(count, block))
    count_kept[(len(counts),)](x, counts, count, 0.5, B=block)
    yield counts, lambda: functional.pad(x > 0.5, (0, len(counts) * block - count)).view(-1, block).sum(1).to(I32)
    before = (counts.cumsum(0) - counts).to(I32)
    kept = int(counts.sum())
    out, places = torch.zeros(kept, device=on_device()), integers(1, kept)
    keep[(len(counts),)](x, before, out, places, count, 0.5, B=block)
    yield places, lambda: (x > 0.5).nonzero()[:, 0].to(I32)
    yield out, lambda: x[x > 0.5], 0.0


@triton.jit
def pull(places, masses, out, N, softening, BI: tl.constexpr, BJ: tl.constexpr):
    """Gravity of all bodies on each: coordinates in rows."""
    i = tl.program_id(0) * BI + tl.arange(0, BI)
    x, y, z = tl.load(places + i), tl.load(places + N + i), tl.load(places + 2 * N + i)
    ax, ay, az = tl.zeros((BI,), tl.float32), tl.zeros((BI,), tl.float32), tl.zeros((BI,), tl.float32)
    for first in range(0, N, BJ):
        j = first + tl.arange(0, BJ)
        dx = tl.load(places + j)[None, :] - x[:, None]
        dy = tl.load(places + N + j)[None, :] - y[:, None]
        dz = tl.load(places + 2 * N + j)[None, :] - z[:, None]
        inverse = tl.rsqrt(dx * dx + dy * dy + dz * dz + softening)
        pulled = tl.load(masses + j)[None, :] * inverse * inverse * inverse
        ax += tl.sum(pulled * dx, 1)
        ay += tl.sum(pulled * dy, 1)
        az += tl.sum(pulled * dz, 1)
    tl.store(out + i, ax)
    tl.store(out + N + i, ay)
    tl.store(out + 2 * N + i, az)


def bodies(count):
    places, masses = draw(3, count, dtype=F32), torch.rand(count).to(on_device())
    out = torch.empty_like(places)
    pull[(count // 64,)](places, masses, out, count, 1e-2, BI=64, BJ=64)

    def wanted():
        d = places[:, None, :] - places[:, :, None]
        return (d * masses * ((d * d).sum(0) + 1e-2) ** -1.5).sum(-1)

    yield out, wanted


@triton.jit
def solve_tridiagonal(lower, middle, upper, right, work, out, N, SYSTEMS, B: tl.constexpr):
    """Thomas's: one system a lane, its numbers a row of SYSTEMS apart."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    inside = at < SYSTEMS
    c = tl.zeros((B,), tl.float32)
    d = tl.zeros((B,), tl.float32)
    for k in range(N):
        row = k * SYSTEMS + at
        below = tl.load(lower + row, mask=inside, other=0.0)
        pivot = tl.load(middle + row, mask=inside, other=1.0) - below * c
        d = (tl.load(right + row, mask=inside, other=0.0) - below * d) / pivot
        c = tl.load(upper + row, mask=inside, other=0.0) / pivot
        tl.store(work + row, c, mask=inside)
        tl.store(out + row, d, mask=inside)
    x = d
    for back in range(1, N):
        row = (N - 1 - back) * SYSTEMS + at
        x = tl.load(out + row, mask=inside, other=0.0) - tl.load(work + row, mask=inside, other=0.0) * x
        tl.store(out + row, x, mask=inside)


def tridiagonal(size, systems):
    lower, upper, right = (draw(size, systems, dtype=F32, scale=0.3) for _ in range(3))
    lower[0], upper[-1] = 0, 0
    middle = draw(size, systems, dtype=F32, scale=0.1) + 2
    work, out = torch.empty_like(right), torch.empty_like(right)
    solve_tridiagonal[(triton.cdiv(systems, 64),)](lower, middle, upper, right, work, out, size, systems, B=64, num_warps=2)

    def wanted():
        off = torch.zeros(systems, size, size, device=on_device())
        k = torch.arange(size)
        off[:, k, k], off[:, k[1:], k[:-1]], off[:, k[:-1], k[1:]] = middle.T, lower.T[:, 1:], upper.T[:, :-1]
        return torch.linalg.solve(off, right.T[..., None])[..., 0].T

    yield out, wanted


@triton.jit
def forward_chain(starts, moves, emissions, lengths, out, T, S: tl.constexpr):
    """The logarithm of a sequence's probability under a hidden Markov model, a sequence for each program."""
    line = tl.program_id(0)
    s = tl.arange(0, S)
    move = tl.load(moves + s[:, None] * S + s[None, :])
    state = tl.load(starts + s) + tl.load(emissions + line * T * S + s)
    for t in range(1, tl.load(lengths + line)):
        most = tl.max(state, 0)
        state = most + tl.log(tl.sum(tl.exp(state - most)[:, None] * move, 0))
        state += tl.load(emissions + (line * T + t) * S + s)
    most = tl.max(state, 0)
    tl.store(out + line, most + tl.log(tl.sum(tl.exp(state - most), 0)))


def chains(count, steps, size):
    starts, moves = draw(size, dtype=F32).log_softmax(0), draw(size, size, dtype=F32).softmax(1)
    emissions, lengths = draw(count, steps, size, dtype=F32), integers(steps // 2, count) + steps // 2
    out = draw(count, dtype=F32)
    forward_chain[(count,)](starts, moves, emissions, lengths, out, steps, S=size)

    def wanted():
        state, found = starts + emissions[:, 0], torch.zeros(count, device=on_device())
        for t in range(steps):
            state = state if t == 0 else (state[:, :, None] + moves.log()).logsumexp(1) + emissions[:, t]
            found = torch.where(lengths == t + 1, state.logsumexp(1), found)
        return found

    yield out, wanted


@triton.jit
def sample_grid(image, grid, out, C, H, W, PLACES, B: tl.constexpr, BC: tl.constexpr):
    """Bilinear, zeros outside, channels last."""
    batch = tl.program_id(1).to(tl.int64)
    place = tl.program_id(0) * B + tl.arange(0, B)
    inside = place < PLACES
    channel = tl.arange(0, BC)
    gx = tl.load(grid + (batch * PLACES + place) * 2, mask=inside, other=0.0)
    gy = tl.load(grid + (batch * PLACES + place) * 2 + 1, mask=inside, other=0.0)
    x, y = ((gx + 1) * W - 1) / 2, ((gy + 1) * H - 1) / 2
    left, top = tl.floor(x), tl.floor(y)
    total = tl.zeros((B, BC), tl.float32)
    for corner in tl.static_range(4):
        column, line = left + corner % 2, top + corner // 2
        share = (1 - tl.abs(x - column)) * (1 - tl.abs(y - line))
        there = inside & (column >= 0) & (column < W) & (line >= 0) & (line < H)
        at = (batch * H + line.to(tl.int32)) * W + column.to(tl.int32)
        value = tl.load(image + at[:, None] * C + channel[None, :], mask=there[:, None] & (channel[None, :] < C), other=0.0)
        total += value.to(tl.float32) * share[:, None]
    tl.store(out + (batch * PLACES + place[:, None]) * C + channel[None, :], total.to(out.dtype.element_ty),
             mask=inside[:, None] & (channel[None, :] < C))


def sampled(batches, channels, side, places):
    image, grid = draw(batches, side, side, channels), torch.rand(batches, places, 2).to(on_device()) * 2.2 - 1.1
    out = draw(batches, places, channels)
    sample_grid[(triton.cdiv(places, 64), batches)](image, grid, out, channels, side, side, places, B=64,
                                                    BC=triton.next_power_of_2(channels))
    yield out, lambda: functional.grid_sample(image.float().permute(0, 3, 1, 2), grid[:, None], align_corners=False)[
        :, :, 0].transpose(1, 2)


@triton.jit
def apply_kernel(points, centres, weights, out, N, inverse, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """A Gaussian process's product: sums of weights by exp(-|x - c| squared / 2), no matrix kept."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    x = tl.load(points + i[:, None] * D + d[None, :])
    x_square = tl.sum(x * x, 1)
    total = tl.zeros((BM,), tl.float32)
    for first in range(0, N, BN):
        j = first + tl.arange(0, BN)
        c = tl.load(centres + j[:, None] * D + d[None, :])
        apart = x_square[:, None] + tl.sum(c * c, 1)[None, :] - 2 * tl.dot(x, tl.trans(c), input_precision="ieee")
        total += tl.sum(tl.exp(-apart * inverse) * tl.load(weights + j)[None, :], 1)
    tl.store(out + i, total)


def kernel_product(count, width):
    points, centres, weights = draw(count, width, dtype=F32), draw(count, width, dtype=F32), draw(count, dtype=F32)
    out = torch.empty(count, device=on_device())
    apply_kernel[(count // 64,)](points, centres, weights, out, count, 0.5 / width, D=width, BM=64, BN=64)
    yield out, lambda: torch.exp(-torch.cdist(points, centres) ** 2 * 0.5 / width) @ weights


CASES = {
    "segments": lambda: segments(few(8192, 20), 100, 256),
    "segments narrow": lambda: segments(few(65536, 20), 40, 48),
    "sparse 64": lambda: sparse(few(128, 4), 64, few(4096, 128), 0.15),
    "sparse 32": lambda: sparse(few(256, 8), 32, few(2048, 128), 0.1),
    "transport": lambda: transport(few(16384, 2048)),
    "fourier 1024": lambda: transform(few(16384, 4), 10),
    "fourier 4096": lambda: transform(few(4096, 2), 12),
    "wavelet": lambda: wavelet(few(8192, 4), few(8192, 1100)),
    "blur": lambda: blurred(few(16, 1), few(1080, 50), few(1920, 300)),
    "compacted": lambda: compacted(few(1 << 26, 10000)),
    "bodies": lambda: bodies(few(16384, 256)),
    "tridiagonal": lambda: tridiagonal(few(256, 20), few(65536, 100)),
    "chains 64": lambda: chains(few(4096, 5), few(256, 12), 64),
    "chains 32": lambda: chains(few(8192, 5), few(256, 12), 32),
    "sampled": lambda: sampled(few(16, 2), 96, few(64, 8), few(65536, 100)),
    "kernel product": lambda: kernel_product(few(16384, 256), 64),
    "kernel product 16": lambda: kernel_product(few(16384, 256), 16),
}

if __name__ == "__main__":
    run(checked(CASES))
