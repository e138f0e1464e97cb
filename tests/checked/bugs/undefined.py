# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Values that nothing gave: lanes that a mask left out, and memory that nobody wrote.
import triton
import triton.language as tl


# run: grid=1 x=rand:f32[100] out=zeros:f32[1] n=100 BLOCK=128
@triton.jit
def variance_of_masked_lanes(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)  # BUG undefined_value
    centred = v - tl.sum(v, axis=0) / n
    tl.store(out, tl.sum(centred * centred, axis=0) / n)


# run: grid=4 x=rand:f32[4,100] out=zeros:f32[4,100] n=100 BLOCK=128
@triton.jit
def softmax_without_other(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    v = tl.load(x + row + offs, mask=offs < n)  # BUG undefined_value
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + offs, e / tl.sum(e, axis=0), mask=offs < n)


# run: grid=1 x=rand:f32[100] out=zeros:f32[128] n=100 BLOCK=128
@triton.jit
def masked_load_stored_whole(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)  # BUG undefined_value
    tl.store(out + offs, v)


# run: grid=1 x=rand:f32[100] out=zeros:f32[1] n=100 BLOCK=128
@triton.jit
def branch_on_masked_lanes(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)  # BUG undefined_value
    if tl.max(v, axis=0) > 0.5:
        tl.store(out, 1.0)


# run: grid=1 index=zeros:i32[100] table=rand:f32[10] out=zeros:f32[128] n=100 BLOCK=128
@triton.jit
def address_from_masked_lanes(index, table, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    i = tl.load(index + offs, mask=offs < n)  # BUG undefined_value
    tl.store(out + offs, tl.load(table + i))


# run: grid=1 a=rand:f32[32,20] b=rand:f32[20,32] c=zeros:f32[32,32] K=20
@triton.jit
def dot_of_masked_lanes(a, b, c, K):
    r = tl.arange(0, 32)
    x = tl.load(a + r[:, None] * K + r[None, :], mask=r[None, :] < K, other=0.0)
    y = tl.load(b + r[:, None] * 32 + r[None, :], mask=r[:, None] < K)  # BUG undefined_value
    tl.store(c + r[:, None] * 32 + r[None, :], tl.dot(x, tl.exp(y)))


# run: grid=1 x=rand:f32[100] out=zeros:f32[100] n=100 BLOCK=128
@triton.jit
def scan_from_the_masked_end(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)  # BUG undefined_value
    tl.store(out + offs, tl.cumprod(v, axis=0, reverse=True), mask=offs < n)


# run: grid=1 x=rand:f32[100] out=zeros:f32[128] n=100 BLOCK=128
@triton.jit
def wrong_side_of_where(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)  # BUG undefined_value
    tl.store(out + offs, tl.where(offs < n, 0.0, v))


# run: grid=4 x=rand:f32[256] out=empty:f32[256] BLOCK=64
@triton.jit
def accumulates_into_nothing(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    so_far = tl.load(out + offs)  # BUG unwritten_read
    tl.store(out + offs, so_far + tl.load(x + offs))


# run: grid=4 x=rand:f32[256] out=empty:f32[1] BLOCK=64
@triton.jit
def atomic_sum_into_nothing(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + offs), axis=0))  # BUG unwritten_read


# run: grid=1 x=rand:f32[64] room=empty:f32[64] out=zeros:f32[64]
@triton.jit
def reads_more_than_it_wrote(x, room, out):
    half = tl.arange(0, 32)
    tl.store(room + half, tl.load(x + half))
    whole = tl.arange(0, 64)
    tl.store(out + whole, tl.load(room + whole))  # BUG unwritten_read


# run: grid=1 counter=empty:i32[1] out=zeros:i32[1]
@triton.jit
def ticket_without_a_first(counter, out):
    ticket = tl.atomic_add(counter, 1)  # BUG unwritten_read
    tl.store(out, ticket)


# run: grid=1 x=rand:f32[40] out=zeros:f32[64] n=40
@triton.jit
def gather_of_masked_lanes(x, out, n):
    offs = tl.arange(0, 64)
    v = tl.load(x + offs, mask=offs < n)  # BUG undefined_value
    tl.store(out + offs, tl.gather(v, 63 - offs, 0))


# run: grid=1 x=rand:i32[40] out=zeros:i32[64] n=40
@triton.jit
def loop_as_long_as_a_masked_lane(x, out, n):
    count = tl.load(x + 50, mask=50 < n)  # BUG undefined_value
    for i in range(0, count):
        tl.store(out + i % 64, i)


# run: grid=1 x=zeros:i32[5] out=zeros:i32[8] n=5
@triton.jit
def old_value_of_a_masked_atomic(x, out, n):
    lanes = tl.arange(0, 8)
    old = tl.atomic_add(x + lanes, 1, mask=lanes < n)  # BUG undefined_value
    tl.store(out + lanes, old)


# run: grid=1 x=zeros:i32[5] out=zeros:i32[8] n=5
@triton.jit
def address_from_a_masked_exchange(x, out, n):
    lanes = tl.arange(0, 8)
    old = tl.atomic_xchg(x + lanes, lanes, mask=lanes < n)  # BUG undefined_value
    tl.store(out + old, 1)


# run: grid=3 x=zeros:i32[1] out=zeros:i32[1]
@triton.jit
def branch_on_an_atomic_left_out(x, out):
    ticket = tl.atomic_add(x, 1, mask=tl.program_id(0) > 0)  # BUG undefined_value
    if ticket == 1:
        tl.store(out, 1)


# run: grid=1 x=zeros:f32[5] out=zeros:f32[8] n=5
@triton.jit
def old_value_of_a_masked_maximum(x, out, n):
    lanes = tl.arange(0, 8)
    old = tl.atomic_max(x + lanes, lanes - 2.5, mask=lanes < n)  # BUG undefined_value
    tl.store(out + lanes, old)
