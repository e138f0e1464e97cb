# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the language of threads has besides arrays and loops: functions inside of functions, tuples by indices that the run
# decides, other extents, counters that go round.
from enum import IntEnum

from numba import cuda, uint32


class Kind(IntEnum):
    small = 3
    large = 40


@cuda.jit(device=True)
def twice(function, value):
    return function(function(value))


# run: grid=2 block=16 out=empty:i64[32] a=rand:i32[32]
@cuda.jit
def inner_functions(out, a):
    i = cuda.grid(1)
    offset = 5

    def more(value):
        return value * 3 + offset

    def weighed(value):
        half = value // 2
        if half > 7:
            return more(half)
        return half - offset

    offset = i + 1  # which calls see
    out[i] = twice(weighed, a[i] % 100) + more(i)


# run: grid=1 block=20 out=empty:f64[20] a=rand:f32[20]
@cuda.jit
def tuples_by_index(out, a):
    i = cuda.grid(1)
    both = (a[i], i, 2.5, Kind.large)
    total = both[i % 4]
    for k in range(-4, i % 3):
        total += both[k] * k
    out[i] = total + (Kind["small"] if i > 7 else Kind.large)


# run: grid=1 block=24 out=zeros:i32[24] a=rand:i32[24]
@cuda.jit
def other_extents(out, a):
    t = cuda.threadIdx.x
    wide = a.reshape(4, 6)
    deep = wide.reshape((2, -1, 3))
    made = out.reshape(-1, 3)
    made[t // 3, t % 3] = wide[t % 4, t // 4] * 2 + deep[t % 2, t // 2 % 4, t % 3]


# run: grid=1 block=12 out=empty:i64[12] a=rand:i32[12]
@cuda.jit
def counted_ranges(out, a):
    i = cuda.grid(1)
    total = 0
    for place, number in enumerate(range(i, -3, -2)):
        total += place * number
    for number, value in zip(range(1, 100), a):
        total += number * value % 1000
    out[i] = total


# run: grid=2 block=32 drawn=empty:u32[2,64] counter=zeros:u32[4] # in any order: drawn
@cuda.jit
def counters(drawn, counter):
    shared = cuda.shared.array(2, uint32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if t < 2:
        shared[t] = t
    cuda.syncthreads()
    drawn[0, i] = cuda.atomic.inc(counter, 0, 9)
    drawn[1, i] = cuda.atomic.dec(counter, 1, 12)
    cuda.atomic.inc(shared, 0, 4)
    cuda.atomic.dec(shared, 1, 6)
    cuda.syncthreads()
    if t < 2:
        cuda.atomic.add(counter, 2 + t, shared[t])


# run: grid=2 block=16 out=zeros:f32[32] small=zeros:i8[32] wide=zeros:i64[32] a=rand:f32[32] b=rand:i64[32]
@cuda.jit
def hints_for_caches(out, small, wide, a, b):
    i = cuda.grid(1)
    cuda.stcg(out, i, cuda.ldca(a, i) + cuda.ldcg(a, 31 - i))
    cuda.stcs(small, i, cuda.ldcs(b, i))
    cuda.stwb(wide, i, cuda.ldlu(b, i) + cuda.ldcs(small, i))
    cuda.stwt(out, i, cuda.ldcv(out, i) * 2)


@cuda.jit(device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit(device=True)
def place_of(a, low, high, x):
    if low >= high:
        return -1
    middle = (low + high) // 2
    if a[middle] == x:
        return middle
    if a[middle] < x:
        return place_of(a, middle + 1, high, x)
    return place_of(a, low, middle, x)


@cuda.jit(device=True)
def branches(n, weights):
    total = weights[n % 4]
    for k in range(n):
        total += branches(k, weights) * 2
    return total


# run: grid=2 block=20 out=zeros:i64[2,40] weighed=zeros:f32[40] a=arange:i32[30] b=rand:f32[4]
@cuda.jit
def recursion(out, weighed, a, b):
    i = cuda.grid(1)
    out[0, i] = fibonacci(i % 9)
    out[1, i] = place_of(a, 0, a.size, i)
    weighed[i] = branches(i % 4, b)


@cuda.jit(device=True)
def filling(n, buffer):
    mine = cuda.local.array(3, uint32)
    for i in range(3):
        mine[i] = buffer[2 - i] + i * n
    if n > 0:
        filling(n - 1, mine)
    for i in range(3):
        buffer[i] += mine[i] * 3


# Arrays of which each call has its own, at addresses that a stack keeps.
# run: grid=2 block=20 out=zeros:i64[40]
@cuda.jit
def arrays_of_calls(out):
    i = cuda.grid(1)
    first = cuda.local.array(3, uint32)
    for k in range(3):
        first[k] = k
    filling(i % 6, first)
    out[i] = first[0] + first[1] * 2 + first[2] * 5
