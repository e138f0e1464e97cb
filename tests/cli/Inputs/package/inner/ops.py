import torch
import triton
import triton.language as tl

exp = tl.math.exp

if torch.version.hip is not None:

    @triton.jit
    def chosen(p):
        return 7.0

else:

    @triton.jit
    def chosen(p):
        return 8.0


@triton.jit
def double(x):
    return x * 2


@triton.jit
def raising(p):
    raise ValueError("never")
