# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that several tests launch."""

import nereid
import nereid.language as tl


@nereid.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@nereid.jit
def fill(out, value, n, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, value, mask=offsets < n)


def fill_with(kernel, out, *arguments, **named):
    kernel[lambda meta: (nereid.cdiv(out.size, 64),)](out, *arguments, out.size, **named)
    return out
