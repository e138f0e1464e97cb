# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of serving code, written on 29 November 2026 for nobody's measure and tuned for nothing: sampling, caches
of eight bits, adapters, masks of bits, tokens sent to experts and back. Each says what it should leave (--check)."""

import torch
import triton
import triton.language as tl

from cases import checked, draw, few, integers, on_device, run

BF16, F32, I32 = torch.bfloat16, torch.float32, torch.int32


@triton.jit
def sample_nucleus(logits, drawn, tokens, V, temperature, share, B: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, B)
    x = tl.load(logits + row.to(tl.int64) * V + at, mask=at < V, other=float("-inf")).to(tl.float32) / temperature
    p = tl.exp(x - tl.max(x, 0))
    p = p / tl.sum(p, 0)
    low, high = 0.0, tl.max(p, 0)
    for _ in range(20):  # the greatest threshold whose probabilities hold the share
        middle = (low + high) * 0.5
        enough = tl.sum(tl.where(p >= middle, p, 0.0), 0) >= share
        low = tl.where(enough, middle, low)
        high = tl.where(enough, high, middle)
    kept = tl.where(p >= low, p, 0.0)
    sums = tl.cumsum(kept, 0)
    wanted = tl.load(drawn + row) * tl.sum(kept, 0)
    token = tl.min(tl.where((sums > wanted) & (kept > 0), at, V - 1), 0)
    tl.store(tokens + row, token)


def nucleus(rows, vocabulary, block):
    logits, drawn = draw(rows, vocabulary, dtype=F32, scale=3), torch.rand(rows).to(on_device())
    tokens = integers(1, rows)
    sample_nucleus[(rows,)](logits, drawn, tokens, vocabulary, 0.8, 0.9, B=block, num_warps=16)

    def wanted():
        p = (logits / 0.8).softmax(-1)
        ordered = p.sort(-1, descending=True).values
        least = ordered.gather(1, ((ordered.cumsum(-1) < 0.9).sum(-1, keepdim=True)).clamp(max=vocabulary - 1))
        kept = torch.where(p >= least, p, 0.0).cumsum(-1)
        return (kept <= drawn[:, None] * kept[:, -1:]).sum(-1).to(I32)

    yield tokens, wanted, 0.02  # sums in another order: some of the tokens


@triton.jit
def rotate_pairs(x, cosines, sines, positions, heads, D: tl.constexpr, H: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1) * H + tl.arange(0, H)
    half = tl.arange(0, D // 2)
    position = tl.load(positions + token)
    c = tl.load(cosines + position * (D // 2) + half).to(tl.float32)[None, :]
    s = tl.load(sines + position * (D // 2) + half).to(tl.float32)[None, :]
    at = x + (token.to(tl.int64) * heads + head[:, None]) * D + tl.arange(0, D)[None, :]
    inside = head[:, None] < heads
    values = tl.load(at, mask=inside, other=0.0).to(tl.float32)
    even, odd = tl.split(tl.reshape(values, (H, D // 2, 2)))
    turned = tl.join(even * c - odd * s, even * s + odd * c)
    tl.store(at, tl.reshape(turned, (H, D)).to(x.dtype.element_ty), mask=inside)


def rotary(tokens, heads, width):
    x = draw(tokens, heads, width)
    before = x.clone()
    angles = torch.arange(4096)[:, None] / 10000 ** (torch.arange(0, width, 2)[None, :] / width)
    cosines, sines = angles.cos().to(on_device()), angles.sin().to(on_device())
    positions = integers(4096, tokens)
    rotate_pairs[(tokens, triton.cdiv(heads, 8))](x, cosines, sines, positions, heads, D=width, H=8)

    def wanted():
        c, s = (each[positions.long()][:, None] for each in (cosines, sines))
        even, odd = before.float()[..., 0::2], before.float()[..., 1::2]
        return torch.stack((even * c - odd * s, even * s + odd * c), -1).flatten(-2)

    yield x, wanted


@triton.jit
def keep_in_bytes(keys, cache, scales, slots, heads, D: tl.constexpr, E4M3: tl.constexpr):
    token, head = tl.program_id(0), tl.program_id(1)
    slot = tl.load(slots + token).to(tl.int64)
    if slot >= 0:
        at = tl.arange(0, D)
        x = tl.load(keys + (token * heads + head) * D + at).to(tl.float32)
        most = tl.maximum(tl.max(tl.abs(x), 0), 1e-6)
        scale = most / (448.0 if E4M3 else 127.0)
        x = x / scale
        if not E4M3:
            x = tl.floor(x + 0.5)
        tl.store(cache + (slot * heads + head) * D + at, x.to(cache.dtype.element_ty))
        tl.store(scales + slot * heads + head, scale)


def cache_of_bytes(tokens, heads, width, kind):
    keys = draw(tokens, heads, width)
    slots = torch.randperm(2 * tokens)[:tokens].to(I32).to(on_device())
    slots[::7] = -1
    cache = torch.zeros(2 * tokens, heads, width, dtype=kind, device=on_device())
    scales = torch.zeros(2 * tokens, heads, device=on_device())
    keep_in_bytes[(tokens, heads)](keys, cache, scales, slots, heads, D=width, E4M3=kind != torch.int8, num_warps=1)

    def wanted():
        out = torch.zeros(2 * tokens, heads, width, device=on_device())
        out[slots[slots >= 0].long()] = keys.float()[slots >= 0]
        return out

    yield cache.float() * scales[..., None], wanted, 0.05


@triton.jit
def decode_bytes(q, keys, values, key_scales, value_scales, lengths, out, factor, L, D: tl.constexpr, G: tl.constexpr,
                 B: tl.constexpr):
    request, head = tl.program_id(0), tl.program_id(1)
    heads = tl.num_programs(1)
    g, d, b = tl.arange(0, G), tl.arange(0, D), tl.arange(0, B)
    query_at = ((request * heads + head) * G + g[:, None]) * D + d[None, :]
    query = tl.load(q + query_at)
    length = tl.load(lengths + request)
    most = tl.full((G,), float("-inf"), tl.float32)
    sums = tl.zeros((G,), tl.float32)
    total = tl.zeros((G, D), tl.float32)
    for first in range(0, length, B):
        slot = first + b
        inside = slot < length
        line = (request * L + slot) * heads + head
        k = tl.load(keys + line[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        ks = tl.load(key_scales + line, mask=inside, other=0.0)
        s = tl.dot(query, tl.trans(k.to(query.dtype))) * (ks * factor)[None, :]
        s = tl.where(inside[None, :], s, float("-inf"))
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        shrink = tl.exp2(most - now)
        v = tl.load(values + line[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        vs = tl.load(value_scales + line, mask=inside, other=0.0)
        sums = sums * shrink + tl.sum(p, 1)
        total = total * shrink[:, None] + tl.dot((p * vs[None, :]).to(query.dtype), v.to(query.dtype))
        most = now
    tl.store(out + query_at, (total / sums[:, None]).to(out.dtype.element_ty))


def decoding_bytes(requests, heads, length, width, kind):
    group = 16
    q = draw(requests, heads, group, width)
    lengths = integers(length // 2, requests) + length // 2
    if kind == torch.int8:
        keys, values = (torch.randint(-127, 128, (requests, length, heads, width), dtype=kind, device=on_device())
                        for _ in range(2))
    else:
        keys, values = (draw(requests, length, heads, width, dtype=F32, scale=40).to(kind) for _ in range(2))
    ks, vs = (torch.rand(requests, length, heads, device=on_device()) * 0.02 + 0.01 for _ in range(2))
    out = torch.empty_like(q)
    decode_bytes[(requests, heads)](q, keys, values, ks, vs, lengths, out, width ** -0.5 * 1.44269504, length, D=width, G=group,
                                    B=64)

    def wanted():
        k, v = ((each.float() * scale[..., None]).permute(0, 2, 1, 3) for each, scale in ((keys, ks), (values, vs)))
        s = q.float() @ k.transpose(-1, -2) * width ** -0.5
        s = s.masked_fill(torch.arange(length, device=on_device()) >= lengths[:, None, None, None], float("-inf"))
        return s.softmax(-1) @ v

    yield out, wanted


@triton.jit
def attend_bits(q, k, v, bits, out, L, factor, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + (head * L + row[:, None]) * D + d[None, :])
    most = tl.full((BM,), -1e30, tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for first in range(0, L, BN):
        column = first + tl.arange(0, BN)
        words = tl.load(bits + row[:, None] * (L // 32) + column[None, :] // 32)
        seen = (words >> (column % 32)[None, :]) & 1
        key = tl.load(k + (head * L + column[None, :]) * D + d[:, None])
        s = tl.where(seen != 0, tl.dot(query, key) * factor, -1e30)
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        shrink = tl.exp2(most - now)
        value = tl.load(v + (head * L + column[:, None]) * D + d[None, :])
        sums = sums * shrink + tl.sum(p, 1)
        total = total * shrink[:, None] + tl.dot(p.to(value.dtype), value)
        most = now
    tl.store(out + (head * L + row[:, None]) * D + d[None, :], (total / sums[:, None]).to(out.dtype.element_ty))


def masked_by_bits(heads, length, width):
    q, k, v = (draw(heads, length, width) for _ in range(3))
    seen = torch.rand(length, length, device=on_device()) < 0.5
    seen |= torch.eye(length, device=on_device(), dtype=torch.bool)
    powers = (torch.ones(32, dtype=torch.int64) << torch.arange(32)).to(on_device())
    bits = (seen.view(length, length // 32, 32) * powers).sum(-1).to(I32)
    out = torch.empty_like(q)
    attend_bits[(length // 128, heads)](q, k, v, bits, out, length, width ** -0.5 * 1.44269504, D=width, BM=128, BN=64,
                                        num_warps=8)
    yield out, lambda: torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), seen)


@triton.jit
def count_tokens(choices, counts, N, EXPERTS: tl.constexpr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    inside = at < N
    found = tl.histogram(tl.load(choices + at, mask=inside, other=0), EXPERTS, mask=inside)
    tl.atomic_add(counts + tl.arange(0, EXPERTS), found, sem="relaxed")


@triton.jit
def place_tokens(choices, counts, places, N, EXPERTS: tl.constexpr, B: tl.constexpr):
    expert = tl.program_id(0)
    e = tl.arange(0, EXPERTS)
    before = tl.sum(tl.where(e < expert, tl.load(counts + e), 0), 0)
    for first in range(0, N, B):
        at = first + tl.arange(0, B)
        here = (tl.load(choices + at, mask=at < N, other=-1) == expert).to(tl.int32)
        tl.store(places + at, before + tl.cumsum(here, 0) - 1, mask=here != 0)
        before += tl.sum(here, 0)


@triton.jit
def send_tokens(x, places, out, WIDTH, K: tl.constexpr, B: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    for first in range(0, WIDTH, B):
        at = first + tl.arange(0, B)
        line = tl.load(x + token * WIDTH + at, mask=at < WIDTH)
        for k in tl.static_range(K):
            place = tl.load(places + token * K + k).to(tl.int64)
            tl.store(out + place * WIDTH + at, line, mask=at < WIDTH)


@triton.jit
def return_tokens(x, places, weights, out, WIDTH, K: tl.constexpr, B: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, K)
    place = tl.load(places + token * K + k).to(tl.int64)
    lines = tl.load(x + place[:, None] * WIDTH + at[None, :], mask=at[None, :] < WIDTH, other=0.0).to(tl.float32)
    total = tl.sum(lines * tl.load(weights + token * K + k)[:, None], 0)
    tl.store(out + token * WIDTH + at, total.to(out.dtype.element_ty), mask=at < WIDTH)


def experts(tokens, width, count, chosen):
    choices = torch.rand(tokens, count).topk(chosen).indices.to(I32).to(on_device())
    counts = integers(1, count)
    places = integers(1, tokens, chosen)
    count_tokens[(triton.cdiv(tokens * chosen, 4096),)](choices, counts, tokens * chosen, EXPERTS=count, B=4096)
    yield counts, lambda: choices.flatten().long().bincount(minlength=count).to(I32)
    place_tokens[(count,)](choices, counts, places, tokens * chosen, EXPERTS=count, B=2048)
    yield places.flatten(), lambda: choices.flatten().argsort(stable=True).argsort().to(I32)
    x, weights = draw(tokens, width), torch.rand(tokens, chosen).to(on_device())
    sent = draw(tokens * chosen, width)
    send_tokens[(tokens,)](x, places, sent, width, K=chosen, B=1024)
    yield sent[places.flatten().long()], lambda: x.repeat_interleave(chosen, 0).float()
    back = torch.empty_like(x)
    return_tokens[(tokens, triton.cdiv(width, 1024))](sent, places, weights, back, width, K=chosen, B=1024)
    yield back, lambda: x.float() * weights.sum(-1, keepdim=True)


@triton.jit
def shrink_adapters(x, a, adapters, starts, out, WIDTH, R: tl.constexpr, BM: tl.constexpr, BK: tl.constexpr):
    segment = tl.program_id(0)
    first, last = tl.load(starts + segment), tl.load(starts + segment + 1)
    row = first + tl.program_id(1) * BM + tl.arange(0, BM)
    if first + tl.program_id(1) * BM < last:
        adapter = tl.load(adapters + segment).to(tl.int64)
        r = tl.arange(0, R)
        total = tl.zeros((BM, R), tl.float32)
        for k in range(0, WIDTH, BK):
            depth = k + tl.arange(0, BK)
            left = tl.load(x + row[:, None].to(tl.int64) * WIDTH + depth[None, :], mask=row[:, None] < last, other=0.0)
            right = tl.load(a + (adapter * R + r[None, :]) * WIDTH + depth[:, None])
            total += tl.dot(left, right)
        tl.store(out + row[:, None] * R + r[None, :], total.to(out.dtype.element_ty), mask=row[:, None] < last)


@triton.jit
def expand_adapters(x, b, adapters, starts, out, WIDTH, scale, R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    segment = tl.program_id(0)
    first, last = tl.load(starts + segment), tl.load(starts + segment + 1)
    adapter = tl.load(adapters + segment).to(tl.int64)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    r = tl.arange(0, R)
    right = tl.load(b + (adapter * WIDTH + column[None, :]) * R + r[:, None])
    for begin in range(first, last, BM):
        row = begin + tl.arange(0, BM)
        inside = row[:, None] < last
        left = tl.load(x + row[:, None] * R + r[None, :], mask=inside, other=0.0)
        at = out + row[:, None].to(tl.int64) * WIDTH + column[None, :]
        more = tl.dot(left, right) * scale
        tl.store(at, (tl.load(at, mask=inside, other=0.0).to(tl.float32) + more).to(out.dtype.element_ty), mask=inside)


def adapters(segments, most, width, rank, count):
    lengths = integers(most, segments) + 1
    starts = torch.zeros(segments + 1, dtype=I32, device=on_device())
    starts[1:] = lengths.cumsum(0)
    rows = int(starts[-1])
    of = integers(count, segments)
    x, a, b = draw(rows, width), draw(count, rank, width, scale=0.02), draw(count, width, rank, scale=0.1)
    small, out = draw(rows, rank), draw(rows, width)
    before = out.clone()
    shrink_adapters[(segments, triton.cdiv(most, 16))](x, a, of, starts, small, width, R=rank, BM=16, BK=128)
    of_row = of.repeat_interleave(lengths.long(), output_size=rows).long()
    yield small, lambda: torch.stack([a[which].float() @ line.float() for which, line in zip(of_row, x)])
    expand_adapters[(segments, width // 128)](small, b, of, starts, out, width, 2.0, R=rank, BM=16, BN=128)
    yield out, lambda: before.float() + 2 * torch.stack([b[which].float() @ line.float() for which, line in zip(of_row, small)])


@triton.jit
def continue_beams(scores, sums, best, places, V, BEAMS: tl.constexpr, K: tl.constexpr, B: tl.constexpr):
    request, part = tl.program_id(0), tl.program_id(1)
    parts = tl.num_programs(1)
    at = part * B + tl.arange(0, B)
    beam = at // V
    token_scores = tl.load(scores + request.to(tl.int64) * BEAMS * V + at, mask=at < BEAMS * V, other=float("-inf")).to(tl.float32)
    x = token_scores + tl.load(sums + request * BEAMS + beam, mask=at < BEAMS * V, other=0.0)
    # A score and its place as one number, whose order is that of the scores.
    raw = x.to(tl.int32, bitcast=True)
    ordered = tl.where(raw < 0, raw ^ 0x7FFFFFFF, raw).to(tl.int64) << 32 | at.to(tl.int64)
    top = tl.topk(ordered, K)
    raw = (top >> 32).to(tl.int32)
    out = (request * parts + part) * K + tl.arange(0, K)
    tl.store(best + out, tl.where(raw < 0, raw ^ 0x7FFFFFFF, raw).to(tl.float32, bitcast=True))
    tl.store(places + out, (top & 0x7FFFFFFF).to(tl.int32))


def beams(requests, width, vocabulary, kept):
    scores = draw(requests, width, vocabulary, dtype=F32).log_softmax(-1)
    sums = draw(requests, width, dtype=F32)
    parts = triton.cdiv(width * vocabulary, 4096)
    best, places = draw(requests, parts, kept, dtype=F32), integers(1, requests, parts, kept)
    continue_beams[(requests, parts)](scores, sums, best, places, vocabulary, BEAMS=width, K=kept, B=4096)

    def wanted():
        every = (scores + sums[..., None]).flatten(1)
        padded = torch.nn.functional.pad(every, (0, parts * 4096 - every.shape[1]), value=float("-inf"))
        return padded.view(requests, parts, 4096).topk(kept).values

    yield best, wanted
    yield places.flatten(1).sort(-1).values.to(F32), lambda: places.flatten(1).unique(dim=-1).to(F32)


@triton.jit
def pad_rows(values, starts, out, WIDTH, LONGEST, fill, B: tl.constexpr, R: tl.constexpr):
    batch = tl.program_id(0)
    first = tl.load(starts + batch)
    length = tl.load(starts + batch + 1) - first
    row = tl.program_id(1) * R + tl.arange(0, R)
    for column in range(0, WIDTH, B):
        at = column + tl.arange(0, B)
        wide = at[None, :] < WIDTH
        x = tl.load(values + (first + row[:, None]).to(tl.int64) * WIDTH + at[None, :],
                    mask=(row[:, None] < length) & wide, other=fill)
        tl.store(out + (batch.to(tl.int64) * LONGEST + row[:, None]) * WIDTH + at[None, :], x,
                 mask=(row[:, None] < LONGEST) & wide)


def padded(batches, longest, width):
    lengths = integers(longest, batches) + 1
    starts = torch.zeros(batches + 1, dtype=I32, device=on_device())
    starts[1:] = lengths.cumsum(0)
    x = draw(int(starts[-1]), width)
    out = draw(batches, longest, width)
    pad_rows[(batches, triton.cdiv(longest, 16))](x, starts, out, width, longest, 0.0, B=256, R=16)
    parts = lambda: x.float().split(lengths.tolist())  # noqa: E731
    yield out, lambda: torch.stack([torch.nn.functional.pad(part, (0, 0, 0, longest - len(part))) for part in parts()])


CASES = {
    "nucleus 32000": lambda: nucleus(few(256, 4), 32000, 32768),
    "nucleus 50257": lambda: nucleus(few(64, 2), 50257, 65536),
    "rotary 128": lambda: rotary(few(8192, 8), 32, 128),
    "rotary 64": lambda: rotary(few(8192, 8), 12, 64),
    "int8 cache": lambda: cache_of_bytes(few(8192, 16), 8, 128, torch.int8),
    "e4m3 cache": lambda: cache_of_bytes(few(8192, 16), 8, 128, torch.float8_e4m3fn),
    "decoding int8": lambda: decoding_bytes(few(32, 1), few(8, 2), few(4096, 256), 128, torch.int8),
    "decoding e4m3": lambda: decoding_bytes(few(32, 1), few(8, 2), few(4096, 256), 128, torch.float8_e4m3fn),
    "bits of masks": lambda: masked_by_bits(few(32, 1), few(2048, 256), 64),
    "experts": lambda: experts(few(8192, 64), few(4096, 1536), 64, 8),
    "adapters": lambda: adapters(few(64, 3), few(200, 40), few(4096, 512), 16, 8),
    "adapters 64": lambda: adapters(few(16, 2), few(512, 40), few(4096, 512), 64, 4),
    "beams": lambda: beams(few(32, 1), 8, few(32000, 3000), 16),
    "padded": lambda: padded(few(64, 3), few(512, 40), few(1024, 300)),
}

if __name__ == "__main__":
    run(checked(CASES))
