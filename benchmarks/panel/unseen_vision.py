# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of vision code, written on 29 November 2026 for nobody's measure and tuned for nothing: colours,
gradients, pooling, depthwise convolutions, sizes, medians, windows. Each says what it should leave (--check)."""

import torch
import triton
import triton.language as tl
from torch.nn import functional

from cases import checked, draw, few, integers, on_device, run

F16, I32, U8 = torch.float16, torch.int32, torch.uint8


def picture(*shape):
    return torch.randint(0, 256, shape, device=on_device()).to(U8)


@triton.jit
def rgb_to_hsv_kernel(src_ptr, dst_ptr, n_pixels, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n_pixels
    r = tl.load(src_ptr + offs * 3 + 0, mask=mask, other=0).to(tl.float32) / 255.0
    g = tl.load(src_ptr + offs * 3 + 1, mask=mask, other=0).to(tl.float32) / 255.0
    b = tl.load(src_ptr + offs * 3 + 2, mask=mask, other=0).to(tl.float32) / 255.0
    cmax = tl.maximum(r, tl.maximum(g, b))
    cmin = tl.minimum(r, tl.minimum(g, b))
    delta = cmax - cmin
    safe = tl.where(delta > 0, delta, 1.0)
    hr = (g - b) / safe
    hr = tl.where(hr < 0, hr + 6.0, hr)
    h = tl.where(cmax == r, hr, tl.where(cmax == g, (b - r) / safe + 2.0, (r - g) / safe + 4.0))
    h = tl.where(delta > 0, h / 6.0, 0.0)
    s = tl.where(cmax > 0, delta / tl.where(cmax > 0, cmax, 1.0), 0.0)
    tl.store(dst_ptr + offs * 3 + 0, h.to(dst_ptr.dtype.element_ty), mask=mask)
    tl.store(dst_ptr + offs * 3 + 1, s.to(dst_ptr.dtype.element_ty), mask=mask)
    tl.store(dst_ptr + offs * 3 + 2, cmax.to(dst_ptr.dtype.element_ty), mask=mask)


def colours(pixels):
    image = picture(pixels, 3)
    out = torch.zeros(pixels, 3, dtype=F16, device=on_device())
    rgb_to_hsv_kernel[(triton.cdiv(pixels, 1024),)](image, out, pixels, BLOCK_SIZE=1024)

    def wanted():
        x = image.float() / 255
        (r, g, b), most, apart = x.unbind(1), x.amax(1), x.amax(1) - x.amin(1)
        safe = apart.clamp(min=1e-9)
        hue = torch.where(most == r, ((g - b) / safe) % 6, torch.where(most == g, (b - r) / safe + 2, (r - g) / safe + 4)) / 6
        return torch.stack((torch.where(apart > 0, hue, 0), apart / most.clamp(min=1e-9), most), 1)

    yield out, wanted


@triton.jit
def max_pool_with_indices(x_ptr, y_ptr, idx_ptr, H, W, OH, OW, stride, pad, K: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(1).to(tl.int64)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < OH * OW
    oh = offs // OW
    ow = offs % OW
    best = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    where = tl.zeros((BLOCK,), dtype=tl.int32)
    for i in range(K):
        for j in range(K):
            h = oh * stride - pad + i
            w = ow * stride - pad + j
            ok = mask & (h >= 0) & (h < H) & (w >= 0) & (w < W)
            v = tl.load(x_ptr + plane * H * W + h * W + w, mask=ok, other=float("-inf")).to(tl.float32)
            better = v > best
            best = tl.where(better, v, best)
            where = tl.where(better, h * W + w, where)
    tl.store(y_ptr + plane * OH * OW + offs, best.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(idx_ptr + plane * OH * OW + offs, where, mask=mask)


def pooled(planes, side):
    x = draw(planes, side, side, dtype=F16)
    small = (side - 1) // 2 + 1
    out, places = draw(planes, small, small, dtype=F16), integers(1, planes, small, small)
    max_pool_with_indices[(triton.cdiv(small * small, 512), planes)](x, out, places, side, side, small, small, 2, 1, K=3,
                                                                     BLOCK=512)
    yield out, lambda: functional.max_pool2d(x.float(), 3, 2, 1)
    yield x.flatten(1).gather(1, places.flatten(1).long()), lambda: out.flatten(1), 0.0


@triton.jit
def depthwise_nhwc(x, w, b, y, H, W, C, KS: tl.constexpr, BLOCK_W: tl.constexpr, BLOCK_C: tl.constexpr):
    """ConvNeXt's: each channel by itself, channels last, KS x KS places with zeros around."""
    pid_c = tl.program_id(0)
    pid_hw = tl.program_id(1)
    n = tl.program_id(2)
    blocks_w = tl.cdiv(W, BLOCK_W)
    h = pid_hw // blocks_w
    offs_w = (pid_hw % blocks_w) * BLOCK_W + tl.arange(0, BLOCK_W)
    offs_c = pid_c * BLOCK_C + tl.arange(0, BLOCK_C)
    mask_c = offs_c < C
    acc = tl.zeros((BLOCK_W, BLOCK_C), dtype=tl.float32)
    for kh in range(KS):
        ih = h + kh - KS // 2
        for kw in tl.static_range(KS):
            iw = offs_w + kw - KS // 2
            ok = (ih >= 0) & (ih < H) & (iw[:, None] >= 0) & (iw[:, None] < W) & mask_c[None, :]
            v = tl.load(x + ((n * H + ih) * W + iw[:, None]) * C + offs_c[None, :], mask=ok, other=0.0)
            k = tl.load(w + (kh * KS + kw) * C + offs_c, mask=mask_c, other=0.0)
            acc += v.to(tl.float32) * k.to(tl.float32)[None, :]
    acc += tl.load(b + offs_c, mask=mask_c, other=0.0).to(tl.float32)[None, :]
    tl.store(y + ((n * H + h) * W + offs_w[:, None]) * C + offs_c[None, :], acc.to(y.dtype.element_ty),
             mask=(offs_w[:, None] < W) & mask_c[None, :])


