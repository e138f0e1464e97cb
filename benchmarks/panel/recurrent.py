# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mLSTM and the linear attentions that it is compared with (mlstm_kernels from PyPI), forward and backward."""

import torch
from mlstm_kernels.torch import get_mlstm_kernel

from cases import run, tensor

BATCH, HEADS, LENGTH, WIDE = 1, 8, 4096, 256


def sequence(*widths, batch=BATCH, heads=HEADS, length=LENGTH, dtype=torch.bfloat16):
    return [tensor(batch, heads, length, width, dtype=dtype) for width in widths]


def gates(*shape):
    return tensor(*shape), (torch.randn(*shape, device="cuda") + 4).bfloat16().requires_grad_(True)


def mlstm(name, narrow, wide, **options):
    sizes = {key: options.pop(key) for key in ("heads", "length") if key in options}
    shape = BATCH, sizes.get("heads", HEADS), sizes.get("length", LENGTH)
    return lambda: get_mlstm_kernel(name)(*sequence(narrow, narrow, wide, **sizes), *gates(*shape),
                                          autocast_kernel_dtype=torch.bfloat16, **options)


def step(module, name, dtype, batch=16):
    def run_step():
        from importlib import import_module
        one = batch, HEADS
        state = [tensor(*one, *last, dtype=torch.float32, grad=False) for last in ((WIDE, 2 * WIDE), (WIDE,), (1,))]
        vectors = [tensor(*one, width, dtype=dtype, grad=False) for width in (WIDE, WIDE, 2 * WIDE, 1, 1)]
        return getattr(import_module("mlstm_kernels.torch.recurrent." + module), name)(*vectors, *state)

    return run_step


def lightning():
    from mlstm_kernels.baselines.lightning_attention.lightning_attn2 import lightning_attn2
    slopes = torch.exp2(-torch.arange(1, HEADS + 1, device="cuda", dtype=torch.float32)).view(HEADS, 1, 1)
    return lightning_attn2(*sequence(128, 128, 128), slopes)


def decays(*shape):
    return (-torch.rand(*shape, device="cuda") / 16).requires_grad_(True)


def gated_linear(name, length):
    def attend():
        from mlstm_kernels.baselines.flash_linear_attention import gla
        return getattr(gla, name)(*sequence(128, 128, 256, length=length),
                                  decays(BATCH, HEADS, length, 128))[0]

    return attend


def simple_gated_linear():
    from mlstm_kernels.baselines.flash_linear_attention.simple_gla.chunk import chunk_simple_gla
    return chunk_simple_gla(*sequence(128, 128, 256), decays(BATCH, HEADS, LENGTH))[0]


def running_sum(name):
    def add():
        from mlstm_kernels.baselines.flash_linear_attention import fla_utils
        return getattr(fla_utils, name)(torch.randn(4, HEADS, LENGTH, 128, device="cuda"))

    return add


run({
    "limit chunk": mlstm("chunkwise--triton_limit_chunk", 128, 256),
    "xl chunk": mlstm("chunkwise--triton_xl_chunk", 256, 512),
    "xl chunk of 512": mlstm("chunkwise--triton_xl_chunk", 128, 256, chunk_size=512, return_last_states=True),
    "xl chunk sigmoid": mlstm("chunkwise--triton_xl_chunk_siging", 256, 512),
    "parallel": mlstm("parallel--triton_limit_headdim", 128, 128, length=LENGTH // 2),
    "step": step("triton_step", "mlstm_recurrent_step__triton", torch.bfloat16),
    "step in two": step("triton_step_alternate", "mlstm_recurrent_step__triton_alternate", torch.float32),
    "lightning attention": lightning,
    "gated linear attention": gated_linear("chunk_gla", LENGTH),
    "gated linear attention fused": gated_linear("fused_chunk_gla", LENGTH),
    "gated linear attention recurrent": gated_linear("fused_recurrent_gla", LENGTH // 8),
    "simple gated linear attention": simple_gated_linear,
    "running sum by chunks": running_sum("chunk_cumsum_fwd"),
    "running sum reversed": running_sum("chunk_reversed_cumsum_fwd"),
})
