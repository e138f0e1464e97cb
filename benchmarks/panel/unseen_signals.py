# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of sound, time series and control, written on 29 November 2026 for nobody's measure and tuned for
nothing: spectra, filters, resampling, dilated convolutions, poses, recursions, alignments. Each says what it should leave
(--check)."""

import math

import torch
import triton
import triton.language as tl

from cases import checked, draw, few, integers, on_device, run

F16, F32, U8, I32 = torch.float16, torch.float32, torch.uint8, torch.int32


@triton.jit
def power_spectrum(wave, window, cosines, sines, out, frames, hop, BINS: tl.constexpr, SIZE: tl.constexpr,
                   FRAMES: tl.constexpr, STEP: tl.constexpr):
    """Frames that overlap, windowed, times the matrices of a transform; squares of both added up."""
    frame = tl.program_id(0) * FRAMES + tl.arange(0, FRAMES)
    bin = tl.program_id(1) * 64 + tl.arange(0, 64)
    real = tl.zeros((FRAMES, 64), tl.float32)
    imaginary = tl.zeros((FRAMES, 64), tl.float32)
    for start in range(0, SIZE, STEP):
        t = start + tl.arange(0, STEP)
        x = tl.load(wave + frame[:, None] * hop + t[None, :], mask=(frame < frames)[:, None], other=0.0)
        x = (x * tl.load(window + t)[None, :]).to(tl.float16)
        real = tl.dot(x, tl.load(cosines + t[:, None] * BINS + bin[None, :]), real)
        imaginary = tl.dot(x, tl.load(sines + t[:, None] * BINS + bin[None, :]), imaginary)
    tl.store(out + frame[:, None] * BINS + bin[None, :], real * real + imaginary * imaginary,
             mask=(frame < frames)[:, None])


def spectra(count):
    size, hop, bins = 512, 160, 256
    frames = (count - size) // hop + 1
    wave, window = draw(count, dtype=F32), torch.hann_window(size, device=on_device())
    angles = torch.outer(torch.arange(size), torch.arange(bins)).double() * (2 * math.pi / size)
    cosines, sines = angles.cos().to(F16).to(on_device()), angles.sin().to(F16).to(on_device())
    out = torch.empty(frames, bins, device=on_device())
    power_spectrum[(triton.cdiv(frames, 64), bins // 64)](wave, window, cosines, sines, out, frames, hop, BINS=bins,
                                                          SIZE=size, FRAMES=64, STEP=64, num_warps=4)
    yield out, lambda: torch.fft.rfft(wave.unfold(0, size, hop) * window).abs()[:, :bins] ** 2


@triton.jit
def smoothed(x, out, decay, T, N, BLOCK_T: tl.constexpr, BLOCK_N: tl.constexpr):
    """An exponential average along time, column by column, chunk after chunk."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    t = tl.arange(0, BLOCK_T)
    before = tl.zeros((BLOCK_N,), tl.float32)
    rise = tl.exp2(tl.log2(decay) * (t + 1).to(tl.float32))
    for start in range(0, T, BLOCK_T):
        m = ((start + t) < T)[:, None] & (n < N)[None, :]
        v = tl.load(x + (start + t)[:, None] * N + n[None, :], mask=m, other=0.0) * (1.0 - decay)
        gate = tl.full((BLOCK_T, BLOCK_N), 1.0, tl.float32) * decay
        _, within = tl.associative_scan((gate, v), 0, _after)
        y = within + rise[:, None] * before[None, :]
        tl.store(out + (start + t)[:, None] * N + n[None, :], y, mask=m)
        before = tl.sum(tl.where((t == BLOCK_T - 1)[:, None], y, 0.0), 0)


@triton.jit
def _after(gate, value, next_gate, next_value):
    return gate * next_gate, value * next_gate + next_value


