# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of fla-core (from PyPI): attention by chunks, forward and backward."""

import torch
import torch.nn.functional as F

from cases import run, tensor

BATCH, LENGTH, HEADS, WIDTH = 2, 2048, 16, 128


def factors(count, width=WIDTH):
    return [tensor(BATCH, LENGTH, HEADS, width) for _ in range(count)]


def gates(*shape):
    return F.logsigmoid(tensor(*shape, dtype=torch.float32, grad=False)).requires_grad_(True)


def betas():
    return tensor(BATCH, LENGTH, HEADS, grad=False).sigmoid().requires_grad_(True)


def keys():
    return F.normalize(tensor(BATCH, LENGTH, HEADS, WIDTH, grad=False).float(), dim=-1).bfloat16().requires_grad_(True)


def first(function):
    return lambda: function()[0]


def gla():
    from fla.ops.gla import chunk_gla
    return chunk_gla(*factors(3), gates(BATCH, LENGTH, HEADS, WIDTH))


def delta_rule():
    from fla.ops.delta_rule import chunk_delta_rule
    return chunk_delta_rule(tensor(BATCH, LENGTH, HEADS, WIDTH), keys(), tensor(BATCH, LENGTH, HEADS, WIDTH), betas())


def gated_delta_rule():
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule
    return chunk_gated_delta_rule(tensor(BATCH, LENGTH, HEADS, WIDTH), keys(), tensor(BATCH, LENGTH, HEADS, WIDTH),
                                  gates(BATCH, LENGTH, HEADS), betas())


def retention():
    from fla.ops.retention import chunk_retention
    return chunk_retention(*factors(3))


def simple_gla():
    from fla.ops.simple_gla import chunk_simple_gla
    return chunk_simple_gla(*factors(3), gates(BATCH, LENGTH, HEADS))


def linear_attention():
    from fla.ops.linear_attn import chunk_linear_attn
    return chunk_linear_attn(*factors(3), normalize=False)


def attention():
    from fla.ops.attn import parallel_attn
    return parallel_attn(*factors(3)), None


def forgetting_attention():
    from fla.ops.forgetting_attn import parallel_forgetting_attn
    return parallel_forgetting_attn(*factors(3), gates(BATCH, LENGTH, HEADS)), None


def recurrent_gla():
    from fla.ops.gla import fused_recurrent_gla
    return fused_recurrent_gla(*(tensor(8, 1, HEADS, WIDTH, grad=False) for _ in range(3)),
                               gates(8, 1, HEADS, WIDTH).detach())


def recurrent_delta_rule():
    from fla.ops.gated_delta_rule import fused_recurrent_gated_delta_rule
    with torch.no_grad():
        return fused_recurrent_gated_delta_rule(*(tensor(64, 1, HEADS, WIDTH, grad=False) for _ in range(3)),
                                                g=gates(64, 1, HEADS), beta=tensor(64, 1, HEADS, grad=False).sigmoid())


def rwkv6():
    from fla.ops.rwkv6 import chunk_rwkv6
    return chunk_rwkv6(*factors(3, 64), gates(BATCH, LENGTH, HEADS, 64), tensor(HEADS, 64))


def hgrn():
    from fla.ops.hgrn import chunk_hgrn
    return chunk_hgrn(tensor(BATCH, LENGTH, 2048), gates(BATCH, LENGTH, 2048))


def gsa():
    from fla.ops.gsa import chunk_gsa
    return chunk_gsa(*factors(3, 64), tensor(BATCH, LENGTH, HEADS, 64), gates(BATCH, LENGTH, HEADS, 64))


def nsa():
    from fla.ops.nsa import parallel_nsa
    query, key, value = tensor(1, LENGTH, 64, 64), tensor(1, LENGTH, 4, 64), tensor(1, LENGTH, 4, 64)
    blocks = torch.randint(0, LENGTH // 64, (1, LENGTH, 4, 16), device="cuda").sort(-1).values
    gate = [torch.rand(1, LENGTH, 64, device="cuda", dtype=torch.bfloat16) for _ in range(2)]
    return parallel_nsa(query, key, value, g_cmp=None, g_slc=gate[0], g_swa=gate[1], block_indices=blocks,
                        block_size=64), None


def short_convolution():
    from fla.modules.causal_conv1d import causal_conv1d  # as fla's layers have it
    return causal_conv1d(tensor(BATCH, LENGTH, 2048), tensor(2048, 4), activation="silu")


def gated_norm():
    from fla.modules.norm import FusedRMSNormGated  # the name since 0.6
    module = FusedRMSNormGated(WIDTH, device="cuda", dtype=torch.bfloat16)
    return module(*factors(2)), None


run({function.__name__.replace("_", " "): first(function) for function in (
    gla, delta_rule, gated_delta_rule, retention, simple_gla, linear_attention, attention, forgetting_attention,
    recurrent_gla, recurrent_delta_rule, rwkv6, hgrn, gsa, nsa, short_convolution, gated_norm)})
