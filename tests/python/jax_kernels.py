# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels and calls of them that tests of JAX programs share, on four devices where the platform is the CPU."""

import os

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"

import jax
import numpy as np

import nereid
import nereid.language as tl
from nereid.jax import triton_call


@nereid.jit
def add(x, y, n, out, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    tl.store(out + places, tl.load(x + places, mask=mask) + tl.load(y + places, mask=mask), mask=mask)


@nereid.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    places = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < columns
    row = tl.load(x + places, mask=mask, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, 0))
    tl.store(out + places, powers / tl.sum(powers, 0), mask=mask)


@nereid.jit
def matmul(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        depth = k + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + depth, mask=(rows[:, None] < M) & (depth < K), other=0)
        right = tl.load(b + depth[:, None] * N + columns, mask=(depth[:, None] < K) & (columns < N), other=0)
        total = tl.dot(left, right, total, input_precision="ieee")
    mask = (rows[:, None] < M) & (columns < N)
    tl.store(out + rows[:, None] * N + columns, total.to(out.dtype.element_ty), mask=mask)


@nereid.jit
def negate_and_count(flags, out, count, n, BLOCK: tl.constexpr):
    places = tl.arange(0, BLOCK)
    given = tl.load(flags + places, mask=places < n, other=False)
    tl.store(out + places, given == 0, mask=places < n)
    tl.store(count, tl.sum(given.to(tl.int32), 0))


@nereid.jit
def add_into(sums, x, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(sums + places % 8, tl.load(x + places, mask=places < n, other=0), mask=places < n)


@nereid.jit
def scaled(x, out, n, factor, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + places, tl.load(x + places, mask=places < n) * factor, mask=places < n)


tuned = nereid.autotune(configs=[nereid.Config({"BLOCK": 64}), nereid.Config({"BLOCK": 256})], key=["n"])(scaled)
chosen = nereid.heuristics({"BLOCK": lambda args: nereid.next_power_of_2(args["x"].shape[0])})(scaled)


def like(array, **changes):
    return jax.ShapeDtypeStruct(changes.get("shape", array.shape), changes.get("dtype", array.dtype))


def add_arrays(x, y, block=128, **more):
    return triton_call(x, y, x.size, kernel=add, out_shape=like(x), BLOCK=block,
                       grid=lambda meta: nereid.cdiv(x.size, meta["BLOCK"]), **more)


def softmax_of(x):
    rows, columns = x.shape
    return triton_call(x, kernel=softmax, out_shape=like(x), grid=rows, columns=columns,
                       BLOCK=nereid.next_power_of_2(columns))


def product_of(a, b):
    (M, K), N = a.shape, b.shape[1]
    return triton_call(a, b, kernel=matmul, out_shape=like(a, shape=(M, N)), M=M, N=N, K=K, BM=32, BN=16, BK=16,
                       grid=(nereid.cdiv(M, 32), nereid.cdiv(N, 16)))


def random(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape)
