# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the styles of graphs, tables and strings, written on 29 November 2026 for nobody's measure and tuned for nothing:
sparse rows, edges, walks, sorts by digits, scans of one pass, joins, distances of words. Each says what it should leave
(--check)."""

import torch
import triton
import triton.language as tl

from cases import checked, draw, few, integers, on_device, run

F16, F32, I32, I64 = torch.float16, torch.float32, torch.int32, torch.int64


def graph(nodes, most):
    """A sparse matrix by rows: starts, columns."""
    degrees = (torch.rand(nodes) ** 3 * most).long()
    starts = torch.zeros(nodes + 1, dtype=I32)
    starts[1:] = degrees.cumsum(0)
    columns = torch.randint(0, nodes, (int(starts[-1]),), dtype=I32)
    rows = torch.arange(nodes).repeat_interleave(degrees)
    return starts.to(on_device()), columns.to(on_device()), rows.to(on_device())


@triton.jit
def spmm_csr(indptr, indices, data, x, y, F, BLOCK_F: tl.constexpr):
    row = tl.program_id(0)
    f = tl.program_id(1) * BLOCK_F + tl.arange(0, BLOCK_F)
    start = tl.load(indptr + row)
    end = tl.load(indptr + row + 1)
    acc = tl.zeros((BLOCK_F,), dtype=tl.float32)
    for e in range(start, end):
        col = tl.load(indices + e)
        w = tl.load(data + e)
        acc += w * tl.load(x + col.to(tl.int64) * F + f, mask=f < F, other=0.0).to(tl.float32)
    tl.store(y + row.to(tl.int64) * F + f, acc.to(y.dtype.element_ty), mask=f < F)


@triton.jit
def spmv_csr(indptr, indices, data, x, y, N, ROWS: tl.constexpr, LANES: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    m = r < N
    start = tl.load(indptr + r, mask=m, other=0)
    end = tl.load(indptr + r + 1, mask=m, other=0)
    longest = tl.max(end - start, 0)
    acc = tl.zeros((ROWS, LANES), tl.float32)
    for k in range(0, longest, LANES):
        e = start[:, None] + k + tl.arange(0, LANES)[None, :]
        ok = e < end[:, None]
        acc += tl.load(data + e, mask=ok, other=0.0) * tl.load(x + tl.load(indices + e, mask=ok, other=0), mask=ok, other=0.0)
    tl.store(y + r, tl.sum(acc, 1), mask=m)


@triton.jit
def sddmm_edges(rows, cols, a, b, out, E, D: tl.constexpr, BLOCK_E: tl.constexpr):
    """A dot product for each edge."""
    e = tl.program_id(0) * BLOCK_E + tl.arange(0, BLOCK_E)
    m = e < E
    d = tl.arange(0, D)
    u = tl.load(rows + e, mask=m, other=0).to(tl.int64)
    v = tl.load(cols + e, mask=m, other=0).to(tl.int64)
    left = tl.load(a + u[:, None] * D + d[None, :], mask=m[:, None], other=0.0).to(tl.float32)
    right = tl.load(b + v[:, None] * D + d[None, :], mask=m[:, None], other=0.0).to(tl.float32)
    tl.store(out + e, tl.sum(left * right, 1), mask=m)


@triton.jit
def edge_softmax(indptr, indices, src, dst, out, slope, HEADS: tl.constexpr, BLOCK: tl.constexpr):
    """A graph's attention: weights of a node's edges, all heads of it."""
    node = tl.program_id(0)
    start, end = tl.load(indptr + node), tl.load(indptr + node + 1)
    h = tl.arange(0, HEADS)
    own = tl.load(dst + node * HEADS + h)
    most = tl.full((HEADS,), -float("inf"), tl.float32)
    total = tl.zeros((HEADS,), tl.float32)
    for e0 in range(start, end, BLOCK):
        e = e0 + tl.arange(0, BLOCK)
        m = (e < end)[:, None]
        s = tl.load(src + tl.load(indices + e, mask=e < end, other=0)[:, None] * HEADS + h[None, :], mask=m, other=0.0)
        s += own[None, :]
        s = tl.where(m, tl.where(s > 0, s, s * slope), -float("inf"))
        now = tl.maximum(most, tl.max(s, 0))
        total = total * tl.exp(most - now) + tl.sum(tl.exp(s - now[None, :]), 0)
        most = now
    for e0 in range(start, end, BLOCK):
        e = e0 + tl.arange(0, BLOCK)
        m = (e < end)[:, None]
        s = tl.load(src + tl.load(indices + e, mask=e < end, other=0)[:, None] * HEADS + h[None, :], mask=m, other=0.0)
        s += own[None, :]
        s = tl.where(s > 0, s, s * slope)
        tl.store(out + e[:, None] * HEADS + h[None, :], tl.exp(s - most[None, :]) / total[None, :], mask=m)


@triton.jit
def push_ranks(sources, targets, ranks, degrees, out, E, damping, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = e < E
    u = tl.load(sources + e, mask=m, other=0)
    v = tl.load(targets + e, mask=m, other=0)
    share = damping * tl.load(ranks + u, mask=m, other=0.0) / tl.load(degrees + u, mask=m, other=1).to(tl.float32)
    tl.atomic_add(out + v, share, mask=m, sem="relaxed")


@triton.jit
def lower_labels(sources, targets, labels, E, BLOCK: tl.constexpr):
    """A round of connected components: the lower label of an edge's two ends to both."""
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = e < E
    u, v = tl.load(sources + e, mask=m, other=0), tl.load(targets + e, mask=m, other=0)
    a, b = tl.load(labels + u, mask=m, other=0), tl.load(labels + v, mask=m, other=0)
    low = tl.minimum(a, b)
    tl.atomic_min(labels + u, low, mask=m & (a > low))
    tl.atomic_min(labels + v, low, mask=m & (b > low))


