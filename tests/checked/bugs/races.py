# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs that get in one another's way.
import triton
import triton.language as tl


# run: grid=4 x=rand:f32[256] out=zeros:f32[1] BLOCK=64
@triton.jit
def sum_without_atomic(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(out)  # BUG data_race
    tl.store(out, total + tl.sum(tl.load(x + offs), axis=0))  # BUG data_race


# run: grid=4 x=rand:f32[256] out=zeros:f32[256] BLOCK=64
@triton.jit
def blocks_overlap(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + tl.program_id(0))  # BUG data_race


# run: grid=(4,2) x=rand:f32[256] out=zeros:f32[256] BLOCK=64
@triton.jit
def second_axis_forgotten(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) * tl.program_id(1))  # BUG data_race


# run: grid=4 x=rand:f32[256] BLOCK=64
@triton.jit
def stencil_in_place(x, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + offs - 1, mask=offs > 0, other=0.0)  # BUG data_race
    tl.store(x + offs, tl.load(x + offs) + left)


# run: grid=8 x=rand:f32[8,32] out=zeros:f32[8,32] columns=16
@triton.jit
def rows_overlap_by_wrong_stride(x, out, columns):
    row = tl.program_id(0)
    offs = tl.arange(0, 32)
    tl.store(out + row * columns + offs, tl.load(x + row * 32 + offs))  # BUG data_race


# run: grid=2 data=zeros:i32[1] flag=zeros:i32[1] out=zeros:i32[1]
@triton.jit
def flag_without_release(data, flag, out):
    if tl.program_id(0) == 0:
        tl.store(data, 42)
        tl.atomic_xchg(flag, 1, sem="relaxed")
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        tl.store(out, tl.load(data))  # BUG data_race


# run: grid=2 data=zeros:i32[1] flag=zeros:i32[1] out=zeros:i32[1]
@triton.jit
def flag_without_acquire(data, flag, out):
    if tl.program_id(0) == 0:
        tl.store(data, 42)
        tl.atomic_xchg(flag, 1, sem="release")
    else:
        while tl.atomic_add(flag, 0, sem="relaxed") == 0:
            pass
        tl.store(out, tl.load(data))  # BUG data_race


# run: grid=2 data=zeros:i32[1] flag=zeros:i32[1] out=zeros:i32[1]
@triton.jit
def flag_by_plain_store(data, flag, out):
    if tl.program_id(0) == 0:
        tl.store(data, 42)
        tl.store(flag, 1)
    else:
        while tl.atomic_add(flag, 0) == 0:  # BUG data_race
            pass
        tl.store(out, tl.load(data))  # BUG data_race


# run: grid=4 count=zeros:i32[1] lock=zeros:i32[1]
@triton.jit
def lock_without_acquire(count, lock):
    while tl.atomic_cas(lock, 0, 1, sem="relaxed") == 1:
        pass
    tl.store(count, tl.load(count) + 1)  # BUG data_race
    tl.atomic_xchg(lock, 0, sem="release")


# run: grid=4 count=zeros:i32[1] lock=zeros:i32[1]
@triton.jit
def lock_released_by_plain_store(count, lock):
    while tl.atomic_cas(lock, 0, 1) == 1:  # BUG data_race
        pass
    tl.store(count, tl.load(count) + 1)  # BUG data_race
    tl.store(lock, 0)


# run: grid=4 x=rand:f32[256] partial=zeros:f32[4] done=zeros:i32[1] out=zeros:f32[1] BLOCK=64
@triton.jit
def last_block_adds_without_order(x, partial, done, out, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial + pid, tl.sum(tl.load(x + offs), axis=0))
    before = tl.atomic_add(done, 1, sem="relaxed")
    if before == 3:
        tl.store(out, tl.sum(tl.load(partial + tl.arange(0, 4)), axis=0))  # BUG data_race


