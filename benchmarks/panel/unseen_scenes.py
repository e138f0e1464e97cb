# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of detection and of three dimensions, written on 29 November 2026 for nobody's measure and tuned for
nothing: boxes, regions, moved taps, clouds of points, rays. Each says what it should leave (--check)."""

import torch
import triton
import triton.language as tl
from torch.nn import functional

from cases import checked, draw, few, integers, on_device, run

F16, F32, I32 = torch.float16, torch.float32, torch.int32


@triton.jit
def nms_mask_kernel(boxes, mask_out, N, iou_threshold, WORDS, BLOCK: tl.constexpr):
    """For each box the bits of those after it that overlap it too much: words of BLOCK boxes."""
    row_block, col_block = tl.program_id(0), tl.program_id(1)
    if col_block >= row_block:
        i = row_block * BLOCK + tl.arange(0, BLOCK)
        j = col_block * BLOCK + tl.arange(0, BLOCK)
        mi, mj = i < N, j < N
        ax1, ay1 = tl.load(boxes + i * 4, mask=mi, other=0.0), tl.load(boxes + i * 4 + 1, mask=mi, other=0.0)
        ax2, ay2 = tl.load(boxes + i * 4 + 2, mask=mi, other=0.0), tl.load(boxes + i * 4 + 3, mask=mi, other=0.0)
        bx1, by1 = tl.load(boxes + j * 4, mask=mj, other=0.0), tl.load(boxes + j * 4 + 1, mask=mj, other=0.0)
        bx2, by2 = tl.load(boxes + j * 4 + 2, mask=mj, other=0.0), tl.load(boxes + j * 4 + 3, mask=mj, other=0.0)
        w = tl.maximum(tl.minimum(ax2[:, None], bx2[None, :]) - tl.maximum(ax1[:, None], bx1[None, :]), 0.0)
        h = tl.maximum(tl.minimum(ay2[:, None], by2[None, :]) - tl.maximum(ay1[:, None], by1[None, :]), 0.0)
        inter = w * h
        area_a, area_b = (ax2 - ax1) * (ay2 - ay1), (bx2 - bx1) * (by2 - by1)
        iou = inter / (area_a[:, None] + area_b[None, :] - inter)
        hit = (iou > iou_threshold) & (j[None, :] > i[:, None]) & mj[None, :]
        bits = hit.to(tl.int64) << tl.arange(0, BLOCK).to(tl.int64)[None, :]
        tl.store(mask_out + i.to(tl.int64) * WORDS + col_block, tl.sum(bits, 1), mask=mi)


@triton.jit
def nms_sweep_kernel(mask, keep, N, WORDS, BLOCK_W: tl.constexpr):
    w = tl.arange(0, BLOCK_W)
    removed = tl.zeros((BLOCK_W,), tl.int64)
    for i in range(N):
        word = tl.sum(tl.where(w == i // 64, removed, 0))
        is_kept = ((word >> (i % 64)) & 1) == 0
        tl.store(keep + i, is_kept.to(tl.int8))
        row = tl.load(mask + i * WORDS + w, mask=(w < WORDS) & is_kept & (w >= i // 64), other=0)
        removed |= row


def suppressed(count):
    corner = torch.rand(count, 2) * 100
    boxes = torch.cat((corner, corner + torch.rand(count, 2) * 30 + 1), 1).to(on_device())
    words = triton.cdiv(count, 64)
    mask = torch.zeros(count, words, dtype=torch.int64, device=on_device())
    nms_mask_kernel[(words, words)](boxes, mask, count, 0.5, words, BLOCK=64)

    def overlap():
        low, high = torch.maximum(boxes[:, None, :2], boxes[:, :2]), torch.minimum(boxes[:, None, 2:], boxes[:, 2:])
        inter, area = (high - low).clamp(min=0).prod(-1), (boxes[:, 2:] - boxes[:, :2]).prod(-1)
        return (inter / (area[:, None] + area - inter) > 0.5).triu(1)

    shifts = torch.arange(64, device=on_device())
    yield ((mask[..., None] >> shifts) & 1).flatten(1)[:, :count].to(I32), lambda: overlap().to(I32), 1e-5
    keep = torch.zeros(count, dtype=torch.int8, device=on_device())
    nms_sweep_kernel[(1,)](mask, keep, count, words, BLOCK_W=triton.next_power_of_2(words), num_warps=2)

    def swept():
        hits, kept = overlap(), torch.ones(count, dtype=torch.bool, device=on_device())
        for i in range(count):
            if kept[i]:
                kept &= ~hits[i]
        return kept.to(I32)

    yield keep.to(I32), swept, 0.01


@triton.jit
def roi_align_forward(feat, rois, out, C, H, W, scale, PH: tl.constexpr, PW: tl.constexpr, SR: tl.constexpr,
                      BLOCK_C: tl.constexpr):
    roi = tl.program_id(0)
    cell = tl.program_id(1)
    ph, pw = cell // PW, cell % PW
    batch = tl.load(rois + roi * 5).to(tl.int64)
    x1, y1 = tl.load(rois + roi * 5 + 1) * scale - 0.5, tl.load(rois + roi * 5 + 2) * scale - 0.5
    x2, y2 = tl.load(rois + roi * 5 + 3) * scale - 0.5, tl.load(rois + roi * 5 + 4) * scale - 0.5
    bin_w, bin_h = (x2 - x1) / PW, (y2 - y1) / PH
    for c0 in range(0, C, BLOCK_C):
        c = c0 + tl.arange(0, BLOCK_C)
        mc = c < C
        base = feat + batch * H * W * C + c
        acc = tl.zeros((BLOCK_C,), tl.float32)
        for iy in range(SR):
            y = y1 + ph * bin_h + (iy + 0.5) * bin_h / SR
            for ix in range(SR):
                x = x1 + pw * bin_w + (ix + 0.5) * bin_w / SR
                if (y > -1.0) & (y < H) & (x > -1.0) & (x < W):
                    yy, xx = tl.maximum(y, 0.0), tl.maximum(x, 0.0)
                    yl, xl = tl.minimum(yy.to(tl.int32), H - 1), tl.minimum(xx.to(tl.int32), W - 1)
                    yh, xh = tl.minimum(yl + 1, H - 1), tl.minimum(xl + 1, W - 1)
                    ly, lx = tl.minimum(yy - yl, 1.0), tl.minimum(xx - xl, 1.0)
                    v00 = tl.load(base + (yl * W + xl) * C, mask=mc, other=0.0).to(tl.float32)
                    v01 = tl.load(base + (yl * W + xh) * C, mask=mc, other=0.0).to(tl.float32)
                    v10 = tl.load(base + (yh * W + xl) * C, mask=mc, other=0.0).to(tl.float32)
                    v11 = tl.load(base + (yh * W + xh) * C, mask=mc, other=0.0).to(tl.float32)
                    acc += (1 - ly) * ((1 - lx) * v00 + lx * v01) + ly * ((1 - lx) * v10 + lx * v11)
        tl.store(out + (roi.to(tl.int64) * PH * PW + cell) * C + c, (acc / (SR * SR)).to(out.dtype.element_ty), mask=mc)


def regions(images, side, channels, count):
    feat = draw(images, side, side, channels, dtype=F16)
    corner = torch.rand(count, 2) * side * 2
    rois = torch.cat((torch.randint(0, images, (count, 1)).float(), corner, corner + torch.rand(count, 2) * side + 8), 1)
    rois = rois.to(on_device())
    out = draw(count, 49, channels, dtype=F16)
    roi_align_forward[(count, 49)](feat, rois, out, channels, side, side, 0.25, PH=7, PW=7, SR=2, BLOCK_C=128, num_warps=2)

    def wanted():
        first, last = rois[:, 1:3] * 0.25 - 0.5, rois[:, 3:5] * 0.25 - 0.5
        steps = (torch.arange(14, device=on_device()) + 0.5) / 14
        x, y = (first[:, k, None] + (last - first)[:, k, None] * steps for k in (0, 1))
        x, y = x[:, None, :].expand(-1, 14, -1), y[:, :, None].expand(-1, -1, 14)
        there = (x > -1) & (x < side) & (y > -1) & (y < side)
        grid = torch.stack([(2 * each.clamp(0, side - 1) + 1) / side - 1 for each in (x, y)], -1)
        found = functional.grid_sample(feat.float().permute(0, 3, 1, 2)[rois[:, 0].long()], grid, align_corners=False,
                                       padding_mode="border") * there[:, None]
        return functional.avg_pool2d(found, 2).flatten(2).transpose(1, 2)

    yield out, wanted


@triton.jit
def deformable_columns(x_ptr, off_ptr, mask_ptr, col_ptr, C, H, W, KS: tl.constexpr, BLOCK_P: tl.constexpr,
                       BLOCK_C: tl.constexpr):
    """What a deformable convolution (v2) multiplies by its weights: places of 3 x 3 taps moved by offsets, channels last."""
    n = tl.program_id(2).to(tl.int64)
    tap = tl.program_id(1)
    p = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    pm = p < H * W
    at = (n * H * W + p) * KS * KS + tap
    dy = tl.load(off_ptr + at * 2, mask=pm, other=0.0)
    dx = tl.load(off_ptr + at * 2 + 1, mask=pm, other=0.0)
    m = tl.load(mask_ptr + at, mask=pm, other=0.0)
    y = p // W - KS // 2 + tap // KS + dy
    x = p % W - KS // 2 + tap % KS + dx
    y0, x0 = tl.floor(y), tl.floor(x)
    wy, wx = y - y0, x - x0
    y0, x0 = y0.to(tl.int32), x0.to(tl.int32)
    for c0 in range(0, C, BLOCK_C):
        c = c0 + tl.arange(0, BLOCK_C)
        acc = tl.zeros((BLOCK_P, BLOCK_C), tl.float32)
        for corner in tl.static_range(4):
            yy = y0 + corner // 2
            xx = x0 + corner % 2
            share = (wy if corner // 2 else 1 - wy) * (wx if corner % 2 else 1 - wx)
            ok = pm & (yy >= 0) & (yy < H) & (xx >= 0) & (xx < W)
            v = tl.load(x_ptr + ((n * H + yy) * W + xx)[:, None] * C + c[None, :], mask=ok[:, None] & (c < C)[None, :], other=0.0)
            acc += v.to(tl.float32) * share[:, None]
        tl.store(col_ptr + at[:, None] * C + c[None, :], (acc * m[:, None]).to(col_ptr.dtype.element_ty),
                 mask=pm[:, None] & (c < C)[None, :])


def deformed(images, side, channels):
    x = draw(images, side, side, channels, dtype=F16)
    offsets = draw(images, side * side, 9, 2, dtype=F32, scale=1.5)
    mask = torch.rand(images, side * side, 9).to(on_device())
    columns = draw(images, side * side, 9, channels, dtype=F16)
    deformable_columns[(triton.cdiv(side * side, 32), 9, images)](x, offsets, mask, columns, channels, side, side, KS=3,
                                                                  BLOCK_P=32, BLOCK_C=64)

    def wanted():
        place, tap = torch.arange(side * side, device=on_device())[:, None], torch.arange(9, device=on_device())
        y, x_at = place // side - 1 + tap // 3 + offsets[..., 0], place % side - 1 + tap % 3 + offsets[..., 1]
        grid = torch.stack(((2 * x_at + 1) / side - 1, (2 * y + 1) / side - 1), -1)
        found = functional.grid_sample(x.float().permute(0, 3, 1, 2), grid, align_corners=False)
        return found.permute(0, 2, 3, 1) * mask[..., None]

    yield columns, wanted


@triton.jit
def nearest_points(a, b, dist, idx, N, M, BLOCK_N: tl.constexpr, BLOCK_M: tl.constexpr):
    """One side of a Chamfer distance: to each point of a the nearest of b, three coordinates a point."""
    batch = tl.program_id(1).to(tl.int64)
    i = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    a += batch * N * 3
    b += batch * M * 3
    ax, ay, az = (tl.load(a + i * 3, mask=i < N, other=0.0), tl.load(a + i * 3 + 1, mask=i < N, other=0.0),
                  tl.load(a + i * 3 + 2, mask=i < N, other=0.0))
    best = tl.full((BLOCK_N,), float("inf"), tl.float32)
    best_j = tl.zeros((BLOCK_N,), tl.int32)
    for j0 in range(0, M, BLOCK_M):
        j = j0 + tl.arange(0, BLOCK_M)
        bx, by, bz = (tl.load(b + j * 3, mask=j < M, other=1e9), tl.load(b + j * 3 + 1, mask=j < M, other=1e9),
                      tl.load(b + j * 3 + 2, mask=j < M, other=1e9))
        dx, dy, dz = ax[:, None] - bx[None, :], ay[:, None] - by[None, :], az[:, None] - bz[None, :]
        d = dx * dx + dy * dy + dz * dz
        low, at = tl.min(d, 1, return_indices=True)
        best_j = tl.where(low < best, j0 + at, best_j)
        best = tl.minimum(low, best)
    tl.store(dist + batch * N + i, best, mask=i < N)
    tl.store(idx + batch * N + i, best_j, mask=i < N)


@triton.jit
def furthest_points(xyz, chosen, N, COUNT, BLOCK: tl.constexpr):
    batch = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    inside = i < N
    base = xyz + batch * N * 3
    x, y, z = (tl.load(base + i * 3, mask=inside, other=0.0), tl.load(base + i * 3 + 1, mask=inside, other=0.0),
               tl.load(base + i * 3 + 2, mask=inside, other=0.0))
    d = tl.where(inside, 1e10, -1.0)
    last = 0
    for k in range(COUNT):
        tl.store(chosen + batch * COUNT + k, last)
        px, py, pz = tl.load(base + last * 3), tl.load(base + last * 3 + 1), tl.load(base + last * 3 + 2)
        d = tl.minimum(d, tl.where(inside, (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz), -1.0))
        last = tl.argmax(d, 0)


def clouds(batches, count, kept):
    a, b = draw(batches, count, 3, dtype=F32), draw(batches, count, 3, dtype=F32)
    apart, nearest = draw(batches, count, dtype=F32), integers(1, batches, count)
    nearest_points[(triton.cdiv(count, 64), batches)](a, b, apart, nearest, count, count, BLOCK_N=64, BLOCK_M=64)
    squares = lambda: ((a[:, :, None] - b[:, None]) ** 2).sum(-1)  # noqa: E731
    yield apart, lambda: squares().amin(2)
    yield nearest, lambda: squares().argmin(2).to(I32), 0.001
    chosen = integers(1, batches, kept)
    furthest_points[(batches,)](a, chosen, count, kept, BLOCK=triton.next_power_of_2(count), num_warps=8)

    def wanted():
        d, found = torch.full((batches, count), 1e10, device=on_device()), [torch.zeros(batches, device=on_device()).long()]
        for _ in range(kept - 1):
            point = a.gather(1, found[-1][:, None, None].expand(-1, 1, 3))
            d = torch.minimum(d, ((a - point) ** 2).sum(-1))
            found.append(d.argmax(1))
        return torch.stack(found, 1).to(I32)

    yield chosen, wanted, 0.02


@triton.jit
def ball_query(xyz, centers, idx, N, radius2, K: tl.constexpr, BLOCK: tl.constexpr):
    """The first K points within a radius, in order; what is missing repeats the first."""
    center = tl.program_id(0)
    cx, cy, cz = tl.load(centers + center * 3), tl.load(centers + center * 3 + 1), tl.load(centers + center * 3 + 2)
    found = 0
    first = 0
    start = 0
    while (start < N) & (found < K):
        j = start + tl.arange(0, BLOCK)
        m = j < N
        dx = tl.load(xyz + j * 3, mask=m, other=1e9) - cx
        dy = tl.load(xyz + j * 3 + 1, mask=m, other=1e9) - cy
        dz = tl.load(xyz + j * 3 + 2, mask=m, other=1e9) - cz
        near = (dx * dx + dy * dy + dz * dz < radius2).to(tl.int32)
        place = found + tl.cumsum(near, 0) - 1
        if found == 0:
            first = tl.min(tl.where(near != 0, j, N), 0)
        tl.store(idx + center * K + place, j, mask=(near != 0) & (place < K))
        found += tl.sum(near, 0)
        start += BLOCK
    k = tl.arange(0, K)
    tl.store(idx + center * K + k, tl.where(first < N, first, 0) + k * 0, mask=k >= found)


def balls(count, centres, kept):
    points = torch.rand(count, 3).to(on_device())
    about, found = points[:centres].contiguous(), integers(1, centres, kept)
    ball_query[(centres,)](points, about, found, count, 0.1 ** 2, K=kept, BLOCK=256, num_warps=2)

    def wanted():
        near = ((about[:, None] - points) ** 2).sum(-1) < 0.1 ** 2
        order = torch.where(near, torch.arange(count, device=on_device()), count).sort(1).values[:, :kept]
        return torch.where(order == count, order[:, :1], order).to(I32)

    yield found, wanted, 0.001


@triton.jit
def render_rays(density, colour, depth, step, out, weights, S: tl.constexpr, RAYS: tl.constexpr):
    """Volume rendering along rays: how much light each sample lets through, colours and depths summed by what it adds."""
    ray = tl.program_id(0) * RAYS + tl.arange(0, RAYS)
    s = tl.arange(0, S)
    at = ray[:, None] * S + s[None, :]
    tau = tl.maximum(tl.load(density + at), 0.0) * tl.load(step + at)
    through = tl.exp(-(tl.cumsum(tau, 1) - tau))
    w = through * (1 - tl.exp(-tau))
    tl.store(weights + at, w)
    for channel in tl.static_range(3):
        c = tl.load(colour + at * 3 + channel)
        tl.store(out + ray * 4 + channel, tl.sum(w * c, 1))
    tl.store(out + ray * 4 + 3, tl.sum(w * tl.load(depth + at), 1))


def rays(count, samples):
    density, colour = draw(count, samples, dtype=F32), torch.rand(count, samples, 3).to(on_device())
    step, depth = torch.rand(count, samples).to(on_device()) * 0.1, torch.rand(count, samples).to(on_device())
    out, weights = draw(count, 4, dtype=F32), draw(count, samples, dtype=F32)
    render_rays[(count // 4,)](density, colour, depth, step, out, weights, S=samples, RAYS=4)

    def wanted():
        tau = density.clamp(min=0) * step
        return torch.exp(-(tau.cumsum(1) - tau)) * (1 - torch.exp(-tau))

    yield weights, wanted
    yield out, lambda: (wanted()[..., None] * torch.cat((colour, depth[..., None]), -1)).sum(1)


CASES = {
    "suppressed": lambda: suppressed(few(4096, 200)),
    "regions": lambda: regions(few(4, 2), few(200, 12), few(256, 160), few(1024, 5)),
    "deformed": lambda: deformed(few(8, 1), few(64, 7), few(256, 96)),
    "clouds": lambda: clouds(few(16, 2), few(8192, 150), few(512, 12)),
    "balls": lambda: balls(few(65536, 700), few(16384, 20), 32),
    "rays": lambda: rays(few(65536, 8), 128),
}

if __name__ == "__main__":
    run(checked(CASES))
