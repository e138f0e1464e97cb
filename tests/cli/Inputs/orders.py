import triton
import triton.language as tl


@triton.jit
def orders(flag_ptr, buf_ptr, out_ptr):
    offsets = tl.arange(0, 8)
    value = tl.load(buf_ptr + offsets)
    tl.atomic_add(flag_ptr, 1, sem="relaxed")
    tl.atomic_add(flag_ptr, 2, sem="acquire")
    tl.atomic_add(flag_ptr, 3, sem="release")
    tl.atomic_add(flag_ptr, 4)
    tl.debug_barrier()
    tl.store(out_ptr + offsets, value)