# run: grid=4 x=rand:f32[256] partial=zeros:f32[4] done=zeros:i32[1] out=zeros:f32[1] BLOCK=64
@triton.jit
def counts_before_it_is_done(x, partial, done, out, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    before = tl.atomic_add(done, 1)
    tl.store(partial + pid, tl.sum(tl.load(x + offs), axis=0))
    if before == 3:
        tl.store(out, tl.sum(tl.load(partial + tl.arange(0, 4)), axis=0))  # BUG data_race


# run: grid=4 bins=zeros:i32[8] x=arange:i32[64]
@triton.jit
def histogram_without_atomics(bins, x):
    v = tl.load(x + tl.program_id(0) * 16 + tl.arange(0, 16)) % 8
    count = tl.histogram(v, 8)
    at = bins + tl.arange(0, 8)
    tl.store(at, tl.load(at) + count)  # BUG data_race


# run: grid=4 x=rand:f32[256] total=zeros:f32[1] out=zeros:f32[256] BLOCK=64
@triton.jit
def uses_a_sum_that_others_add_to(x, total, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs)
    tl.atomic_add(total, tl.sum(v, axis=0))  # BUG data_race
    tl.store(out + offs, v / tl.load(total))


# run: grid=3 total=zeros:i32[1]
@triton.jit
def stores_where_others_add(total):
    if tl.program_id(0) == 0:
        tl.store(total, 7)
        tl.atomic_add(total, 1, sem="relaxed")
    else:
        tl.atomic_add(total, 1, sem="relaxed")  # BUG data_race


# run: grid=3 total=zeros:i32[1] seen=zeros:i32[1]
@triton.jit
def reads_before_it_adds(total, seen):
    if tl.program_id(0) == 0:
        tl.store(seen, tl.load(total))
    tl.atomic_add(total, 1, sem="relaxed")  # BUG data_race


# run: grid=4 x=arange:f32[4] total=zeros:f32[1]
@triton.jit
def first_program_clears_the_sum(x, total):
    pid = tl.program_id(0)
    if pid == 0:
        tl.store(total, 0.0)
    tl.atomic_add(total, tl.load(x + pid))  # BUG data_race


# run: grid=4 x=arange:f32[64] total=zeros:f32[16]
@triton.jit
def third_program_clears_some_sums(x, total):
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)
    if pid == 2:
        tl.store(total + lanes, 0.0, mask=lanes > 10)  # BUG data_race
    tl.atomic_add(total + lanes, tl.load(x + pid * 16 + lanes), mask=lanes < 12)  # BUG data_race


# run: grid=2 flag=zeros:i32[1] out=zeros:i32[1]
@triton.jit
def waits_for_nobody(flag, out):
    while tl.atomic_add(flag, 0) == 0:  # BUG endless_wait
        pass
    tl.store(out, 1)


# run: grid=2 locks=zeros:i32[2] out=zeros:i32[1]
@triton.jit
def lock_never_given_back(locks, out):
    while tl.atomic_cas(locks, 0, 1) == 1:  # BUG endless_wait
        pass
    tl.store(out, 1)


# run[order]: grid=4 turn=zeros:i32[1] out=zeros:i32[4]
@triton.jit
def who_comes_first(turn, out):  # BUG order_dependence
    ticket = tl.atomic_add(turn, 1)
    tl.store(out + tl.program_id(0), ticket)


# run[order]: grid=8 last=zeros:i32[1]
@triton.jit
def who_comes_last(last):  # BUG order_dependence
    tl.atomic_xchg(last, tl.program_id(0))


# run: grid=4 flag=zeros:i32[1] out=zeros:i32[4]
@triton.jit
def waits_for_the_last(flag, out):
    pid = tl.program_id(0)
    if pid == tl.num_programs(0) - 1:
        tl.atomic_xchg(flag, 1)
    while tl.atomic_add(flag, 0) == 0:  # WARN waits_for_later
        pass
    tl.store(out + pid, 1)


# run: grid=3 flags=zeros:i32[3] out=zeros:i32[3]
@triton.jit
def waits_for_the_next(flags, out):
    pid = tl.program_id(0)
    while tl.atomic_cas(flags + pid, 1, 1) == 0 and pid < 2:  # WARN waits_for_later
        pass
    tl.atomic_xchg(flags + (pid + 2) % 3, 1)
    tl.store(out + pid, 1)


# run: grid=4 x=rand:f32[256] total=zeros:f32[1] count=zeros:i32[1] out=empty:f32[256] BLOCK=64
@triton.jit
def everybody_waits_for_the_sum(x, total, count, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs)
    tl.atomic_add(total, tl.sum(v, axis=0), sem="relaxed")
    tl.atomic_add(count, 1, sem="release")
    while tl.atomic_add(count, 0, sem="acquire") < 4:  # WARN waits_for_later
        pass
    tl.store(out + offs, v / tl.load(total))


# run: grid=3 out=zeros:i32[8] n=5
@triton.jit
def counter_forgotten(out, n):
    i = 0
    while i < n:  # BUG endless_wait
        tl.store(out + i, 1)


# run: grid=1 n=5
@triton.jit
def another_counter_counts(n):
    i = 0
    while i < n:  # BUG endless_wait
        j = i + 1


# run: grid=1 out=zeros:i32[8] n=5
@triton.jit
def counter_that_stops_early(out, n):
    i = 0
    while i < n:  # BUG endless_wait
        i = tl.minimum(i + 1, 3)
    tl.store(out + i * 100, 1)


# run: grid=1 x=ones:i32[8] out=zeros:i32[8] n=5
@triton.jit
def counter_forgotten_over_what_is_read(x, out, n):
    i = 0
    while i < n:  # BUG endless_wait
        tl.store(out + i, tl.load(x + i))


# run: grid=2 out=zeros:i32[8] n=5
@triton.jit
def outer_counter_forgotten(out, n):
    i = 0
    while i < n:  # BUG endless_wait
        k = 0
        while k < 3:
            tl.store(out + i + k, k)
            k += 1
