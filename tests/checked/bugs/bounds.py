# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels that leave their arrays.
import triton
import triton.language as tl


# run: grid=4 x=rand:f32[1000] out=zeros:f32[1000] n=1000 BLOCK=256
@triton.jit
def load_without_mask(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs)  # BUG out_of_bounds
    tl.store(out + offs, v * 2, mask=mask)


# run: grid=4 x=rand:f32[1000] out=zeros:f32[1000] n=1000 BLOCK=256
@triton.jit
def store_without_mask(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.store(out + offs, v)  # BUG out_of_bounds


# run: grid=4 x=rand:f32[1000] out=zeros:f32[1000] n=1000 BLOCK=256
@triton.jit
def mask_one_too_wide(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs <= n
    v = tl.load(x + offs, mask=mask, other=0.0)  # BUG out_of_bounds
    tl.store(out + offs, v, mask=offs < n)


# run: grid=3 x=rand:f32[513] out=zeros:f32[513] n=513 BLOCK=256
@triton.jit
def mask_of_the_block(x, out, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * BLOCK + lanes
    v = tl.load(x + offs, mask=lanes < n, other=0.0)  # BUG out_of_bounds
    tl.store(out + offs, v, mask=offs < n)


# run: grid=5 x=rand:f32[1024] out=zeros:f32[1024] BLOCK=256
@triton.jit
def grid_one_too_large(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs)  # BUG out_of_bounds
    tl.store(out + offs, v)  # BUG out_of_bounds


# run: grid=8 x=rand:f32[8,100] out=zeros:f32[8,100] columns=100 BLOCK=128
@triton.jit
def row_without_mask(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + offs)  # BUG out_of_bounds
    tl.store(out + row * columns + offs, v - tl.max(v, axis=0), mask=offs < columns)


# run: grid=4 x=rand:f32[256] out=zeros:f32[256] BLOCK=64
@triton.jit
def stencil_to_the_left(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + offs - 1)  # BUG out_of_bounds
    here = tl.load(x + offs)
    tl.store(out + offs, here - left)


# run: grid=4 x=rand:f32[256] out=zeros:f32[256] n=256 BLOCK=64
@triton.jit
def stencil_to_the_right(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here = tl.load(x + offs, mask=offs < n)
    right = tl.load(x + offs + 1, mask=offs < n)  # BUG out_of_bounds
    tl.store(out + offs, right - here, mask=offs < n)


# run: grid=4 x=rand:f32[64,96] out=zeros:f32[96,64] rows=64 columns=96 B=32
@triton.jit
def transposed_with_wrong_stride(x, out, rows, columns, B: tl.constexpr):
    pid = tl.program_id(0)
    for block in range(0, 3):
        r = (pid % 2) * B + tl.arange(0, B)
        c = block * B + tl.arange(0, B)
        tile = tl.load(x + r[:, None] * columns + c[None, :])
        if pid < 2:
            tl.store(out + c[None, :] * columns + r[:, None], tile)  # BUG out_of_bounds


# run: grid=(2,2) a=rand:f32[60,64] b=rand:f32[64,64] c=zeros:f32[60,64] M=60 N=64 K=64 B=32
@triton.jit
def matmul_without_row_mask(a, b, c, M, N, K, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    inner = tl.arange(0, B)
    acc = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + rows[:, None] * K + (k + inner)[None, :])  # BUG out_of_bounds
        y = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        acc += tl.dot(x, y)
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=rows[:, None] < M)


# run: grid=(2,2) a=rand:f32[64,72] b=rand:f32[72,64] c=zeros:f32[64,64] N=64 K=72 B=32
@triton.jit
def matmul_without_inner_mask(a, b, c, N, K, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    inner = tl.arange(0, B)
    acc = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + rows[:, None] * K + (k + inner)[None, :])  # BUG out_of_bounds
        y = tl.load(b + (k + inner)[:, None] * N + columns[None, :])  # BUG out_of_bounds
        acc += tl.dot(x, y)
    tl.store(c + rows[:, None] * N + columns[None, :], acc)


# run: grid=1 table=rand:f32[16] index=arange:i32[32] out=zeros:f32[32]
@triton.jit
def index_beyond_the_table(table, index, out):
    lanes = tl.arange(0, 32)
    where = tl.load(index + lanes)
    tl.store(out + lanes, tl.load(table + where))  # BUG out_of_bounds


# run: grid=1 out=zeros:i32[8] x=arange:i32[64]
@triton.jit
def histogram_of_too_few_bins(x, out):
    v = tl.load(x + tl.arange(0, 64))
    tl.atomic_add(out + v // 4, 1)  # BUG out_of_bounds


# run: grid=4 x=rand:f32[100] out=zeros:f32[4] n=100 BLOCK=32
@triton.jit
def result_of_each_block_beside(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + offs, mask=offs < n, other=0.0))
    tl.store(out + pid + 1, total)  # BUG out_of_bounds


# run: grid=1 x=rand:f32[10] out=zeros:f32[10] n=10
@triton.jit
def loop_one_too_long(x, out, n):
    for i in range(0, n + 1):
        v = tl.load(x + i)  # BUG out_of_bounds
        if i < n:
            tl.store(out + i, v)


# run: grid=1 x=rand:f16[64] out=zeros:f32[32]
@triton.jit
def bytes_taken_for_elements(x, out):
    lanes = tl.arange(0, 32)
    v = tl.load(x + lanes * 2)
    tl.store(out + lanes * 4, v.to(tl.float32))  # BUG out_of_bounds
