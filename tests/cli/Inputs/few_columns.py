import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, K)
    a = tl.load(a_ptr + rows[:, None] * K + inner[None, :])
    b = tl.load(b_ptr + inner[:, None] * N + columns[None, :], mask=(columns < N)[None, :], other=0.0)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], tl.dot(a, b, input_precision="ieee"), mask=(columns < N)[None, :])
