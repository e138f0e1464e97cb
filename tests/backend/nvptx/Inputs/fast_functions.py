# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose author asks for speed."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def approximated(x, out, n, BLOCK: tl.constexpr):
    """The author's instruction, of one element and of all."""
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    wide = tl.where(offs % 5 == 4, v * 30.0, tl.where(offs == 3, 0.0, v))
    near = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [wide], dtype=tl.float32,
                                     is_pure=True, pack=1)
    one = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [tl.load(x)],
                                    dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + offs, near * 0.5 + one, mask=offs < n)


@triton.jit
def asked_for_speed(x, out, n, BLOCK: tl.constexpr):
    """What libdevice calls fast, one after the other."""
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    size = tl.abs(v) + 0.125
    tl.store(out + offs, libdevice.fast_sinf(v), mask=offs < n)
    tl.store(out + n + offs, libdevice.fast_cosf(v), mask=offs < n)
    tl.store(out + 2 * n + offs, libdevice.fast_tanf(v * 0.25), mask=offs < n)
    tl.store(out + 3 * n + offs, libdevice.fast_powf(size, v), mask=offs < n)
    tl.store(out + 4 * n + offs, libdevice.fast_logf(size), mask=offs < n)
    tl.store(out + 5 * n + offs, libdevice.fast_log2f(size), mask=offs < n)
    tl.store(out + 6 * n + offs, libdevice.fast_log10f(size), mask=offs < n)
    tl.store(out + 7 * n + offs, libdevice.fast_tanhf(v), mask=offs < n)
