# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compare.py times: kernels written thread by thread, the same text for Nereid and for numba-cuda. loops.py and
kernels.cu say the same as loops and in CUDA C++."""

import math

from numba import cuda, float32, int32

SIDE = 16  # of a square block
ROW = SIDE + 1  # one more, so that a column lies in different banks
THREADS = 256
BINS = 64


@cuda.jit
def transpose(out, a):
    square = cuda.shared.array((SIDE, ROW), float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * SIDE, cuda.blockIdx.y * SIDE
    if top + row < a.shape[0] and left + column < a.shape[1]:
        square[row, column] = a[top + row, left + column]
    cuda.syncthreads()
    if left + row < out.shape[0] and top + column < out.shape[1]:
        out[left + row, top + column] = square[column, row]


@cuda.jit
def product(out, a, b):
    of_a = cuda.shared.array((SIDE, SIDE), float32)
    of_b = cuda.shared.array((SIDE, SIDE), float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    depth = a.shape[1]
    total = float32(0)
    for begin in range(0, depth, SIDE):
        of_a[row, column] = a[i, begin + column] if i < a.shape[0] and begin + column < depth else 0
        of_b[row, column] = b[begin + row, j] if begin + row < depth and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(SIDE):
            total += of_a[row, k] * of_b[k, column]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@cuda.jit
def histogram(out, a, low, high):
    counts = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        counts[t] = 0
    cuda.syncthreads()
    scale = BINS / (high - low)
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        place = int((a[i] - low) * scale)
        if place >= 0 and place < BINS:
            cuda.atomic.add(counts, place, 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(out, t, counts[t])


@cuda.jit
def total(out, a):
    partial = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    own = float32(0)
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        own += a[i]
    partial[t] = own
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if t < half:
            partial[t] += partial[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, partial[0])


@cuda.jit
def prefix_sums(out, a):
    """Of each block's part by itself."""
    sums = cuda.shared.array(THREADS, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    sums[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    distance = 1
    while distance < THREADS:
        before = sums[t - distance] if t >= distance else 0
        cuda.syncthreads()
        sums[t] += before
        cuda.syncthreads()
        distance *= 2
    if i < a.size:
        out[i] = sums[t]


@cuda.jit
def mandelbrot(out, left, right, bottom, top, most):
    j, i = cuda.grid(2)
    height, width = out.shape
    if i >= height or j >= width:
        return
    c_real = left + j * (right - left) / width
    c_imag = bottom + i * (top - bottom) / height
    real = 0.0
    imag = 0.0
    rounds = 0
    while rounds < most and real * real + imag * imag < 4:
        real, imag = real * real - imag * imag + c_real, 2 * real * imag + c_imag
        rounds += 1
    out[i, j] = rounds


@cuda.jit(device=True)
def normal_below(x):
    """The share of a normal distribution that lies below x."""
    return 0.5 * math.erfc(-x * 0.7071067811865476)


@cuda.jit
def options(call, put, price, strike, years, rate, volatility):
    """F. Black and M. Scholes, The Pricing of Options and Corporate Liabilities, 1973."""
    i = cuda.grid(1)
    if i < call.size:
        spread = volatility * math.sqrt(years[i])
        upper = (math.log(price[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / spread
        lower = upper - spread
        owed = strike[i] * math.exp(-rate * years[i])
        call[i] = price[i] * normal_below(upper) - owed * normal_below(lower)
        put[i] = owed * normal_below(-lower) - price[i] * normal_below(-upper)


@cuda.jit
def forces(out, bodies, softening):
    """Of all bodies (x, y, z, mass) on each; as many as fill blocks."""
    near = cuda.shared.array((THREADS, 4), float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    x, y, z = bodies[i, 0], bodies[i, 1], bodies[i, 2]
    soft = float32(softening)
    fx = float32(0)
    fy = float32(0)
    fz = float32(0)
    for begin in range(0, bodies.shape[0], THREADS):
        for k in range(4):
            near[t, k] = bodies[begin + t, k]
        cuda.syncthreads()
        for j in range(THREADS):
            dx = near[j, 0] - x
            dy = near[j, 1] - y
            dz = near[j, 2] - z
            inverse = float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
            strength = near[j, 3] * inverse * inverse * inverse
            fx += strength * dx
            fy += strength * dy
            fz += strength * dz
        cuda.syncthreads()
    out[i, 0] = fx
    out[i, 1] = fy
    out[i, 2] = fz


@cuda.jit
def diffusion(out, a):
    j, i = cuda.grid(2)
    if i >= 1 and j >= 1 and i < a.shape[0] - 1 and j < a.shape[1] - 1:
        out[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
