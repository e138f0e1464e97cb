# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What users write thread by thread, and what choices of policy.def decide that no other kernel of the tests asks for
# (scripts/ablate).
import math

from numba import cuda, float32

WEIGHTS = 32


# run: grid=2 block=32 out=empty:f32[50] a=rand:f32[81] weights=rand:f32[32]
@cuda.jit
def filtered(out, a, weights):
    """A filter of so many weights that its rounds are known."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        total = float32(0)
        for k in range(WEIGHTS):
            total += weights[k] * a[i + k]
        out[i] = total


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
