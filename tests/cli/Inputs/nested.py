# Kernels inside of functions, which may name what stands round them.
import numpy as np
import triton
import triton.language as tl

VALUE: tl.constexpr = 7
STEP: tl.constexpr = 100


@triton.jit
def whole(o, N: tl.constexpr):
    tl.store(o + tl.arange(0, N), VALUE)


def outer(scale, other=(1, 2), *rest, last: int = 3):
    if scale > 1:
        raise ValueError("host code is not read")
    VALUE: tl.constexpr = 8
    from triton.language import arange as places

    @triton.jit
    def helper(x):
        return x + STEP

    @triton.jit
    def kernel(o, N: tl.constexpr):
        tl.store(o + places(0, N), helper(VALUE))

    @triton.jit
    def scaled(o, N: tl.constexpr, add: tl.constexpr = VALUE):
        tl.store(o + places(0, N), scale * 2 + add)

    @triton.jit
    def foreign(o, N: tl.constexpr):
        tl.store(o + places(0, N), np.exp(1.0))

    for turn in range(2):
        pass

    @triton.jit
    def turned(o, N: tl.constexpr):
        tl.store(o + places(0, N), turn)

    def plain(o, N: tl.constexpr):
        tl.store(o + places(0, N), last)

    made = triton.jit(plain)

    def inner():
        VALUE: tl.constexpr = 9

        @triton.jit
        def kernel(o, N: tl.constexpr):
            tl.store(o + places(0, N), helper(VALUE))

        return kernel

    return kernel, inner


class Tests:
    VALUE = 10

    @staticmethod
    def test_fill(count, name=lambda x: x):
        @triton.jit
        def kernel(o, N: tl.constexpr):
            tl.store(o + tl.arange(0, N), VALUE)

        kernel[(1, )](count, N=4)

    def without(self):
        return jit(self)
