# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of training code, written on 29 November 2026 for nobody's measure and tuned for nothing: losses, norms,
scans over time, optimisers with states of eight bits, bags of embeddings. Each says what it should leave (--check)."""

import torch
import triton
import triton.language as tl
from torch.nn import functional

from cases import checked, draw, few, integers, on_device, run

BF16, F32, I32 = torch.bfloat16, torch.float32, torch.int32


@triton.jit
def smoothed_loss(logits, labels, losses, V, smoothing, ignored, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row)
    most, sums, total = -float("inf"), 0.0, 0.0
    for first in range(0, V, B):
        at = first + tl.arange(0, B)
        x = tl.load(logits + row * V + at, mask=at < V, other=-float("inf")).to(tl.float32)
        now = tl.maximum(most, tl.max(x, 0))
        sums = sums * tl.exp(most - now) + tl.sum(tl.exp(x - now), 0)
        total += tl.sum(tl.where(at < V, x, 0.0), 0)
        most = now
    whole = most + tl.log(sums)
    if label == ignored:
        tl.store(losses + row, 0.0)
    else:
        own = whole - tl.load(logits + row * V + label).to(tl.float32)
        tl.store(losses + row, (1 - smoothing) * own + smoothing * (whole - total / V))
    for first in range(0, V, B):  # the gradient, in place
        at = first + tl.arange(0, B)
        x = tl.load(logits + row * V + at, mask=at < V, other=0.0).to(tl.float32)
        slope = tl.exp(x - whole) - smoothing / V - tl.where(at == label, 1 - smoothing, 0.0)
        slope = tl.where(label == ignored, 0.0, slope)
        tl.store(logits + row * V + at, slope.to(logits.dtype.element_ty), mask=at < V)


def loss(rows, vocabulary):
    logits, labels = draw(rows, vocabulary), integers(vocabulary, rows)
    labels[::5] = -100
    before = logits.float().requires_grad_()
    losses = torch.empty(rows, device=on_device())
    smoothed_loss[(rows,)](logits, labels, losses, vocabulary, 0.1, -100, B=4096, num_warps=8)

    def wanted():
        return functional.cross_entropy(before, labels.long(), reduction="none", label_smoothing=0.1)

    yield losses, wanted
    yield logits, lambda: torch.autograd.grad(wanted().sum(), before)[0]


@triton.jit
def norm_groups(x, weight, bias, out, C, SPACE, eps, G: tl.constexpr, S: tl.constexpr):
    """Channels last: a program has all places of one group of channels."""
    image, group = tl.program_id(0).to(tl.int64), tl.program_id(1)
    channel = group * G + tl.arange(0, G)
    place = tl.arange(0, S)
    mean, square = tl.zeros((S, G), tl.float32), tl.zeros((S, G), tl.float32)
    for first in range(0, SPACE, S):
        at = x + (image * SPACE + first + place[:, None]) * C + channel[None, :]
        value = tl.load(at, mask=first + place[:, None] < SPACE, other=0.0).to(tl.float32)
        mean += value
        square += value * value
    mean = tl.sum(mean) / (SPACE * G)
    rate = 1 / tl.sqrt(tl.sum(square) / (SPACE * G) - mean * mean + eps)
    w, b = tl.load(weight + channel)[None, :].to(tl.float32), tl.load(bias + channel)[None, :].to(tl.float32)
    for first in range(0, SPACE, S):
        at = (image * SPACE + first + place[:, None]) * C + channel[None, :]
        inside = first + place[:, None] < SPACE
        value = (tl.load(x + at, mask=inside, other=0.0).to(tl.float32) - mean) * rate * w + b
        tl.store(out + at, (value * tl.sigmoid(value)).to(out.dtype.element_ty), mask=inside)


def group_norm(images, space, channels, groups):
    x, weight, bias = draw(images, space, channels), draw(channels), draw(channels)
    out = torch.empty_like(x)
    norm_groups[(images, groups)](x, weight, bias, out, channels, space, 1e-5, G=channels // groups, S=64)
    yield out, lambda: functional.silu(functional.group_norm(
        x.float().transpose(1, 2), groups, weight.float(), bias.float())).transpose(1, 2)


@triton.jit
def welford(mean, m2, count, other_mean, other_m2, other_count):
    total = count + other_count
    share = tl.where(total > 0, other_count / total, 0.0)
    delta = other_mean - mean
    return mean + delta * share, m2 + other_m2 + delta * delta * count * share, total


@triton.jit
def norm_rows(x, residual, weight, bias, out, N, eps, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, B)
    inside = at < N
    value = tl.load(x + row * N + at, mask=inside, other=0.0).to(tl.float32)
    value += tl.load(residual + row * N + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(residual + row * N + at, value.to(residual.dtype.element_ty), mask=inside)
    mean, m2, count = tl.reduce((value, tl.zeros_like(value), inside.to(tl.float32)), 0, welford)
    value = (value - mean) / tl.sqrt(m2 / count + eps)
    value = value * tl.load(weight + at, mask=inside, other=0.0) + tl.load(bias + at, mask=inside, other=0.0)
    tl.store(out + row * N + at, value.to(out.dtype.element_ty), mask=inside)


def layer_norm(rows, width, warps):
    x, residual, weight, bias = draw(rows, width), draw(rows, width), draw(width), draw(width)
    out, whole = torch.empty_like(x), x.float() + residual.float()
    norm_rows[(rows,)](x, residual, weight, bias, out, width, 1e-5, B=triton.next_power_of_2(width), num_warps=warps)
    yield out, lambda: functional.layer_norm(whole, (width,), weight.float(), bias.float(), 1e-5)


@triton.jit
def convolve_causal(x, weight, bias, out, L, C, W: tl.constexpr, BL: tl.constexpr, BC: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)
    channel = tl.program_id(0) * BC + tl.arange(0, BC)
    place = tl.program_id(1) * BL + tl.arange(0, BL)
    total = tl.zeros((BL, BC), tl.float32) + tl.load(bias + channel)[None, :].to(tl.float32)
    for tap in tl.static_range(W):
        source = place - (W - 1) + tap
        line = tl.load(x + (batch * L + source[:, None]) * C + channel[None, :],
                       mask=(source[:, None] >= 0) & (source[:, None] < L), other=0.0)
        total += line.to(tl.float32) * tl.load(weight + channel * W + tap)[None, :]
    total = total * tl.sigmoid(total)
    tl.store(out + (batch * L + place[:, None]) * C + channel[None, :], total.to(out.dtype.element_ty), mask=place[:, None] < L)


def convolution(batches, length, channels):
    x, weight, bias = draw(batches, length, channels), draw(channels, 4), draw(channels)
    out = torch.empty_like(x)
    convolve_causal[(channels // 64, triton.cdiv(length, 64), batches)](x, weight, bias, out, length, channels, W=4, BL=64,
                                                                        BC=64)
    yield out, lambda: functional.silu(functional.conv1d(
        functional.pad(x.float().transpose(1, 2), (3, 0)), weight.float()[:, None], bias.float(),
        groups=channels)).transpose(1, 2)


@triton.jit
def follow(left_keep, left, right_keep, right):
    return left_keep * right_keep, left * right_keep + right


@triton.jit
def scan_states(x, delta, a, b, c, skip, out, L, C, S: tl.constexpr, T: tl.constexpr, BC: tl.constexpr):
    """h = exp(delta a) h + delta b x, y = c h + skip x, a chunk of T steps at a time."""
    batch = tl.program_id(1).to(tl.int64)
    channel = tl.program_id(0) * BC + tl.arange(0, BC)
    state, step = tl.arange(0, S), tl.arange(0, T)
    rate = tl.load(a + channel[:, None] * S + state[None, :])[None, :, :]
    through = tl.load(skip + channel)[None, :]
    carried = tl.zeros((BC, S), tl.float32)
    for first in range(0, L, T):
        time = batch * L + first + step
        at = time[:, None] * C + channel[None, :]
        value, d = tl.load(x + at).to(tl.float32), tl.load(delta + at).to(tl.float32)
        arrives = tl.load(b + time[:, None] * S + state[None, :]).to(tl.float32)[:, None, :]
        leaves = tl.load(c + time[:, None] * S + state[None, :]).to(tl.float32)[:, None, :]
        keep, inner = tl.associative_scan((tl.exp(d[:, :, None] * rate), (d * value)[:, :, None] * arrives), 0, follow)
        h = inner + keep * carried[None, :, :]
        tl.store(out + at, (tl.sum(h * leaves, 2) + through * value).to(out.dtype.element_ty))
        carried = tl.sum(tl.where(step[:, None, None] == T - 1, h, 0.0), 0)


def states(batches, length, channels, size):
    x, delta = draw(batches, length, channels), functional.softplus(draw(batches, length, channels, dtype=F32) - 2).to(BF16)
    a, skip = -torch.rand(channels, size).to(on_device()) - 0.1, draw(channels, dtype=F32)
    b, c = draw(batches, length, size), draw(batches, length, size)
    out = torch.empty_like(x)
    scan_states[(channels // 8, batches)](x, delta, a, b, c, skip, out, length, channels, S=size, T=32, BC=8)

    def wanted():
        h, lines = torch.zeros(batches, channels, size, device=on_device()), []
        for t in range(length):
            d = delta[:, t].float()[..., None]
            h = (d * a).exp() * h + d * x[:, t].float()[..., None] * b[:, t].float()[:, None]
            lines.append((h * c[:, t].float()[:, None]).sum(-1) + skip * x[:, t].float())
        return torch.stack(lines, 1)

    yield out, wanted


@triton.jit
def step_adam(weights, gradient, first, second, first_scales, second_scales, N, rate, decay, beta1, beta2, eps, correction1,
              correction2, B: tl.constexpr):
    """AdamW, whose states are bytes with one scale for each block."""
    block = tl.program_id(0)
    at = block * B + tl.arange(0, B)
    inside = at < N
    g = tl.load(gradient + at, mask=inside, other=0.0).to(tl.float32)
    m = tl.load(first + at, mask=inside, other=0).to(tl.float32) * tl.load(first_scales + block)
    v = tl.load(second + at, mask=inside, other=0).to(tl.float32) * tl.load(second_scales + block)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v * v + (1 - beta2) * g * g  # the root is what is kept
    w = tl.load(weights + at, mask=inside, other=0.0).to(tl.float32)
    root = tl.sqrt(v)
    w = w * (1 - rate * decay) - rate * (m / correction1) / (root / correction2 + eps)
    tl.store(weights + at, w.to(weights.dtype.element_ty), mask=inside)
    m_scale = tl.maximum(tl.max(tl.abs(m), 0), 1e-12) / 127
    v_scale = tl.maximum(tl.max(root, 0), 1e-12) / 255
    tl.store(first_scales + block, m_scale)
    tl.store(second_scales + block, v_scale)
    tl.store(first + at, tl.floor(m / m_scale + 0.5).to(tl.int8), mask=inside)
    tl.store(second + at, tl.ceil(root / v_scale).to(tl.uint8), mask=inside)


def optimiser(count):
    block = 512
    blocks = triton.cdiv(count, block)
    weights, gradient = draw(count), draw(count)
    first = torch.randint(-127, 128, (count,), dtype=torch.int8, device=on_device())
    second = torch.randint(0, 256, (count,), device=on_device()).to(torch.uint8)
    m_scales, v_scales = (torch.rand(blocks).to(on_device()) * 1e-3 + 1e-3 for _ in range(2))
    each = [weights.float(), first.float(), second.float(), m_scales.clone(), v_scales.clone()]
    step_adam[(blocks,)](weights, gradient, first, second, m_scales, v_scales, count, 0.01, 0.1, 0.9, 0.95, 1e-6, 0.1, 0.3,
                         B=block)

    def wanted():
        w, m, v, ms, vs = each
        m = 0.9 * m * ms.repeat_interleave(block)[:count] + 0.1 * gradient.float()
        v = 0.95 * (v * vs.repeat_interleave(block)[:count]) ** 2 + 0.05 * gradient.float() ** 2
        return w * (1 - 0.001) - 0.01 * (m / 0.1) / (v.sqrt() / 0.3 + 1e-6), m

    yield weights, lambda: wanted()[0]
    yield first.float() * m_scales.repeat_interleave(block)[:count], lambda: wanted()[1]


@triton.jit
def sum_bags(table, indices, starts, weights, out, WIDTH, B: tl.constexpr):
    bag = tl.program_id(0)
    at = tl.program_id(1) * B + tl.arange(0, B)
    first, last = tl.load(starts + bag), tl.load(starts + bag + 1)
    total = tl.zeros((B,), tl.float32)
    for item in range(first, last):
        line = tl.load(indices + item).to(tl.int64)
        total += tl.load(table + line * WIDTH + at, mask=at < WIDTH, other=0.0).to(tl.float32) * tl.load(weights + item)
    tl.store(out + bag.to(tl.int64) * WIDTH + at, total.to(out.dtype.element_ty), mask=at < WIDTH)


@triton.jit
def spread_bags(slopes, indices, bags, weights, out, COUNT, WIDTH, B: tl.constexpr, R: tl.constexpr):
    item = tl.program_id(0) * R + tl.arange(0, R)
    inside = item < COUNT
    at = tl.program_id(1) * B + tl.arange(0, B)
    line = tl.load(indices + item, mask=inside, other=0).to(tl.int64)
    bag = tl.load(bags + item, mask=inside, other=0).to(tl.int64)
    wide = inside[:, None] & (at[None, :] < WIDTH)
    slope = tl.load(slopes + bag[:, None] * WIDTH + at[None, :], mask=wide, other=0.0).to(tl.float32)
    slope *= tl.load(weights + item, mask=inside, other=0.0)[:, None]
    tl.atomic_add(out + line[:, None] * WIDTH + at[None, :], slope, mask=wide, sem="relaxed")


def bags(count, most, lines, width):
    lengths = integers(most, count)
    starts = torch.zeros(count + 1, dtype=I32, device=on_device())
    starts[1:] = lengths.cumsum(0)
    items = int(starts[-1])
    table, indices, weights = draw(lines, width), integers(lines, items), torch.rand(items).to(on_device())
    out = draw(count, width)
    sum_bags[(count, triton.cdiv(width, 128))](table, indices, starts, weights, out, width, B=128, num_warps=1)
    of = torch.arange(count, device=on_device(), dtype=I32).repeat_interleave(lengths.long(), output_size=items)

    def wanted():
        scaled = table.float()[indices.long()] * weights[:, None]
        return torch.zeros(count, width, device=on_device()).index_add_(0, of, scaled)

    yield out, wanted
    slopes, gradient = draw(count, width), torch.zeros(lines, width, device=on_device())
    spread_bags[(triton.cdiv(items, 16), triton.cdiv(width, 128))](slopes, indices, of, weights, gradient, items, width, B=128,
                                                                  R=16)
    yield gradient, lambda: torch.zeros_like(gradient).index_add_(0, indices, slopes.float()[of.long()] * weights[:, None])


@triton.jit
def average(kept, weights, N, decay, B: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    old = tl.load(kept + at, mask=at < N)
    new = tl.load(weights + at, mask=at < N).to(tl.float32)
    tl.store(kept + at, old + (new - old) * (1 - decay), mask=at < N)


def averaged(count):
    kept, weights = draw(count, dtype=F32), draw(count)
    before = kept.clone()
    average[(triton.cdiv(count, 1024),)](kept, weights, count, 0.999, B=1024)
    yield kept, lambda: before + (weights.float() - before) * 0.001


@triton.jit
def earlier(reward, keep, more, more_keep):
    return more + more_keep * reward, keep * more_keep


@triton.jit
def advantages(rewards, values, ends, out, T, gamma, trace, B: tl.constexpr):
    """Generalised advantages, from the last step to the first: a program has one line of time."""
    line = tl.program_id(0).to(tl.int64)
    t = tl.arange(0, B)
    inside = t < T
    going = 1.0 - tl.load(ends + line * T + t, mask=inside, other=1).to(tl.float32)
    value = tl.load(values + line * (T + 1) + t, mask=inside, other=0.0)
    following = tl.load(values + line * (T + 1) + t + 1, mask=inside, other=0.0)
    surprise = tl.load(rewards + line * T + t, mask=inside, other=0.0) + gamma * following * going - value
    total, _ = tl.associative_scan((surprise, gamma * trace * going), 0, earlier, reverse=True)
    tl.store(out + line * T + t, total, mask=inside)


def rewarded(lines, steps):
    rewards, values = draw(lines, steps, dtype=F32), draw(lines, steps + 1, dtype=F32)
    ends = (torch.rand(lines, steps) < 0.02).to(torch.int8).to(on_device())
    out = torch.empty_like(rewards)
    advantages[(lines,)](rewards, values, ends, out, steps, 0.99, 0.95, B=triton.next_power_of_2(steps))

    def wanted():
        total, found = torch.zeros(lines, device=on_device()), torch.empty_like(rewards)
        for t in reversed(range(steps)):
            going = 1 - ends[:, t].float()
            total = rewards[:, t] + 0.99 * values[:, t + 1] * going - values[:, t] + 0.99 * 0.95 * going * total
            found[:, t] = total
        return found

    yield out, wanted


@triton.jit
def drop_and_add(x, residual, out, N, seed, share, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    kept = tl.rand(seed, at) > share
    value = tl.load(x + at, mask=at < N, other=0.0).to(tl.float32)
    value = tl.where(kept, value / (1 - share), 0.0) + tl.load(residual + at, mask=at < N, other=0.0).to(tl.float32)
    tl.store(out + at, value.to(out.dtype.element_ty), mask=at < N)


def dropped(count):
    x, residual = draw(count), draw(count)
    out = torch.empty_like(x)
    drop_and_add[(triton.cdiv(count, 1024),)](x, residual, out, count, 7, 0.1, B=1024)
    kept = (out.float() - residual.float()).abs() > x.float().abs() * 0.5
    yield out, lambda: residual.float() + torch.where(kept, x.float() / 0.9, 0.0)


CASES = {
    "loss 32000": lambda: loss(few(4096, 16), 32000),
    "loss 128256": lambda: loss(few(1024, 5), 128256),
    "group norm": lambda: group_norm(few(16, 1), few(64 * 64, 300), 512, 32),
    "group norm wide": lambda: group_norm(few(8, 1), few(128 * 128, 300), 256, 8),
    "layer norm 1024": lambda: layer_norm(few(16384, 8), 1024, 4),
    "layer norm 4096": lambda: layer_norm(few(8192, 8), 4096, 8),
    "layer norm 5000": lambda: layer_norm(few(8192, 8), 5000, 16),
    "convolution": lambda: convolution(few(8, 2), few(2048, 100), few(4096, 128)),
    "states 16": lambda: states(few(4, 1), few(2048, 64), few(2048, 16), 16),
    "optimiser": lambda: optimiser(few(1 << 26, 5000)),
    "bags": lambda: bags(few(16384, 20), 40, few(1000000, 100), 128),
    "bags narrow": lambda: bags(few(32768, 20), 20, few(1000000, 100), 48),
    "average": lambda: averaged(few(1 << 27, 5000)),
    "advantages": lambda: rewarded(few(8192, 5), 1000),
    "dropped": lambda: dropped(few(1 << 26, 5000)),
}

if __name__ == "__main__":
    run(checked(CASES))
