# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Random numbers: Philox4x32 and Philox4x64 of Salmon, Moraes, Dror and Shaw, "Parallel random
# numbers: as easy as 1, 2, 3" (2011). A seed is the key, an offset the counter.
import triton
import triton.language as tl


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    tl.static_assert(c0.dtype == tl.uint32 or c0.dtype == tl.uint64,
                     "philox_impl counts in uint32 or uint64")
    is_wide: tl.constexpr = c0.dtype == tl.uint64
    factor0: tl.constexpr = 0xD2E7470EE14C6C93 if is_wide else 0xD2511F53
    factor2: tl.constexpr = 0xCA5A826395121157 if is_wide else 0xCD9E8D57
    step0: tl.constexpr = 0x9E3779B97F4A7C15 if is_wide else 0x9E3779B9
    step1: tl.constexpr = 0xBB67AE8584CAA73B if is_wide else 0xBB67AE85
    # Literals are wider than the counter, or narrower, and must wrap as it does.
    c1 = tl.to_tensor(c1).to(c0.dtype)
    c2 = tl.to_tensor(c2).to(c0.dtype)
    c3 = tl.to_tensor(c3).to(c0.dtype)
    k0 = tl.to_tensor(k0).to(c0.dtype)
    k1 = tl.to_tensor(k1).to(c0.dtype)
    for _ in tl.static_range(n_rounds):
        low0 = c0 * factor0
        low2 = c2 * factor2
        high0 = tl.umulhi(c0, factor0)
        high2 = tl.umulhi(c2, factor2)
        c0 = high2 ^ c1 ^ k0
        c1 = low2
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 = k0 + step0
        k1 = k1 + step1
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)
    size: tl.constexpr = c0.dtype.primitive_bitwidth
    tl.static_assert(size == 32 or size == 64, "philox counts in integers of 32 or 64 bits")
    # A key of Philox4x64 has 128 bits, of which a seed has the lower half.
    key = tl.to_tensor(seed).to(tl.uint64)
    if size == 32:
        dtype: tl.constexpr = tl.uint32
        low = key.to(tl.uint32)
        high = (key >> 32).to(tl.uint32)
    else:
        dtype: tl.constexpr = tl.uint64
        low = key
        high = key * 0
    return philox_impl(c0.to(dtype, bitcast=True), c1.to(dtype, bitcast=True),
                       c2.to(dtype, bitcast=True), c3.to(dtype, bitcast=True), low, high, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    offset = tl.to_tensor(offset)
    low = offset.to(tl.uint32)
    zero = low * 0
    high = zero
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    number, _, _, _ = randint4x(seed, offset, n_rounds)
    return number


@triton.jit
def uint_to_uniform_float(x):
    tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth >= 32,
                     "uint_to_uniform_float takes integers of 32 or 64 bits")
    # The scale is as large as it can be without the largest number becoming 1.
    if x.dtype.primitive_bitwidth == 32:
        signed = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        signed = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    return tl.where(signed < 0, ~signed, signed) * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offset, n_rounds: tl.constexpr = 10):
    i0, i1, i2, i3 = randint4x(seed, offset, n_rounds)
    return (uint_to_uniform_float(i0), uint_to_uniform_float(i1), uint_to_uniform_float(i2),
            uint_to_uniform_float(i3))


@triton.jit
def pair_uniform_to_normal(u1, u2):
    # Box and Muller's transform; the logarithm of 0 is kept out.
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = 10):
    i0, i1, _, _ = randint4x(seed, offset, n_rounds)
    number, _ = pair_uniform_to_normal(uint_to_uniform_float(i0), uint_to_uniform_float(i1))
    return number


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    u0, u1, u2, u3 = rand4x(seed, offset, n_rounds)
    n0, n1 = pair_uniform_to_normal(u0, u1)
    n2, n3 = pair_uniform_to_normal(u2, u3)
    return n0, n1, n2, n3
