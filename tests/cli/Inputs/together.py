# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def welford(x_ptr, mean_ptr, squares_ptr, rows, X: tl.constexpr, R: tl.constexpr):
    column = tl.program_id(0) * X + tl.arange(0, X)[:, None]
    mean = tl.zeros([X, R], tl.float32)
    squares = tl.zeros([X, R], tl.float32)
    count = tl.zeros([X, R], tl.float32)
    for start in range(0, rows, R):
        row = start + tl.arange(0, R)[None, :]
        value = tl.load(x_ptr + column + row * 32, mask=row < rows, other=0)
        away = value - mean
        next_count = count + 1
        next_mean = mean + away / next_count
        squares = tl.where(row < rows, squares + away * (value - next_mean), squares)
        mean = tl.where(row < rows, next_mean, mean)
        count = tl.where(row < rows, next_count, count)
    at = column * R + tl.arange(0, R)[None, :]
    tl.store(mean_ptr + at, mean)
    tl.store(squares_ptr + at, squares / tl.maximum(count, 1))


@triton.jit
def turned(x_ptr, y_ptr, out_ptr, rounds, N: tl.constexpr):
    """What is read at another place is no lane of the same nest."""
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    z = x - y
    for i in range(rounds):
        x, y, z = x + tl.trans(y), y - x, z + y
    tl.store(out_ptr + at, x)
    tl.store(out_ptr + N * N + at, y)
    tl.store(out_ptr + 2 * N * N + at, z)


@triton.jit
def passed_on(x_ptr, y_ptr, out_ptr, rounds, N: tl.constexpr):
    """Tiles that change places, beside others that are computed from them."""
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    z = x - y
    w = x * y
    for i in range(rounds):
        x, y, z, w = y, x, z + x - w, w - y * z
    tl.store(out_ptr + at, x)
    tl.store(out_ptr + N + at, y)
    tl.store(out_ptr + 2 * N + at, z)
    tl.store(out_ptr + 3 * N + at, w)