def averages(steps, columns):
    x, out = draw(steps, columns, dtype=F32), torch.empty(steps, columns, device=on_device())
    smoothed[(triton.cdiv(columns, 32),)](x, out, 0.9, steps, columns, BLOCK_T=64, BLOCK_N=32)

    def wanted():
        rows, before = [], torch.zeros(columns, device=on_device(), dtype=torch.float64)
        for row in x.double():
            before = 0.9 * before + (1 - 0.9) * row
            rows.append(before)
        return torch.stack(rows)

    yield out, wanted


@triton.jit
def dilated_gate(x, filters, gates, out, T, dilation, C: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """A layer of a wave net: tanh of one causal convolution times sigmoid of another, channels last."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.arange(0, C)
    first, second = tl.zeros((BLOCK, C), tl.float32), tl.zeros((BLOCK, C), tl.float32)
    for tap in tl.static_range(TAPS):
        at = t - (TAPS - 1 - tap) * dilation
        v = tl.load(x + at[:, None] * C + c[None, :], mask=((at >= 0) & (at < T))[:, None], other=0.0)
        first = tl.dot(v, tl.load(filters + tap * C * C + c[:, None] * C + c[None, :]), first)
        second = tl.dot(v, tl.load(gates + tap * C * C + c[:, None] * C + c[None, :]), second)
    y = (2.0 * tl.sigmoid(2.0 * first) - 1.0) * tl.sigmoid(second)
    tl.store(out + t[:, None] * C + c[None, :], y.to(out.dtype.element_ty), mask=(t < T)[:, None])


def dilated(length, dilation):
    channels, taps = 64, 3
    x = draw(length, channels, dtype=F16)
    filters, gates = (draw(taps, channels, channels, dtype=F16, scale=0.1) for _ in range(2))
    out = torch.empty_like(x)
    dilated_gate[(triton.cdiv(length, 128),)](x, filters, gates, out, length, dilation, C=channels, TAPS=taps, BLOCK=128)

    def convolved(weights):
        padded = torch.nn.functional.pad(x.float(), (0, 0, (taps - 1) * dilation, 0))
        return sum(padded[tap * dilation:tap * dilation + length] @ weights[tap].float() for tap in range(taps))

    yield out, lambda: convolved(filters).tanh() * convolved(gates).sigmoid()


@triton.jit
def mu_law(x, codes, back, N, MU: tl.constexpr, BLOCK: tl.constexpr):
    """Companded to bytes, and what the bytes stand for."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.clamp(tl.load(x + i, mask=i < N, other=0.0), -1.0, 1.0)
    size = tl.log(1.0 + MU * tl.abs(v)) / tl.log(1.0 + MU + 0.0 * v)
    code = ((tl.where(v < 0, -size, size) + 1.0) * (0.5 * MU) + 0.5).to(tl.uint8)
    tl.store(codes + i, code, mask=i < N)
    y = code.to(tl.float32) * (2.0 / MU) - 1.0
    grown = (tl.exp(tl.abs(y) * tl.log(1.0 + MU + 0.0 * v)) - 1.0) / MU
    tl.store(back + i, tl.where(y < 0, -grown, grown), mask=i < N)


def companded(count):
    x = torch.rand(count, device=on_device()) * 2 - 1
    codes, back = torch.empty(count, dtype=U8, device=on_device()), torch.empty(count, device=on_device())
    mu_law[(triton.cdiv(count, 1024),)](x, codes, back, count, MU=255, BLOCK=1024)
    coded = lambda: (((x.sign() * (1 + 255 * x.abs()).log() / math.log(256)) + 1) * 127.5 + 0.5).to(U8)
    yield codes, coded, 0.001
    yield back, lambda: (codes.float() / 127.5 - 1).sign() * (256 ** (codes.float() / 127.5 - 1).abs() - 1) / 255


@triton.jit
def resampled(x, taps, out, N, OUT, UP: tl.constexpr, DOWN: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """Polyphase: each sample has the filter of its phase."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, TAPS)
    at = i * DOWN // UP
    phase = i * DOWN % UP
    from_ = at[:, None] - k[None, :]
    v = tl.load(x + from_, mask=(from_ >= 0) & (from_ < N) & (i < OUT)[:, None], other=0.0)
    w = tl.load(taps + phase[:, None] * TAPS + k[None, :])
    tl.store(out + i, tl.sum(v * w, 1), mask=i < OUT)


def resampling(count):
    up, down, taps = 3, 2, 16
    longer = count * up // down
    x, filters = draw(count, dtype=F32), draw(up, taps, dtype=F32)
    out = torch.empty(longer, device=on_device())
    resampled[(triton.cdiv(longer, 256),)](x, filters, out, count, longer, UP=up, DOWN=down, TAPS=taps, BLOCK=256)

    def wanted():
        i = torch.arange(longer, device=on_device())
        padded = torch.nn.functional.pad(x, (taps - 1, 0))
        windows = padded.unfold(0, taps, 1).flip(1)[i * down // up]
        return (windows * filters[i * down % up]).sum(1)

    yield out, wanted


@triton.jit
def turned_poses(quaternions, points, shifts, out, POSES, P, BLOCK: tl.constexpr):
    """Points turned by quaternions and moved, three numbers each."""
    pose = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    w, x = tl.load(quaternions + pose * 4), tl.load(quaternions + pose * 4 + 1)
    y, z = tl.load(quaternions + pose * 4 + 2), tl.load(quaternions + pose * 4 + 3)
    m = p < P
    a = tl.load(points + p * 3, mask=m, other=0.0)
    b = tl.load(points + p * 3 + 1, mask=m, other=0.0)
    c = tl.load(points + p * 3 + 2, mask=m, other=0.0)
    u, v, s = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    base = out + (pose * P + p) * 3
    tl.store(base, a + w * u + y * s - z * v + tl.load(shifts + pose * 3), mask=m)
    tl.store(base + 1, b + w * v + z * u - x * s + tl.load(shifts + pose * 3 + 1), mask=m)
    tl.store(base + 2, c + w * s + x * v - y * u + tl.load(shifts + pose * 3 + 2), mask=m)


def poses(count, points):
    turns = torch.nn.functional.normalize(draw(count, 4, dtype=F32), dim=1)
    cloud, shifts = draw(points, 3, dtype=F32), draw(count, 3, dtype=F32)
    out = torch.empty(count, points, 3, device=on_device())
    turned_poses[(count, triton.cdiv(points, 512))](turns, cloud, shifts, out, count, points, BLOCK=512)

    def wanted():
        axis, w = turns[:, None, 1:].expand(-1, points, -1), turns[:, None, :1]
        u = 2 * torch.linalg.cross(axis, cloud[None].expand(count, -1, -1))
        return cloud[None] + w * u + torch.linalg.cross(axis, u) + shifts[:, None]

    yield out, wanted


@triton.jit
def aligned(costs, out, N, M, BLOCK: tl.constexpr):
    """The cheapest path through a matrix of costs (dynamic time warping), a row after the other: what a step to the right
    may save is a scan of minima over costs so far."""
    c = tl.arange(0, BLOCK)
    base = costs + tl.program_id(0).to(tl.int64) * N * M
    row = tl.load(base + c, mask=c < M, other=0.0)
    path = tl.cumsum(row, 0)
    for i in range(1, N):
        row = tl.load(base + i * M + c, mask=c < M, other=0.0)
        left = tl.gather(path, tl.maximum(c - 1, 0), 0)
        best = tl.minimum(path, tl.where(c > 0, left, float("inf")))
        along = tl.cumsum(row, 0)
        path = along + tl.associative_scan(best - along + row, 0, _least)
    tl.store(out + tl.program_id(0), tl.sum(tl.where(c == M - 1, path, 0.0), 0))


@triton.jit
def _least(a, b):
    return tl.minimum(a, b)


def alignments(pairs, length):
    costs, out = torch.rand(pairs, length, length, device=on_device()), torch.empty(pairs, device=on_device())
    aligned[(pairs,)](costs, out, length, length, BLOCK=triton.next_power_of_2(length))

    def wanted():
        table = costs.double().cpu()
        for i in range(length):
            for j in range(length):
                from_ = [table[:, i - a, j - b] for a, b in ((1, 0), (0, 1), (1, 1)) if i >= a and j >= b]
                if from_:
                    table[:, i, j] += torch.stack(from_).amin(0)
        return table[:, -1, -1].to(on_device())

    yield out, wanted


@triton.jit
def strongest(x, peaks, counts, N, limit, REACH: tl.constexpr, BLOCK: tl.constexpr):
    """Samples that are the greatest for so far on either side, and how many each stretch has."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < N, other=-float("inf"))
    most = v
    for step in tl.static_range(1, REACH + 1):
        most = tl.maximum(most, tl.load(x + i - step, mask=i >= step, other=-float("inf")))
        most = tl.maximum(most, tl.load(x + i + step, mask=i + step < N, other=-float("inf")))
    is_peak = (v >= most) & (v > limit) & (i < N)
    tl.store(peaks + i, is_peak.to(tl.int8), mask=i < N)
    tl.store(counts + tl.program_id(0), tl.sum(is_peak.to(tl.int32), 0))


def peaks_of(count):
    x = draw(count, dtype=F32)
    peaks = torch.empty(count, dtype=torch.int8, device=on_device())
    counts = torch.empty(triton.cdiv(count, 1024), dtype=I32, device=on_device())
    strongest[(len(counts),)](x, peaks, counts, count, 1.0, REACH=8, BLOCK=1024)
    most = lambda: torch.nn.functional.max_pool1d(x[None, None], 17, 1, 8)[0, 0]
    yield peaks, lambda: ((x >= most()) & (x > 1.0)).to(torch.int8)
    yield counts, lambda: torch.stack([part.sum() for part in peaks.split(1024)]).to(I32)


@triton.jit
def predicted(states, covariances, moves, noise, new_states, new_covariances, N, D: tl.constexpr, BLOCK: tl.constexpr):
    """A Kalman filter's prediction for many tracks: F x, F P F' + Q."""
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.arange(0, D)
    m = n < N
    f = tl.load(moves + i[:, None] * D + i[None, :])
    x = tl.load(states + n[:, None] * D + i[None, :], mask=m[:, None], other=0.0)
    tl.store(new_states + n[:, None] * D + i[None, :], tl.sum(f[None, :, :] * x[:, None, :], 2), mask=m[:, None])
    at = n[:, None, None] * D * D + i[None, :, None] * D + i[None, None, :]
    p = tl.load(covariances + at, mask=m[:, None, None], other=0.0)
    left = tl.sum(f[None, :, :, None] * p[:, None, :, :], 2)
    both = tl.sum(left[:, :, None, :] * f[None, None, :, :], 3)
    q = tl.load(noise + i[:, None] * D + i[None, :])
    tl.store(new_covariances + at, both + q[None, :, :], mask=m[:, None, None])


def tracks(count):
    states, covariances = draw(count, 4, dtype=F32), draw(count, 4, 4, dtype=F32)
    moves, noise = draw(4, 4, dtype=F32), draw(4, 4, dtype=F32)
    new_states, new_covariances = torch.empty_like(states), torch.empty_like(covariances)
    predicted[(triton.cdiv(count, 128),)](states, covariances, moves, noise, new_states, new_covariances, count, D=4,
                                          BLOCK=128)
    yield new_states, lambda: states @ moves.T
    yield new_covariances, lambda: moves @ covariances @ moves.T + noise


@triton.jit
def lagged(x, out, T, LAGS: tl.constexpr, BLOCK: tl.constexpr):
    """A row's products with itself, so many steps later."""
    row = x + tl.program_id(0).to(tl.int64) * T
    lag = tl.arange(0, LAGS)
    t = tl.arange(0, BLOCK)
    sums = tl.zeros((LAGS,), tl.float32)
    for start in range(0, T, BLOCK):
        v = tl.load(row + start + t, mask=start + t < T, other=0.0).to(tl.float32)
        later = start + t[None, :] + lag[:, None]
        sums += tl.sum(v[None, :] * tl.load(row + later, mask=later < T, other=0.0).to(tl.float32), 1)
    tl.store(out + tl.program_id(0) * LAGS + lag, sums / T)


def correlations(rows, length):
    x, out = draw(rows, length, dtype=F16), torch.empty(rows, 32, device=on_device())
    lagged[(rows,)](x, out, length, LAGS=32, BLOCK=256)
    late = lambda lag: (x.double()[:, :length - lag] * x.double()[:, lag:]).sum(1) / length
    yield out, lambda: torch.stack([late(lag) for lag in range(32)], 1)


@triton.jit
def quantiles(x, out, T, LEVELS: tl.constexpr, BLOCK: tl.constexpr):
    """Where a row has so many of its numbers, by halving an interval for each level."""
    row = x + tl.program_id(0).to(tl.int64) * T
    t = tl.arange(0, BLOCK)
    v = tl.load(row + t, mask=t < T, other=float("inf"))
    level = tl.arange(0, LEVELS)
    wanted = (level + 1).to(tl.float32) * T / (LEVELS + 1)
    low = tl.full((LEVELS,), -8.0, tl.float32)
    high = tl.full((LEVELS,), 8.0, tl.float32)
    for _ in range(24):
        middle = 0.5 * (low + high)
        below = tl.sum((v[None, :] < middle[:, None]).to(tl.int32), 1).to(tl.float32)
        low = tl.where(below < wanted, middle, low)
        high = tl.where(below < wanted, high, middle)
    tl.store(out + tl.program_id(0) * LEVELS + level, high)


def levels(rows, length):
    x, out = draw(rows, length, dtype=F32), torch.empty(rows, 4, device=on_device())
    quantiles[(rows,)](x, out, length, LEVELS=4, BLOCK=triton.next_power_of_2(length))
    ranks = lambda: torch.tensor([math.ceil((k + 1) * length / 5) - 1 for k in range(4)], device=on_device())
    yield out, lambda: x.sort(1).values[:, ranks()], 1e-4


@triton.jit
def counted_notes(codes, out, N, KINDS: tl.constexpr, BLOCK: tl.constexpr):
    """How often each byte comes, a part for each program."""
    counts = tl.zeros((KINDS,), tl.int32)
    for start in range(tl.program_id(0) * BLOCK, N, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        counts += tl.histogram(tl.load(codes + i, mask=i < N, other=0).to(tl.int32), KINDS, mask=i < N)
    tl.store(out + tl.program_id(0) * KINDS + tl.arange(0, KINDS), counts)


def notes(count, programs):
    codes, out = integers(128, count).to(U8), torch.empty(programs, 128, dtype=I32, device=on_device())
    counted_notes[(programs,)](codes, out, count, KINDS=128, BLOCK=2048)
    yield out.sum(0), lambda: codes.long().bincount(minlength=128)


CASES = {
    "spectra": lambda: spectra(few(1 << 24, 4000)),
    "averages": lambda: averages(few(4096, 100), few(8192, 40)),
    "dilated": lambda: dilated(few(1 << 19, 300), 64),
    "companded": lambda: companded(few(1 << 25, 3000)),
    "resampled": lambda: resampling(few(1 << 23, 1000)),
    "poses": lambda: poses(few(1024, 3), few(4096, 600)),
    "aligned": lambda: alignments(few(1024, 2), few(500, 20)),
    "peaks": lambda: peaks_of(few(1 << 24, 3000)),
    "tracks": lambda: tracks(few(1 << 20, 200)),
    "lagged": lambda: correlations(few(4096, 3), few(8192, 700)),
    "quantiles": lambda: levels(few(16384, 3), few(2000, 100)),
    "notes": lambda: notes(few(1 << 26, 9000), few(528, 3)),
}

if __name__ == "__main__":
    run(checked(CASES))