def sparse(nodes, most, width):
    starts, columns, rows = graph(nodes, most)
    edges, heads = len(columns), 8
    weights, x = draw(edges, dtype=F32), draw(nodes, width, dtype=F16)
    out = torch.empty_like(x)
    spmm_csr[(nodes, triton.cdiv(width, 128))](starts, columns, weights, x, out, width, BLOCK_F=128)
    summed = lambda values: torch.zeros(nodes, values.shape[1], device=on_device()).index_add_(0, rows, values)  # noqa: E731
    yield out, lambda: summed(x.float()[columns.long()] * weights[:, None])
    v, y = draw(nodes, dtype=F32), draw(nodes, dtype=F32)
    spmv_csr[(triton.cdiv(nodes, 16),)](starts, columns, weights, v, y, nodes, ROWS=16, LANES=16)
    yield y, lambda: summed((v[columns.long()] * weights)[:, None])[:, 0]
    sources, dots = rows.to(I32), draw(edges, dtype=F32)
    a, b = draw(nodes, 64, dtype=F16), draw(nodes, 64, dtype=F16)
    sddmm_edges[(triton.cdiv(edges, 32),)](sources, columns, a, b, dots, edges, D=64, BLOCK_E=32)
    yield dots, lambda: (a.float()[rows] * b.float()[columns.long()]).sum(1)
    src, dst, attention = draw(nodes, heads, dtype=F32), draw(nodes, heads, dtype=F32), draw(edges, heads, dtype=F32)
    edge_softmax[(nodes,)](starts, columns, src, dst, attention, 0.2, HEADS=heads, BLOCK=32, num_warps=2)

    def weighed():
        s = torch.nn.functional.leaky_relu(src[columns.long()] + dst[rows], 0.2).exp()
        return s / summed(s)[rows]

    yield attention, weighed
    ranks, degrees = torch.rand(nodes).to(on_device()), starts.diff().clamp(min=1).to(I32)
    new = torch.zeros(nodes, device=on_device())
    push_ranks[(triton.cdiv(edges, 1024),)](sources, columns, ranks, degrees, new, edges, 0.85, BLOCK=1024)
    yield new, lambda: torch.zeros(nodes, device=on_device()).index_add_(0, columns.long(), (0.85 * ranks / degrees)[rows])
    labels = torch.arange(nodes, dtype=I32, device=on_device())
    for _ in range(12):
        lower_labels[(triton.cdiv(edges, 1024),)](sources, columns, labels, edges, BLOCK=1024)
    yield (labels[rows] != labels[columns.long()]).to(I32), lambda: torch.zeros_like(sources)


