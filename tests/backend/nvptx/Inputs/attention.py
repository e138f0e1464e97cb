import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.arange(0, BN)
    d = tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(0, N, BN):
        keys = tl.load(k + (start + j)[:, None] * D + d[None, :])
        values = tl.load(v + (start + j)[:, None] * D + d[None, :])
        power = tl.exp2(tl.dot(queries, tl.trans(keys)))
        total = tl.dot(power.to(tl.float16), values, total * 0.5)
    tl.store(out + i[:, None] * D + d[None, :], total.to(tl.float16))


@triton.jit
def diagonal(q, k, v, out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(0) * BM
    i = first + tl.arange(0, BM)
    j = tl.arange(0, BN)
    d = tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    total = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(first, first + BM, BN):
        keys = tl.load(k + (start + j)[:, None] * D + d[None, :])
        values = tl.load(v + (start + j)[:, None] * D + d[None, :])
        power = tl.exp2(tl.dot(queries, tl.trans(keys)))
        total = tl.dot(power.to(tl.float16), values, total * 0.5)
    tl.store(out + i[:, None] * D + d[None, :], total.to(tl.float16))


@triton.jit
def causal(q, k, v, out, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(0) * BM
    i = first + tl.arange(0, BM)
    j = tl.arange(0, BN)
    d = tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    peak = tl.full([BM], -1e30, dtype=tl.float32)
    weight = tl.zeros([BM], dtype=tl.float32)
    total = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(0, first + BM, BN):
        keys = tl.load(k + (start + j)[:, None] * D + d[None, :])
        values = tl.load(v + (start + j)[:, None] * D + d[None, :])
        scores = tl.where(i[:, None] >= (start + j)[None, :], tl.dot(queries, tl.trans(keys)), -1e30)
        higher = tl.maximum(peak, tl.max(scores, axis=1))
        power = tl.exp2(scores - higher[:, None])
        scale = tl.exp2(peak - higher)
        weight = weight * scale + tl.sum(power, axis=1)
        total = tl.dot(power.to(tl.float16), values, total * scale[:, None])
        peak = higher
    tl.store(out + i[:, None] * D + d[None, :], (total / weight[:, None]).to(tl.float16))
