# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def copy(source, target, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + offsets, tl.load(source + offsets))


@triton.jit
def scale(target, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(target + offsets, mask=offsets < n)
    tl.store(target + offsets, value * factor, mask=offsets < n)


@triton.jit
def mismatched(target):
    tl.store(target + tl.arange(0, 4), tl.arange(0, 4) + tl.arange(0, 8))


@triton.jit
def unknown(target):
    tl.store(target, undefined_name)
