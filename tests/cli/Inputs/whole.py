# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def whole(x_ptr, n, BLOCK: tl.constexpr):
    tl.device_assert(tl.num_programs(0) == tl.cdiv(n, BLOCK), "another grid")
    tl.store(x_ptr, 1.0)
