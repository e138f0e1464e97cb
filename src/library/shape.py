# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tiles put together.
import triton
import triton.language as tl


@triton.jit
def interleave(a, b):
    pairs = tl.join(a, b)
    if len(pairs.shape) > 1:  # of two scalars, they are all there is
        pairs = tl.reshape(pairs, pairs.shape[:-2] + (2 * pairs.shape[-2],))
    return pairs
