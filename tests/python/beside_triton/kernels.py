# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that Triton's own interpreter and Nereid must agree on, each with what it is launched on. A case is a
function that gets a numpy Generator and gives (kernel, grid, arguments, named arguments); arrays among the arguments
are compared after the launch."""

import numpy as np
import triton
import triton.language as tl

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@triton.jit
def masked_sum(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0))


@case
def sums_of_odd_sizes(random):
    return masked_sum, (5,), [random.integers(-99, 99, 1231).astype(np.int32), np.zeros(5, np.int32), 1231], {"BLOCK": 256}


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * columns + i, power / tl.sum(power, axis=0), mask=i < columns)


@case
def softmax_of_rows(random):
    x = random.standard_normal((7, 77)).astype(np.float32)
    return softmax, (7,), [x, np.zeros_like(x), 77], {"BLOCK": 128}


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        depth = start + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + depth[None, :], mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        right = tl.load(b + depth[:, None] * N + columns[None, :], mask=(depth[:, None] < K) & (columns[None, :] < N),
                        other=0.0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@case
def product_of_odd_sizes(random):
    a, b = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((37, 45), (45, 29)))
    return matmul, (3, 2), [a, b, np.zeros((37, 29), np.float32), 37, 29, 45], {"BM": 16, "BN": 16, "BK": 16}


@case
def product_of_halves(random):
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((32, 64), (64, 16)))
    return matmul, (2, 1), [a, b, np.zeros((32, 16), np.float32), 32, 16, 64], {"BM": 16, "BN": 16, "BK": 32}


@triton.jit
def integer_division(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n, other=1)
    tl.store(out + i, a // b, mask=i < n)
    tl.store(out + n + i, a % b, mask=i < n)


@case
def division_of_signed_numbers(random):
    x, y = random.integers(-999, 999, 61).astype(np.int32), random.integers(1, 40, 61).astype(np.int32)
    y[::2] *= -1
    return integer_division, (1,), [x, y, np.zeros(122, np.int32), 61], {"BLOCK": 64}


@triton.jit
def add_both(a, b):
    return a + b


@triton.jit
def running(x, totals, largest, N: tl.constexpr, M: tl.constexpr):
    places = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    value = tl.load(x + places)
    tl.store(totals + places, tl.associative_scan(value, 1, add_both))
    tl.store(largest + tl.arange(0, M), tl.max(value, axis=0))


@case
def scans_and_maxima(random):
    x = random.integers(-50, 50, (8, 16)).astype(np.int32)
    return running, (1,), [x, np.zeros_like(x), np.zeros(16, np.int32)], {"N": 8, "M": 16}


@triton.jit
def sorting(x, up, down, indices, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(up + i, tl.sort(value))
    tl.store(down + i, tl.sort(value, descending=True))
    tl.store(indices + tl.arange(0, 1), tl.argmax(value, axis=0))
    tl.store(indices + 1 + tl.arange(0, 1), tl.argmin(value, axis=0))


@case
def sorts_and_places(random):
    x = random.permutation(64).astype(np.float32) - 20
    return sorting, (1,), [x, np.zeros_like(x), np.zeros_like(x), np.zeros(2, np.int32)], {"N": 64}


@triton.jit
def counting(x, counts, total, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(counts + value, 1, mask=i < n)
    tl.atomic_max(total + tl.zeros((BLOCK,), tl.int32), value, mask=i < n)


@case
def atomics(random):
    x = random.integers(0, 16, 300).astype(np.int32)
    return counting, (3,), [x, np.zeros(16, np.int32), np.zeros(1, np.int32), 300], {"BLOCK": 128, "BINS": 16}


@triton.jit
def rearranging(x, joined, parts, turned, N: tl.constexpr, M: tl.constexpr):
    value = tl.load(x + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])
    pairs = tl.join(value, -value)
    places = tl.arange(0, N)[:, None, None] * M * 2 + tl.arange(0, M)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :]
    tl.store(joined + places, pairs)
    first, second = tl.split(pairs)
    tl.store(parts + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], first - 2 * second)
    tl.store(turned + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], tl.trans(value))


@case
def joins_splits_and_transposes(random):
    x = random.standard_normal((4, 8)).astype(np.float32)
    return rearranging, (1,), [x, np.zeros((4, 8, 2), np.float32), np.zeros_like(x), np.zeros((8, 4), np.float32)], \
        {"N": 4, "M": 8}


@triton.jit
def drawing(seed, integers, floats, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(integers + i, tl.randint(seed, i))
    tl.store(floats + i, tl.rand(seed, i))


@case
def random_numbers(random):
    return drawing, (3,), [int(random.integers(1, 2**31)), np.zeros(192, np.uint32), np.zeros(192, np.float32)], {"BLOCK": 64}


@triton.jit
def collatz(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    value = tl.load(x + i)
    steps = 0
    while value > 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    tl.store(out + i, steps)


@case
def loops_with_branches(random):
    return collatz, (40,), [np.arange(1, 41, dtype=np.int32), np.zeros(40, np.int32)], {"BLOCK": 1}


@triton.jit
def converting(x, halves, bytes_, bits, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(halves + i, value.to(tl.float16))
    tl.store(bytes_ + i, value.to(tl.int8))
    tl.store(bits + i, value.to(tl.int32, bitcast=True) ^ 0x55)


@case
def conversions(random):
    x = (random.standard_normal(128) * 40).astype(np.float32)
    return converting, (1,), [x, np.zeros(128, np.float16), np.zeros(128, np.int8), np.zeros(128, np.int32)], {"N": 128}


@triton.jit
def by_descriptor(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    target = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    at = [tl.program_id(0) * BM, tl.program_id(1) * BN]
    target.store(at, source.load(at) * 3)


@case
def tensor_descriptors(random):
    x = random.integers(-99, 99, (21, 40)).astype(np.float32)
    return by_descriptor, (3, 3), [x, np.zeros_like(x), 21, 40], {"BM": 8, "BN": 16}
