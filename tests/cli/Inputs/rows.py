import triton
import triton.language as tl


@triton.jit
def exponentials(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x_ptr + tl.program_id(0) * n + at, mask=at < n, other=-float("inf"))
    tl.store(out_ptr + tl.program_id(0) * n + at, tl.exp(row - tl.max(row, 0)), mask=at < n)


@triton.jit
def of_each_lane(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at % n < 7), mask=at % n < 7)


@triton.jit
def sorted_row(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at)))
