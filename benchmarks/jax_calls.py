#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls of kernels cost in JAX programs, beside what XLA makes of the same computation: for each kernel and size
the medians of both in turns, and their ratio. PYTHONPATH=build/release/python python benchmarks/jax_calls.py"""

import statistics
import time

import jax
import jax.numpy as jnp

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


def sum_of(x, y):
    return triton_call(x, y, x.size, kernel=add, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), BLOCK=1024,
                       grid=nereid.cdiv(x.size, 1024))


def softmax_of(x):
    rows, columns = x.shape
    return triton_call(x, kernel=softmax, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=rows, columns=columns,
                       BLOCK=nereid.next_power_of_2(columns))


def microseconds(call, arguments, seconds=0.2):
    """Of one call whose result is waited for, on average over a stretch of them."""
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        call(*arguments).block_until_ready()
        count += 1
    return (time.perf_counter() - start) / count * 1e6


def compare(name, ours, theirs, arguments):
    ours, theirs = jax.jit(ours), jax.jit(theirs)
    for call in (ours, theirs):
        call(*arguments).block_until_ready()
    rounds = [(microseconds(ours, arguments), microseconds(theirs, arguments)) for _ in range(7)]
    kernel, plain = (statistics.median(times) for times in zip(*rounds))
    print(f"{name:<24}{kernel:>12.1f}{plain:>12.1f}{kernel / plain:>8.2f}", flush=True)


def main():
    print(jax.devices()[0].device_kind)
    print(f"{'':<24}{'kernel, us':>12}{'XLA, us':>12}{'ratio':>8}")
    for n in (1, 1 << 10, 1 << 16, 1 << 20, 1 << 24):
        compare(f"add {n}", sum_of, jnp.add, (jnp.ones(n), jnp.ones(n)))
    for rows, columns in ((64, 256), (1024, 1024), (4096, 4096)):
        x = jax.random.normal(jax.random.key(1), (rows, columns))
        compare(f"softmax {rows} x {columns}", softmax_of, jax.nn.softmax, (x,))


main()
