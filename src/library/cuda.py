# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Of tl.extra.cuda, what has a meaning wherever kernels run one after the other.
import triton
import triton.language as tl


@triton.jit
def gdc_wait():
    pass


@triton.jit
def gdc_launch_dependents():
    pass
