# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same as kernels.py as loops, for Numba's parallel mode on CPUs: what its users would write there."""

import math

import numba
import numpy as np
from numba import njit, prange

BINS = 64


@njit(parallel=True)
def transpose(out, a):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]


@njit(parallel=True)
def product(out, a, b):
    for i in prange(a.shape[0]):
        out[i] = 0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


@njit(parallel=True)
def histogram(out, a, low, high):
    scale = BINS / (high - low)
    workers = numba.get_num_threads()
    counts = np.zeros((workers, BINS), np.int32)
    for worker in prange(workers):
        for i in range(worker, a.size, workers):
            place = int((a[i] - low) * scale)
            if place >= 0 and place < BINS:
                counts[worker, place] += 1
    for worker in range(workers):
        for place in range(BINS):
            out[place] += counts[worker, place]


@njit(parallel=True)
def total(out, a):
    own = np.float32(0)
    for i in prange(a.size):
        own += a[i]
    out[0] += own


@njit(parallel=True)
def prefix_sums(out, a):
    for block in prange((a.size + 255) // 256):
        own = 0
        for i in range(block * 256, min(a.size, block * 256 + 256)):
            own += a[i]
            out[i] = own


@njit(parallel=True)
def mandelbrot(out, left, right, bottom, top, most):
    height, width = out.shape
    for i in prange(height):
        for j in range(width):
            c_real = left + j * (right - left) / width
            c_imag = bottom + i * (top - bottom) / height
            real = 0.0
            imag = 0.0
            rounds = 0
            while rounds < most and real * real + imag * imag < 4:
                real, imag = real * real - imag * imag + c_real, 2 * real * imag + c_imag
                rounds += 1
            out[i, j] = rounds


@njit
def normal_below(x):
    return 0.5 * math.erfc(-x * 0.7071067811865476)


@njit(parallel=True)
def options(call, put, price, strike, years, rate, volatility):
    for i in prange(call.size):
        spread = volatility * math.sqrt(years[i])
        upper = (math.log(price[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / spread
        lower = upper - spread
        owed = strike[i] * math.exp(-rate * years[i])
        call[i] = price[i] * normal_below(upper) - owed * normal_below(lower)
        put[i] = owed * normal_below(-lower) - price[i] * normal_below(-upper)


@njit(parallel=True)
def forces(out, bodies, softening):
    soft = np.float32(softening)
    for i in prange(bodies.shape[0]):
        x, y, z = bodies[i, 0], bodies[i, 1], bodies[i, 2]
        fx = np.float32(0)
        fy = np.float32(0)
        fz = np.float32(0)
        for j in range(bodies.shape[0]):
            dx = bodies[j, 0] - x
            dy = bodies[j, 1] - y
            dz = bodies[j, 2] - z
            inverse = np.float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
            strength = bodies[j, 3] * inverse * inverse * inverse
            fx += strength * dx
            fy += strength * dy
            fz += strength * dz
        out[i, 0] = fx
        out[i, 1] = fy
        out[i, 2] = fz


@njit(parallel=True)
def diffusion(out, a):
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            out[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