@triton.jit
def walk(indptr, indices, starts, out, seed, LENGTH, N, BLOCK: tl.constexpr):
    """Walks of LENGTH edges drawn evenly; a node without edges keeps its walker."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < N
    node = tl.load(starts + i, mask=m, other=0)
    tl.store(out + i * (LENGTH + 1), node, mask=m)
    for t in range(LENGTH):
        first = tl.load(indptr + node, mask=m, other=0)
        degree = tl.load(indptr + node + 1, mask=m, other=0) - first
        r = tl.randint(seed, i * LENGTH + t).to(tl.uint32)
        pick = (r % tl.maximum(degree, 1).to(tl.uint32)).to(tl.int32)
        node = tl.where(degree > 0, tl.load(indices + first + pick, mask=m & (degree > 0), other=0), node)
        tl.store(out + i * (LENGTH + 1) + t + 1, node, mask=m)


def walks(nodes, most, count, length):
    starts, columns, rows = graph(nodes, most)
    begin, out = integers(nodes, count), integers(1, count, length + 1)
    walk[(triton.cdiv(count, 128),)](starts, columns, begin, out, 11, length, count, BLOCK=128)
    known = rows * nodes + columns

    def wanted():
        a, b = out[:, :-1].long(), out[:, 1:].long()
        return (torch.isin(a * nodes + b, known) | (starts.diff()[a] == 0) & (a == b)).to(I32)

    yield torch.ones(count, length, dtype=I32, device=on_device()), wanted


@triton.jit
def count_digits(keys, counts, N, shift, DIGITS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    digit = ((tl.load(keys + i, mask=i < N, other=0) >> shift) & (DIGITS - 1)).to(tl.int32)
    found = tl.histogram(digit, DIGITS, mask=i < N)
    tl.store(counts + tl.arange(0, DIGITS) * tl.num_programs(0) + pid, found)


@triton.jit
def scatter_digits(keys, values, offsets, out_keys, out_values, N, shift, DIGITS: tl.constexpr, BLOCK: tl.constexpr):
    """Stable: a place is what came before in other blocks, and in this one by a sum along the keys for each digit."""
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    m = i < N
    key, value = tl.load(keys + i, mask=m, other=0), tl.load(values + i, mask=m, other=0)
    digit = ((key >> shift) & (DIGITS - 1)).to(tl.int32)
    d = tl.arange(0, DIGITS)
    is_digit = ((digit[:, None] == d[None, :]) & m[:, None]).to(tl.int32)
    before = tl.cumsum(is_digit, 0) - is_digit
    rank = tl.sum(before * is_digit, 1)
    place = tl.load(offsets + digit * tl.num_programs(0) + pid, mask=m, other=0) + rank
    tl.store(out_keys + place, key, mask=m)
    tl.store(out_values + place, value, mask=m)


def sorted_by_digits(count):
    block = 1024
    keys, values = integers(1 << 30, count), torch.arange(count, dtype=I32, device=on_device())
    blocks = triton.cdiv(count, block)
    counts = integers(1, 16, blocks)
    new_keys, new_values = torch.empty_like(keys), torch.empty_like(values)
    count_digits[(blocks,)](keys, counts, count, 8, DIGITS=16, BLOCK=block)
    yield counts.sum(1).to(I32), lambda: ((keys >> 8) & 15).long().bincount(minlength=16).to(I32)
    offsets = (counts.flatten().cumsum(0) - counts.flatten()).to(I32)
    scatter_digits[(blocks,)](keys, values, offsets, new_keys, new_values, count, 8, DIGITS=16, BLOCK=block)
    yield new_values, lambda: ((keys >> 8) & 15).argsort(stable=True).to(I32)
    yield new_keys, lambda: keys[((keys >> 8) & 15).argsort(stable=True)]


@triton.jit
def scan_once(x, out, states, N, BLOCK: tl.constexpr):
    """Sums up to each place in one pass: a block adds what the one before it has published."""
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < N, other=0)
    sums = tl.cumsum(v, 0)
    total = tl.sum(v, 0)
    before = tl.zeros((), tl.int64)
    if pid > 0:
        state = tl.atomic_add(states + pid - 1, 0, sem="acquire")
        while state == 0:
            state = tl.atomic_add(states + pid - 1, 0, sem="acquire")
        before = state - 1
    tl.atomic_xchg(states + pid, before + total + 1, sem="release")
    tl.store(out + i, sums + before, mask=i < N)


def scanned(count):
    x, out = integers(100, count).to(I64), torch.zeros(count, dtype=I64, device=on_device())
    blocks = triton.cdiv(count, 4096)
    states = torch.zeros(blocks, dtype=I64, device=on_device())
    scan_once[(blocks,)](x, out, states, count, BLOCK=4096)
    yield out, lambda: x.cumsum(0)


@triton.jit
def fingerprints(a, b, out, N, WORDS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Tanimoto's likeness of sets of bits."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    both, either = tl.zeros((BM, BN), tl.int32), tl.zeros((BM, BN), tl.int32)
    for w in range(WORDS):
        x, y = tl.load(a + i * WORDS + w)[:, None], tl.load(b + j * WORDS + w)[None, :]
        both += bits_of(x & y)
        either += bits_of(x | y)
    tl.store(out + i[:, None] * N + j[None, :], both.to(tl.float32) / either.to(tl.float32))


@triton.jit
def bits_of(x):
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * 0x01010101) >> 24


def likeness(count):
    a, b = (torch.randint(-2 ** 31, 2 ** 31, (count, 32), dtype=I64).to(I32).to(on_device()) for _ in range(2))
    out = draw(count, count, dtype=F32)
    fingerprints[(count // 32, count // 64)](a, b, out, count, WORDS=32, BM=32, BN=64)

    def wanted():
        x, y = (((each[..., None] >> torch.arange(32, device=on_device())) & 1).flatten(1).float() for each in (a, b))
        both = x @ y.T
        return both / (x.sum(1)[:, None] + y.sum(1) - both)

    yield out, wanted


@triton.jit
def least_of(a, b):
    return tl.minimum(a, b)


@triton.jit
def edit_distances(left, right, left_lengths, out, L, R: tl.constexpr):
    """Levenshtein's of two words, a row of the table at a time: what is inserted is a scan of least numbers."""
    pair = tl.program_id(0)
    j = tl.arange(0, R)
    letters = tl.load(right + pair * R + j)
    line = j + 1
    length = tl.load(left_lengths + pair)
    for i in range(length):
        letter = tl.load(left + pair * L + i)
        diagonal = tl.where(j == 0, i, tl.gather(line, tl.maximum(j - 1, 0), 0))
        new = tl.minimum(line + 1, diagonal + (letters != letter).to(tl.int32))
        new = tl.minimum(new, tl.where(j == 0, i + 2, new))
        line = tl.associative_scan(new - j, 0, least_of) + j
    tl.store(out + pair, tl.sum(tl.where(j == R - 1, line, 0), 0))


