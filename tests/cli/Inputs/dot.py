import triton
import triton.language as tl


@triton.jit
def dot(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    left = tl.load(a + m * K + tl.arange(0, K)[None, :])
    right = tl.load(b + tl.arange(0, K)[:, None] * N + n)
    tl.store(c + m * N + n, tl.dot(left, right, out_dtype=c.dtype.element_ty))
