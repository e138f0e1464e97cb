# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions of the kernel language that need nothing but the language.
import triton
import triton.language as tl


@triton.jit
def sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def add(x, y, sanitize_overflow: tl.constexpr = True):
    # Sums wrap, and are not watched.
    return x + y


@triton.jit
def sub(x, y, sanitize_overflow: tl.constexpr = True):
    return x - y


@triton.jit
def mul(x, y, sanitize_overflow: tl.constexpr = True):
    return x * y


@triton.jit
def softmax(x, dim: tl.constexpr = None, keep_dims: tl.constexpr = False,
            ieee_rounding: tl.constexpr = False):
    # The maximum and the sum keep their dimension, since only then does every `dim` broadcast:
    # `keep_dims` does not change the result.
    axis: tl.constexpr = 0 if dim is None else dim
    numerator = tl.exp(x - tl.max(x, axis, keep_dims=True))
    return tl.fdiv(numerator, tl.sum(numerator, axis, keep_dims=True), ieee_rounding)


@triton.jit
def cdiv(x, div):
    return (x + (div - 1)) // div


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    # Walks the matrix in bands of `size_g` rows, each band column by column.
    linear = i * size_j + j
    band_elements = size_g * size_j
    first_row = linear // band_elements * size_g
    within = linear % band_elements
    rows = tl.minimum(size_i - first_row, size_g)  # the last band may be lower
    return first_row + within % rows, within // rows


@triton.jit
def expect_zero(x, mask):
    # The devices that check nothing leave the promise out, and with it what it is computed from;
    # with `debug` it is an assertion.
    tl.device_assert((tl.to_tensor(x) == 0) | (tl.to_tensor(mask) == 0),
                     "expect_zero: a value is not zero")
    differs = ((tl.to_tensor(x) != 0) & mask).to(tl.int32)
    if len(differs.shape) > 0:
        tl.assume(tl.max(differs) == 0)
    else:
        tl.assume(differs == 0)
    return x
