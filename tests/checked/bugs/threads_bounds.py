# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of threads: beyond arrays, unwritten memory, and what else one thread does wrong alone.
import math

import numba
from numba import cuda, float32, int32, int64


# run: grid=1 block=32 out=zeros:f32[32] a=rand:f32[24]
@cuda.jit
def counts_back_too_far(out, a):
    t = cuda.threadIdx.x
    out[t] = a[-1 - t]  # BUG out_of_bounds


# run: grid=2 block=8,8 out=zeros:f32[8,16] a=rand:f32[8,16]
@cuda.jit
def neighbour_of_the_last_column(out, a):
    x, y = cuda.grid(2)
    if y < 7:
        out[y, x] = a[y, x] + a[y, x + 1]  # BUG out_of_bounds


# run: grid=2 block=32 bins=zeros:i32[16] a=arange:i32[64]
@cuda.jit
def histogram_of_what_has_no_bin(bins, a):
    i = cuda.grid(1)
    cuda.atomic.add(bins, a[i] // 3, 1)  # BUG out_of_bounds


# run: grid=1 block=16,8 out=zeros:f32[8,16] a=rand:f32[8,16]
@cuda.jit
def tile_of_the_other_shape(out, a):
    tile = cuda.shared.array((16, 8), float32)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    tile[y, x] = a[y, x]  # BUG out_of_bounds # BUG data_race
    cuda.syncthreads()
    out[y, x] = a[y, x]


# run: grid=1 block=8 out=zeros:f32[8] a=rand:f32[20]
@cuda.jit
def leaves_the_slice_and_not_the_array(out, a):
    t = cuda.threadIdx.x
    part = a[3:9]
    out[t] = part[t]  # BUG out_of_bounds


# run: grid=2 block=32 out=zeros:f32[40,25] a=rand:f32[40,25]
@cuda.jit
def takes_columns_for_rows(out, a):
    i = cuda.grid(1)
    if i < a.shape[0]:
        for k in range(a.shape[0]):
            out[i, k] = a[i, k] * 2  # BUG out_of_bounds


# run: grid=1 block=16 out=zeros:f32[16] a=rand:f32[16,5]
@cuda.jit
def one_round_too_many(out, a):
    t = cuda.threadIdx.x
    total = float32(0)
    for k in range(a.shape[1] + 1):
        total += a[t, k]  # BUG out_of_bounds
    out[t] = total


# run: grid=3 block=32 out=zeros:f32[80] a=rand:f32[80]
@cuda.jit
def stencil_without_an_edge(out, a):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i - 1] + a[i + 1]  # BUG out_of_bounds


# run: grid=1 block=32 out=zeros:f32[32] a=rand:f32[32]
@cuda.jit
def device_function_goes_beyond(out, a):
    t = cuda.threadIdx.x
    out[t] = third_after(a, t)


@cuda.jit(device=True)
def third_after(a, i):
    return a[i + 3]  # BUG out_of_bounds


# run: grid=1 block=8 locks=zeros:i32[4] out=zeros:i32[8]
@cuda.jit
def takes_a_lock_that_is_not_there(locks, out):
    t = cuda.threadIdx.x
    out[t] = cuda.atomic.cas(locks, t, 0, 1)  # BUG out_of_bounds


# run: grid=1 block=4,4,4 out=zeros:f32[4,4,4] a=rand:f32[3,4,4]
@cuda.jit
def plane_that_is_not_there(out, a):
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    z = cuda.threadIdx.z
    out[z, y, x] = a[z, y, x]  # BUG out_of_bounds


# run: grid=1 block=8,12 out=zeros:f32[8,12] a=rand:f32[8,12]
@cuda.jit
def transposes_the_indices_and_the_array(out, a):
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    out[x, y] = a.T[x, y]  # BUG out_of_bounds


# run: grid=1 block=32 out=zeros:f32[32] a=rand:f32[32] where=arange:i32[32]
@cuda.jit
def gathers_from_nowhere(out, a, where):
    t = cuda.threadIdx.x
    out[t] = a[where[t] * 7 - 64]  # BUG out_of_bounds


# run: grid=1 block=32 out=empty:f32[32] a=rand:f32[32]
@cuda.jit
def adds_to_what_nobody_wrote(out, a):
    t = cuda.threadIdx.x
    out[t] += a[t]  # BUG unwritten_read


# run: grid=3 block=16 out=zeros:f32[48] a=rand:f32[48]
@cuda.jit
def forgets_the_halo(out, a):
    held = cuda.shared.array(18, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t + 2] = a[i]
    cuda.syncthreads()
    out[i] = held[t] + held[t + 1] + held[t + 2]  # BUG unwritten_read


# run: grid=1 block=40 out=zeros:f32[1] a=rand:f32[40]
@cuda.jit
def halves_a_block_that_is_no_power_of_two(out, a):
    held = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            held[t] += held[t + half]  # BUG unwritten_read
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = held[0]


# run: grid=2 block=16 shared=64 out=zeros:i32[32]
@cuda.jit
def memory_of_the_launch_is_no_zero(out):
    held = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    out[cuda.grid(1)] = held[t]  # BUG unwritten_read


# run: grid=1 block=32 out=zeros:i32[1] a=rand:i32[32]
@cuda.jit
def maximum_of_nothing_and_all(out, a):
    most = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cuda.atomic.max(most, 0, a[t])  # BUG unwritten_read
    cuda.syncthreads()
    if t == 0:
        out[0] = most[0]


# run: grid=1 block=16 out=zeros:i64[16]
@cuda.jit
def reads_more_than_it_has_pushed(out):
    t = cuda.threadIdx.x
    stack = cuda.local.array(8, int64)
    for k in range(t // 4):
        stack[k] = k * t
    total = 0
    for k in range(t // 4 + 1):
        total += stack[k]  # BUG unwritten_read
    out[t] = total


# run: grid=1 block=16 out=zeros:i32[16] a=arange:i32[16]
@cuda.jit
def divides_by_the_first_element(out, a):
    t = cuda.threadIdx.x
    out[t] = a[t] // a[t % 2 * 3]  # BUG division_by_zero


# run: grid=1 block=8 out=zeros:i64[8] n=9 step=0
@cuda.jit
def step_of_nothing(out, n, step):
    t = cuda.threadIdx.x
    for k in range(t, n, step):  # BUG step_not_positive
        out[t] += k


# run: grid=1 block=16 a=rand:f32[16] out=zeros:f32[16]
@cuda.jit
def asserts_of_data(a, out):
    t = cuda.threadIdx.x
    assert a[t] < 0.5, "too large"  # BUG assertion_failed
    out[t] = a[t]


# run[nonfinite]: grid=1 block=16 a=zeros:f32[16] out=zeros:f32[16]
@cuda.jit
def logarithm_of_a_zero(a, out):
    t = cuda.threadIdx.x
    out[t] = math.log(a[t]) * 0.5  # BUG not_finite


# run[nonfinite]: grid=1 block=16 a=ones:f64[16] out=zeros:f64[16]
@cuda.jit
def root_of_less_than_nothing(a, out):
    t = cuda.threadIdx.x
    out[t] = math.sqrt(a[t] - 2)  # BUG not_finite


# run: grid=1 block=16 out=zeros:f32[16]
@cuda.jit
def complex_number_of_half_a_row(out):
    held = cuda.shared.array((2, 8), numba.complex64)
    t = cuda.threadIdx.x
    held[0, t] = 1j * t  # BUG out_of_bounds
    out[t] = t
