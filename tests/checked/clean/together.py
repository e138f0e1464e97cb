# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Correct kernels whose programs touch the same memory.
import triton
import triton.language as tl


# run: grid=4 x=rand:f32[256] out=zeros:f32[1] BLOCK=64
@triton.jit
def atomic_sum(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + offs), axis=0))


# run: grid=4 x=rand:f32[256] out=zeros:f32[1] BLOCK=64
@triton.jit
def relaxed_atomic_sum(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + offs), axis=0), sem="relaxed")


# run: grid=4 bins=zeros:i32[8] x=arange:i32[64]
@triton.jit
def histogram(bins, x):
    v = tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16)) % 8
    tl.atomic_add(bins + v, 1)


# run: grid=2 data=zeros:i32[1] flag=zeros:i32[1] out=empty:i32[1]
@triton.jit
def flag(data, flag, out):
    if tl.program_id(0) == 0:
        tl.store(data, 42)
        tl.atomic_xchg(flag, 1, sem="release")
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        tl.store(out, tl.load(data))


# run: grid=2 data=zeros:i32[1] flag=zeros:i32[1] out=empty:i32[1]
@triton.jit
def flag_by_volatile_load(data, flag, out):
    if tl.program_id(0) == 0:
        tl.store(data, 42)
        tl.atomic_xchg(flag, 1)
    else:
        while tl.load(flag, volatile=True) == 0:
            pass
        tl.store(out, tl.load(data))


# run: grid=8 count=zeros:i32[1] lock=zeros:i32[1]
@triton.jit
def lock(count, lock):
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    tl.store(count, tl.load(count) + 1)
    tl.atomic_xchg(lock, 0, sem="release")


# run: grid=4 x=rand:f32[256] partial=empty:f32[4] done=zeros:i32[1] out=empty:f32[1] BLOCK=64
@triton.jit
def last_block_adds(x, partial, done, out, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial + pid, tl.sum(tl.load(x + offs), axis=0))
    before = tl.atomic_add(done, 1)
    if before == 3:
        tl.store(out, tl.sum(tl.load(partial + tl.arange(0, 4)), axis=0))


# run: grid=8 x=rand:f32[512] sums=empty:f32[8] flags=zeros:i32[8] out=empty:f32[512] BLOCK=64
@triton.jit
def chained_scan(x, sums, flags, out, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs)
    before = 0.0
    if pid > 0:
        while tl.atomic_add(flags + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(sums + pid - 1)
    tl.store(sums + pid, before + tl.sum(v, axis=0))
    tl.atomic_xchg(flags + pid, 1, sem="release")
    tl.store(out + offs, before + tl.cumsum(v, axis=0))


# run: grid=4 order=zeros:i32[1] out=zeros:i32[4]
@triton.jit
def ticket(order, out):
    mine = tl.atomic_add(order, 1)
    tl.store(out + mine, tl.program_id(0))


# run: grid=6 x=rand:f32[96] partial=zeros:f32[2] locks=zeros:i32[2] out=zeros:f32[2]
@triton.jit
def split_sum_under_locks(x, partial, locks, out):
    group = tl.program_id(0) % 2
    total = tl.sum(tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16)), axis=0)
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    tl.store(out + group, tl.load(out + group) + total)
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


# run: grid=4 x=rand:f32[64] out=empty:f32[4]
@triton.jit
def all_read_the_same(x, out):
    total = tl.sum(tl.load(x + tl.arange(0, 64)), axis=0)
    tl.store(out + tl.program_id(0), total * tl.program_id(0))


# run: grid=4 x=rand:f32[64] most=zeros:i32[1]
@triton.jit
def atomic_maximum(x, most):
    v = tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16)) * 1000
    tl.atomic_max(most, tl.max(v.to(tl.int32), axis=0))


# run: grid=8 x=rand:f32[64] room=empty:f32[64] out=empty:f32[64]
@triton.jit
def room_of_its_own(x, room, out):
    offs = tl.program_id(0) * 8 + tl.arange(0, 8)
    tl.store(room + offs, tl.load(x + offs))
    tl.store(out + offs, tl.load(room + offs) * 2)


# run: grid=5 turn=zeros:i32[1] log=zeros:i32[5]
@triton.jit
def one_after_the_other(turn, log):
    pid = tl.program_id(0)
    while tl.load(turn, volatile=True) != pid:
        pass
    tl.store(log + pid, tl.sum(tl.load(log + tl.arange(0, 8), mask=tl.arange(0, 8) < 5, other=0)) + 1)
    tl.atomic_xchg(turn, pid + 1)


# run: grid=4 x=rand:f32[64] out=empty:f32[64]
@triton.jit
def all_write_the_same(x, out):
    offs = tl.arange(0, 64)
    tl.store(out + offs, tl.load(x + offs) * 2)


# run: grid=8 count=zeros:i32[1] lock=zeros:i32[1]
@triton.jit
def lock_between_barriers(count, lock):
    while tl.atomic_cas(lock, 0, 1, sem="relaxed") == 1:
        pass
    tl.debug_barrier()
    tl.store(count, tl.load(count) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="relaxed")


