# Kernels that a call of `jit` makes of ordinary functions.
import triton
import triton.language as tl

VALUE: tl.constexpr = 7


def fill(o, N: tl.constexpr):
    tl.store(o + tl.arange(0, N), VALUE)


def other(o, N: tl.constexpr):
    tl.store(o + tl.arange(0, N), 8)


kernel = triton.jit(fill)
fill = triton.jit(fill)
