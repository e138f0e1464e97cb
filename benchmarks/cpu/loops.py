# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same work as parallel loops for Numba, as its users write them. `numba` is None where it is not installed."""

import math

import numpy as np

try:
    import numba
    from numba import njit, prange
except ImportError:
    numba, prange = None, range

    def njit(**_):
        return lambda function: function


def set_threads(count):
    numba.set_num_threads(count)


@njit(parallel=True, fastmath=True)
def add(x, y, out):
    for i in prange(x.size):
        out[i] = x[i] + y[i]


@njit(parallel=True, fastmath=True)
def softmax(x, out):
    for row in prange(x.shape[0]):
        most = x[row, 0]
        for i in range(1, x.shape[1]):
            most = max(most, x[row, i])
        total = x.dtype.type(0)
        for i in range(x.shape[1]):
            out[row, i] = math.exp(x[row, i] - most)
            total += out[row, i]
        for i in range(x.shape[1]):
            out[row, i] /= total


@njit(parallel=True, fastmath=True)
def product(a, b, out):
    for i in prange(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


@njit(parallel=True, fastmath=True)
def greyscale(picture, out):
    for y in prange(picture.shape[0]):
        for x in range(picture.shape[1]):
            red, green, blue = np.float32(picture[y, x, 0]), np.float32(picture[y, x, 1]), np.float32(picture[y, x, 2])
            out[y, x] = np.uint8(np.float32(0.25) * red + np.float32(0.625) * green + np.float32(0.125) * blue)
