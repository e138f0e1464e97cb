# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Numbers that go wrong on the way to an address or to memory.
import triton
import triton.language as tl


# run: grid=2 x=rand:f32[64] out=zeros:f32[64] stride=1500000000
@triton.jit
def row_offset_wraps(x, out, stride):
    row = tl.program_id(0) * 2
    offs = row * stride + tl.arange(0, 64)  # BUG wrapped_offset
    v = tl.load(x + offs, mask=offs < 64, other=0.0)  # BUG out_of_bounds
    tl.store(out + tl.arange(0, 64), v, mask=row < 1)


# run: grid=1 x=rand:f32[64] out=zeros:f32[64] big=2147483600
@triton.jit
def sum_of_offsets_wraps(x, out, big):
    lanes = tl.arange(0, 64)
    offs = big + lanes  # BUG wrapped_offset
    v = tl.load(x + offs, mask=offs < 64, other=0.0)  # BUG out_of_bounds
    tl.store(out + lanes, v)


# run: grid=1 x=rand:f32[64] out=zeros:f32[64] n=2147483647
@triton.jit
def product_of_three_wraps(x, out, n):
    lanes = tl.arange(0, 64)
    plane = n * n  # BUG wrapped_offset
    v = tl.load(x + plane * 64 + lanes - 64)
    tl.store(out + lanes, v)


# run: grid=1 x=rand:f32[300] out=zeros:f32[4]
@triton.jit
def narrow_index_wraps(x, out):
    lanes = tl.arange(0, 4).to(tl.int8)
    offs = lanes * 50  # BUG wrapped_offset
    tl.store(out + tl.arange(0, 4), tl.load(x + 128 + offs))


# run: grid=1 x=rand:f32[64] out=zeros:f32[64] shift=31
@triton.jit
def shift_wraps(x, out, shift):
    lanes = tl.arange(0, 64)
    offs = (lanes + 1) << shift  # BUG wrapped_offset
    v = tl.load(x + offs, mask=offs == 0, other=0.0)
    tl.store(out + lanes, v)


# run: grid=1 x=arange:i32[64] y=zeros:i32[64] out=zeros:i32[64]
@triton.jit
def divides_by_zero(x, y, out):
    lanes = tl.arange(0, 64)
    q = tl.load(x + lanes) // tl.load(y + lanes)  # BUG division_by_zero
    tl.store(out + lanes, q)


# run: grid=2 x=arange:i32[64] out=zeros:i32[64] groups=0
@triton.jit
def remainder_of_zero_groups(x, out, groups):
    group = tl.program_id(0) % groups  # BUG division_by_zero
    lanes = group * 32 + tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(out + lanes, tl.load(x + lanes))


# run: grid=1 x=arange:i32[64] n=zeros:i32[1] out=zeros:i32[64]
@triton.jit
def branches_on_a_division_by_zero(x, n, out):
    lanes = tl.arange(0, 64)
    share = 64 // tl.load(n)  # BUG division_by_zero
    if share > 1:
        tl.store(out + lanes, tl.load(x + lanes))


# run: grid=1 x=rand:f32[65] out=zeros:f32[64] start=1
@triton.jit
def promised_alignment_of_a_pointer(x, out, start):
    lanes = tl.arange(0, 64)
    here = tl.multiple_of(x + start, 16)  # WARN broken_promise
    tl.store(out + lanes, tl.load(here + lanes))  # BUG misaligned_access


# run: grid=1 x=rand:f32[200] out=zeros:f32[64] stride=100
@triton.jit
def promised_multiple_of_a_stride(x, out, stride):
    lanes = tl.arange(0, 64)
    stride = tl.multiple_of(stride, 16)  # WARN broken_promise
    tl.store(out + lanes, tl.load(x + stride + lanes))  # BUG misaligned_access


