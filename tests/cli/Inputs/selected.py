import triton
import triton.language as tl


@triton.jit
def means(x_ptr, mean_ptr, squares_ptr, rows, columns, X: tl.constexpr, R: tl.constexpr):
    """Welford's step over the rows of an image of 64 channels, whose quotients stand before the loop."""
    index = tl.program_id(0) * X + tl.arange(0, X)[:, None]
    channel, image = index % 64, index // 64
    mean = tl.zeros([X, R], tl.float32)
    squares = tl.zeros([X, R], tl.float32)
    count = tl.zeros([X, R], tl.float32)
    for start in range(0, rows, R):
        row = start + tl.arange(0, R)[None, :]
        mask = (row < rows) & (index < columns)
        x = tl.load(x_ptr + channel + 64 * row + 64 * rows * image, mask, other=0.0)
        if start == 0:
            next_count = tl.full([X, R], 1, tl.float32)
            next_mean = x
            next_squares = tl.zeros([X, R], tl.float32)
        else:
            step = x - mean
            next_count = count + 1
            next_mean = mean + step / next_count
            next_squares = squares + step * (x - next_mean)
        mean = tl.where(mask, next_mean, mean)
        squares = tl.where(mask, next_squares, squares)
        count = tl.where(mask, next_count, count)
    tl.store(mean_ptr + index * R + tl.arange(0, R)[None, :], mean, index < columns)
    tl.store(squares_ptr + index * R + tl.arange(0, R)[None, :], squares, index < columns)


@triton.jit
def loads(x_ptr, out_ptr, n, B: tl.constexpr):
    """A branch that loads is not taken where the condition is false: there may be nothing to load."""
    index = tl.arange(0, B)
    if n > 3:
        x = tl.load(x_ptr + index)
    else:
        x = tl.zeros([B], tl.float32)
    tl.store(out_ptr + index, x)


@triton.jit
def divides(x_ptr, out_ptr, n, B: tl.constexpr):
    """Nor is one that divides integers, whose divisor may be zero."""
    x = tl.load(x_ptr + tl.arange(0, B))
    if n != 0:
        x = x // n
    else:
        x = x + 1
    tl.store(out_ptr + tl.arange(0, B), x)


@triton.jit
def now_and_then(x_ptr, out_ptr, rounds, B: tl.constexpr):
    """Nor one that leaves what the loop carries as it was, in three of four rounds here."""
    index = tl.arange(0, B)
    total, part = tl.zeros([B], tl.float32), tl.zeros([B], tl.float32)
    for k in range(rounds):
        part += tl.load(x_ptr + k * B + index)
        if k % 4 == 3:
            total += part * 0.5
            part = tl.zeros([B], tl.float32)
    tl.store(out_ptr + index, total + part)
