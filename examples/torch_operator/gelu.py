# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + places, mask=places < n)
    half = 0.5 * value * (1 + tl.math.erf(value * 0.70710678))
    tl.store(out + places, half, mask=places < n)
