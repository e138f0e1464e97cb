import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, column_ptr, row_ptr, out_ptr, C: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * tl.load(column_ptr + i % C) + tl.load(row_ptr + i // C))