# run: grid=1 x=rand:f32[64] out=zeros:f32[64] n=7
@triton.jit
def false_assumption(x, out, n):
    tl.assume(n % 8 == 0)  # BUG assumption_failed
    lanes = tl.arange(0, 64)
    tl.store(out + lanes, tl.load(x + lanes))


# run: grid=2 x=rand:f32[64] out=zeros:f32[64] n=64
@triton.jit
def failed_assertion(x, out, n):
    lanes = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.device_assert(lanes < n, "the grid fits the array")  # BUG assertion_failed
    tl.store(out + lanes, tl.load(x + lanes, mask=lanes < n), mask=lanes < n)


# run: grid=1 out=zeros:f32[64] step=0
@triton.jit
def loop_that_stands_still(out, step):
    for i in range(0, 64, step):  # BUG step_not_positive
        tl.store(out + i, 1.0)


# run[nonfinite]: grid=1 x=zeros:f32[64] out=zeros:f32[64]
@triton.jit
def logarithm_of_zero(x, out):
    lanes = tl.arange(0, 64)
    v = tl.load(x + lanes)
    y = tl.log(v)  # BUG not_finite
    tl.store(out + lanes, y * 0.5)


# run[nonfinite]: grid=1 x=ones:f32[64] out=zeros:f16[64]
@triton.jit
def too_large_for_half(x, out):
    lanes = tl.arange(0, 64)
    v = tl.load(x + lanes) * 70000.0
    tl.store(out + lanes, v.to(tl.float16))  # BUG not_finite


# run[nonfinite]: grid=1 x=zeros:f32[64] out=zeros:f32[64]
@triton.jit
def nothing_to_normalise_by(x, out):
    lanes = tl.arange(0, 64)
    v = tl.load(x + lanes)
    total = tl.sum(v, axis=0)
    tl.store(out + lanes, v / total)  # BUG not_finite


# run[nonfinite]: grid=1 x=ones:f32[64] out=zeros:f32[64]
@triton.jit
def exponential_without_maximum(x, out):
    lanes = tl.arange(0, 64)
    v = tl.load(x + lanes) * 100.0
    e = tl.exp(v)  # BUG not_finite
    tl.store(out + lanes, e)


# run: grid=1 p=zeros:i32[64] n=65536
@triton.jit
def loop_begins_at_a_wrapped_number(p, n):
    start = n * n  # BUG wrapped_offset
    for i in range(start, start + 3):
        tl.store(p + i, i)


# run: grid=1 x=arange:i32[64] out=zeros:f32[64] step=30000000
@triton.jit
def combined_offset_wraps(x, out, step):
    lanes = tl.arange(0, 64)
    total = tl.reduce(tl.load(x + lanes) * step, 0, add)
    tl.store(out + total + lanes, 1.0, mask=lanes < 3)  # BUG out_of_bounds


@triton.jit
def add(a, b):
    return a + b  # BUG wrapped_offset


# run: grid=1 x=arange:i32[5,8] out=zeros:i32[8]
@triton.jit
def quotient_of_columns_with_zeros(x, out):
    r = tl.arange(0, 8)
    v = tl.load(x + r[:, None] * 8 + r[None, :], mask=r[:, None] < 5, other=0)
    tl.store(out + r, tl.reduce(v, 0, divide))


@triton.jit
def divide(a, b):
    return a // b  # BUG division_by_zero


# run: grid=1 x=ones:i32[7] out=zeros:i32[8] n=7
@triton.jit
def quotient_of_a_tuple(x, out, n):
    lanes = tl.arange(0, 8)
    v = tl.load(x + lanes, mask=lanes < n, other=2)
    q, count = tl.reduce((v, lanes), 0, divide_and_count)
    tl.store(out + q * 0 + lanes, count)
    if q > 1:
        tl.store(out, 0)


@triton.jit
def divide_and_count(a, m, b, n):
    return tl.minimum(a, b) // (a - b), m + n  # BUG division_by_zero


