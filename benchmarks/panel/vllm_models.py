# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels that vLLM (0.33) has for single models and kinds of cache."""

import torch

from cases import run
from vllm_kernels import F8, F32, I32, counted, empty, of, paged, positive, sequences, upto, values, whole

TOKENS, REQUESTS, CONTEXT, VOCABULARY = 4096, 64, 2048, 128256
MODELS = "vllm.models."
LINEAR = "vllm.third_party.flash_linear_attention.ops."


def positions(count=None):
    return whole(count or TOKENS, high=CONTEXT, dtype=torch.int64)


def gated_delta():
    heads, state = (REQUESTS, 32), values(REQUESTS + 1, 32, 128, 128, dtype=F32)
    slots = upto(REQUESTS) + 1
    of(LINEAR + "fused_recurrent", "fused_recurrent_gated_delta_rule_packed_decode")(
        values(REQUESTS, 8192), values(*heads), values(*heads), values(32, dtype=F32), values(32, dtype=F32), 128**-0.5,
        state, empty(REQUESTS, 1, 32, 128), slots, True)
    of(LINEAR + "fused_sigmoid_gating", "fused_sigmoid_gating_delta_rule_update")(
        values(32, dtype=F32), values(*heads), values(*heads), values(32, dtype=F32), values(REQUESTS, 1, 16, 128),
        values(REQUESTS, 1, 16, 128), values(REQUESTS, 1, 32, 128), initial_state=state, ssm_state_indices=slots,
        use_qk_l2norm_in_kernel=True)
    of(LINEAR + "fused_gdn_prefill_post_conv", "fused_post_conv_prep")(
        values(TOKENS, 8192), values(TOKENS, 32), values(TOKENS, 32), values(32, dtype=F32), values(32, dtype=F32), 16,
        128, 128)


