# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# R2 as the readme prints it, which no compiler can accept: BLOCK_SIZE_N is nowhere defined.
import triton
import triton.language as tl


# R2, readme, as printed.
@triton.jit
def matrix_mul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_K: tl.constexpr):
    # Program ID determines which output block to compute
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)

    # Shared memory allocation (automatic in Triton)
    # Triton manages shared memory usage based on block operations

    # Compute matrix multiplication block by block
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)

    for k in range(0, K, BLOCK_SIZE_K):
        # Load blocks into shared memory (implicit)
        a = tl.load(a_ptr + offsets_a)
        b = tl.load(b_ptr + offsets_b)

        # Compute partial matrix multiplication
        accumulator += tl.dot(a, b)

    # Write result
    tl.store(c_ptr + offsets_c, accumulator)
