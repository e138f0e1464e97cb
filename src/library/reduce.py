# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reductions along an axis. Small integers are widened to 32 bits first.
import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _xor(a, b):
    return a ^ b


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def _smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def _widen(input):
    if input.dtype.primitive_bitwidth < 32:
        if input.dtype.is_floating():
            input = input.to(tl.float32)
        else:
            input = input.to(tl.int32)
    return input


@triton.jit
def _with_index(input, axis: tl.constexpr, combine_fn, tie_break_left: tl.constexpr, keep_dims: tl.constexpr):
    # The best value first, as without an index: a NaN never beats a number. Then the first or last place that
    # has it (any, where all are NaN), so that the outcome does not depend on the order in which elements meet.
    rank: tl.constexpr = len(input.shape)
    if axis is None:
        value, index = _with_index(tl.ravel(input), 0, combine_fn, tie_break_left, False)
        if keep_dims:
            for _ in tl.static_range(rank):
                value = tl.expand_dims(value, 0)
                index = tl.expand_dims(index, 0)
        return value, index
    dim: tl.constexpr = axis + rank if axis < 0 else axis
    best = tl.reduce(input, axis, combine_fn, True)
    size: tl.constexpr = input.shape[dim]
    index = tl.arange(0, size)
    for d in tl.static_range(rank):
        if d < dim:
            index = tl.expand_dims(index, 0)
        elif d > dim:
            index = tl.expand_dims(index, -1)
    has_best = input == best
    if input.dtype.is_floating():
        has_best = has_best | (best != best)
    if tie_break_left:
        place = tl.reduce(tl.where(has_best, index, size), axis, _smaller, keep_dims)
    else:
        place = tl.reduce(tl.where(has_best, index, -1), axis, _larger, keep_dims)
    return best if keep_dims else tl.reshape(best, place.shape), place


@triton.jit
def sum(input, axis: tl.constexpr = None, keep_dims: tl.constexpr = False,
        dtype: tl.constexpr = None):
    if dtype is not None:
        input = input.to(dtype)
    elif input.dtype.is_int() and input.dtype.primitive_bitwidth < 32:
        if input.dtype.is_int_signed():
            input = input.to(tl.int32)
        else:
            input = input.to(tl.uint32)
    return tl.reduce(input, axis, _add, keep_dims)


@triton.jit
def xor_sum(input, axis: tl.constexpr = None, keep_dims: tl.constexpr = False):
    tl.static_assert(input.dtype.is_int(), "xor_sum takes integers")
    return tl.reduce(input, axis, _xor, keep_dims)


@triton.jit
def reduce_or(input, axis: tl.constexpr = None, keep_dims: tl.constexpr = False):
    tl.static_assert(input.dtype.is_int(), "reduce_or takes integers")
    return tl.reduce(input, axis, _or, keep_dims)


@triton.jit
def max(input, axis: tl.constexpr = None, return_indices: tl.constexpr = False,
        return_indices_tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    if return_indices:
        if input.dtype.is_bf16() and not triton.versions.bfloat16_stays:
            input = input.to(tl.float32)
        return _with_index(input, axis, _larger, return_indices_tie_break_left, keep_dims)
    return tl.reduce(_widen(input), axis, _larger, keep_dims)


@triton.jit
def min(input, axis: tl.constexpr = None, return_indices: tl.constexpr = False,
        return_indices_tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    if return_indices:
        if input.dtype.is_bf16() and not triton.versions.bfloat16_stays:
            input = input.to(tl.float32)
        return _with_index(input, axis, _smaller, return_indices_tie_break_left, keep_dims)
    return tl.reduce(_widen(input), axis, _smaller, keep_dims)


@triton.jit
def argmax(input, axis: tl.constexpr = None, tie_break_left: tl.constexpr = True,
           keep_dims: tl.constexpr = False):
    value, index = tl.max(input, axis, True, tie_break_left, keep_dims)
    return index


@triton.jit
def argmin(input, axis: tl.constexpr = None, tie_break_left: tl.constexpr = True,
           keep_dims: tl.constexpr = False):
    value, index = tl.min(input, axis, True, tie_break_left, keep_dims)
    return index
