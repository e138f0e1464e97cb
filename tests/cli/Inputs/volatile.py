import triton
import triton.language as tl


@triton.jit
def poll(flag_ptr, tile_ptr, out_ptr):
    while tl.load(flag_ptr, volatile=True) == 0:
        pass
    offsets = tl.arange(0, 8)
    tl.store(out_ptr + offsets, tl.load(tile_ptr + offsets, volatile=True))
