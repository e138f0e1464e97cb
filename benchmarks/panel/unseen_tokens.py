# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of code that samples, packs and hashes, written on 29 November 2026 for nobody's measure and tuned for
nothing: drafts that are checked, penalties, ranks, weights of four bits, blocks of eight, n-grams. Each says what it should
leave (--check)."""

import torch
import triton
import triton.language as tl
from torch.nn import functional

from cases import checked, draw, few, integers, on_device, run

F16, F32, I32, I64 = torch.float16, torch.float32, torch.int32, torch.int64
E4M3 = torch.float8_e4m3fn


@triton.jit
def verify_drafts(draft_ids, draft_probs, target_probs, bonus_ids, uniform, cu_drafts, out_ids, VOCAB, MAX_DRAFT,
                  BLOCK: tl.constexpr):
    """Rejection sampling: a draft's token stays with probability min(1, p / q); the first that does not is the likeliest of
    what p has more than q."""
    req = tl.program_id(0)
    begin = tl.load(cu_drafts + req)
    n = tl.load(cu_drafts + req + 1) - begin
    accepted = 1
    i = 0
    while i < n:
        if accepted != 0:
            row = (begin + i).to(tl.int64)
            token = tl.load(draft_ids + row)
            p = tl.load(target_probs + row * VOCAB + token)
            q = tl.load(draft_probs + row * VOCAB + token)
            u = tl.load(uniform + row)
            if u * q <= p:
                tl.store(out_ids + req * (MAX_DRAFT + 1) + i, token)
            else:
                accepted = 0
                best = -1.0
                best_id = 0
                for start in range(0, VOCAB, BLOCK):
                    cols = start + tl.arange(0, BLOCK)
                    m = cols < VOCAB
                    more = tl.load(target_probs + row * VOCAB + cols, mask=m, other=0.0)
                    more = tl.maximum(more - tl.load(draft_probs + row * VOCAB + cols, mask=m, other=0.0), 0.0)
                    top, at = tl.max(more, 0, return_indices=True)
                    if top > best:
                        best = top
                        best_id = start + at
                tl.store(out_ids + req * (MAX_DRAFT + 1) + i, best_id)
        i += 1
    if accepted != 0:
        tl.store(out_ids + req * (MAX_DRAFT + 1) + n, tl.load(bonus_ids + req))


def drafts(requests, most, vocabulary):
    counts = integers(most, requests) + 1
    starts = torch.zeros(requests + 1, dtype=I32, device=on_device())
    starts[1:] = counts.cumsum(0)
    total = int(starts[-1])
    p, q = draw(total, vocabulary, dtype=F32).softmax(1), draw(total, vocabulary, dtype=F32).softmax(1)
    ids, bonus, drawn = integers(vocabulary, total), integers(vocabulary, requests), torch.rand(total).to(on_device())
    out = torch.full((requests, most + 1), -1, dtype=I32, device=on_device())
    verify_drafts[(requests,)](ids, q, p, bonus, drawn, starts, out, vocabulary, most, BLOCK=4096, num_warps=8)

    def wanted():
        found = torch.full((requests, most + 1), -1, dtype=I32)
        at = torch.arange(total, device=on_device())
        is_kept = (drawn * q[at, ids.long()] <= p[at, ids.long()]).cpu()
        other, firsts = (p - q).clamp(min=0).argmax(1).cpu(), starts.tolist()
        for request in range(requests):
            for row in range(firsts[request], firsts[request + 1]):
                found[request, row - firsts[request]] = ids[row].item() if is_kept[row] else other[row]
                if not is_kept[row]:
                    break
            else:
                found[request, firsts[request + 1] - firsts[request]] = bonus[request].item()
        return found.to(on_device())

    yield out, wanted


@triton.jit
def apply_penalties(logits, prompt_bits, counts, repetition, frequency, presence, temperature, VOCAB, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = cols < VOCAB
    x = tl.load(logits + row.to(tl.int64) * VOCAB + cols, mask=m, other=0.0).to(tl.float32)
    words = tl.load(prompt_bits + row * tl.cdiv(VOCAB, 32) + cols // 32, mask=m, other=0)
    in_prompt = ((words >> (cols % 32)) & 1) != 0
    count = tl.load(counts + row.to(tl.int64) * VOCAB + cols, mask=m, other=0).to(tl.float32)
    r = tl.load(repetition + row)
    seen = in_prompt | (count > 0)
    x = tl.where(seen, tl.where(x > 0, x / r, x * r), x)
    x -= tl.load(frequency + row) * count
    x -= tl.where(count > 0, tl.load(presence + row), 0.0)
    tl.store(logits + row.to(tl.int64) * VOCAB + cols, (x / tl.load(temperature + row)).to(logits.dtype.element_ty), mask=m)


def penalties(rows, vocabulary):
    logits = draw(rows, vocabulary, dtype=F32)
    before = logits.clone()
    words = triton.cdiv(vocabulary, 32)
    bits = torch.randint(-2 ** 31, 2 ** 31, (rows, words), dtype=I64).to(I32).to(on_device())
    counts = torch.randint(-6, 3, (rows, vocabulary), device=on_device()).clamp(min=0).to(torch.int16)
    r, f, p, t = (torch.rand(rows).to(on_device()) + 0.5 for _ in range(4))
    apply_penalties[(rows, triton.cdiv(vocabulary, 2048))](logits, bits, counts, r, f, p, t, vocabulary, BLOCK=2048)

    def wanted():
        own = ((bits[:, :, None] >> torch.arange(32, device=on_device())) & 1).flatten(1)[:, :vocabulary] != 0
        x = torch.where(own | (counts > 0), torch.where(before > 0, before / r[:, None], before * r[:, None]), before)
        return (x - f[:, None] * counts - p[:, None] * (counts > 0)) / t[:, None]

    yield logits, wanted


@triton.jit
def token_ranks(logits, ids, logprobs, ranks, V, BLOCK: tl.constexpr):
    """The logarithm of the chosen token's probability, and how many are at least as likely."""
    row = tl.program_id(0)
    base = logits + row.to(tl.int64) * V
    own = tl.load(base + tl.load(ids + row)).to(tl.float32)
    m = -float("inf")
    s = 0.0
    rank = 0
    for start in tl.range(0, V, BLOCK, num_stages=3):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(base + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        new_m = tl.maximum(m, tl.max(x))
        s = s * tl.exp(m - new_m) + tl.sum(tl.exp(x - new_m))
        rank += tl.sum((x >= own).to(tl.int32))
        m = new_m
    tl.store(logprobs + row, own - m - tl.log(s))
    tl.store(ranks + row, rank)


def ranks(rows, vocabulary):
    logits, ids = draw(rows, vocabulary), integers(vocabulary, rows)
    logprobs, found = draw(rows, dtype=F32), integers(1, rows)
    token_ranks[(rows,)](logits, ids, logprobs, found, vocabulary, BLOCK=4096, num_warps=8)
    own = lambda: logits.float().gather(1, ids[:, None].long())  # noqa: E731
    yield logprobs, lambda: own()[:, 0] - logits.float().logsumexp(1)
    yield found, lambda: (logits.float() >= own()).sum(1).to(I32)


@triton.jit
def gumbel_pick(logits, seeds, best, best_at, V, floor, BLOCK: tl.constexpr):
    """A part of a row: noise by counters, tokens whose logit is too far below the row's best are none."""
    row, part = tl.program_id(0), tl.program_id(1)
    parts = tl.num_programs(1)
    seed = tl.load(seeds + row)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(logits + row.to(tl.int64) * V + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
    u = tl.rand(seed, cols)
    noisy = tl.where(x >= floor, x - tl.log(-tl.log(tl.maximum(u, 1e-20))), -float("inf"))
    top = tl.max(noisy, 0)
    tl.store(best + row * parts + part, top)
    tl.store(best_at + row * parts + part, part * BLOCK + tl.argmax(noisy, 0))


def drawn(rows, vocabulary):
    logits, seeds = draw(rows, vocabulary), integers(1000, rows)
    parts = triton.cdiv(vocabulary, 1024)
    best, at = draw(rows, parts, dtype=F32), integers(1, rows, parts)
    gumbel_pick[(rows, parts)](logits, seeds, best, at, vocabulary, -0.5, BLOCK=1024)
    # Noise is whatever the generator gives: what is picked is one of those above the floor, and noise has the mean it should.
    yield (logits.float().gather(1, at.long()) >= -0.5).to(I32), lambda: torch.ones_like(at)
    kept = lambda part: part.masked_fill(part < -0.5, float("-inf"))  # noqa: E731
    yield best.mean()[None], lambda: torch.stack([kept(part).logsumexp(1) for part in logits.float().split(1024, 1)]).mean(
        )[None] + 0.5772, 0.3


@triton.jit
def gemm_w4a16(a_ptr, qw_ptr, scales_ptr, zeros_ptr, c_ptr, M, N, K, GROUP: tl.constexpr, BLOCK_M: tl.constexpr,
               BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Eight weights of four bits along K in a word, zeros packed along N, a scale for GROUP of K (GPTQ's)."""
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * K + offs_k[None, :]
    b_ptrs = qw_ptr + (offs_k[:, None] // 8) * N + offs_n[None, :]
    shifter = (offs_k % 8) * 4
    zero_shift = (offs_n % 8) * 4
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=offs_m[:, None] < M, other=0.0)
        packed = tl.load(b_ptrs)
        g = k // GROUP
        s = tl.load(scales_ptr + g * N + offs_n)
        z = (tl.load(zeros_ptr + g * (N // 8) + offs_n // 8) >> zero_shift) & 0xF
        b = (packed >> shifter[:, None]) & 0xF
        b = ((b - z[None, :]) * s[None, :]).to(a.dtype)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K
        b_ptrs += (BLOCK_K // 8) * N
    tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(c_ptr.dtype.element_ty), mask=offs_m[:, None] < M)


def four_bits(rows, width, depth, block):
    a = draw(rows, depth, dtype=F16)
    words = torch.randint(-2 ** 31, 2 ** 31, (depth // 8, width), dtype=I64).to(I32).to(on_device())
    zeros = torch.randint(-2 ** 31, 2 ** 31, (depth // 128, width // 8), dtype=I64).to(I32).to(on_device())
    scales = (torch.rand(depth // 128, width) * 0.01).to(F16).to(on_device())
    out = draw(rows, width, dtype=F16)
    gemm_w4a16[(triton.cdiv(rows, block), width // 128)](a, words, scales, zeros, out, rows, width, depth, GROUP=128,
                                                         BLOCK_M=block, BLOCK_N=128, BLOCK_K=64)

    def wanted():
        shifts = torch.arange(0, 32, 4, device=on_device())
        w = ((words[:, None] >> shifts[:, None]) & 15).flatten(0, 1)
        z = ((zeros[..., None] >> shifts) & 15).flatten(1)
        return a.float() @ ((w - z.repeat_interleave(128, 0)) * scales.float().repeat_interleave(128, 0))

    yield out, wanted


@triton.jit
def gemv_split(x, w, out, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT: tl.constexpr):
    """One row by a matrix whose rows lie along K, the depth in SPLIT parts that add up by atomics."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    for k0 in range(tl.program_id(1) * BLOCK_K, K, BLOCK_K * SPLIT):
        k = k0 + tl.arange(0, BLOCK_K)
        a = tl.load(x + k, mask=k < K, other=0.0, eviction_policy="evict_last").to(tl.float32)
        b = tl.load(w + n[:, None].to(tl.int64) * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0,
                    eviction_policy="evict_first").to(tl.float32)
        acc += a[None, :] * b
    tl.atomic_add(out + n, tl.sum(acc, 1), mask=n < N)


def single_row(width, depth):
    x, w, out = draw(depth), draw(width, depth), torch.zeros(width, device=on_device())
    gemv_split[(triton.cdiv(width, 8), 2)](x, w, out, width, depth, BLOCK_N=8, BLOCK_K=512, SPLIT=2)
    # Again and again the sum grows when it is timed: what is compared is one launch's.
    yield out, lambda: w.float() @ x.float()


@triton.jit
def gemm_fp8_blocks(A, B, C, As, Bs, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """e4m3: A has a scale for each row and 128 columns, B for each 128 x 128."""
    pid_m, pid_n = tl.program_id(1), tl.program_id(0)
    offs_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = A + offs_m[:, None] * K + offs_k[None, :]
    b_ptrs = B + offs_n[None, :] * K + offs_k[:, None]
    as_ptrs = As + offs_m * (K // 128)
    bs_ptrs = Bs + (offs_n // 128) * (K // 128)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        a_s = tl.load(as_ptrs + k // 128)
        b_s = tl.load(bs_ptrs + k // 128)
        acc += tl.dot(a, b) * a_s[:, None] * b_s[None, :]
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(C + m[:, None] * N + n[None, :], acc.to(C.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def eight_bits(rows, width, depth, block):
    a, b = (draw(size, depth, dtype=F32).clamp(-400, 400).to(E4M3) for size in (rows, width))
    a_s = torch.rand(rows, depth // 128).to(on_device())
    b_s = torch.rand(triton.cdiv(width, 128), depth // 128).to(on_device())
    out = draw(rows, width)
    gemm_fp8_blocks[(triton.cdiv(width, 128), triton.cdiv(rows, block))](a, b, out, a_s, b_s, rows, width, depth,
                                                                         BLOCK_M=block, BLOCK_N=128, BLOCK_K=128, num_stages=3)

    def wanted():
        left = a.float() * a_s.repeat_interleave(128, 1)
        return left @ (b.float() * b_s.repeat_interleave(128, 0)[:width].repeat_interleave(128, 1)).T

    yield out, wanted


@triton.jit
def hash_ngrams(tokens, table, out, L, BUCKETS, D: tl.constexpr, NGRAM: tl.constexpr, BLOCK_T: tl.constexpr):
    """A place's embedding by hashes of the bytes before it, one for each length of n-gram, all summed (rolling, of 64 bits)."""
    batch = tl.program_id(1).to(tl.int64)
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    d = tl.arange(0, D)
    h = tl.zeros((BLOCK_T,), tl.uint64)
    acc = tl.zeros((BLOCK_T, D), tl.float32)
    for n in range(NGRAM):
        token = tl.load(tokens + batch * L + t - n, mask=(t - n >= 0) & (t < L), other=0).to(tl.uint64)
        h = (h ^ (token + 1)) * 1099511628211
        h = h ^ (h >> 29)
        bucket = (h % BUCKETS.to(tl.uint64)).to(tl.int64)
        line = tl.load(table + (n * BUCKETS.to(tl.int64) + bucket)[:, None] * D + d[None, :], mask=(t < L)[:, None], other=0.0)
        acc += line.to(tl.float32)
    tl.store(out + (batch * L + t)[:, None] * D + d[None, :], (acc / NGRAM).to(out.dtype.element_ty), mask=(t < L)[:, None])


def hashed(batches, length, buckets, width):
    tokens = integers(256, batches, length)
    table, out = draw(4, buckets, width), draw(batches, length, width)
    hash_ngrams[(triton.cdiv(length, 16), batches)](tokens, table, out, length, buckets, D=width, NGRAM=4, BLOCK_T=16)

    def wanted():
        total = torch.zeros(batches, length, width)
        before = functional.pad(tokens.cpu(), (3, 0))
        for batch in range(batches):
            for t in range(length):
                h = 0
                for n in range(4):
                    h = (h ^ (int(before[batch, t + 3 - n]) + 1)) * 1099511628211 % 2 ** 64
                    h ^= h >> 29
                    total[batch, t] += table[n, h % buckets].float().cpu()
        return (total / 4).to(on_device())

    yield out, wanted


@triton.jit
def shrink_each(x, a, ids, out, K, R: tl.constexpr, BLOCK_K: tl.constexpr):
    """An adapter for each row: R numbers of it, the matrices' rows along K."""
    row = tl.program_id(0)
    adapter = tl.load(ids + row)
    if adapter < 0:
        return
    r = tl.arange(0, R)
    acc = tl.zeros((R,), tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + tl.arange(0, BLOCK_K)
        v = tl.load(x + row * K + k, mask=k < K, other=0.0).to(tl.float32)
        m = tl.load(a + (adapter.to(tl.int64) * R + r[:, None]) * K + k[None, :], mask=k[None, :] < K, other=0.0).to(tl.float32)
        acc += tl.sum(v[None, :] * m, 1)
    tl.store(out + row * R + r, acc)


def adapters(rows, depth, rank, count):
    x, a, ids = draw(rows, depth), draw(count, rank, depth), integers(count + 1, rows) - 1
    out = torch.zeros(rows, rank, device=on_device())
    shrink_each[(rows,)](x, a, ids, out, depth, R=rank, BLOCK_K=512)
    yield out, lambda: torch.stack([a[max(which, 0)].float() @ line.float() * (which >= 0)
                                    for which, line in zip(ids.tolist(), x)])


@triton.jit
def heavy_keys(q, k, lse, scores, L, sm_scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """What each key gets of all later queries' attention, from what the forward kept: a column's sum of probabilities."""
    head = tl.program_id(1).to(tl.int64)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    key = tl.load(k + (head * L + n[:, None]) * D + d[None, :])
    total = tl.zeros((BLOCK_N,), tl.float32)
    for start in range(tl.program_id(0) * BLOCK_N // BLOCK_M * BLOCK_M, L, BLOCK_M):
        m = start + tl.arange(0, BLOCK_M)
        query = tl.load(q + (head * L + m[:, None]) * D + d[None, :])
        s = tl.dot(query, key.T) * sm_scale - tl.load(lse + head * L + m)[:, None]
        total += tl.sum(tl.where(m[:, None] >= n[None, :], tl.exp(s), 0.0), 0)
    tl.store(scores + head * L + n, total)


def heavy(heads, length, width):
    q, k = draw(heads, length, width), draw(heads, length, width)

    def scored(part):
        s = q[part].float() @ k[part].float().transpose(1, 2) * width ** -0.5
        return s.masked_fill(torch.ones(length, length, dtype=torch.bool, device=on_device()).triu(1), float("-inf"))

    lse = torch.cat([scored(slice(head, head + 1)).logsumexp(2) for head in range(heads)])
    scores = draw(heads, length, dtype=F32)
    heavy_keys[(length // 64, heads)](q, k, lse, scores, length, width ** -0.5, D=width, BLOCK_M=64, BLOCK_N=64)
    yield scores, lambda: torch.cat([scored(slice(head, head + 1)).softmax(2).sum(1) for head in range(heads)])


CASES = {
    "drafts": lambda: drafts(few(256, 8), 5, few(32000, 500)),
    "penalties": lambda: penalties(few(256, 3), few(128256, 3000)),
    "ranks": lambda: ranks(few(512, 3), few(128256, 9000)),
    "drawn": lambda: drawn(few(256, 6), few(128256, 9000)),
    "four bits, 16 rows": lambda: four_bits(few(16, 5), few(8192, 256), few(4096, 256), 16),
    "four bits, rows": lambda: four_bits(few(2048, 70), few(4096, 256), few(4096, 256), 64),
    "single row": lambda: single_row(few(14336, 100), few(4096, 1500)),
    "eight bits": lambda: eight_bits(few(4096, 70), few(4096, 200), few(7168, 384), 64),
    "hashed": lambda: hashed(few(16, 2), few(8192, 30), few(500000, 1000), 128),
    "adapters": lambda: adapters(few(512, 9), few(4096, 700), 16, few(32, 4)),
    "heavy": lambda: heavy(few(32, 2), few(4096, 128), 128),
}

if __name__ == "__main__":
    run(checked(CASES))
