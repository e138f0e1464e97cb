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


@triton.jit
def get_int_dtype(bitwidth: tl.constexpr, signed: tl.constexpr):
    types: tl.constexpr = ((tl.int8, tl.int16, tl.int32, tl.int64) if signed else
                           (tl.uint8, tl.uint16, tl.uint32, tl.uint64))
    if bitwidth == 1:
        return tl.int1
    tl.static_assert(bitwidth == 8 or bitwidth == 16 or bitwidth == 32 or bitwidth == 64,
                     "there are integers of 1, 8, 16, 32 and 64 bits")
    return types[tl._log2(bitwidth) - 3]
