import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def in_place(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def with_a_lock(x_ptr, out_ptr, lock, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)
    tl.atomic_add(lock, 1)


@triton.jit
def scattered(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + 2 * at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def rows(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    j = tl.arange(0, BLOCK)
    at = i[:, None] * n + j[None, :]
    tl.store(out_ptr + at, tl.load(x_ptr + at) * 2)
