import triton
import triton.language as tl


@triton.jit
def of_constants(x, n, BLOCK: tl.constexpr):
    assert BLOCK > 100, "a large block"
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if n > 100:
        assert BLOCK > 200
    tl.store(x + i, i + 1.0, mask=i < n)
