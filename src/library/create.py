# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tiles of one value.
import triton
import triton.language as tl


@triton.jit
def zeros(shape, dtype: tl.constexpr):
    return tl.full(shape, 0, dtype)


@triton.jit
def ones(shape, dtype: tl.constexpr):
    return tl.full(shape, 1, dtype)


@triton.jit
def zeros_like(input):
    return tl.full(input.shape, 0, input.dtype)


@triton.jit
def ones_like(input):
    return tl.full(input.shape, 1, input.dtype)
