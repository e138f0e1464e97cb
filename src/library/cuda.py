# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Of tl.extra.cuda: what has a meaning wherever kernels run one after the other, and registers of a GPU.
import triton
import triton.language as tl


@triton.jit
def gdc_wait():
    pass


@triton.jit
def gdc_launch_dependents():
    pass


@triton.jit
def smid():
    return tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], tl.int32, True, 1)


@triton.jit
def globaltimer():
    return tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], tl.int64, False, 1)


@triton.jit
def read_register(name: tl.constexpr, dtype: tl.constexpr):
    if dtype.primitive_bitwidth == 64:
        return tl.inline_asm_elementwise("mov.u64 $0, %" + name + ";", "=l", [], dtype, False, 1)
    return tl.inline_asm_elementwise("mov.u32 $0, %" + name + ";", "=r", [], dtype, False, 1)
