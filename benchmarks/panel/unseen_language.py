# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of language models' code, written on 29 November 2026 for nobody's measure and tuned for nothing:
rotations, windows with sinks, pages, latent attention, experts, four bits, checks of drafts. Each says what it should leave
(--check)."""

import torch
import triton
import triton.language as tl
from torch.nn import functional

from cases import checked, draw, few, integers, on_device, run

F32, I32 = torch.float32, torch.int32
E4M3 = torch.float8_e4m3fn


@triton.jit
def rope_half_kernel(qkv_ptr, cos_sin_ptr, pos_ptr, stride_token, ROT: tl.constexpr, HEAD_DIM: tl.constexpr,
                     N_ROT_HEADS: tl.constexpr, BLOCK_H: tl.constexpr):
    """Half against half, a part of each head only (as GPT-NeoX), queries and keys of one array, in place."""
    token = tl.program_id(0)
    pos = tl.load(pos_ptr + token)
    half: tl.constexpr = ROT // 2
    i = tl.arange(0, half)
    cos = tl.load(cos_sin_ptr + pos * ROT + i)
    sin = tl.load(cos_sin_ptr + pos * ROT + half + i)
    for h0 in tl.static_range(0, N_ROT_HEADS, BLOCK_H):
        h = h0 + tl.arange(0, BLOCK_H)
        m = (h < N_ROT_HEADS)[:, None]
        base = qkv_ptr + token * stride_token + h[:, None] * HEAD_DIM + i[None, :]
        x1 = tl.load(base, mask=m, other=0.0)
        x2 = tl.load(base + half, mask=m, other=0.0)
        y1 = x1 * cos[None, :] - x2 * sin[None, :]
        y2 = x2 * cos[None, :] + x1 * sin[None, :]
        tl.store(base, y1.to(qkv_ptr.dtype.element_ty), mask=m)
        tl.store(base + half, y2.to(qkv_ptr.dtype.element_ty), mask=m)


def rotated(tokens, heads, kv_heads, width, part):
    qkv = draw(tokens, heads + 2 * kv_heads, width)
    before = qkv.float()
    angles = torch.arange(4096)[:, None] / 10000 ** (torch.arange(0, part, 2)[None, :] / part)
    table = torch.cat((angles.cos(), angles.sin()), 1).to(on_device())
    positions = integers(4096, tokens)
    rope_half_kernel[(tokens,)](qkv, table, positions, qkv.stride(0), ROT=part, HEAD_DIM=width, N_ROT_HEADS=heads + kv_heads,
                                BLOCK_H=16)

    def wanted():
        c, s = table[positions.long()][:, None].chunk(2, -1)
        turning, rest = before[:, :heads + kv_heads, :part], before[:, :heads + kv_heads, part:]
        a, b = turning.chunk(2, -1)
        turned = torch.cat((a * c - b * s, b * c + a * s, rest), -1)
        return torch.cat((turned, before[:, heads + kv_heads:]), 1)

    yield qkv, wanted


@triton.jit
def attend_window(Q, K, V, sinks, Out, sm_scale, softcap, stride_qt, stride_kt, seq_starts, GROUP: tl.constexpr,
                  WINDOW: tl.constexpr, HAS_SINK: tl.constexpr, HAS_CAP: tl.constexpr, HEAD: tl.constexpr,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Sequences of any length one behind another; a query sees the WINDOW keys up to itself, and a sink of its head."""
    start_m = tl.program_id(0)
    head = tl.program_id(1)
    seq = tl.program_id(2)
    first = tl.load(seq_starts + seq)
    length = tl.load(seq_starts + seq + 1) - first
    if start_m * BLOCK_M >= length:
        return
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD)
    q_ptrs = Q + (first + offs_m[:, None]).to(tl.int64) * stride_qt + head * HEAD + offs_d[None, :]
    q = tl.load(q_ptrs, mask=offs_m[:, None] < length, other=0.0)
    if HAS_SINK:
        m_i = tl.zeros([BLOCK_M], tl.float32) + tl.load(sinks + head).to(tl.float32) * 1.44269504
        l_i = tl.full([BLOCK_M], 1.0, tl.float32)
    else:
        m_i = tl.full([BLOCK_M], -float("inf"), tl.float32)
        l_i = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD], tl.float32)
    kv = (head // GROUP) * HEAD + offs_d
    lo = tl.maximum(start_m * BLOCK_M - WINDOW + 1, 0) // BLOCK_N * BLOCK_N
    hi = tl.minimum((start_m + 1) * BLOCK_M, length)
    for n in range(lo, hi, BLOCK_N):
        offs_n = n + tl.arange(0, BLOCK_N)
        row = (first + offs_n).to(tl.int64) * stride_kt
        k = tl.load(K + row[None, :] + kv[:, None], mask=offs_n[None, :] < length, other=0.0)
        qk = tl.dot(q, k) * sm_scale
        if HAS_CAP:
            t = qk / softcap
            qk = softcap * (2 * tl.sigmoid(2 * t) - 1)
        ahead = offs_m[:, None] - offs_n[None, :]
        qk = tl.where((ahead >= 0) & (ahead < WINDOW), qk * 1.44269504, -1.0e30)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + row[:, None] + kv[None, :], mask=offs_n[:, None] < length, other=0.0)
        acc += tl.dot(p.to(v.dtype), v)
        m_i = m_ij
    out_ptrs = Out + (first + offs_m[:, None]).to(tl.int64) * stride_qt + head * HEAD + offs_d[None, :]
    tl.store(out_ptrs, (acc / l_i[:, None]).to(Out.dtype.element_ty), mask=offs_m[:, None] < length)


