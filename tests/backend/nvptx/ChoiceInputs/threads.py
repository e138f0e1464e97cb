# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What users write thread by thread, and what choices of policy.def decide that no other kernel of the tests asks for
# (scripts/ablate).
import math

from numba import cuda, float32

TILE = 32


# run: grid=2,2 block=32,32 out=empty:f32[40,50] a=rand:f32[40,36] b=rand:f32[36,50]
@cuda.jit
def product_of_squares(out, a, b):
    """By squares of a warp's side, whose 32 rounds are known."""
    of_a = cuda.shared.array((TILE, TILE), float32)
    of_b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for begin in range(0, a.shape[1], TILE):
        of_a[row, column] = a[i, begin + column] if i < a.shape[0] and begin + column < a.shape[1] else 0
        of_b[row, column] = b[begin + row, j] if begin + row < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += of_a[row, k] * of_b[k, column]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


# run: grid=2 block=16 out=empty:f32[32] angles=rand:f32[7,32] sizes=rand:f32[7,32] start=1.0 drift=0.01 spread=0.1
@cuda.jit
def price_paths(out, angles, sizes, start, drift, spread):
    """A path of prices for each thread, with four functions in a step: normal numbers are made of even ones."""
    i = cuda.grid(1)
    price = float32(start)
    for step in range(angles.shape[0]):
        size = math.sqrt(float32(-2) * math.log(sizes[step, i] + float32(1e-6)))
        normal = size * math.cos(float32(6.2831855) * angles[step, i])
        price *= math.exp(float32(drift) + float32(spread) * normal)
    out[i] = price
