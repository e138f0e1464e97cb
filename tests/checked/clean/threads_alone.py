# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads without a mistake, each thread for itself: indices, slices, local memory, numbers.
import cmath
import math

import numba
from numba import cuda, float32, float64, int32, int64


# run: grid=1 block=24 out=empty:f32[24] a=rand:f32[24]
@cuda.jit
def counts_back(out, a):
    t = cuda.threadIdx.x
    out[t] = a[-1 - t]


# run: grid=2,2 block=8,8 out=zeros:f32[9,16] a=rand:f32[9,16]
@cuda.jit
def neighbours_inside(out, a):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x + 1 < a.shape[1]:
        out[y, x] = a[y, x] + a[y, x + 1]


# run: grid=1 block=6 out=empty:f32[6] a=rand:f32[20]
@cuda.jit
def part_of_an_array(out, a):
    t = cuda.threadIdx.x
    part = a[3:9]
    out[t] = part[t] * part.size + part[-1]


# run: grid=1 block=7 out=empty:f32[7] a=rand:f32[20]
@cuda.jit
def every_third_and_backwards(out, a):
    t = cuda.threadIdx.x
    part = a[::3]
    out[t] = part[t] - a[::-1][t]


# run: grid=2 block=32 out=empty:f32[40] a=rand:f32[40,25]
@cuda.jit
def sums_of_rows(out, a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        row = a[i]
        total = float32(0)
        for k in range(row.size):
            total += row[k]
        out[i] = total


# run: grid=1 block=25 out=empty:f32[25] a=rand:f32[40,25]
@cuda.jit
def sums_of_columns(out, a):
    column = a[:, cuda.threadIdx.x]
    total = float32(0)
    for k in range(len(column)):
        total += column[k]
    out[cuda.threadIdx.x] = total


# run: grid=1 block=8,12 out=empty:f32[12,8] a=rand:f32[8,12]
@cuda.jit
def writes_through_a_transposed_view(out, a):
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    out.T[x, y] = a[x, y]


# run: grid=2 block=4,3,2 out=empty:i64[4,3,4] a=rand:i32[4,3,4]
@cuda.jit
def three_dimensions(out, a):
    x, y, z = cuda.grid(3)
    if x < 4:
        out[x, y, z] = a[x, y, z] + x
        out[x, y, z + 2] = a[x, y, z + 2] - z


# run: grid=1 block=16 out=empty:i64[16]
@cuda.jit
def stack_of_its_own(out):
    t = cuda.threadIdx.x
    stack = cuda.local.array(8, int64)
    for k in range(t // 4):
        stack[k] = k * t
    total = 0
    for k in range(t // 4):
        total += stack[k]
    out[t] = total


# run: grid=1 block=16 out=empty:f64[16] a=rand:f64[16,9]
@cuda.jit
def sorts_a_row_of_its_own(out, a):
    t = cuda.threadIdx.x
    row = cuda.local.array(9, float64)
    for k in range(9):
        v = a[t, k]
        j = k
        while j > 0 and row[j - 1] > v:
            row[j] = row[j - 1]
            j -= 1
        row[j] = v
    out[t] = row[4]


# run: grid=3 block=32 out=empty:i64[90]
@cuda.jit
def steps_of_collatz(out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    n = i + 1
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    out[i] = steps


# run: grid=2,2 block=8,8 out=empty:i32[16,16]
@cuda.jit
def mandelbrot(out):
    x, y = cuda.grid(2)
    re = x * 0.1875 - 2.0
    im = y * 0.1875 - 1.5
    a = 0.0
    b = 0.0
    for k in range(50):
        if a * a + b * b > 4:
            out[y, x] = k
            break
        a, b = a * a - b * b + re, 2 * a * b + im
    else:
        out[y, x] = 50


# run: grid=2 block=32 out=empty:f64[64] a=rand:f64[64]
@cuda.jit
def functions_of_math(out, a):
    i = cuda.grid(1)
    v = a[i]
    out[i] = math.sqrt(v) + math.floor(v * 10) - math.fabs(v - 0.5) + min(v, 0.25, 0.75) + max(v, 0.1)


# run: grid=2 block=32 out=empty:i64[64] a=rand:i32[64]
@cuda.jit
def integers_round_down(out, a):
    i = cuda.grid(1)
    v = a[i] - 50
    d = i % 7 - 3
    if d != 0:
        out[i] = v // d * 1000 + v % d
    else:
        out[i] = -1


# run: grid=2 block=32 out=empty:i64[64] a=rand:i32[64]
@cuda.jit
def bits_of_integers(out, a):
    i = cuda.grid(1)
    v = a[i]
    out[i] = cuda.popc(v) + cuda.clz(v) * 64 + cuda.ffs(v) * 4096 + ((v << 3) ^ (v >> 1) | 1 & ~v)


# run: grid=1 block=32 out=empty:i64[32] n=9 step=2
@cuda.jit
def steps_that_the_run_knows(out, n, step):
    t = cuda.threadIdx.x
    total = 0
    for k in range(t, n, step):
        total += k
    for k in range(n, t, -step):
        total -= k
    out[t] = total


# run: grid=1 block=32 out=zeros:i64[32]
@cuda.jit
def continues_and_breaks(out):
    t = cuda.threadIdx.x
    for k in range(20):
        if (k + t) % 3 == 0:
            continue
        if k > t:
            break
        out[t] += k


# run: grid=1 block=20 out=empty:i64[20]
@cuda.jit
def fibonacci_by_recursion_that_the_compiler_ends(out):
    t = cuda.threadIdx.x
    out[t] = t + fibonacci(10)


@cuda.jit(device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


# run: grid=1 block=16 out=empty:f32[16,2] a=rand:f32[16]
@cuda.jit
def several_values_of_a_function(out, a):
    t = cuda.threadIdx.x
    whole, rest = split_at_tenths(a[t])
    out[t, 0] = whole
    out[t, 1] = rest


@cuda.jit(device=True)
def split_at_tenths(v):
    tenths = math.floor(v * 10)
    return tenths, v - tenths / 10


# run: grid=1 block=16 a=rand:f32[16] out=empty:f32[16]
@cuda.jit
def asserts_what_holds(a, out):
    t = cuda.threadIdx.x
    assert a[t] <= 1, "too large"
    out[t] = a[t]


# run: grid=2 block=32 out=empty:f64[64] a=rand:f32[64]
@cuda.jit
def types_of_its_own_choice(out, a):
    i = cuda.grid(1)
    narrow = numba.int8(i * 7)
    wide = float64(a[i]) + numba.uint16(i * 2000) + int32(i) // 3
    out[i] = wide * narrow


# run: grid=1 block=12 out=empty:f64[12] a=rand:f64[12]
@cuda.jit
def horner(out, a):
    t = cuda.threadIdx.x
    v = 0.0
    for c in (0.5, -1.25, 3.0, 0.125):
        v = v * a[t] + c
    out[t] = v


# run: grid=1 block=1 out=empty:i64[1] a=rand:i32[30]
@cuda.jit
def one_thread_alone(out, a):
    best = 0
    for k in range(a.size):
        if a[k] > a[best]:
            best = k
    out[0] = best


# run: grid=1 block=1024 out=empty:i32[1024]
@cuda.jit
def largest_block(out):
    out[cuda.threadIdx.x] = cuda.blockDim.x - cuda.threadIdx.x


# run: grid=2,2 block=8,8 out=empty:i32[16,16]
@cuda.jit
def mandelbrot_of_complex_numbers(out):
    x, y = cuda.grid(2)
    c = complex(x * 0.1875 - 2.0, y * 0.1875 - 1.5)
    z = 0j
    n = 0
    while n < 50 and abs(z) <= 2:
        z = z * z + c
        n += 1
    out[y, x] = n


# run: grid=1 block=24 out=empty:f64[24,6] a=randn:f64[24]
@cuda.jit
def functions_of_complex_numbers(out, a):
    t = cuda.threadIdx.x
    z = complex(a[t], a[23 - t])
    w = cmath.sqrt(z) + cmath.exp(z / (2 + 1j)) - cmath.log(z) ** 2
    size, angle = cmath.polar(z)
    out[t, 0] = w.real
    out[t, 1] = w.imag
    out[t, 2] = size
    out[t, 3] = cmath.rect(size, angle).imag
    out[t, 4] = (z.conjugate() * 1j).real
    out[t, 5] = 1 if cmath.isfinite(z) and z != w else 0


# run: grid=1 block=24 out=empty:f64[24,8] a=randn:f64[24]
@cuda.jit
def several_values_of_numbers(out, a):
    t = cuda.threadIdx.x
    v = a[t] * 100
    out[t, 0], exponent = math.frexp(v)
    out[t, 1] = exponent
    out[t, 2], out[t, 3] = math.modf(v)
    out[t, 4], out[t, 5] = cuda.libdevice.sincos(v)
    rest, quotient = cuda.libdevice.remquo(v, 7.0)
    out[t, 6] = rest
    out[t, 7] = quotient


# run: grid=2 block=16 out=empty:f32[32] a=randn:f32[32]
@cuda.jit
def complex_numbers_of_a_block(out, a):
    held = cuda.shared.array((2, 16), numba.complex64)
    own = cuda.local.array(3, numba.complex128)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[0, t] = a[i]
    held[1, t] = 1j * a[i]
    cuda.syncthreads()
    own[0] = held[0, 15 - t] + held[1, t]
    own[2] = own[0] * own[0]
    out[i] = abs(own[2]) + held.imag[1, 15 - t]


# run: grid=1 block=9 out=empty:f64[9] a=rand:f64[20] step=-3
@cuda.jit
def slices_by_steps_of_the_run(out, a, step):
    t = cuda.threadIdx.x
    down = a[17::step]
    up = a[2:t:-step]
    total = down[-1]
    for k in range(up.size):
        total += up[k]
    out[t] = total + down.size
