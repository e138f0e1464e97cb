# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of compare.py: of each kernel its grid, its block, the arguments, and what is right, in float64."""

import math
from collections import namedtuple

import numpy as np

# `expected` holds, by position, what arguments are to become; `tolerance` is relative to the largest.
Case = namedtuple("Case", "name, grid, block, arguments, expected, tolerance")
THREADS, SIDE = 256, 16


def cases(is_small):
    """Sizes for a CPU of few cores, or for a GPU."""
    random = np.random.default_rng(28)
    single = lambda *shape: random.standard_normal(shape).astype(np.float32)
    squares = lambda columns, rows: (-(-columns // SIDE), -(-rows // SIDE))
    n = 2048 if is_small else 8192
    a = single(n, n)
    yield Case("transpose", squares(n, n), (SIDE, SIDE), [np.zeros_like(a), a], {0: a.T}, 0)

    n = 512 if is_small else 2048
    a, b = single(n, n), single(n, n)
    yield Case("product", squares(n, n), (SIDE, SIDE), [np.zeros_like(a), a, b],
               {0: a.astype(np.float64) @ b.astype(np.float64)}, 1e-4)

    n = 1 << (22 if is_small else 26)
    blocks = 64 if is_small else 1056
    a = random.random(n)
    places = (a * 64).astype(np.int64)
    yield Case("histogram", blocks, THREADS, [np.zeros(64, np.int32), a, 0.0, 1.0],
               {0: np.bincount(places, minlength=64)}, 0)
    a = a.astype(np.float32)
    yield Case("total", blocks, THREADS, [np.zeros(1, np.float32), a], {0: [a.sum(dtype=np.float64)]}, 1e-4)

    n = 1 << (20 if is_small else 24)
    a = random.integers(-99, 99, n).astype(np.int32)
    yield Case("prefix_sums", n // THREADS, THREADS, [np.zeros_like(a), a],
               {0: a.reshape(-1, THREADS).cumsum(1).ravel()}, 0)

    n = 1024 if is_small else 4096
    yield Case("mandelbrot", squares(n, n), (SIDE, SIDE), [np.zeros((n, n), np.int32), -2.0, 0.6, -1.2, 1.2, 256], {}, 0)

    n = 1 << (20 if is_small else 24)
    price, strike, years = random.uniform(5, 30, n), random.uniform(1, 100, n), random.uniform(0.25, 10, n)
    yield Case("options", n // THREADS, THREADS, [np.zeros(n), np.zeros(n), price, strike, years, 0.02, 0.3],
               _options(price, strike, years, 0.02, 0.3), 1e-12)

    n = 4096 if is_small else 32768
    yield Case("forces", n // THREADS, THREADS, [np.zeros((n, 3), np.float32), single(n, 4), 0.01], {}, 0)

    n = 2048 if is_small else 8192
    a = random.standard_normal((n, n))
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    yield Case("diffusion", (-(-n // 32), -(-n // 8)), (32, 8), [np.zeros_like(a), a], {0: expected}, 1e-15)


def _options(price, strike, years, rate, volatility):
    below = lambda x: 0.5 * np.vectorize(math.erfc)(-x / math.sqrt(2))
    few = slice(0, 10000)  # of all, since this is slow
    price, strike, years = price[few], strike[few], years[few]
    spread = volatility * np.sqrt(years)
    upper = (np.log(price / strike) + (rate + volatility**2 / 2) * years) / spread
    owed = strike * np.exp(-rate * years)
    call = price * below(upper) - owed * below(upper - spread)
    return {0: call, 1: call + owed - price}  # which must be worth the same


def wrong(case, results):
    """Which argument is not what it should be after one launch; None if all are."""
    for place, expected in case.expected.items():
        found = np.asarray(results[place], np.float64)[:len(expected)]
        scale = max(np.abs(expected).max(), 1) if case.tolerance else 0
        if not np.abs(found - expected).max() <= case.tolerance * scale:
            return place
    return None