# run: grid=1 x=ones:i32[8] out=zeros:i32[8]
@triton.jit
def scan_that_branches_on_a_quotient(x, out):
    lanes = tl.arange(0, 8)
    tl.store(out + lanes, tl.associative_scan(tl.load(x + lanes), 0, halve_or_keep, reverse=True))


@triton.jit
def halve_or_keep(a, b):
    if a // (b - 1) > 0:  # BUG division_by_zero
        a = b
    return a


# run: grid=1 x=arange:i32[16] out=zeros:f32[64] big=300000000
@triton.jit
def starts_of_rows_wrap(x, out, big):
    lanes = tl.arange(0, 16)
    starts = tl.cumsum(tl.load(x + lanes) * big // 8, axis=0)  # BUG wrapped_offset
    tl.store(out + starts, 1.0)  # BUG out_of_bounds


# run: grid=1 x=ones:i32[3] out=zeros:f32[64] big=1000000000
@triton.jit
def sum_of_sizes_wraps(x, out, big):
    lanes = tl.arange(0, 4)
    size = tl.sum(tl.load(x + lanes, mask=lanes < 3, other=1) * big, axis=0)  # BUG wrapped_offset
    tl.store(out + size + 294967296 + lanes, 1.0)


# run: grid=2 out=zeros:i32[2] n=0
@triton.jit
def blocks_of_no_size(out, n):
    tl.store(out + tl.program_id(0), tl.cdiv(100, n))  # BUG division_by_zero


# run[nonfinite]: grid=1 x=ones:f32[64] out=zeros:f32[1]
@triton.jit
def sum_that_overflows(x, out):
    v = tl.load(x + tl.arange(0, 64)) * 3e38
    tl.store(out, tl.sum(v, axis=0))  # BUG not_finite


# run[nonfinite]: grid=3 x=ones:f32[1] out=zeros:f32[1]
@triton.jit
def sum_that_overflows_in_memory(x, out):
    tl.atomic_add(out, tl.load(x) * 3e38)  # BUG not_finite


# run[nonfinite]: grid=5 x=ones:f16[13] out=zeros:f16[13] n=13
@triton.jit
def tile_that_overflows_in_memory(x, out, n):
    lanes = tl.arange(0, 16)
    v = tl.load(x + lanes, mask=lanes < n, other=0.0) * 30000.0
    tl.atomic_add(out + lanes, v.to(tl.float16), mask=lanes < n)  # BUG not_finite


# run[nonfinite]: grid=1 x=zeros:f32[64] out=zeros:f32[64]
@triton.jit
def zero_times_infinity(x, out):
    lanes = tl.arange(0, 64)
    v = tl.load(x + lanes) * float("inf")  # BUG not_finite
    tl.store(out + lanes, v)


# run[nonfinite]: grid=2 x=rand:f32[2,64] out=zeros:f32[2,64] n=0
@triton.jit
def row_that_is_masked_whole(x, out, n):
    lanes = tl.arange(0, 64)
    row = tl.program_id(0) * 64
    m = tl.where(lanes < n, tl.load(x + row + lanes), -float("inf"))
    e = tl.exp(m - tl.max(m, axis=0))  # BUG not_finite
    tl.store(out + row + lanes, e / tl.sum(e, axis=0))


# run[nonfinite]: grid=1 out=zeros:f32[1]
@triton.jit
def infinities_that_cancel(out):
    v = tl.where(tl.arange(0, 64) % 2 == 0, float("inf"), -float("inf"))
    tl.store(out, tl.sum(v, axis=0))  # BUG not_finite


# run[nonfinite]: grid=1 x=ones:f32[256] out=zeros:f32[256]
@triton.jit
def product_with_an_infinity(x, out):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    a = tl.where(j == 3, float("inf"), tl.load(x + i * 16 + j))
    b = tl.where(i == 3, 0.0, tl.load(x + i * 16 + j))
    tl.store(out + i * 16 + j, tl.dot(a, b))  # BUG not_finite
