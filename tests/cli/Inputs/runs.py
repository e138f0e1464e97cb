import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, column_ptr, row_ptr, out_ptr, C: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * tl.load(column_ptr + i % C) + tl.load(row_ptr + i // C))


@triton.jit
def scale_given(x_ptr, column_ptr, row_ptr, out_ptr, C, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * tl.load(column_ptr + i % C) + tl.load(row_ptr + i // C))


@triton.jit
def swap(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first, second = tl.load(x_ptr + 2 * i), tl.load(x_ptr + 2 * i + 1)
    tl.store(out_ptr + 2 * i, second)
    tl.store(out_ptr + 2 * i + 1, first)