def depthwise(images, side, channels):
    x, weight, bias = draw(images, side, side, channels), draw(7, 7, channels, scale=0.1), draw(channels)
    out = torch.empty_like(x)
    grid = (triton.cdiv(channels, 64), side * triton.cdiv(side, 16), images)
    depthwise_nhwc[grid](x, weight, bias, out, side, side, channels, KS=7, BLOCK_W=16, BLOCK_C=64)
    yield out, lambda: functional.conv2d(x.float().permute(0, 3, 1, 2), weight.float().permute(2, 0, 1)[:, None],
                                         bias.float(), padding=3, groups=channels).permute(0, 2, 3, 1)


@triton.jit
def pixel(img, y, x, H, W):
    inside = (y >= 0) & (y < H) & (x >= 0) & (x < W)
    return tl.load(img + y * W + x, mask=inside, other=0).to(tl.float32)


@triton.jit
def gradients(img, magnitude, bins, H, W, BINS: tl.constexpr, BH: tl.constexpr, BW: tl.constexpr):
    """Sobel's, and which of BINS directions without sign, as HOG has them."""
    y = (tl.program_id(1) * BH + tl.arange(0, BH))[:, None]
    x = (tl.program_id(0) * BW + tl.arange(0, BW))[None, :]
    img += tl.program_id(2).to(tl.int64) * H * W
    a, b, c = pixel(img, y - 1, x - 1, H, W), pixel(img, y - 1, x, H, W), pixel(img, y - 1, x + 1, H, W)
    d, f = pixel(img, y, x - 1, H, W), pixel(img, y, x + 1, H, W)
    g, h, i = pixel(img, y + 1, x - 1, H, W), pixel(img, y + 1, x, H, W), pixel(img, y + 1, x + 1, H, W)
    gx = (c + 2 * f + i) - (a + 2 * d + g)
    gy = (g + 2 * h + i) - (a + 2 * b + c)
    bin = tl.zeros((BH, BW), tl.int32)
    for k in tl.static_range(1, BINS):  # which half planes hold it
        angle = k * 3.14159265358979 / BINS
        sign = tl.where((gy > 0) | ((gy == 0) & (gx >= 0)), 1.0, -1.0)
        bin += (sign * (gy * tl.cos(angle) - gx * tl.sin(angle)) >= 0).to(tl.int32)
    at = tl.program_id(2).to(tl.int64) * H * W + y * W + x
    tl.store(magnitude + at, tl.sqrt(gx * gx + gy * gy), mask=(y < H) & (x < W))
    tl.store(bins + at, bin.to(tl.uint8), mask=(y < H) & (x < W))


