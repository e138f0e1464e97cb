# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Products of block-scaled tiles (OCP Microscaling Formats, version 1.0): each run of elements along the
# summed dimension has a scale of its own. Scaled elements become bfloat16, or float16 beside elements of
# fp16, as in Triton, so that tensor cores take them; sums are float32.
import triton
import triton.language as tl


@triton.jit
def _float_of_nibble(x):
    # e2m1: 0, 0.5, 1, 1.5, 2, 3, 4, 6, and the same with the sign.
    exponent = ((x >> 1) & 3).to(tl.int32)
    half = (x & 1).to(tl.float32) * 0.5
    power = ((exponent + 126) << 23).to(tl.float32, bitcast=True)
    size = tl.where(exponent == 0, half, (1.0 + half) * power)
    return tl.where((x & 8) != 0, -size, size)


@triton.jit
def _unpacked(x):
    # Two elements in each byte of the last dimension, the lower nibble first.
    return tl.interleave(_float_of_nibble(x & 15), _float_of_nibble((x >> 4) & 15))


@triton.jit
def _elements(x, format: tl.constexpr, is_last: tl.constexpr):
    # `is_last`: elements of e2m1 lie beside each other in the last dimension, else in the one before.
    if format == "e2m1":
        tl.static_assert(x.dtype.primitive_bitwidth == 8, "dot_scaled: e2m1 comes in bytes, two in each")
        bits = x.to(tl.uint8, bitcast=True)
        result = _unpacked(bits) if is_last else tl.trans(_unpacked(tl.trans(bits)))
    elif format == "e4m3" or format == "e5m2":
        tl.static_assert(x.dtype.primitive_bitwidth == 8, f"dot_scaled: {format} comes in 8 bits")
        kind: tl.constexpr = tl.float8e4nv if format == "e4m3" else tl.float8e5
        result = x.to(kind, bitcast=True).to(tl.float32)
    else:
        tl.static_assert(format == "bf16" or format == "fp16",
                         f"dot_scaled: no format '{format}'; there are e2m1, e4m3, e5m2, bf16 and fp16")
        kind: tl.constexpr = tl.bfloat16 if format == "bf16" else tl.float16
        result = (x if x.dtype == kind else x.to(kind, bitcast=True)).to(tl.float32)
    return result


@triton.jit
def _exponents(scale):
    # e8m0: powers of two from 2**-127, and NaN.
    tl.static_assert(scale.dtype.primitive_bitwidth == 8, "dot_scaled: a scale has 8 bits")
    return scale.to(tl.uint8, bitcast=True).to(tl.int32)


@triton.jit
def _scale_values(scale, shift):
    if scale.dtype.is_floating():
        values = scale.to(tl.float32)
    else:
        exponent = _exponents(scale)
        bits = tl.where(exponent == 0, 1 << 22, exponent << 23)
        values = tl.where(exponent == 255, 0x7FC00000, bits).to(tl.float32, bitcast=True)
    if shift is not None:
        values *= ((shift + 127) << 23).to(tl.float32, bitcast=True)
    return values


# The largest exponent of a scale that an element times it, of at most 2**16 and 2**111, stays within float32 with.
_most = tl.constexpr(238)


@triton.jit
def _largest(scale):
    # The exponents of all scales of a run grow together. What is NaN needs no room.
    exponent = _exponents(scale)
    return tl.max(tl.where(exponent == 255, 0, exponent), axis=len(scale.shape) - 2, keep_dims=True)


@triton.jit
def _may_shift(scale, format: tl.constexpr):
    # Elements without scales are as if these were 1, unless they are as large as numbers get.
    if scale is None:
        return format == "e2m1" or format == "e4m3" or format == "e5m2"
    else:
        return not scale.dtype.is_floating()