def words(pairs, longest, width):
    left = torch.randint(0, 4, (pairs, longest), device=on_device()).to(torch.int8)
    right = torch.randint(0, 4, (pairs, width), device=on_device()).to(torch.int8)
    lengths, out = integers(longest // 2, pairs) + longest // 2, integers(1, pairs)
    edit_distances[(pairs,)](left, right, lengths, out, longest, R=width, num_warps=1)

    def wanted():
        found = []
        for a, b, length in zip(left.tolist(), right.tolist(), lengths.tolist()):
            line = list(range(width + 1))
            for i in range(length):
                new = [i + 1]
                for j in range(width):
                    new.append(min(line[j + 1] + 1, new[j] + 1, line[j] + (a[i] != b[j])))
                line = new
            found.append(line[-1])
        return torch.tensor(found, dtype=I32, device=on_device())

    yield out, wanted


@triton.jit
def group_by_key(keys, values, sums, counts, least, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    """SELECT key, SUM, COUNT, MIN ... GROUP BY key, for few keys: each program its part, then atomics."""
    g = tl.arange(0, GROUPS)
    total = tl.zeros((GROUPS,), tl.float32)
    count = tl.zeros((GROUPS,), tl.int32)
    low = tl.full((GROUPS,), 2147483647, tl.int32)
    for part in range(PARTS):
        i = (tl.program_id(0) * PARTS + part) * BLOCK + tl.arange(0, BLOCK)
        key = tl.load(keys + i, mask=i < N, other=-1).to(tl.int32)
        v = tl.load(values + i, mask=i < N, other=0)
        own = key[:, None] == g[None, :]
        total += tl.sum(tl.where(own, v.to(tl.float32)[:, None], 0.0), 0)
        count += tl.sum(own.to(tl.int32), 0)
        low = tl.minimum(low, tl.min(tl.where(own, v[:, None], 2147483647), 0))
    tl.atomic_add(sums + g, total)
    tl.atomic_add(counts + g, count)
    tl.atomic_min(least + g, low)


def grouped(count):
    keys, values = torch.randint(0, 16, (count,), device=on_device()).to(torch.uint8), integers(1000, count)
    sums, counts = torch.zeros(16, device=on_device()), torch.zeros(16, dtype=I32, device=on_device())
    least = torch.full((16,), 2147483647, dtype=I32, device=on_device())
    group_by_key[(triton.cdiv(count, 8 * 512),)](keys, values, sums, counts, least, count, GROUPS=16, BLOCK=512, PARTS=8)
    yield sums, lambda: torch.zeros(16, device=on_device()).index_add_(0, keys.long(), values.float())
    yield counts, lambda: keys.long().bincount(minlength=16).to(I32)
    yield least, lambda: torch.stack([values[keys == group].amin() for group in range(16)])


@triton.jit
def probe_table(keys, slots, payloads, out, N, MASK, BLOCK: tl.constexpr):
    """A join's second half: keys looked up in a table of open addresses, all lanes until the last has its own."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < N
    key = tl.load(keys + i, mask=m, other=0)
    place = (key * -1640531527) >> 7 & MASK
    found = tl.full((BLOCK,), -1, tl.int32)
    left = m
    while tl.max(left.to(tl.int32), 0) != 0:
        at = tl.load(slots + place, mask=left, other=-1)
        hit = left & (at == key)
        found = tl.where(hit, tl.load(payloads + place, mask=hit, other=0), found)
        left = left & (at != key) & (at != -1)
        place = (place + 1) & MASK
    tl.store(out + i, found, mask=m)


def joined(count, logarithm):
    size = 1 << logarithm
    known = torch.randperm(size)[:size // 2].to(I32)
    places = (((known.long() * -1640531527 + 2 ** 31) % 2 ** 32 - 2 ** 31) >> 7) & (size - 1)
    slots, payloads = torch.full((size,), -1, dtype=I32), torch.zeros(size, dtype=I32)
    at, rest = places, torch.arange(len(known))
    while len(rest):  # the first of those that want a free place has it, others go on
        free = slots[at] == -1
        slots[at[free].flip(0)] = known[rest[free]].flip(0)
        lost = slots[at] != known[rest]
        payloads[at[~lost]] = rest[~lost].to(I32)
        at, rest = (at[lost] + 1) & (size - 1), rest[lost]
    slots, payloads = slots.to(on_device()), payloads.to(on_device())
    keys, out = integers(size, count), integers(1, count)
    probe_table[(triton.cdiv(count, 256),)](keys, slots, payloads, out, count, size - 1, BLOCK=256)

    def wanted():
        where = torch.full((size,), -1, dtype=I32)
        where[known.long()] = torch.arange(len(known), dtype=I32)
        return where.to(on_device())[keys.long()]

    yield out, wanted


CASES = {
    "sparse": lambda: sparse(few(131072, 60), few(200, 20), few(256, 150)),
    "walks": lambda: walks(few(131072, 60), few(200, 20), few(1 << 20, 300), few(32, 5)),
    "sorted by digits": lambda: sorted_by_digits(few(1 << 24, 5000)),
    "scanned": lambda: scanned(few(1 << 24, 20000)),
    "likeness": lambda: likeness(few(8192, 64)),
    "words": lambda: words(few(8192, 6), few(200, 20), 128),
    "grouped": lambda: grouped(few(1 << 25, 20000)),
    "joined": lambda: joined(few(1 << 24, 3000), few(20, 10)),
}

if __name__ == "__main__":
    run(checked(CASES))
