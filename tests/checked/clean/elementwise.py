# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Correct kernels of one pass over arrays, with the habits that real ones have.
import triton
import triton.language as tl


# run: grid=4 x=rand:f32[1000] y=rand:f32[1000] out=empty:f32[1000] n=1000 BLOCK=256
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    b = tl.load(y + offs, mask=mask)
    tl.store(out + offs, a + b, mask=mask)


# run: grid=4 x=randn:f32[1000] out=empty:f32[1000] n=1000 BLOCK=256
@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask)
    tl.store(out + offs, 0.5 * v * (1 + tl.erf(v * 0.70710678)), mask=mask)


# run: grid=4 x=randn:f32[1000] out=empty:f32[1000] n=1000 BLOCK=256
@triton.jit
def relu_in_where(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask)
    tl.store(out + offs, tl.where(v > 0, v, 0.0), mask=mask)


# run: grid=4 x=randn:f32[1000] n=1000 BLOCK=256
@triton.jit
def scaled_in_place(x, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask)
    tl.store(x + offs, v * 2, mask=mask)


# run: grid=4 x=randn:f32[1000] out=empty:f32[1000] n=1000 BLOCK=256
@triton.jit
def clipped_index(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.maximum(offs - 1, 0)
    inside = tl.minimum(left, n - 1)
    tl.store(out + offs, tl.load(x + inside), mask=offs < n)


# run: grid=4 x=arange:i32[1000] out=empty:i32[1000] n=1000 BLOCK=256
@triton.jit
def divides_lanes_that_are_left_out(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask, other=0) + tl.where(mask, 1, 0)
    tl.store(out + offs, 1000 // v, mask=mask)


# run: grid=4 x=rand:f32[1000] out=zeros:f32[1000] n=1000 BLOCK=256
@triton.jit
def mask_narrowed_by_values(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask)
    tl.store(out + offs, v, mask=mask & (v > 0.5))


# run: grid=4 index=zeros:i32[1000] table=rand:f32[10] out=empty:f32[1000] n=1000 BLOCK=256
@triton.jit
def lookup(index, table, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    i = tl.load(index + offs, mask=mask)
    tl.store(out + offs, tl.load(table + i, mask=mask), mask=mask)


# run: grid=3 x=rand:f32[700] out=empty:f32[700] n=700 BLOCK=256
@triton.jit
def dropout(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    keep = tl.rand(1234, offs) > 0.3
    v = tl.load(x + offs, mask=mask)
    tl.store(out + offs, tl.where(keep, v / 0.7, 0.0), mask=mask)


# run: grid=2 x=rand:f32[600] out=empty:f32[600] n=600 BLOCK=128
@triton.jit
def grid_stride_loop(x, out, n, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        offs = start + tl.arange(0, BLOCK)
        v = tl.load(x + offs, mask=offs < n)
        tl.store(out + offs, v + 1, mask=offs < n)


# run: grid=4 x=rand:f32[256] out=empty:f32[256]
@triton.jit
def wide_offsets(x, out):
    offs = tl.program_id(0).to(tl.int64) * 64 + tl.arange(0, 64)
    far = offs * 4294967296
    v = tl.load(x + far // 4294967296)
    tl.store(out + offs, v)


# run: grid=1 x=arange:u32[64] out=empty:u32[64]
@triton.jit
def hash_that_wraps(x, out):
    lanes = tl.arange(0, 64)
    h = tl.load(x + lanes) * 2654435761
    h ^= h >> 16
    tl.store(out + lanes, h)


# run: grid=1 keys=arange:i32[64] table=rand:f32[32] out=empty:f32[64]
@triton.jit
def hashed_lookup(keys, table, out):
    lanes = tl.arange(0, 64)
    k = tl.load(keys + lanes)
    slot = (k * 1664525 + 1013904223) & 31
    tl.store(out + lanes, tl.load(table + slot))


# run: grid=2 x=rand:f16[100] y=empty:f32[100] n=100 BLOCK=64
@triton.jit
def casts(x, y, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offs, tl.load(x + offs, mask=offs < n).to(tl.float32), mask=offs < n)


# run: grid=1 x=rand:f32[64] out=empty:f32[64]
@triton.jit
def promises_that_hold(x, out):
    offs = tl.max_contiguous(tl.multiple_of(tl.program_id(0) * 64 + tl.arange(0, 64), 64), 64)
    tl.assume(tl.program_id(0) >= 0)
    tl.device_assert(offs < 64)
    tl.store(out + offs, tl.load(x + offs))


# run: grid=2 a=rand:f32[128] b=rand:f32[128] which=zeros:i32[2] out=empty:f32[128]
@triton.jit
def branches_on_memory(a, b, which, out):
    pid = tl.program_id(0)
    offs = pid * 64 + tl.arange(0, 64)
    if tl.load(which + pid) == 0:
        v = tl.load(a + offs)
    else:
        v = tl.load(b + offs)
    tl.store(out + offs, v)


# run: grid=1 x=rand:f32[1] out=empty:f32[1] n=0
@triton.jit
def nothing_to_do(x, out, n):
    offs = tl.arange(0, 32)
    v = tl.load(x + offs, mask=offs < n)
    tl.store(out + offs, v, mask=offs < n)


# run: grid=1 x=rand:f32[32] out=empty:f32[32] n=5
@triton.jit
def scalar_with_mask(x, out, n):
    for i in range(0, 32):
        v = tl.load(x + i, mask=i < n)
        if i < n:
            tl.store(out + i, v)