@triton.jit
def _shift(lhs_scale, lhs_format: tl.constexpr, rhs_scale, rhs_format: tl.constexpr):
    # A scale of 2**127 beside one of 2**-67 leaves the range that their product lies well inside of. So each run
    # gives powers of two from one factor to the other, as many as that one has room for.
    if lhs_scale is None and rhs_scale is None:
        return None
    if not _may_shift(lhs_scale, lhs_format) or not _may_shift(rhs_scale, rhs_format):
        return None
    if lhs_scale is None:
        right = _largest(rhs_scale)
        left = tl.full(right.shape, 127, tl.int32)
    elif rhs_scale is None:
        left = _largest(lhs_scale)
        right = tl.full(left.shape, 127, tl.int32)
    else:
        left, right = _largest(lhs_scale), _largest(rhs_scale)
    # What is too much of one and fits into the other. No difference stands beside its opposite: assemblers confuse them.
    return (tl.minimum(tl.maximum(right, _most), 2 * _most - tl.minimum(left, _most))
            - tl.minimum(tl.maximum(left, _most), 2 * _most - tl.minimum(right, _most)))


@triton.jit
def _require_scales(x, scale, name: tl.constexpr):
    # One for each run along the last dimension: of 32 elements, or of 16 where scales are e4m3 (NVFP4).
    if scale is not None:
        run: tl.constexpr = 16 if scale.dtype == tl.float8e4nv else 32
        wanted: tl.constexpr = x.shape[:-1] + (x.shape[-1] // run,)
        tl.static_assert(x.shape[-1] % run == 0, f"dot_scaled: a sum of {x.shape[-1]} has no whole runs of {run}")
        tl.static_assert(scale.shape == wanted, f"dot_scaled: {name} must have the shape {wanted}, not {scale.shape}")


@triton.jit
def _scaled(x, scale, shift):
    if scale is None:
        if shift is None:
            return x
        powers = tl.broadcast_to(tl.expand_dims(((shift + 127) << 23).to(tl.float32, bitcast=True), -1),
                                 shift.shape + (32,))
        return x * tl.reshape(powers, shift.shape[:-1] + (x.shape[-1],))
    spread = tl.broadcast_to(tl.expand_dims(_scale_values(scale, shift), -1),
                             scale.shape + (x.shape[-1] // scale.shape[-1],))
    return x * tl.reshape(spread, x.shape)


@triton.jit
def _has_wide_scale(scale):
    # One that is no power of two: its products need more digits than bfloat16 has.
    return scale is not None and scale.dtype.is_floating() and scale.dtype.primitive_bitwidth > 8


@triton.jit
def dot_scaled(lhs, lhs_scale, lhs_format: tl.constexpr, rhs, rhs_scale, rhs_format: tl.constexpr, acc=None,
               fast_math: tl.constexpr = False, lhs_k_pack: tl.constexpr = True,
               rhs_k_pack: tl.constexpr = True, out_dtype: tl.constexpr = tl.float32):
    tl.static_assert(out_dtype == tl.float32, "dot_scaled: out_dtype is float32")
    a = _elements(lhs, lhs_format, lhs_k_pack)
    b = tl.trans(_elements(rhs, rhs_format, not rhs_k_pack))
    _require_scales(a, lhs_scale, "lhs_scale")
    _require_scales(b, rhs_scale, "rhs_scale")
    shift = _shift(lhs_scale, lhs_format, rhs_scale, rhs_format)
    opposite = None if shift is None else -shift
    a = _scaled(a, lhs_scale, shift)
    b = tl.trans(_scaled(b, rhs_scale, opposite))
    if _has_wide_scale(lhs_scale) or _has_wide_scale(rhs_scale):
        kind: tl.constexpr = tl.float32
    elif lhs_format == "fp16" or rhs_format == "fp16":
        kind: tl.constexpr = tl.float16
    else:
        kind: tl.constexpr = tl.bfloat16
    return tl.dot(a.to(kind), b.to(kind), acc, input_precision="ieee", out_dtype=tl.float32)
