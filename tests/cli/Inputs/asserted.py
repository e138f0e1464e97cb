import triton
import triton.language as tl


@triton.jit
def asserted(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0)
    tl.device_assert(value < 10, "small")
    tl.store(x + i, value, mask=i < n)