# run[order]: grid=4 x=arange:i32[256] out=zeros:i32[1] BLOCK=64
@triton.jit
def integer_sum_in_any_order(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + offs), axis=0))


# run[order]: grid=8 x=rand:f32[512] out=empty:f32[512]
@triton.jit
def programs_for_themselves(x, out):
    offs = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out + offs, tl.load(x + offs) * 2)


# run[nonfinite]: grid=4 x=rand:f32[4,100] out=empty:f32[4,100] n=100 BLOCK=128
@triton.jit
def infinities_that_come_and_go(x, out, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    v = tl.load(x + row + offs, mask=offs < n, other=-float('inf'))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + offs, e / tl.sum(e, axis=0), mask=offs < n)


# run[nonfinite]: grid=1 x=zeros:f32[64] out=empty:f32[64]
@triton.jit
def logarithm_that_is_not_chosen(x, out):
    lanes = tl.arange(0, 64)
    v = tl.load(x + lanes)
    tl.store(out + lanes, tl.where(v > 0, tl.log(v), 0.0))


# run: grid=1 x=ones:f32[4300000] out=empty:f32[1] n=4300000
@triton.jit
def reads_for_long_and_writes_nothing(x, out, n):
    i = 0
    total = 0.0
    while i < n:
        total += tl.load(x + i)
        i += 1
    tl.store(out, total)


# run: grid=40 x=ones:f32[40] total=empty:f32[1] ready=zeros:i32[1]
@triton.jit
def first_program_clears_the_sum_and_says_so(x, total, ready):
    pid = tl.program_id(0)
    if pid == 0:
        tl.store(total, 0.0)
        tl.atomic_add(total, tl.load(x), sem="relaxed")
        tl.atomic_xchg(ready, 1, sem="release")
    else:
        while tl.atomic_add(ready, 0, sem="acquire") == 0:
            pass
        tl.atomic_add(total, tl.load(x + pid), sem="relaxed")


# run: grid=9 count=zeros:i32[1] lock=zeros:i32[1]
@triton.jit
def plain_and_atomic_under_a_lock(count, lock):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) % 3 == 0:
        tl.store(count, tl.load(count) + 1)
    tl.atomic_add(count, 1)
    tl.atomic_xchg(lock, 0)


# run: grid=3 x=zeros:i32[5] y=zeros:f32[5] out=zeros:i32[20] n=5
@triton.jit
def old_values_where_the_mask_lets_them(x, y, out, n):
    lanes = tl.arange(0, 8)
    inside = lanes < n
    old = tl.atomic_add(x + lanes, 1, mask=inside)
    tl.store(out + tl.program_id(0) * 5 + lanes, old, mask=inside)
    tl.atomic_add(out + 15 + tl.where(inside, old, 0), 1)
    most = tl.atomic_max(y + lanes, lanes - 2.5, mask=inside)
    if tl.sum(tl.where(inside, most, 0.0)) > 100:
        tl.atomic_add(out + 19, 1)


# run[nonfinite]: grid=1 x=zeros:f32[8] out=zeros:f32[8]
@triton.jit
def infinities_that_were_meant(x, out):
    lanes = tl.arange(0, 8)
    tl.store(x + lanes, tl.where(lanes == 3, -float('inf'), 3e38))
    tl.atomic_add(x + lanes, 3e38, mask=lanes < 0)
    old = tl.atomic_add(x + lanes, 1.0)
    tl.atomic_add(out + lanes, old)


# run: grid=2 x=arange:i32[9] out=zeros:i32[2]
@triton.jit
def counts_in_memory(x, out):
    mine = out + tl.program_id(0)
    while tl.load(mine) < 7:
        k = 0
        while k < 3:
            k += 1
        tl.store(mine, tl.load(mine) + tl.load(x + 1))


# run: grid=2 x=zeros:i32[2] seen=zeros:i32[2]
@triton.jit
def inner_loop_reads_what_the_outer_writes(x, seen):
    pid = tl.program_id(0)
    more = True
    while more:
        k = 0
        more = False
        while k < 2:
            more = more or tl.load(x + pid) < 5
            k += 1
        tl.store(x + pid, tl.load(x + pid) + 1)
    tl.store(seen + pid, 1)


# run[nonfinite]: grid=1 x=ones:f32[64] out=empty:f32[64]
@triton.jit
def infinity_that_was_meant(x, out):
    lanes = tl.arange(0, 64)
    tl.store(out + lanes, tl.load(x + lanes) * float("inf"))


# run[nonfinite]: grid=2 x=rand:f32[2,64] out=zeros:f32[2,64] n=0
@triton.jit
def row_that_is_masked_whole_and_mended(x, out, n):
    lanes = tl.arange(0, 64)
    row = tl.program_id(0) * 64
    m = tl.where(lanes < n, tl.load(x + row + lanes), -float("inf"))
    highest = tl.max(m, axis=0)
    e = tl.exp(m - tl.where(highest == -float("inf"), 0.0, highest))
    total = tl.sum(e, axis=0)
    tl.store(out + row + lanes, tl.where(total == 0, 0.0, e / total))