def windowed(lengths, heads, kv_heads, width, window, sink, cap):
    starts = torch.tensor([0, *lengths]).cumsum(0).to(I32).to(on_device())
    total = sum(lengths)
    q, k, v = draw(total, heads, width), draw(total, kv_heads, width), draw(total, kv_heads, width)
    sinks, out = draw(heads), torch.empty_like(q)
    grid = (triton.cdiv(max(lengths), 128), heads, len(lengths))
    attend_window[grid](q, k, v, sinks, out, width ** -0.5, cap or 1.0, q.stride(0), k.stride(0), starts,
                        GROUP=heads // kv_heads, WINDOW=window, HAS_SINK=sink, HAS_CAP=cap is not None, HEAD=width, BLOCK_M=128,
                        BLOCK_N=64, num_warps=8, num_stages=2)

    def wanted():
        found = []
        for a, b, c in zip(*(each.float().split(lengths) for each in (q, k, v))):
            b, c = (each.repeat_interleave(heads // kv_heads, 1).transpose(0, 1) for each in (b, c))
            s = a.transpose(0, 1) @ b.transpose(1, 2) * width ** -0.5
            s = s if cap is None else cap * torch.tanh(s / cap)
            at = torch.arange(len(a), device=on_device())
            s = s.masked_fill((at[:, None] < at) | (at[:, None] - at >= window), float("-inf"))
            if sink:
                s = torch.cat((s, sinks.float()[:, None, None].expand(-1, len(a), 1)), -1)
            found.append((s.softmax(-1)[..., :len(a)] @ c).transpose(0, 1))
        return torch.cat(found)

    yield out, wanted


@triton.jit
def reshape_and_cache(key, value, key_cache, value_cache, slot_mapping, k_scale, v_scale, stride_k, PAGE: tl.constexpr,
                      HEADS: tl.constexpr, D: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slot_mapping + token)
    if slot < 0:
        return
    page, place = slot // PAGE, slot % PAGE
    offs = tl.arange(0, HEADS * D)
    k = tl.load(key + token * stride_k + offs).to(tl.float32) / tl.load(k_scale)
    v = tl.load(value + token * stride_k + offs).to(tl.float32) / tl.load(v_scale)
    head, d = offs // D, offs % D
    target = ((page * HEADS + head) * PAGE + place) * D + d
    tl.store(key_cache + target, k.to(key_cache.dtype.element_ty))
    tl.store(value_cache + target, v.to(value_cache.dtype.element_ty))


@triton.jit
def paged_split(q, key_cache, value_cache, tables, lengths, mid, mid_lse, k_scale, v_scale, sm_scale, MAX_PAGES,
                HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr, SPLITS: tl.constexpr,
                BLOCK_G: tl.constexpr):
    """One query of each request, its keys cut in SPLITS parts of whole pages of eight bits."""
    req, head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths + req)
    pages = tl.cdiv(length, PAGE)
    each = tl.cdiv(pages, SPLITS)
    g, d, t = tl.arange(0, BLOCK_G), tl.arange(0, D), tl.arange(0, PAGE)
    mask_g = g < GROUP
    query = tl.load(q + ((req * HEADS + head) * GROUP + g[:, None]) * D + d[None, :], mask=mask_g[:, None], other=0.0)
    m_i = tl.full((BLOCK_G,), -1e30, tl.float32)
    l_i = tl.zeros((BLOCK_G,), tl.float32)
    acc = tl.zeros((BLOCK_G, D), tl.float32)
    factor = sm_scale * tl.load(k_scale)
    for page in range(split * each, tl.minimum((split + 1) * each, pages)):
        physical = tl.load(tables + req * MAX_PAGES + page).to(tl.int64)
        base = (physical * HEADS + head) * PAGE * D
        k = tl.load(key_cache + base + t[None, :] * D + d[:, None])
        s = tl.dot(query, k.to(query.dtype)) * factor
        s = tl.where(page * PAGE + t[None, :] < length, s, -1e30)
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        old = tl.exp(m_i - m_new)
        v = tl.load(value_cache + base + t[:, None] * D + d[None, :])
        acc = acc * old[:, None] + tl.dot(p.to(query.dtype), v.to(query.dtype))
        l_i = l_i * old + tl.sum(p, 1)
        m_i = m_new
    at = ((req * HEADS + head) * GROUP + g) * SPLITS + split
    safe = tl.where(l_i > 0, l_i, 1.0)
    tl.store(mid + at[:, None] * D + d[None, :], acc / safe[:, None] * tl.load(v_scale), mask=mask_g[:, None])
    tl.store(mid_lse + at, tl.where(l_i > 0, m_i + tl.log(safe), -float("inf")), mask=mask_g)


@triton.jit
def merge_splits(mid, mid_lse, out, SPLITS: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    most, total = -float("inf"), 0.0
    acc = tl.zeros((D,), tl.float32)
    for s in range(SPLITS):
        lse = tl.load(mid_lse + row * SPLITS + s)
        if lse > -float("inf"):
            now = tl.maximum(most, lse)
            old, new = tl.exp(most - now), tl.exp(lse - now)
            acc = acc * old + new * tl.load(mid + (row * SPLITS + s) * D + d)
            total = total * old + new
            most = now
    tl.store(out + row * D + d, (acc / total).to(out.dtype.element_ty))


def paged(requests, heads, group, longest, page, splits):
    width, most = 128, triton.cdiv(longest, page)
    pages = torch.randperm(requests * most).view(requests, most).to(I32).to(on_device())
    caches = [torch.zeros(requests * most, heads, page, width, dtype=E4M3, device=on_device()) for _ in range(2)]
    tokens = requests * longest
    keys, values = draw(tokens, heads, width), draw(tokens, heads, width)
    place = torch.arange(longest, device=on_device())
    slots = (pages[:, place // page].long() * page + place % page).flatten()
    scales = [torch.tensor([each], device=on_device()) for each in (0.02, 0.03)]
    reshape_and_cache[(tokens,)](keys, values, *caches, slots, *scales, keys.stride(0), PAGE=page, HEADS=heads, D=width)
    stored = [cache.float().transpose(1, 2).flatten(0, 1)[slots] * scale for cache, scale in zip(caches, scales)]
    yield stored[0], lambda: keys.float(), 0.07
    yield stored[1], lambda: values.float(), 0.07
    q, lengths = draw(requests, heads, group, width), integers(longest - longest // 2, requests) + longest // 2
    mid = torch.zeros(requests, heads, group, splits, width, device=on_device())
    sums = torch.zeros(requests, heads, group, splits, device=on_device())
    paged_split[(requests, heads, splits)](q, *caches, pages, lengths, mid, sums, *scales, width ** -0.5, most, HEADS=heads,
                                           GROUP=group, D=width, PAGE=page, SPLITS=splits, BLOCK_G=16)
    out = torch.empty_like(q)
    merge_splits[(requests * heads * group,)](mid, sums, out, SPLITS=splits, D=width, num_warps=1)

    def wanted():
        k, v = (each.view(requests, longest, heads, width).permute(0, 2, 1, 3) for each in stored)
        s = q.float() @ k.transpose(-1, -2) * width ** -0.5
        return s.masked_fill(place >= lengths[:, None, None, None], float("-inf")).softmax(-1) @ v

    yield out, wanted


@triton.jit
def latent_decode(q, cache, lengths, out, sm_scale, L, H: tl.constexpr, RANK: tl.constexpr, ROPE: tl.constexpr,
                  BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr):
    """Attention over compressed keys, which are the values too: RANK numbers of a token and ROPE turned ones."""
    req, block = tl.program_id(0), tl.program_id(1)
    h = block * BLOCK_H + tl.arange(0, BLOCK_H)
    c, r, n = tl.arange(0, RANK), tl.arange(0, ROPE), tl.arange(0, BLOCK_N)
    width: tl.constexpr = RANK + ROPE
    q_c = tl.load(q + (req * H + h[:, None]) * width + c[None, :])
    q_r = tl.load(q + (req * H + h[:, None]) * width + RANK + r[None, :])
    e_max = tl.zeros((BLOCK_H,), tl.float32) - float("inf")
    e_sum = tl.zeros((BLOCK_H,), tl.float32)
    acc = tl.zeros((BLOCK_H, RANK), tl.float32)
    length = tl.load(lengths + req)
    for start in range(0, length, BLOCK_N):
        row = (req * L + start + n).to(tl.int64) * width
        m = start + n < length
        kv = tl.load(cache + row[:, None] + c[None, :], mask=m[:, None], other=0.0)
        pe = tl.load(cache + row[:, None] + RANK + r[None, :], mask=m[:, None], other=0.0)
        qk = tl.dot(q_c, kv.T)
        qk += tl.dot(q_r, pe.T)
        qk = tl.where(m[None, :], qk * sm_scale, float("-inf"))
        n_max = tl.maximum(tl.max(qk, 1), e_max)
        scale = tl.exp(e_max - n_max)
        p = tl.exp(qk - n_max[:, None])
        acc = acc * scale[:, None] + tl.dot(p.to(kv.dtype), kv)
        e_sum = e_sum * scale + tl.sum(p, 1)
        e_max = n_max
    tl.store(out + (req * H + h[:, None]) * RANK + c[None, :], (acc / e_sum[:, None]).to(out.dtype.element_ty))


def latent(requests, heads, longest, rank, turned):
    q, cache = draw(requests, heads, rank + turned), draw(requests, longest, rank + turned)
    lengths = integers(longest // 2, requests) + longest // 2
    out = draw(requests, heads, rank)
    latent_decode[(requests, heads // 16)](q, cache, lengths, out, (rank + turned) ** -0.5, longest, H=heads, RANK=rank,
                                           ROPE=turned, BLOCK_H=16, BLOCK_N=32)

    def wanted():
        s = q.float() @ cache.float().transpose(1, 2) * (rank + turned) ** -0.5
        outside = torch.arange(longest, device=on_device()) >= lengths[:, None, None]
        return s.masked_fill(outside, float("-inf")).softmax(-1) @ cache.float()[..., :rank]

    yield out, wanted


@triton.jit
def add_norm_quantise(x_ptr, residual_ptr, weight_ptr, out_ptr, scale_ptr, n_cols, eps, BLOCK: tl.constexpr,
                      MOST: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * n_cols
    residual_ptr += row * n_cols
    out_ptr += row * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32) + tl.load(residual_ptr + cols, mask=mask, other=0.0)
    tl.store(residual_ptr + cols, x.to(residual_ptr.dtype.element_ty), mask=mask)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps) * tl.load(weight_ptr + cols, mask=mask, other=0.0)
    amax = tl.maximum(tl.max(tl.abs(y), axis=0), 1e-10)
    tl.store(scale_ptr + row, amax / MOST)
    y = y * (MOST / amax)
    if out_ptr.dtype.element_ty == tl.int8:
        y = tl.where(y >= 0, y + 0.5, y - 0.5)
    tl.store(out_ptr + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def normed(rows, width, kind, warps):
    x, residual, weight = draw(rows, width), draw(rows, width), draw(width)
    whole = x.float() + residual.float()
    out, scales = torch.zeros(rows, width, dtype=kind, device=on_device()), draw(rows, dtype=F32)
    add_norm_quantise[(rows,)](x, residual, weight, out, scales, width, 1e-6, BLOCK=triton.next_power_of_2(width),
                               MOST=127.0 if kind == torch.int8 else 448.0, num_warps=warps)
    yield residual, lambda: whole
    yield out.float() * scales[:, None], lambda: functional.rms_norm(whole, (width,), weight.float(), 1e-6), 0.04


@triton.jit
def gate_and_quantise(x, out, scales, N, GROUP: tl.constexpr, GROUPS: tl.constexpr, LIMIT: tl.constexpr):
    """silu(gate) * up with a limit on both, a scale for each GROUP columns."""
    row = tl.program_id(0).to(tl.int64)
    group = tl.program_id(1) * GROUPS + tl.arange(0, GROUPS)
    col = group[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    m = col < N
    gate = tl.minimum(tl.load(x + row * 2 * N + col, mask=m, other=0.0).to(tl.float32), LIMIT)
    up = tl.load(x + row * 2 * N + N + col, mask=m, other=0.0).to(tl.float32)
    up = tl.clamp(up, -LIMIT, LIMIT)
    y = gate / (1 + tl.exp(-gate)) * up
    scale = tl.maximum(tl.max(tl.abs(y), 1), 1e-6) / 448.0
    scale = tl.exp2(tl.ceil(tl.log2(scale)))
    tl.store(out + row * N + col, (y / scale[:, None]).to(out.dtype.element_ty), mask=m)
    tl.store(scales + row * (N // GROUP) + group, scale, mask=group < N // GROUP)


def gated(rows, width):
    x, out = draw(rows, 2 * width), torch.zeros(rows, width, dtype=E4M3, device=on_device())
    scales = draw(rows, width // 128, dtype=F32)
    gate_and_quantise[(rows, triton.cdiv(width, 1024))](x, out, scales, width, GROUP=128, GROUPS=8, LIMIT=7.0)
    gate, up = x.float().chunk(2, 1)
    yield out.float() * scales.repeat_interleave(128, 1), lambda: functional.silu(gate.clamp(max=7)) * up.clamp(-7, 7), 0.05


@triton.jit
def route_groups(logits, bias, weights, ids, E: tl.constexpr, GROUPS: tl.constexpr, TOP_GROUPS: tl.constexpr,
                 TOP_K: tl.constexpr, FACTOR: tl.constexpr):
    """The best TOP_K experts of the TOP_GROUPS groups whose two best are best; scores are sigmoids, a bias chooses."""
    token = tl.program_id(0)
    each: tl.constexpr = E // GROUPS
    e = tl.arange(0, E)
    score = tl.sigmoid(tl.load(logits + token * E + e).to(tl.float32))
    choice = score + tl.load(bias + e)
    grouped = tl.reshape(choice, (GROUPS, each))
    best = tl.max(grouped, 1)
    at = tl.argmax(grouped, 1)
    second = tl.max(tl.where(tl.arange(0, each)[None, :] == at[:, None], -float("inf"), grouped), 1)
    group_score = best + second
    g = tl.arange(0, GROUPS)
    better = (group_score[None, :] > group_score[:, None]) | ((group_score[None, :] == group_score[:, None])
                                                              & (g[None, :] < g[:, None]))
    is_kept = tl.sum(better.to(tl.int32), 1) < TOP_GROUPS
    choice = tl.reshape(tl.where(is_kept[:, None], grouped, -float("inf")), (E,))
    k = tl.arange(0, TOP_K)
    found, found_w = tl.zeros((TOP_K,), tl.int32), tl.zeros((TOP_K,), tl.float32)
    for i in tl.static_range(TOP_K):
        top = tl.argmax(choice, 0)
        w = tl.sum(tl.where(e == top, score, 0.0), 0)
        found, found_w = tl.where(k == i, top, found), tl.where(k == i, w, found_w)
        choice = tl.where(e == top, -float("inf"), choice)
    tl.store(ids + token * TOP_K + k, found)
    tl.store(weights + token * TOP_K + k, found_w / tl.sum(found_w, 0) * FACTOR)


def routed(tokens, experts):
    logits, bias = draw(tokens, experts, dtype=F32), draw(experts, dtype=F32, scale=0.1)
    weights, ids = draw(tokens, 8, dtype=F32), integers(1, tokens, 8)
    route_groups[(tokens,)](logits, bias, weights, ids, E=experts, GROUPS=8, TOP_GROUPS=4, TOP_K=8, FACTOR=2.5, num_warps=1)

    def wanted():
        score = logits.sigmoid()
        choice = (score + bias).view(tokens, 8, -1)
        kept = torch.zeros(tokens, 8, device=on_device()).scatter(1, choice.topk(2).values.sum(-1).topk(4).indices, 1.0)
        best = choice.masked_fill(kept[..., None] == 0, float("-inf")).flatten(1).topk(8).indices
        return best, score.gather(1, best)

    yield ids, lambda: wanted()[0].to(I32), 0.001
    yield weights, lambda: wanted()[1] / wanted()[1].sum(1, keepdim=True) * 2.5


@triton.jit
def fused_experts(A, B, C, sorted_ids, expert_of, weights, n_padded, N, K, n_valid, stride_be, stride_bn, TOP_K: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr):
    """Tokens sorted by expert and padded to blocks; each row times its expert's matrix and its weight."""
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(n_padded, BM), tl.cdiv(N, BN)
    in_group = GROUP_M * tiles_n
    first_m = pid // in_group * GROUP_M
    size_m = min(tiles_m - first_m, GROUP_M)
    pid_m = first_m + (pid % in_group) % size_m
    pid_n = (pid % in_group) // size_m
    token = tl.load(sorted_ids + pid_m * BM + tl.arange(0, BM))
    valid = token < n_valid
    expert = tl.load(expert_of + pid_m).to(tl.int64)
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = A + (token[:, None] // TOP_K).to(tl.int64) * K + offs_k[None, :]
    b_ptrs = B + expert * stride_be + offs_n[None, :] * stride_bn + offs_k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=valid[:, None] & (offs_k[None, :] < K - k * BK), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK
        b_ptrs += BK
    acc *= tl.load(weights + token, mask=valid, other=0.0)[:, None]
    out_n = pid_n * BN + tl.arange(0, BN)
    tl.store(C + token[:, None].to(tl.int64) * N + out_n[None, :], acc.to(C.dtype.element_ty),
             mask=valid[:, None] & (out_n[None, :] < N))


def experts(tokens, width, inner, count, top, block):
    x, matrices = draw(tokens, width), draw(count, inner, width, scale=width ** -0.5)
    choices = torch.rand(tokens, count).topk(top).indices.to(on_device()).flatten()
    weights = torch.rand(tokens * top).to(on_device())
    parts, which = [], []
    for expert in range(count):
        rows = (choices == expert).nonzero()[:, 0]
        short = -len(rows) % block
        parts.append(functional.pad(rows, (0, short), value=tokens * top))
        which += [expert] * ((len(rows) + short) // block)
    rows, which = torch.cat(parts).to(I32), torch.tensor(which, dtype=I32, device=on_device())
    out = draw(tokens * top, inner)
    grid = (len(which) * triton.cdiv(inner, 128),)
    fused_experts[grid](x, matrices, out, rows, which, weights, len(rows), inner, width, tokens * top, matrices.stride(0),
                        matrices.stride(1), TOP_K=top, BM=block, BN=128, BK=64, GROUP_M=8, num_stages=3)

    def wanted():
        found = torch.empty(tokens * top, inner, device=on_device())
        for expert in range(count):
            own = (choices == expert).nonzero()[:, 0]
            found[own] = x[own // top].float() @ matrices[expert].float().T * weights[own, None]
        return found

    yield out, wanted


CASES = {
    "rotated": lambda: rotated(few(16384, 6), 32, 8, 128, 128),
    "rotated in part": lambda: rotated(few(16384, 6), few(64, 20), 2, 80, 32),
    "window and sink": lambda: windowed(few([4096, 1500, 3000, 700], [150, 40]), few(64, 4), few(8, 2), 64, 128, True, None),
    "window and cap": lambda: windowed(few([4096, 3000], [150, 40]), few(16, 2), few(8, 1), 128, few(1024, 100), False, 50.0),
    "paged 16": lambda: paged(few(64, 2), few(8, 2), 4, few(4096, 100), 16, 8),
    "paged 64": lambda: paged(few(64, 2), few(8, 2), 8, few(4096, 200), 64, 4),
    "latent": lambda: latent(few(128, 1), few(128, 16), few(2048, 70), 512, 64),
    "normed to int8": lambda: normed(few(16384, 4), few(4096, 300), torch.int8, 8),
    "normed to e4m3": lambda: normed(few(16384, 4), few(7168, 300), E4M3, 16),
    "gated": lambda: gated(few(16384, 4), few(14336, 1280)),
    "routed": lambda: routed(few(65536, 20), 256),
    "experts many": lambda: experts(few(8192, 40), few(2048, 192), few(1536, 200), few(64, 4), 4, 128),
    "experts few": lambda: experts(few(64, 10), few(4096, 192), few(2048, 200), few(32, 4), 4, 16),
}

if __name__ == "__main__":
    run(checked(CASES))
