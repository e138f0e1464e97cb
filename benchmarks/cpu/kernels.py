# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are measured on CPUs beside PyTorch's operators, as a tutorial would write them."""

import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, SUM: tl.constexpr):
    """c = a @ b, c row-major; GROUP rows of programs share columns of b."""
    program = tl.program_id(0)
    per_group = GROUP * tl.cdiv(N, BLOCK_N)
    first = program // per_group * GROUP
    height = min(tl.cdiv(M, BLOCK_M) - first, GROUP)
    rows = (first + program % per_group % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = program % per_group // height * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b_ptr + inner[:, None] * stride_bk + columns[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), SUM)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < K - k), other=0)
        b = tl.load(b_ptrs, mask=(inner[:, None] < K - k) & (columns[None, :] < N), other=0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def gelu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, 0.5 * x * (1 + tl.erf(x * 0.7071067811865476)), mask=mask)


@triton.jit
def silu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * tl.sigmoid(x), mask=mask)


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + offsets, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row + offsets, numerator / tl.sum(numerator, axis=0), mask=mask)


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + offsets, mask=mask, other=0.0)
    centred = tl.where(mask, x - tl.sum(x, axis=0) / columns, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + offsets, mask=mask)
    bias = tl.load(bias_ptr + offsets, mask=mask)
    tl.store(out_ptr + row + offsets, centred * scale * weight + bias, mask=mask)


@triton.jit
def sum_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * columns + offsets, mask=offsets < columns, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(x, axis=0))


@triton.jit
def transpose(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :], mask=mask)
    tl.store(out_ptr + columns[:, None] * M + rows[None, :], tl.trans(x), mask=tl.trans(mask))


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, stride_head, N, scale, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              D: tl.constexpr, CAUSAL: tl.constexpr):
    """One head a row of the grid; N is a multiple of both blocks."""
    first = tl.program_id(0) * BLOCK_M
    base = tl.program_id(1).to(tl.int64) * stride_head
    rows, columns, d = first + tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, D)
    queries = tl.load(q_ptr + base + rows[:, None] * D + d[None, :])
    keys = k_ptr + base + columns[:, None] * D + d[None, :]
    values = v_ptr + base + columns[:, None] * D + d[None, :]
    most = tl.full([BLOCK_M], float("-inf"), tl.float32)
    weight = tl.zeros([BLOCK_M], tl.float32)
    total = tl.zeros([BLOCK_M, D], tl.float32)
    end = N
    if CAUSAL:
        end = first + BLOCK_M
    for start in range(0, end, BLOCK_N):
        scores = tl.dot(queries, tl.trans(tl.load(keys))) * (scale * 1.4426950408889634)
        if CAUSAL:
            scores = tl.where(rows[:, None] >= (start + columns)[None, :], scores, float("-inf"))
        now = tl.maximum(most, tl.max(scores, 1))
        power = tl.exp2(scores - now[:, None])
        fade = tl.exp2(most - now)
        weight = weight * fade + tl.sum(power, 1)
        total = tl.dot(power.to(v_ptr.dtype.element_ty), tl.load(values), total * fade[:, None])
        most = now
        keys += BLOCK_N * D
        values += BLOCK_N * D
    out = (total / weight[:, None]).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + base + rows[:, None] * D + d[None, :], out)


@triton.jit
def decode(q_ptr, k_ptr, v_ptr, pages_ptr, lengths_ptr, out_ptr, scale, most_pages, HEADS: tl.constexpr, GROUP: tl.constexpr,
           PAGE: tl.constexpr, D: tl.constexpr):
    """One token of each sequence against its cached keys and values: pages of PAGE x HEADS x D, which a table lists for each
    sequence. GROUP query heads share a head of keys; a program takes them together."""
    sequence, head = tl.program_id(0), tl.program_id(1)
    group, inside, d = tl.arange(0, GROUP), tl.arange(0, PAGE), tl.arange(0, D)
    queries = q_ptr + ((sequence * HEADS + head) * GROUP + group)[:, None] * D + d[None, :]
    q = tl.load(queries)
    length = tl.load(lengths_ptr + sequence)
    most = tl.full([GROUP], float("-inf"), tl.float32)
    weight = tl.zeros([GROUP], tl.float32)
    total = tl.zeros([GROUP, D], tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        number = tl.load(pages_ptr + sequence * most_pages + page).to(tl.int64)
        at = ((number * PAGE + inside) * HEADS + head)[:, None] * D + d[None, :]
        there = page * PAGE + inside < length
        scores = tl.dot(q, tl.trans(tl.load(k_ptr + at, mask=there[:, None], other=0.0))) * (scale * 1.4426950408889634)
        scores = tl.where(there[None, :], scores, float("-inf"))
        now = tl.maximum(most, tl.max(scores, 1))
        power = tl.exp2(scores - now[:, None])
        fade = tl.exp2(most - now)
        weight = weight * fade + tl.sum(power, 1)
        values = tl.load(v_ptr + at, mask=there[:, None], other=0.0)
        total = tl.dot(power.to(v_ptr.dtype.element_ty), values, total * fade[:, None])
        most = now
    out = (total / weight[:, None]).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + ((sequence * HEADS + head) * GROUP + group)[:, None] * D + d[None, :], out)