def quantized_attention(mode, dtype, width):
    def attend():
        from vllm.v1.kv_cache_interface import KVQuantMode
        kind = getattr(KVQuantMode, mode)
        pages = REQUESTS * CONTEXT // 16
        caches = [torch.zeros(pages, 16, 8, width, device="cuda", dtype=dtype) for _ in range(2)]
        scales = [positive(pages, 16, 8) for _ in range(2)]
        slots = torch.randperm(pages * 16, device="cuda")[:TOKENS]
        new = values(TOKENS, 8, 128), values(TOKENS, 8, 128)
        if mode.startswith("INT4"):
            of("vllm.v1.attention.ops.int4_per_token_head", "reshape_and_cache_int4")(
                *new, *caches, slots, k_scale_cache=scales[0], v_scale_cache=scales[1])
        else:
            store = "triton_reshape_and_cache_flash_per_token_head_quant"
            of("vllm.v1.attention.ops.triton_reshape_and_cache_flash", store)(*new, *caches, *scales, slots, kind)
        table = torch.randperm(pages, device="cuda").to(I32).view(REQUESTS, -1)
        lengths = whole(REQUESTS, low=CONTEXT // 2, high=CONTEXT)
        of("vllm.v1.attention.ops.triton_unified_attention", "unified_attention")(
            values(REQUESTS, 32, 128), *caches, empty(REQUESTS, 32, 128), sequences(REQUESTS, 1), 1, lengths, CONTEXT,
            128**-0.5, True, (-1, -1), table, 0, None, None, None, kv_quant_mode=kind, k_scale_cache=scales[0],
            v_scale_cache=scales[1])

    return attend


def unequal_widths():
    keys, _, table = paged(16, 8, 192)
    held, _, _ = paged(16, 8, 128)
    of("vllm.v1.attention.ops.triton_unified_attention_diffkv", "unified_attention_diffkv")(
        values(REQUESTS, 32, 192), keys, held, empty(REQUESTS, 32, 128), sequences(REQUESTS, 1),
        whole(REQUESTS, low=CONTEXT // 2, high=CONTEXT), 192**-0.5, True, (-1, -1), table, 0)


def late_interaction():
    of("vllm.v1.pool.flash_maxsim.flash_maxsim_rerank", "flash_maxsim_rerank_direct")(
        values(32, 128, dtype=torch.float16), values(512 * 128, 128, dtype=torch.float16), upto(512) * 128,
        counted(*[128] * 512), 128)


def sparse_latent_attention():
    of("vllm.v1.attention.ops.xpu_mla_sparse", "triton_bf16_mla_sparse_interface")(
        values(REQUESTS, 128, 576), values(4 * CONTEXT, 1, 576), whole(REQUESTS, 1, CONTEXT, high=4 * CONTEXT),
        576**-0.5)


def sparse_attention():
    module = MODELS + "minimax_m3.common.ops."
    blocks, at, none = TOKENS // 128, counted(0, TOKENS), counted(0)
    table = torch.randperm(blocks, device="cuda").to(I32).view(1, -1)
    score = of(module + "index_topk", "minimax_m3_index_score")(
        values(TOKENS, 4, 128), values(blocks, 128, 128), table, at, counted(TOKENS), none, TOKENS, TOKENS, 4)
    best = of(module + "index_topk", "minimax_m3_index_topk")(score, at, none, TOKENS, 16, 1, 1)
    of(module + "sparse_attn", "minimax_m3_sparse_attn")(
        values(TOKENS, 64, 128), values(blocks, 4, 128, 256), best, table, at, counted(TOKENS), none, TOKENS, 4,
        128**-0.5, empty(TOKENS, 64, 128))


def sparse_decode():
    module = MODELS + "minimax_m3.common.ops."
    blocks = REQUESTS * CONTEXT // 128
    table = torch.randperm(blocks, device="cuda").to(I32).view(REQUESTS, -1)
    lengths = whole(REQUESTS, low=CONTEXT // 2, high=CONTEXT)
    best = of(module + "index_topk", "minimax_m3_index_decode")(
        values(REQUESTS, 4, 128), values(blocks, 128, 128), table, lengths, CONTEXT, 8, 1, 1, 4, 1, 1)
    of(module + "sparse_attn", "minimax_m3_sparse_attn_decode")(
        values(REQUESTS, 64, 128), values(blocks, 4, 128, 256), best, table, lengths, 4, 128**-0.5,
        empty(REQUESTS, 64, 128), 1)


def hyper_connections():
    module = MODELS + "hy_v4.nvidia.triton_ihc"
    x = values(TOKENS, 4, 4096)
    out, post = of(module, "triton_ihc_pre")(x, values(8, 16384, dtype=F32), values(2, dtype=F32), values(8, dtype=F32),
                                             1.0, 1e-6, 1e-6)
    of(module, "triton_ihc_post")(out, x, post)


def grouped_connections():
    module = MODELS + "qwen4_exp.nvidia.ops.hc"
    x = values(TOKENS, 16384)
    of(module, "grouped_gemma_rmsnorm")(x, values(16384), 1e-6, 4)
    of(module, "hc_silu")(x, 4)
    of(module, "hc_gate_mix")(x, values(TOKENS, 16384), 4)
    of(module, "hc_combine_norm")(x, values(TOKENS, 4096), values(TOKENS, 4), values(16384), 1e-6, 4)


def routing():
    of(MODELS + "muse_spark.common.ops.fused_routing", "fused_musespark1x_routing")(
        values(TOKENS, 128, dtype=F32), values(128, dtype=F32), 8, 1.0)
    of(MODELS + "muse_spark.common.ops.fused_finalize", "fused_post_expert_finalize")(
        values(TOKENS, 8, 2048), values(2048), positive(TOKENS, 8), 1e-6, 0.0, False, empty(TOKENS, 2048))


def summed_norms():
    module = MODELS + "muse_spark.common.ops.fused_rmsnorm"
    of(module, "fused_rmsnorm_fwd")(values(TOKENS, 4096), values(4096), 1e-6)
    of(module, "fused_rmsnorm_fwd")(values(TOKENS, 4096), values(4096), 1e-6, alpha=values(4096, dtype=F32),
                                    residual_stream=values(TOKENS, 4096, dtype=F32), beta=values(4096, dtype=F32))


def norms():
    module = MODELS + "inkling.nvidia.ops."
    of(module + "norm", "add_rmsnorm")(values(TOKENS, 4096), values(TOKENS, 4096), values(4096), 1e-6)
    of(module + "norm", "rmsnorm")(values(TOKENS, 4096), values(4096), 1e-6)
    of(module + "norm", "embed_rmsnorm")(whole(TOKENS, high=32000), values(32000, 4096), values(4096), 1e-6)
    of(module + "mm_towers", "rmsnorm_gelu")(values(TOKENS, 4096), values(4096), 1e-6)
    of(module + "silu_and_mul", "silu_and_mul_triton")(values(TOKENS, 16384))


def boundaries():
    module = MODELS + "beam.nvidia."
    of(module + "layernorm", "beam_norm_residual_norm")(values(TOKENS, 4096), values(TOKENS, 4096), values(4096), 1e-6,
                                                        values(4096), 1e-6, (1.0, 0.5))
    of(module + "activation", "beam_silu_mul")(values(TOKENS, 16384))
    of(module + "activation", "beam_softcap_logits")(values(REQUESTS, VOCABULARY), 30.0)
    of(module + "attention_ops", "beam_output_gate")(values(TOKENS, 4096), values(TOKENS, 32), values(32), num_heads=32,
                                                     head_dim=128)
    of(module + "attention_ops", "beam_qk_norm_rope")(
        values(TOKENS, 4096), values(TOKENS, 1024), values(128), values(128), 1e-6, positions(), values(CONTEXT, 128),
        128, 128)


def compressed_cache():
    module = MODELS + "deepseek_v4.common.ops."
    cache = torch.zeros(TOKENS // 64, 65 * 576, device="cuda", dtype=torch.uint8)
    of(module + "cache_utils", "quantize_and_insert_k_cache")(
        values(TOKENS, 512), cache, torch.randperm(TOKENS, device="cuda"))
    of(module + "fused_indexer_q", "fused_indexer_q_rope_quant")(
        positions(), values(TOKENS, 64, 128), values(CONTEXT, 64, dtype=F32), values(TOKENS, 64), 128**-0.5, 0.125)
    of(module + "fused_inv_rope_fp8_quant", "fused_inv_rope_fp8_quant")(
        values(TOKENS, 64, 512), positions(), values(CONTEXT, 64, dtype=F32), 8, 8)


def windows():
    module = MODELS + "step5.nvidia.ops."
    keys, held, table = paged(64, 4, 192)
    of(module + "swa_decode", "swa_decode_gated")(
        values(REQUESTS, 32, 192), keys, held, table, whole(REQUESTS, low=CONTEXT // 2, high=CONTEXT),
        values(REQUESTS, 32), empty(REQUESTS, 32, 192), scale=192**-0.5, window=512, query_len=1, splits=4)
    of(module + "attention_gate", "headwise_sigmoid_gate")(values(TOKENS, 32 * 192), values(TOKENS, 32))


CASES = {function.__name__: function for function in (
    gated_delta, unequal_widths, late_interaction, sparse_latent_attention, sparse_attention, sparse_decode,
    hyper_connections, grouped_connections, routing, summed_norms, norms, boundaries, compressed_cache, windows)}
CASES |= {"attention in int8": quantized_attention("INT8_PER_TOKEN_HEAD", torch.int8, 128),
          "attention in fp8": quantized_attention("FP8_PER_TOKEN_HEAD", F8, 128),
          "attention in 4 bits": quantized_attention("INT4_PER_TOKEN_HEAD", torch.uint8, 64)}

if __name__ == "__main__":
    run(CASES)
