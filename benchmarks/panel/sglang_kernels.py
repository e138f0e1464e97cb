# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels of SGLang (0.5.23)."""

from importlib import import_module

import torch

from cases import run, tensor

TOKENS, REQUESTS, CONTEXT, VOCABULARY = 4096, 64, 2048, 128256
F8, F16, F32, I32 = torch.float8_e4m3fn, torch.float16, torch.float32, torch.int32


def of(module, name):
    return getattr(import_module("sglang.kernels.ops." + module), name)


def values(*shape, dtype=torch.bfloat16, scale=1.0):
    return tensor(*shape, dtype=dtype, scale=scale, grad=False)


def empty(*shape, dtype=torch.bfloat16):
    return torch.zeros(*shape, device="cuda", dtype=dtype)


def positive(*shape, dtype=F32):
    return (torch.rand(*shape, device="cuda") * 0.1 + 0.01).to(dtype)


def whole(*shape, low=0, high=1, dtype=I32):
    return torch.randint(low, high, shape, device="cuda", dtype=dtype)


def sequences(count, length):
    return torch.arange(count + 1, device="cuda", dtype=I32) * length


def scattered(count):
    return torch.randperm(count, device="cuda")


def decode(heads, groups, width, kept):
    def attend():
        pool = REQUESTS * CONTEXT
        keys = values(pool, groups, width)
        held = keys[..., :kept] if groups == 1 else values(pool, groups, kept)
        of("attention.decode_attention", "decode_attention_fwd")(
            values(REQUESTS, heads, width), keys, held, empty(REQUESTS, heads, kept), sequences(REQUESTS, CONTEXT),
            scattered(pool), empty(REQUESTS, heads, 8, kept, dtype=F32), empty(REQUESTS, heads, 8, dtype=F32),
            torch.full((REQUESTS,), 4, device="cuda", dtype=I32), 8, width**-0.5, 1.0, 1.0, has_mla=groups == 1)

    return attend


