# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of serving and training code, of nobody's in particular: what such code does besides plain
products, softmaxes and norms."""

import torch
import triton
import triton.language as tl

from cases import run


@triton.jit
def product_gelu(a, b, bias, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_at = a + row[:, None] * K + depth[None, :]
    b_at = b + depth[:, None] * N + column[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += BK
        b_at += BK * N
    total += tl.load(bias + column)[None, :]
    total = 0.5 * total * (1 + tl.erf(total * 0.70710678))
    tl.store(out + row[:, None] * N + column[None, :], total.to(out.dtype.element_ty))


@triton.jit
def gated(a, b, out, N, KIND: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, B)
    x = tl.load(a + row * N + at, at < N, 0).to(tl.float32)
    y = tl.load(b + row * N + at, at < N, 0)
    if KIND == "tanh":
        inner = 0.7978845608 * (x + 0.044715 * x * x * x)
        e = tl.exp(2 * inner)
        x = 0.5 * x * (1 + (e - 1) / (e + 1))
    else:
        x = x * tl.sigmoid(x)
    tl.store(out + row * N + at, (x * y).to(out.dtype.element_ty), at < N)


@triton.jit
def best(scores, values, places, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, N)
    x = tl.load(scores + row * N + at).to(tl.float32)
    for k in tl.static_range(K):
        top = tl.max(x, 0)
        where = tl.argmax(x, 0)
        tl.store(values + row * K + k, top)
        tl.store(places + row * K + k, where)
        x = tl.where(at == where, float("-inf"), x)


@triton.jit
def sorted_best(scores, values, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(scores + row * N + tl.arange(0, N)).to(tl.float32)
    tl.store(values + row * K + tl.arange(0, K), tl.topk(x, K))


@triton.jit
def quantize_rows(x, out, scales, N, B: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, B)
    values = tl.load(x + row * N + at, at < N, 0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(values), 0), 1e-8) / 448.0
    tl.store(scales + row, scale)
    tl.store(out + row * N + at, (values / scale).to(out.dtype.element_ty), at < N)


@triton.jit
def quantize_groups(x, out, scales, G: tl.constexpr):
    group = tl.program_id(0)
    at = group * G + tl.arange(0, G)
    values = tl.load(x + at).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(values), 0), 1e-8) / 448.0
    tl.store(scales + group, scale)
    tl.store(out + at, (values / scale).to(out.dtype.element_ty))


@triton.jit
def scaled_product(a, b, a_scale, b_scale, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_at = a + row[:, None] * K + depth[None, :]
    b_at = b + column[None, :] * K + depth[:, None]
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        s = tl.load(a_scale + row * (K // BK) + k)
        t = tl.load(b_scale + (column // BK) * (K // BK) + k)
        total += tl.dot(tl.load(a_at), tl.load(b_at)) * s[:, None] * t[None, :]
        a_at += BK
        b_at += BK
    tl.store(out + row[:, None] * N + column[None, :], total.to(out.dtype.element_ty))


@triton.jit
def paged_decode(q, keys, values, table, lengths, out, scale, stride_page, PAGES, PAGE: tl.constexpr, D: tl.constexpr,
                 GROUP: tl.constexpr):
    request, head = tl.program_id(0), tl.program_id(1)
    heads = tl.num_programs(1)
    d = tl.arange(0, D)
    g = tl.arange(0, GROUP)
    query = tl.load(q + ((request * heads + head) * GROUP + g[:, None]) * D + d[None, :])
    length = tl.load(lengths + request)
    most = tl.full((GROUP,), float("-inf"), tl.float32)
    sums = tl.zeros((GROUP,), tl.float32)
    total = tl.zeros((GROUP, D), tl.float32)
    slot = tl.arange(0, PAGE)
    for page in range(0, tl.cdiv(length, PAGE)):
        where = tl.load(table + request * PAGES + page).to(tl.int64)
        at = where * stride_page + (slot * heads + head) * D
        inside = page * PAGE + slot < length
        k = tl.load(keys + at[None, :] + d[:, None], mask=inside[None, :], other=0.0)
        v = tl.load(values + at[:, None] + d[None, :], mask=inside[:, None], other=0.0)
        s = tl.where(inside[None, :], tl.dot(query, k) * scale, float("-inf"))
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp(s - now[:, None])
        keep = tl.exp(most - now)
        sums = sums * keep + tl.sum(p, 1)
        total = total * keep[:, None] + tl.dot(p.to(v.dtype), v)
        most = now
    tl.store(out + ((request * heads + head) * GROUP + g[:, None]) * D + d[None, :],
             (total / sums[:, None]).to(out.dtype.element_ty))


@triton.jit
def four_bit_product(a, b, scales, out, M, N, K, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + row[:, None] * K + k + depth[None, :], mask=row[:, None] < M, other=0.0)
        packed = tl.load(b + ((k + depth[:, None]) // 8) * N + column[None, :])
        scale = tl.load(scales + ((k + depth[:, None]) // G) * N + column[None, :])
        right = ((packed >> ((depth[:, None] % 8) * 4)) & 15) - 8
        total = tl.dot(left, (right.to(tl.float16) * scale), total)
    tl.store(out + row[:, None] * N + column[None, :], total.to(tl.float16), mask=row[:, None] < M)


@triton.jit
def grouped_product(a, b, ids, experts, out, N, K, COUNT, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    block = tl.program_id(0)
    expert = tl.load(experts + block).to(tl.int64)
    token = tl.load(ids + block * BM + tl.arange(0, BM))
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    known = token < COUNT
    a_at = a + token[:, None] * K + depth[None, :]
    b_at = b + expert * N * K + column[None, :] * K + depth[:, None]
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=known[:, None], other=0.0)
        total = tl.dot(left, tl.load(b_at), total)
        a_at += BK
        b_at += BK
    tl.store(out + token[:, None] * N + column[None, :], total.to(out.dtype.element_ty), mask=known[:, None])


@triton.jit
def convolution(x, w, out, H, W, C: tl.constexpr, F, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pixel = tl.program_id(0) * BM + tl.arange(0, BM)
    filters = tl.program_id(1) * BN + tl.arange(0, BN)
    image, place = pixel // (H * W), pixel % (H * W)
    y, column = place // W, place % W
    depth = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, 9 * C, BK):
        step = (k + depth) // C
        channel = (k + depth) % C
        row_at = y[:, None] + (step // 3)[None, :] - 1
        column_at = column[:, None] + (step % 3)[None, :] - 1
        inside = (row_at >= 0) & (row_at < H) & (column_at >= 0) & (column_at < W)
        at = ((image[:, None] * H + row_at) * W + column_at) * C + channel[None, :]
        left = tl.load(x + at, mask=inside, other=0.0)
        right = tl.load(w + (k + depth)[:, None] * F + filters[None, :])
        total = tl.dot(left, right, total)
    tl.store(out + pixel[:, None] * F + filters[None, :], total.to(out.dtype.element_ty))


@triton.jit
def split_product(a, b, out, M, N, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.program_id(2) * BK + tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK * SPLIT)):
        total = tl.dot(tl.load(a + row[:, None] * K + depth[None, :]), tl.load(b + depth[:, None] * N + column[None,
                                                                                                               :]),
                       total)
        depth += BK * SPLIT
    tl.atomic_add(out + row[:, None] * N + column[None, :], total, sem="relaxed")


@triton.jit
def norm_backward(x, w, dy, dx, dw, N, ROWS, eps, B: tl.constexpr):
    first = tl.program_id(0) * ROWS
    at = tl.arange(0, B)
    inside = at < N
    weight = tl.load(w + at, inside, 0).to(tl.float32)
    sums = tl.zeros((B,), tl.float32)
    for row in range(first, first + ROWS):
        value = tl.load(x + row * N + at, inside, 0).to(tl.float32)
        slope = tl.load(dy + row * N + at, inside, 0).to(tl.float32)
        scale = tl.rsqrt(tl.sum(value * value, 0) / N + eps)
        normed = value * scale
        sums += slope * normed
        weighted = slope * weight
        mean = tl.sum(weighted * normed, 0) / N
        tl.store(dx + row * N + at, ((weighted - normed * mean) * scale).to(dx.dtype.element_ty), inside)
    tl.store(dw + tl.program_id(0) * N + at, sums, inside)


@triton.jit
def group_norm(x, w, b, out, SIZE, CHANNELS: tl.constexpr, AREA, eps, B: tl.constexpr):
    group = tl.program_id(0)
    base = group.to(tl.int64) * SIZE
    total = tl.zeros((B,), tl.float32)
    squares = tl.zeros((B,), tl.float32)
    for k in range(0, SIZE, B):
        at = k + tl.arange(0, B)
        value = tl.load(x + base + at, at < SIZE, 0).to(tl.float32)
        total += value
        squares += value * value
    mean = tl.sum(total, 0) / SIZE
    scale = tl.rsqrt(tl.sum(squares, 0) / SIZE - mean * mean + eps)
    first = (group % (512 // CHANNELS)) * CHANNELS
    for k in range(0, SIZE, B):
        at = k + tl.arange(0, B)
        inside = at < SIZE
        channel = first + at // AREA
        value = tl.load(x + base + at, inside, 0).to(tl.float32)
        value = (value - mean) * scale * tl.load(w + channel, inside, 0) + tl.load(b + channel, inside, 0)
        tl.store(out + base + at, value.to(out.dtype.element_ty), inside)


@triton.jit
def running_sums(x, out, N, B: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for k in range(0, N, B):
        at = k + tl.arange(0, B)
        value = tl.load(x + row * N + at, at < N, 0)
        tl.store(out + row * N + at, tl.cumsum(value, 0) + carry, at < N)
        carry += tl.sum(value, 0)


@triton.jit
def rotate(x, cosines, sines, out, HEADS: tl.constexpr, D: tl.constexpr):
    token = tl.program_id(0)
    half = tl.arange(0, D // 2)
    c = tl.load(cosines + token * (D // 2) + half)
    s = tl.load(sines + token * (D // 2) + half)
    head = tl.arange(0, HEADS)
    at = x + token * HEADS * D + head[:, None] * D + half[None, :]
    a = tl.load(at).to(tl.float32)
    b = tl.load(at + D // 2).to(tl.float32)
    to = out + token * HEADS * D + head[:, None] * D + half[None, :]
    tl.store(to, (a * c - b * s).to(out.dtype.element_ty))
    tl.store(to + D // 2, (b * c + a * s).to(out.dtype.element_ty))


@triton.jit
def dropped(x, residual, out, seed, N, p, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, at) > p
    value = tl.load(x + at, at < N)
    tl.store(out + at, tl.where(keep, value / (1 - p), 0.0) + tl.load(residual + at, at < N), at < N)


@triton.jit
def bag(table, ids, offsets, out, D: tl.constexpr):
    which = tl.program_id(0)
    d = tl.arange(0, D)
    total = tl.zeros((D,), tl.float32)
    for k in range(tl.load(offsets + which), tl.load(offsets + which + 1)):
        total += tl.load(table + tl.load(ids + k).to(tl.int64) * D + d).to(tl.float32)
    tl.store(out + which * D + d, total)


@triton.jit
def experts_of(logits, weights, ids, E: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    e = tl.arange(0, E)
    x = tl.load(logits + row[:, None] * E + e[None, :]).to(tl.float32)
    x = tl.exp(x - tl.max(x, 1)[:, None])
    x = x / tl.sum(x, 1)[:, None]
    for k in tl.static_range(K):
        place = tl.argmax(x, 1)
        tl.store(weights + row * K + k, tl.max(x, 1))
        tl.store(ids + row * K + k, place)
        x = tl.where(e[None, :] == place[:, None], -1.0, x)


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda").to(dtype)


def empty(*shape, dtype=torch.bfloat16):
    return torch.zeros(*shape, device="cuda", dtype=dtype)


def whole(count, low, high):
    return torch.randint(low, high, count, device="cuda", dtype=torch.int32)


F8, F16, F32 = torch.float8_e4m3fn, torch.float16, torch.float32


def products():
    product_gelu[32, 32](random(4096, 1024), random(1024, 4096), random(4096), empty(4096, 4096), 4096, 4096, 1024,
                         BM=128, BN=128, BK=64, num_warps=8, num_stages=3)
    split_product[2, 32, 8](random(128, 4096, dtype=F16), random(4096, 4096, dtype=F16), empty(128, 4096, dtype=F32),
                            128, 4096, 4096, SPLIT=8, BM=64, BN=128, BK=64, num_warps=4, num_stages=4)
    convolution[8 * 56 * 56 // 64, 1](random(8, 56, 56, 64, dtype=F16), random(576, 128, dtype=F16),
                                      empty(8, 56, 56, 128, dtype=F16), 56, 56, 64, 128, BM=64, BN=128, BK=64,
                                      num_warps=4, num_stages=3)


def scaled_products():
    for rows, block in ((4096, 128), (64, 64)):
        scaled_product[rows // block, 32](
            random(rows, 4096).to(F8), random(4096, 4096).to(F8), random(rows, 32, dtype=F32), random(32, 32,
                                                                                                      dtype=F32),
            empty(rows, 4096), rows, 4096, 4096, BM=block, BN=128, BK=128, num_warps=4 if block == 64 else 8,
            num_stages=3)


def four_bits():
    for rows, block in ((16, 16), (1024, 64)):
        four_bit_product[rows // block, 64](
            random(rows, 4096, dtype=F16), whole((512, 4096), -2**31, 2**31 - 1), random(32, 4096, dtype=F16),
            empty(rows, 4096, dtype=F16), rows, 4096, 4096, G=128, BM=block, BN=64, BK=64, num_warps=4, num_stages=3)


def experts():
    blocks = 64
    ids = torch.randperm(blocks * 64, device="cuda").to(torch.int32)
    grouped_product[blocks, 16](random(4096, 1024), random(8, 2048, 1024), ids, whole((blocks,), 0, 8).sort().values,
                                empty(4096, 2048), 2048, 1024, 4000, BM=64, BN=128, BK=64, num_warps=4, num_stages=3)


def decoding():
    for page, width in ((16, 128), (64, 64), (128, 128)):
        requests, heads, tokens = 32, 8, 4096
        pages = requests * tokens // page
        table = torch.randperm(pages, device="cuda").to(torch.int32).view(requests, -1)
        paged_decode[requests, heads](
            random(requests, heads, 16, width), random(pages, page, heads, width), random(pages, page, heads, width),
            table, whole((requests,), tokens // 2, tokens), empty(requests, heads, 16, width), width**-0.5,
            page * heads * width, tokens // page, PAGE=page, D=width, GROUP=16, num_warps=4, num_stages=3)


def gates():
    for kind in ("tanh", "silu"):
        gated[8192,](random(8192, 5632), random(8192, 5632), empty(8192, 5632), 5632, KIND=kind, B=8192, num_warps=8)


def selections():
    best[4096,](random(4096, 1024, dtype=F32), empty(4096, 8, dtype=F32), empty(4096, 8, dtype=torch.int32), N=1024,
                K=8)
    sorted_best[4096,](random(4096, 1024, dtype=F32), empty(4096, 8, dtype=F32), N=1024, K=8)
    experts_of[1024,](random(8192, 64), empty(8192, 4, dtype=F32), empty(8192, 4, dtype=torch.int32), E=64, K=4, ROWS=8)


def quantizations():
    quantize_rows[8192,](random(8192, 4096), empty(8192, 4096).to(F8), empty(8192, dtype=F32), 4096, B=4096,
                         num_warps=8)
    quantize_groups[8192 * 32,](random(8192, 4096), empty(8192, 4096).to(F8), empty(8192 * 32, dtype=F32), G=128,
                                num_warps=1)


def norms():
    norm_backward[264,](random(8448, 4096), random(4096), random(8448, 4096), empty(8448, 4096),
                        empty(264, 4096, dtype=F32), 4096, 32, 1e-6, B=4096, num_warps=8)
    group_norm[32 * 32,](random(32, 512, 32, 32), random(512), random(512), empty(32, 512, 32, 32), 16 * 1024, 16, 1024,
                         1e-5, B=2048, num_warps=4)


def streams():
    running_sums[2048,](random(2048, 8192, dtype=F32), empty(2048, 8192, dtype=F32), 8192, B=1024)
    rotate[8192,](random(8192, 32, 128), random(8192, 64, dtype=F32), random(8192, 64, dtype=F32), empty(8192, 32, 128),
                  HEADS=32, D=128)
    count = 1 << 25
    dropped[count // 1024,](random(count), random(count), empty(count), 7, count, 0.1, B=1024)
    offsets = torch.arange(0, 16385, device="cuda", dtype=torch.int32) * 20
    bag[16384,](random(100000, 256), whole((16384 * 20,), 0, 100000), offsets, empty(16384, 256, dtype=F32), D=256,
                num_warps=2)


run({function.__name__: function for function in (products, scaled_products, four_bits, experts, decoding, gates,
                                                  selections, quantizations, norms, streams)})
