# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The practitioner's guide's copy kernel, version 1.
import triton
import triton.language as tl


# P1, practitioner's guide: copies only the first block, from every program: the offsets ignore pid.
@triton.jit
# When we pass torch tensors, they are automatically converted into a pointer to their first value
# E.g., above we passed x, but here we receive x_ptr
def copy_k(x_ptr, z_ptr, n, bs: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, bs)  # compute the offsets from the pid 
    mask = offs < n
    x = tl.load(x_ptr + offs, mask) # load a vector of values, think of `x_ptr + offs` as `x_ptr[offs]`
    tl.store(z_ptr + offs, x, mask) # store a vector of values

    print_if(f'pid = {pid} | offs = {offs}, mask = {mask}, x = {x}', '')

    # Question: What is wrong with this kernel?