def edges(planes, height, width):
    image = picture(planes, height, width)
    size = torch.zeros(planes, height, width, device=on_device())
    bins = torch.zeros_like(image)
    gradients[(triton.cdiv(width, 64), triton.cdiv(height, 16), planes)](image, size, bins, height, width, BINS=9, BH=16, BW=64)

    def turned():
        k = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]], device=on_device())
        both = functional.conv2d(image.float()[:, None], torch.stack((k, k.T))[:, None], padding=1)
        return both[:, 0], both[:, 1]

    yield size, lambda: torch.hypot(*turned())
    yield bins.to(I32), lambda: ((torch.atan2(*turned()[::-1]) % torch.pi) / torch.pi * 9 + 1e-6).floor().clamp(
        max=8).to(I32), 0.01


@triton.jit
def bicubic_weight(t):
    a = -0.75
    t = tl.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return tl.where(t <= 1, near, tl.where(t < 2, far, 0.0))


@triton.jit
def resize_bicubic(src, dst, IH, IW, OH, OW, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    plane = tl.program_id(2).to(tl.int64)
    oh = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    ow = tl.program_id(0) * BLOCK_W + tl.arange(0, BLOCK_W)
    fy = (oh + 0.5) * (IH / OH) - 0.5
    fx = (ow + 0.5) * (IW / OW) - 0.5
    y0, x0 = tl.floor(fy), tl.floor(fx)
    acc = tl.zeros((BLOCK_H, BLOCK_W), tl.float32)
    for i in tl.static_range(-1, 3):
        y = tl.minimum(tl.maximum(y0.to(tl.int32) + i, 0), IH - 1)
        wy = bicubic_weight(fy - (y0 + i))
        for j in tl.static_range(-1, 3):
            x = tl.minimum(tl.maximum(x0.to(tl.int32) + j, 0), IW - 1)
            wx = bicubic_weight(fx - (x0 + j))
            v = tl.load(src + plane * IH * IW + y[:, None] * IW + x[None, :]).to(tl.float32)
            acc += v * wy[:, None] * wx[None, :]
    tl.store(dst + plane * OH * OW + oh[:, None] * OW + ow[None, :], acc.to(dst.dtype.element_ty),
             mask=(oh[:, None] < OH) & (ow[None, :] < OW))


def resized(planes, side, new):
    x, out = draw(planes, side, side), draw(planes, new, new)
    resize_bicubic[(triton.cdiv(new, 64), triton.cdiv(new, 8), planes)](x, out, side, side, new, new, BLOCK_H=8, BLOCK_W=64)
    yield out, lambda: functional.interpolate(x.float()[None], size=(new, new), mode="bicubic", align_corners=False)[0]


@triton.jit
def order(a, b):
    return tl.minimum(a, b), tl.maximum(a, b)


@triton.jit
def median_3x3(src, dst, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    plane = tl.program_id(1).to(tl.int64) * H * W
    for start in range(0, W, BLOCK):
        col = start + tl.arange(0, BLOCK)
        up, down = tl.maximum(row - 1, 0), tl.minimum(row + 1, H - 1)
        left, right = tl.maximum(col - 1, 0), tl.minimum(col + 1, W - 1)
        m = col < W
        p0, p1, p2 = (tl.load(src + plane + up * W + left, mask=m), tl.load(src + plane + up * W + col, mask=m),
                      tl.load(src + plane + up * W + right, mask=m))
        p3, p4, p5 = (tl.load(src + plane + row * W + left, mask=m), tl.load(src + plane + row * W + col, mask=m),
                      tl.load(src + plane + row * W + right, mask=m))
        p6, p7, p8 = (tl.load(src + plane + down * W + left, mask=m), tl.load(src + plane + down * W + col, mask=m),
                      tl.load(src + plane + down * W + right, mask=m))
        p1, p2 = order(p1, p2)
        p4, p5 = order(p4, p5)
        p7, p8 = order(p7, p8)
        p0, p1 = order(p0, p1)
        p3, p4 = order(p3, p4)
        p6, p7 = order(p6, p7)
        p1, p2 = order(p1, p2)
        p4, p5 = order(p4, p5)
        p7, p8 = order(p7, p8)
        low = tl.maximum(tl.maximum(p0, p3), p6)
        high = tl.minimum(tl.minimum(p2, p5), p8)
        p4, p7 = order(p4, p7)
        middle = tl.maximum(p1, p4)
        middle = tl.minimum(middle, p7)
        a, b = order(low, high)
        tl.store(dst + plane + row * W + col, tl.maximum(a, tl.minimum(b, middle)), mask=m)


def medians(planes, height, width):
    image = picture(planes, height, width)
    out = torch.zeros_like(image)
    median_3x3[(height, planes)](image, out, height, width, BLOCK=1024)

    def wanted():
        around = functional.pad(image.float()[:, None], (1, 1, 1, 1), mode="replicate")
        return functional.unfold(around, 3).median(1).values.view(planes, height, width).to(I32)

    yield out.to(I32), wanted


@triton.jit
def window_attention(qkv, bias, out, heads, scale, T: tl.constexpr, D: tl.constexpr, TP: tl.constexpr):
    """Swin's: one head of one window of T places; q, k and v in one array [window, T, 3, heads, D], biases [heads, T, T]."""
    window = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    t = tl.arange(0, TP)
    d = tl.arange(0, D)
    row = qkv + (window * T + t[:, None]) * 3 * heads * D + head * D + d[None, :]
    tm = t[:, None] < T
    q = tl.load(row, mask=tm, other=0.0)
    k = tl.load(row + heads * D, mask=tm, other=0.0)
    v = tl.load(row + 2 * heads * D, mask=tm, other=0.0)
    s = tl.dot(q, tl.trans(k)) * scale
    s += tl.load(bias + (head * T + t[:, None]) * T + t[None, :], mask=tm & (t[None, :] < T), other=float("-inf"))
    s = tl.where(tm, s, 0.0)
    p = tl.exp(s - tl.max(s, 1)[:, None])
    p = p / tl.sum(p, 1)[:, None]
    o = tl.dot(p.to(v.dtype), v)
    tl.store(out + (window * T + t[:, None]) * heads * D + head * D + d[None, :], o.to(out.dtype.element_ty), mask=tm)


def windows(count, heads):
    qkv, bias = draw(count, 49, 3, heads, 32, dtype=F16), draw(heads, 49, 49, dtype=torch.float32)
    out = draw(count, 49, heads, 32, dtype=F16)
    window_attention[(count, heads)](qkv, bias, out, heads, 32 ** -0.5, T=49, D=32, TP=64)

    def wanted():
        q, k, v = qkv.float().permute(2, 0, 3, 1, 4)
        return functional.scaled_dot_product_attention(q, k, v, bias).transpose(1, 2)

    yield out, wanted


CASES = {
    "colours": lambda: colours(few(1 << 24, 5000)),
    "pooled": lambda: pooled(few(64 * 64, 3), few(112, 21)),
    "depthwise": lambda: depthwise(few(64, 1), few(56, 9), few(96, 70)),
    "edges": lambda: edges(few(32, 2), few(1080, 20), few(1920, 100)),
    "resized": lambda: resized(few(96, 2), few(512, 20), few(896, 33)),
    "medians": lambda: medians(few(32, 1), few(1080, 12), few(1920, 1030)),
    "windows": lambda: windows(few(4096, 3), few(12, 2)),
}

if __name__ == "__main__":
    run(checked(CASES))