def extend(**more):
    def attend():
        q, k, v = values(TOKENS, 32, 128), values(TOKENS, 8, 128), values(TOKENS, 8, 128)
        pool = 4 * CONTEXT
        of("attention.extend_attention", "extend_attention_fwd")(
            q, k, v, empty(TOKENS, 32, 128), values(pool, 8, 128), values(pool, 8, 128), sequences(4, TOKENS // 4),
            sequences(4, CONTEXT), scattered(pool), None, True, None, TOKENS // 4, 1.0, 1.0, **more)

    return attend


def extend_in_one():
    pool, new = 4 * CONTEXT, CONTEXT // 2
    of("attention.extend_attention", "extend_attention_fwd_unified")(
        values(4 * new, 32, 128), empty(4 * new, 32, 128), values(pool, 8, 128), values(pool, 8, 128), 1.0, 1.0,
        sequences(4, new), sequences(4, CONTEXT), scattered(pool), torch.full((4,), new, device="cuda", dtype=I32), new)


def prefill():
    of("attention.prefill_attention", "context_attention_fwd")(
        values(2 * CONTEXT, 32, 128), values(2 * CONTEXT, 8, 128), values(2 * CONTEXT, 8, 128),
        empty(2 * CONTEXT, 32, 128), sequences(2, CONTEXT)[:2], torch.full((2,), CONTEXT, device="cuda", dtype=I32),
        CONTEXT)


def merged():
    of("attention.merge_state", "merge_state_triton")(
        values(TOKENS, 32, 128), values(TOKENS, 32, dtype=F32), values(TOKENS, 32, 128), values(TOKENS, 32, dtype=F32))


def block_products():
    for rows in (32, TOKENS):
        of("gemm.fp8_kernel", "w8a8_block_fp8_matmul_triton")(
            values(rows, 4096).to(F8), values(4096, 4096).to(F8), positive(rows, 32), positive(32, 32), [128, 128],
            torch.bfloat16)
    small = {"low": -128, "high": 127, "dtype": torch.int8}
    of("gemm.int8_kernel", "w8a8_block_int8_matmul")(
        whole(TOKENS, 4096, **small), whole(4096, 4096, **small), positive(TOKENS, 32), positive(32, 32), [128, 128],
        torch.bfloat16)


def quantization():
    module = "quantization.fp8_kernel"
    of(module, "static_quant_fp8")(values(TOKENS, 4096), positive(1))
    of(module, "per_tensor_quant_mla_fp8")(values(64, TOKENS // 8, 512), empty(1, dtype=F32))
    of(module, "per_token_group_quant_mla_deep_gemm_masked_fp8")(values(64, TOKENS // 8, 512))
    of("quantization.act_quant_triton", "act_quant")(values(TOKENS, 4096))
    of("quantization.int8_kernel", "per_token_quant_int8")(values(TOKENS, 4096), cal_sum=True)
    of("quantization.dsa_quant_k_cache", "_quantize_k_cache_fast")(values(8 * TOKENS, 512), values(8 * TOKENS, 64))


def small_quantization():
    of("quantization.mxfp8_swizzled_triton", "mxfp8_quantize_swizzled")(values(TOKENS, 4096))
    of("quantization.mxfp8_quant", "to_mxfp8")(values(TOKENS, 4096))
    of("quantization.fp4_indexer_quant", "quantize_fp4_indexer_tensor")(values(TOKENS * 16, 128))
    of("quantization.bf16x3_split", "split_fp32_to_bf16x3")(values(4096, 4096, dtype=F32))
    of("quantization.fp8_quantize", "fp8_quantize")(values(TOKENS, 4096), 2.0)


def residual_norms():
    x, w = values(TOKENS, 4096), values(4096)
    of("layernorm.fused_rmsnorm", "fused_dual_residual_rmsnorm")(x, values(TOKENS, 4096), w, w, 1e-6)
    of("layernorm.gemma4_fused_ops", "gemma_rmsnorm_residual_scalar")(x, w, values(TOKENS, 4096), values(1), 1e-6)
    of("layernorm.gemma4_fused_ops", "gemma_dual_rmsnorm_residual_scalar")(x, w, values(TOKENS, 4096), w, w,
                                                                         values(TOKENS, 4096), values(1))
    of("layernorm.minimax_m3_rmsnorm", "gemma_fused_add_rmsnorm")(x, values(TOKENS, 4096), w, 1e-6)


def head_norms():
    of("layernorm.gemma4_fused_ops", "gemma_qkv_rmsnorm")(
        values(TOKENS, 32 * 128), values(TOKENS, 8 * 128), values(TOKENS, 8 * 128), values(128), values(128), 32, 8,
        128)
    of("layernorm.rmsnorm_fp32", "rmsnorm_fp32")(values(TOKENS, 4096), values(4096), 1e-6)


def norms_quantized():
    of("layernorm.rmsnorm_fp8_e8m0", "rmsnorm_fp8_e8m0_quant")(values(TOKENS, 4096), values(4096), 1e-6)
    of("layernorm.rmsnorm_mxfp8", "rmsnorm_mxfp8")(values(TOKENS, 4096), values(4096), 1e-6)


def hyper_connections():
    of("layernorm.mhc_post_split_h", "mhc_post_split_h")(values(TOKENS, 4096), values(TOKENS, 4, 4096),
                                                        values(TOKENS, 4, dtype=F32), values(TOKENS, 4, 4, dtype=F32))
    of("layernorm.hc_combine_norm", "hc_combine_norm")(values(TOKENS, 20480), values(TOKENS, 4, dtype=F32),
                                                      values(5120), 1e-6)


def routers():
    of("moe.gate_topk", "gate_topk")(values(TOKENS, 256, dtype=F32), 8)
    of("moe.gemma4_routing", "gemma4_fused_routing")(values(TOKENS, 128), values(128), 8)
    of("moe.moe_fused_gate", "moe_fused_gate")(values(TOKENS, 256, dtype=F32), values(256, dtype=F32), 8,
                                              num_expert_group=8, topk_group=4)
    of("moe.router", "fused_moe_router_cudacore")(values(64, 4096), values(8, 4096), 2, 30.0)
    of("moe.router", "fused_moe_router_tensorcore")(values(TOKENS, 4096), values(8, 4096), 2, 30.0, 32, 16, 256)


def gates():
    x = values(TOKENS, 4096)
    of("elementwise.elementwise", "fused_sigmoid_mul")(x, values(TOKENS, 4096))
    of("elementwise.elementwise", "fused_gate_sigmoid_mul_add")(x, values(4096), values(TOKENS, 4096),
                                                               values(TOKENS, 4096))
    of("activation.gelu_and_mul_triton", "gelu_and_mul_triton")(values(TOKENS, 8192))
    of("activation.minimax_m3_swiglu", "swiglu_oai_split")(values(TOKENS, 8192), 1.702, 1.0, 7.0)


def logits():
    of("activation.softcap", "softcap_inplace_logits")(values(REQUESTS, VOCABULARY, dtype=F32), 30.0)
    of("sampling.softcap_row_argmax", "softcap_row_argmax")(values(REQUESTS, VOCABULARY, dtype=F32), 30.0,
                                                          VOCABULARY, 0)
    of("sampling.temperature_softmax", "temperature_softmax")(values(REQUESTS, VOCABULARY, dtype=F32),
                                                             positive(REQUESTS, 1) * 10)


def probabilities():
    given = values(REQUESTS, VOCABULARY, dtype=F32).softmax(-1)
    of("sampling.renorm_triton", "top_p_renorm_probs_triton")(given, 0.9)
    of("sampling.renorm_triton", "top_k_renorm_probs_triton")(given, 50)


def modulated():
    module = "diffusion.modulate.scale_shift_triton"
    x, one = values(1, TOKENS, 3072), values(1, 1, 3072)
    of(module, "fuse_scale_shift_kernel")(x, one, values(1, 1, 3072))
    rows = [values(1, 3072) for _ in range(6)]
    of(module, "fuse_layernorm_scale_shift_gate_select01_kernel")(x, None, None, *rows, whole(1, TOKENS, high=2), 1e-6)
    of("diffusion.norm.rmsnorm_scale_shift_triton", "_rmsnorm_scale_shift_per_token_cuda")(
        x, values(3072), values(1, TOKENS, 3072), values(1, TOKENS, 3072), 1e-6)
    of("diffusion.modulate.indexed_modulation_triton", "indexed_scale_shift_bf16_")(
        values(TOKENS, 3072), values(4, 3072), values(4, 3072), whole(TOKENS, high=4, dtype=torch.int64))


def image_norms():
    with torch.no_grad():
        for size in (64, 256):
            of("diffusion.norm.group_norm_silu_triton", "triton_group_norm_silu")(
                values(1, 256, size, size), values(256), values(256), 32)
        video = values(1, 96, 8, 128, 128).to(memory_format=torch.channels_last_3d)
        of("diffusion.norm.wan_rmsnorm_silu_triton", "wan_rmsnorm_silu")(video, values(96, 1, 1, 1))
    of("diffusion.norm.norm_triton", "norm_infer")(values(TOKENS, 3072), values(3072), values(3072), 1e-6)
    of("diffusion.norm.rmsnorm_onepass_triton", "_triton_one_pass_rms_norm_cuda")(values(TOKENS * 24, 128), values(128))


def rotary():
    for interleaved in (False, True):
        of("diffusion.rope.rotary_triton", "apply_rotary_embedding")(
            values(1, TOKENS, 24, 128), values(TOKENS, 64), values(TOKENS, 64), interleaved)


CASES = {function.__name__: function for function in (
    extend_in_one, prefill, merged, block_products, quantization, small_quantization, residual_norms, head_norms,
    norms_quantized, hyper_connections, routers, gates, logits, probabilities, modulated, image_norms, rotary)}
CASES |= {"decode": decode(32, 32, 128, 128), "decode, grouped": decode(32, 8, 128, 128),
          "decode, latent": decode(16, 1, 576, 512), "extend": extend(),
          "extend, window": extend(sliding_window_size=512), "extend, capped": extend(logit_cap=30.0)}

if __name__ == "__main__":
    run(CASES)
