# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def promises(target, n):
    assert n < 10, "n is small"
    tl.assume(n > 0)
    tl.store(target, n)
