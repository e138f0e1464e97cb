# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Running sums and products along an axis.
import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def _widened(input, dtype: tl.constexpr):
    if dtype is not None:
        input = input.to(dtype)
    elif input.dtype.is_bf16() and not triton.versions.bfloat16_stays:
        input = input.to(tl.float32)
    elif input.dtype.is_int() and input.dtype.primitive_bitwidth < 32:
        if input.dtype.is_int_signed():
            input = input.to(tl.int32)
        else:
            input = input.to(tl.uint32)
    return input


@triton.jit
def cumsum(input, axis: tl.constexpr = 0, reverse: tl.constexpr = False,
           dtype: tl.constexpr = None):
    input = _widened(input, dtype)
    return tl.associative_scan(input, axis, _add, reverse)


@triton.jit
def cumprod(input, axis: tl.constexpr = 0, reverse: tl.constexpr = False,
            dtype: tl.constexpr = None):
    input = _widened(input, dtype)
    return tl.associative_scan(input, axis, _multiply, reverse)
