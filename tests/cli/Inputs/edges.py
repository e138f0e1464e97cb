# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def wild(target, distance):
    tl.store(target + tl.program_id(0) * distance, 1.0)


@triton.jit
def stepped(target, step):
    for i in range(0, 4, step):
        tl.store(target + i, 1.0)


@triton.jit
def added(x, y, out):
    lanes = tl.arange(0, 4)
    tl.store(out + lanes, tl.load(x + lanes) + tl.load(y + lanes))


@triton.jit
def talking(target):
    tl.device_print("said")
    tl.store(target, 1.0)
