import triton
import triton.language as tl


@triton.jit
def beyond(x, out, columns):
    """All of the block lies beyond the array's second dimension: its mask is false in every lane."""
    block = tl.make_block_ptr(x, (8, columns), (1, 8), (1, 1), (16, 16), (0, 1))
    loaded = tl.load(block, boundary_check=(0, 1), padding_option="zero")
    lanes = tl.arange(0, 16)[None, :] * 16 + tl.arange(0, 16)[:, None]
    total = tl.full((16, 16), -3, tl.int32)
    for _ in range(2):
        total += tl.trans(loaded)
    tl.store(out + lanes, total)
