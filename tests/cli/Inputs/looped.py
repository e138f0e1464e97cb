# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels in the bodies of loops.
import triton
import triton.language as tl

STEP: tl.constexpr = 10
count = 0
for scale in (1, 2):
    TWICE: tl.constexpr = 2 * STEP
    double: tl.constexpr = 2 * scale
    count += 1

    @triton.jit
    def fill(o, value, N: tl.constexpr):
        tl.store(o + tl.arange(0, N), tl.full((N,), value, tl.int32))

    @triton.jit
    def steady(o, N: tl.constexpr):
        fill(o, TWICE, N)

    @triton.jit
    def scaled(o, N: tl.constexpr):
        fill(o, scale, N)

    @triton.jit
    def counted(o, N: tl.constexpr):
        fill(o, count, N)

    @triton.jit
    def doubled(o, N: tl.constexpr):
        fill(o, double, N)


@triton.jit
def after(o, N: tl.constexpr):
    tl.store(o + tl.arange(0, N), TWICE)


while count < 3:

    @triton.jit
    def waiting(o, N: tl.constexpr):
        tl.store(o + tl.arange(0, N), 5)

    count += 1
else:
    LAST = 1


def make():
    for _ in range(2):

        @triton.jit
        def inside(o, N: tl.constexpr):
            tl.store(o + tl.arange(0, N), 9)

        yield inside
