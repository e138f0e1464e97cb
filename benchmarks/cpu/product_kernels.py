# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products that are more than two matrices, and less: of a batch, of groups of any size, and with what follows fused."""

import triton
import triton.language as tl


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c[i] = a[i] @ b[i], all row-major."""
    batch = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    a_ptr += batch * M * K
    b_ptr += batch * K * N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        inner = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < M) & (inner[None, :] < K), other=0)
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :], mask=(inner[:, None] < K) & (columns[None, :] < N), other=0)
        acc = tl.dot(a, b, acc)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + batch * M * N + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def grouped(a_ptr, b_ptr, c_ptr, ends_ptr, group_ptr, first_ptr, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    """Rows up to ends[g] are the next group's, which has the matrix b[g]. Tile i of rows is group[i]'s, from first[i] on."""
    tile = tl.program_id(1)
    group = tl.load(group_ptr + tile)
    end = tl.load(ends_ptr + group)
    rows = tl.load(first_ptr + tile) + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    b_ptr += group.to(tl.int64) * K * N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        inner = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < end) & (inner[None, :] < K), other=0)
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :], mask=(inner[:, None] < K) & (columns[None, :] < N), other=0)
        acc = tl.dot(a, b, acc)
    mask = (rows[:, None] < end) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def linear_gelu(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = gelu(a @ b + bias)."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        inner = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < M) & (inner[None, :] < K), other=0)
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :], mask=(inner[:, None] < K) & (columns[None, :] < N), other=0)
        acc = tl.dot(a, b, acc)
    acc += tl.load(bias_ptr + columns, mask=columns < N).to(tl.float32)[None, :]
    acc = 0.5 * acc * (1 + tl.erf(acc * 0.7071067811865476))
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)
