# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels of vLLM (0.33)."""

from functools import partial

import torch
import triton.language as tl

from cases import run, tensor

TOKENS, REQUESTS, CONTEXT, VOCABULARY = 4096, 64, 2048, 128256
F8, F16, F32, I32 = torch.float8_e4m3fn, torch.float16, torch.float32, torch.int32
LAYERS = "vllm.model_executor.layers."
QUANTIZATION = LAYERS + "quantization."

values = partial(tensor, grad=False)


def of(module, name):
    from importlib import import_module
    return getattr(import_module(module), name)


def whole(*shape, low=0, high=1, dtype=I32):
    return torch.randint(low, high, shape, device="cuda", dtype=dtype)


def packed(*shape):
    return whole(*shape, low=-2**31, high=2**31 - 1)


def empty(*shape, dtype=torch.bfloat16):
    return torch.zeros(*shape, device="cuda", dtype=dtype)


def positive(*shape, dtype=F32):
    return (torch.rand(*shape, device="cuda") * 0.1 + 0.01).to(dtype)


def counted(*numbers, dtype=I32):
    return torch.tensor(numbers, device="cuda", dtype=dtype)


def upto(count, dtype=I32):
    return torch.arange(count, device="cuda", dtype=dtype)


def four_bits():
    weight, scales, zeros = packed(4096, 512), positive(32, 4096, dtype=F16), packed(32, 512)
    of(QUANTIZATION + "awq_triton", "awq_dequantize_triton")(weight, scales, zeros)
    multiply = of(QUANTIZATION + "awq_triton", "awq_gemm_triton")
    multiply(values(64, 4096, dtype=F16), weight, scales, zeros, 8)
    multiply = of("vllm.model_executor.kernels.linear.mixed_precision.triton_w4a16", "_triton_w4a16_gemm_impl")
    for rows in (16, TOKENS):
        multiply(values(rows, 4096, dtype=F16), weight, scales, None, 128)
    multiply(values(128, 4096, dtype=F16), weight, scales, zeros, 128)


def scaled_products():
    multiply = of(QUANTIZATION + "compressed_tensors.triton_scaled_mm", "triton_scaled_mm")
    for rows in (16, TOKENS):
        multiply(values(rows, 4096).to(F8), values(4096, 4096).to(F8).t(), positive(rows, 1), positive(4096, 1),
                 torch.bfloat16)
    multiply(whole(TOKENS, 4096, low=-128, high=127, dtype=torch.int8),
             whole(4096, 4096, low=-128, high=127, dtype=torch.int8).t(), positive(1), positive(4096, 1),
             torch.bfloat16, values(4096))


def block_products():
    multiply = of(QUANTIZATION + "utils.fp8_utils", "w8a8_triton_block_scaled_mm")
    for rows in (64, TOKENS):
        multiply(values(rows, 4096).to(F8), values(4096, 4096).to(F8), positive(rows, 32), positive(32, 32), [128, 128],
                 torch.bfloat16)


def group_quantization():
    quantize = of(QUANTIZATION + "utils.fp8_utils", "per_token_group_quant_fp8")
    x = values(TOKENS, 4224)[:, :4096]  # contiguous ones go to C++
    quantize(x, 128, use_ue8m0=False)
    quantize(x, 128, column_major_scales=True, use_ue8m0=True)


def gated_quantization():
    x = values(TOKENS, 8192)
    of(QUANTIZATION + "utils.fp8_utils", "silu_mul_quant_fp8_packed_triton")(x)
    of(QUANTIZATION + "utils.fp8_utils", "silu_mul_per_token_group_quant_fp8_colmajor")(x, use_ue8m0=False)


def integer_quantization():
    of(QUANTIZATION + "utils.int8_utils", "per_token_quant_int8")(values(TOKENS, 4096))
    kernel = of(QUANTIZATION + "utils.int8_utils", "_per_token_group_quant_int8")
    kernel[TOKENS * 32,](values(TOKENS, 4096), empty(TOKENS, 4096, dtype=torch.int8), empty(TOKENS, 32, dtype=F32), 128,
                         128, 1e-10, int8_min=-128, int8_max=127, BLOCK=128, num_warps=1, num_stages=1)


def small_floats():
    of(QUANTIZATION + "utils.mxfp4_utils", "downcast_to_mxfp")(values(TOKENS, 4096), axis=-1)
    of(QUANTIZATION + "utils.mxfp8_utils", "_mxfp8_e4m3_quantize_triton")(values(TOKENS, 4096))


def emulated_nvfp4():
    module = QUANTIZATION + "utils.nvfp4_emulation_utils"
    of(module, "_triton_nvfp4_quant_dequant")(values(TOKENS, 4096), positive(1), 16)
    of(module, "_triton_dequantize_nvfp4")(whole(TOKENS, 2048, high=255, dtype=torch.uint8),
                                           positive(TOKENS, 256).to(F8), positive(1), torch.bfloat16)


def activations():
    of("vllm.kernels.triton.activation", "_gelu_and_mul_sparse_triton_op")(values(TOKENS, 2 * 8192), 1.6)
    of(LAYERS + "activation", "swiglustep_and_mul_triton")(empty(TOKENS, 4096), values(TOKENS, 8192))


def rotations():
    of(LAYERS + "rotary_embedding.mrope", "triton_mrope")(
        values(TOKENS, 32 * 128), values(TOKENS, 8 * 128), values(3, TOKENS, 64), values(3, TOKENS, 64), [16, 24, 24],
        128, 128, False, True)
    of(LAYERS + "rotary_embedding.packed_qk_rope", "packed_qk_rope_")(
        values(TOKENS, 3, 16, 64), torch.randn(TOKENS, 32, device="cuda", dtype=torch.complex64))
    of("vllm.vllm_flash_attn.ops.triton.rotary", "apply_rotary")(
        values(2, TOKENS // 2, 32, 128), values(TOKENS // 2, 64), values(TOKENS // 2, 64))


def norms_and_rotation():
    of(LAYERS + "fused_qk_norm_rope", "fused_qk_rmsnorm_rope_gate")(
        values(TOKENS, 32 * 2 * 128), values(TOKENS, 8 * 128), values(128), values(128), values(CONTEXT, 64, dtype=F32),
        whole(TOKENS, high=CONTEXT, dtype=torch.int64), 1e-6, 32, 8, 128, 64)


def norms_of_two():
    of("vllm.models.common.ops.fused_qk_rmsnorm", "fused_q_kv_rmsnorm")(
        values(TOKENS, 1536), values(TOKENS, 512), values(1536), values(512), 1e-6)


def embedding_norms():
    embed = of(LAYERS + "fused_embed_norm", "fused_embed_norm")
    embed(whole(TOKENS, high=32000, dtype=torch.int64), values(32000, 4096), values(4096), 1e-6)
    of(LAYERS + "fused_embed_norm", "fused_embed_eh_norm")(
        upto(TOKENS, torch.int64), whole(TOKENS, high=32000, dtype=torch.int64), values(32000, 4096),
        values(TOKENS, 4096), values(4096), values(4096), 1e-6)


def hyper_connections():
    x = values(TOKENS, 4, 4096)
    of("vllm.model_executor.kernels.mhc.triton", "rmsnorm_nw")(x, 1e-6)
    of("vllm.model_executor.kernels.mhc.triton", "hc_collapse_triton")(x, values(TOKENS, 4, dtype=F32))
    of("vllm.model_executor.kernels.mhc.triton", "mhc_pre_mix_triton")(
        values(16, TOKENS, 24, dtype=F32), positive(16, TOKENS), values(3, dtype=F32), values(24, dtype=F32), 4, 16384,
        1e-6, 1e-6)


def gated_norms():
    of(LAYERS + "mamba.ops.layernorm_gated", "_layer_norm_fwd")(
        values(TOKENS, 8192), values(8192), None, 1e-6, z=values(TOKENS, 8192), group_size=1024,
        norm_before_gate=False, is_rms_norm=True)
    linear = "vllm.third_party.flash_linear_attention.ops."
    of(linear + "layernorm_guard", "layer_norm_fwd")(
        values(TOKENS * 32, 128), values(128), None, 1e-6, z=values(TOKENS * 32, 128), is_rms_norm=True)
    of(linear + "fused_norm_gate", "rms_norm_gated")(values(TOKENS, 32, 128), values(TOKENS, 32, 128), values(128),
                                                     None)
    of(linear + "l2norm", "l2norm_fwd")(values(TOKENS, 16, 128))


def batch_invariant_products():
    module = "vllm.model_executor.determinism.batch_invariant"
    of(module, "matmul_persistent")(values(TOKENS, 2048), values(2048, 4096))
    of(module, "matmul_descriptor_persistent")(values(TOKENS, 2048), values(2048, 4096))
    of(module, "bmm_batch_invariant")(values(32, TOKENS // 4, 128), values(32, 128, TOKENS // 4))


def batch_invariant_rows():
    module = "vllm.model_executor.determinism.batch_invariant"
    of(module, "log_softmax")(values(REQUESTS * 4, VOCABULARY))
    of(module, "softmax")(values(REQUESTS * 4, VOCABULARY))
    of(module, "mean_dim")(values(TOKENS, 4096), -1)
    of(module, "rms_norm_batch_invariant")(values(TOKENS, 4096), values(4096))


def aligned(ids, experts, block):
    """The tokens of each expert, in whole blocks: their places, each block's expert, how many."""
    flat = ids.flatten().long()
    counts = torch.bincount(flat, minlength=experts)
    room = (counts + block - 1) // block * block
    order = flat.argsort(stable=True)
    owner = flat[order]
    first = room.cumsum(0) - room - (counts.cumsum(0) - counts)
    places = torch.full((int(room.sum()),), len(flat), device="cuda", dtype=I32)
    places[first[owner] + upto(len(flat), torch.int64)] = order.to(I32)
    return places, upto(experts).repeat_interleave(room // block), counted(len(places))


def configuration(m, n, k, warps, stages):
    return {"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "GROUP_SIZE_M": 16, "num_warps": warps,
            "num_stages": stages}


def routed(rows, experts=32, chosen=4):
    ids = torch.rand(rows, experts, device="cuda").topk(chosen).indices.to(I32)
    return ids, positive(rows, chosen)


def experts_of(tokens, tile, kind=torch.bfloat16):
    def multiply():
        launch = of(LAYERS + "fused_moe.fused_moe", "invoke_fused_moe_triton_kernel")
        ids, weights = routed(tokens)
        a, b = values(tokens, 2048), values(32, 1536, 2048)
        a_scale = b_scale = None
        if kind == F8:
            a_scale, b_scale = positive(tokens, 16), positive(32, 12, 16)
        launch(a.to(kind), b.to(kind), empty(tokens, 4, 1536), a_scale, b_scale, weights,
               *aligned(ids, 32, tile["BLOCK_SIZE_M"]), True, 4, tile, tl.bfloat16, kind == F8, False, False, False,
               False, [128, 128] if kind == F8 else None)

    return multiply


def experts_of_four_bits():
    launch = of(LAYERS + "fused_moe.fused_moe", "invoke_fused_moe_wna16_triton_kernel")
    ids, weights = routed(TOKENS // 4)
    launch(values(TOKENS // 4, 2048), whole(32, 1536, 1024, high=255, dtype=torch.uint8),
           empty(TOKENS // 4, 4, 1536), positive(32, 1536, 16, dtype=torch.bfloat16), None, weights,
           *aligned(ids, 32, 32), True, 4, configuration(32, 64, 64, 4, 3) | {"SPLIT_K": 1}, tl.bfloat16,
           False, True, [0, 128])


def experts_in_batches():
    launch = of(LAYERS + "fused_moe.experts.fused_batched_moe", "invoke_moe_batched_triton_kernel")
    tile = configuration(64, 128, 64, 4, 3)
    launch(values(32, TOKENS // 8, 2048), values(32, 1536, 2048), empty(32, TOKENS // 8, 1536),
           whole(32, low=TOKENS // 16, high=TOKENS // 8), tl.bfloat16, None, None, None, False, False, False, tile,
           False)


def experts_around():
    ids, weights = routed(TOKENS)
    of(LAYERS + "fused_moe.moe_fused_mul_sum", "moe_fused_mul_sum")(values(TOKENS, 4, 2048), weights)
    of(LAYERS + "fused_moe.utils", "count_expert_num_tokens")(ids, 32, None)


def experts_scattered():
    module = LAYERS + "fused_moe.deep_gemm_utils"
    ids, weights = routed(TOKENS)
    counts = (torch.bincount(ids.flatten(), minlength=32) + 127) // 128 * 128
    rows = int(counts.sum())
    index = empty(TOKENS, 4, dtype=I32)
    of(module, "ep_scatter")(
        values(TOKENS, 2048).to(F8), positive(TOKENS, 16), ids, counts.to(I32), None, empty(32, dtype=I32),
        empty(rows, 2048).to(F8), empty(rows, 16, dtype=F32), empty(rows, dtype=I32), index)
    of(module, "ep_gather")(values(rows, 2048), ids, weights, index, None, empty(TOKENS, 2048))


def low_ranks():
    meta = of("vllm.lora.ops.triton_ops.lora_kernel_metadata", "LoRAKernelMeta").make(8, TOKENS, "cuda")
    meta.prepare_tensors(whole(TOKENS, high=8))
    given = meta.token_lora_mapping, meta.token_indices_sorted_by_lora_ids, meta.num_tokens_per_lora
    given += meta.lora_token_start_loc, meta.active_lora_ids, meta.no_lora_flag_cpu, meta.num_active_loras_cpu
    small = empty(1, TOKENS, 16, dtype=F32)
    of("vllm.lora.ops.triton_ops.lora_shrink_op", "_lora_shrink")(
        values(TOKENS, 4096), [values(8, 16, 4096)], small, *given, 1.0)
    of("vllm.lora.ops.triton_ops.lora_expand_op", "_lora_expand")(
        small, [values(8, 4096, 16)], values(TOKENS, 4096), *given, 0, True)


def sequences(count, length):
    """Where each of `count` sequences of one length starts, as a cumulative sum."""
    return upto(count + 1) * length


def state_space():
    chunks = TOKENS // 256
    at = sequences(chunks, 256)
    of(LAYERS + "mamba.ops.ssd_combined", "mamba_chunk_scan_combined_varlen")(
        values(TOKENS, 64, 64), values(TOKENS, 64), -positive(64), values(TOKENS, 8, 128), values(TOKENS, 8, 128), 256,
        counted(0, TOKENS), at, counted(chunks - 1), empty(chunks, dtype=I32), empty(TOKENS, 64, 64),
        D=values(64), dt_bias=values(64), dt_softplus=True, initial_states=values(1, 64, 64, 128))


def state_update():
    of(LAYERS + "mamba.ops.mamba_ssm", "selective_state_update")(
        values(REQUESTS + 1, 64, 64, 128), values(REQUESTS, 64, 64), values(REQUESTS, 64, 1).expand(-1, -1, 64),
        -positive(64, 1, 1).expand(-1, 64, 128), values(REQUESTS, 8, 128), values(REQUESTS, 8, 128),
        values(64, 1).expand(-1, 64), values(64, 1).expand(-1, 64), dt_softplus=True,
        state_batch_indices=upto(REQUESTS) + 1, out=empty(REQUESTS, 64, 64))


def short_convolutions():
    width = 6144
    states = values(9, 3, width).transpose(1, 2)
    of(LAYERS + "mamba.ops.causal_conv1d", "causal_conv1d_fn")(
        values(TOKENS, width).t(), values(width, 4), values(width), states, sequences(8, TOKENS // 8),
        upto(8) + 1, torch.ones(8, device="cuda", dtype=torch.bool))
    of(LAYERS + "mamba.ops.causal_conv1d", "causal_conv1d_update")(
        values(REQUESTS, width), values(REQUESTS + 1, 3, width).transpose(1, 2), values(width, 4), values(width),
        "silu", upto(REQUESTS) + 1)


def lightning():
    of(LAYERS + "lightning_attn", "lightning_attention")(
        *(values(1, 32, TOKENS, 128, dtype=F32, scale=0.1) for _ in range(3)), positive(32))
    of(LAYERS + "lightning_attn", "linear_decode_forward_triton")(
        values(REQUESTS, 32, 1, 128), values(REQUESTS, 32, 1, 128), values(REQUESTS, 32, 1, 128),
        values(REQUESTS, 32, 128, 128, dtype=F32), positive(32), upto(REQUESTS))


def paged(page, heads, width, requests=None, context=None, dtype=torch.bfloat16):
    """Keys, values, and the table of the pages of each request."""
    pages = (requests or REQUESTS) * (context or CONTEXT) // page
    table = torch.randperm(pages, device="cuda").to(I32).view(requests or REQUESTS, -1)
    return (*(values(pages, page, heads, width).to(dtype) for _ in range(2)), table)


def unified_decode():
    attend = of("vllm.v1.attention.ops.triton_unified_attention", "unified_attention")
    keys, held, table = paged(16, 8, 128)
    lengths = whole(REQUESTS, low=CONTEXT // 2, high=CONTEXT)
    for pieces in (None, 16):
        parts = {}
        if pieces:
            parts = {"seq_threshold_3D": REQUESTS, "num_par_softmax_segments": pieces,
                     "softmax_segm_output": empty(REQUESTS, 32, pieces, 128, dtype=F32),
                     "softmax_segm_max": empty(REQUESTS, 32, pieces, dtype=F32),
                     "softmax_segm_expsum": empty(REQUESTS, 32, pieces, dtype=F32)}
        attend(values(REQUESTS, 32, 128), keys, held, empty(REQUESTS, 32, 128), sequences(REQUESTS, 1), 1, lengths,
               CONTEXT, 128**-0.5, True, (-1, -1), table, 0, None, None, None, **parts)


def unified_prefill():
    attend = of("vllm.v1.attention.ops.triton_unified_attention", "unified_attention")
    keys, held, table = paged(16, 8, 128, 4, CONTEXT)
    for window, sinks in ((-1, None), (128, values(32))):
        attend(values(4 * CONTEXT, 32, 128), keys, held, empty(4 * CONTEXT, 32, 128), sequences(4, CONTEXT), CONTEXT,
               counted(*[CONTEXT] * 4), CONTEXT, 128**-0.5, True, (window, 0 if sinks is not None else -1), table, 0,
               None, None, None, sinks=sinks)


def paged_old(requests, context, page=16, heads=8, width=128):
    pages = requests * context // page
    table = torch.randperm(pages, device="cuda").to(I32).view(requests, -1)
    return values(pages, heads, width // 8, page, 8), values(pages, heads, width, page), table


def prefix_prefill():
    attend = of("vllm.v1.attention.ops.prefix_prefill", "context_attention_fwd")
    keys, held, table = paged_old(4, CONTEXT)
    count = 4 * CONTEXT // 2
    one = torch.ones(1, device="cuda")
    for slopes in (None, positive(32)):
        attend(values(count, 32, 128), values(count, 8, 128), values(count, 8, 128), empty(count, 32, 128), "auto",
               keys, held, table, sequences(4, CONTEXT // 2), counted(*[CONTEXT] * 4), CONTEXT, CONTEXT // 2, one, one,
               alibi_slopes=slopes)


def paged_decode():
    keys, held, table = paged_old(REQUESTS, CONTEXT)
    one = torch.ones(1, device="cuda")
    of("vllm.v1.attention.ops.chunked_prefill_paged_decode", "chunked_prefill_paged_decode")(
        values(REQUESTS, 32, 128), values(REQUESTS, 8, 128), values(REQUESTS, 8, 128), empty(REQUESTS, 32, 128),
        "auto", keys, held, table, sequences(REQUESTS, 1),
        whole(REQUESTS, low=CONTEXT // 2, high=CONTEXT), CONTEXT, 1, one,
        one)


def split_decode(heads, width, kept, groups, mla):
    def attend():
        keys, held, table = paged(16, groups, width)
        if mla:
            held = keys[..., :kept]
        of("vllm.v1.attention.ops.triton_decode_attention", "decode_attention_fwd")(
            values(REQUESTS, heads, width), keys, held, empty(REQUESTS, heads, kept), empty(REQUESTS, heads, dtype=F32),
            table, whole(REQUESTS, low=CONTEXT // 2, high=CONTEXT), empty(REQUESTS, heads, 4, kept + 1, dtype=F32), 4,
            width**-0.5, 16, is_mla=mla)

    return attend


def dense_prefill():
    q, o = values(2 * CONTEXT, 32, 128), empty(2 * CONTEXT, 32, 128)
    of("vllm.v1.attention.ops.triton_prefill_attention", "context_attention_fwd")(
        q, values(2 * CONTEXT, 8, 128), values(2 * CONTEXT, 8, 128), o, sequences(2, CONTEXT)[:2],
        counted(CONTEXT, CONTEXT), CONTEXT)


def merged_states():
    of("vllm.v1.attention.ops.triton_merge_attn_states", "merge_attn_states")(
        empty(TOKENS, 32, 128), values(TOKENS, 32, 128), values(32, TOKENS, dtype=F32), values(TOKENS, 32, 128),
        values(32, TOKENS, dtype=F32))


def cached():
    one = torch.ones(1, device="cuda")
    slots = torch.randperm(TOKENS * 2, device="cuda")[:TOKENS]
    for kind, name in ((torch.bfloat16, "auto"), (F8, "fp8")):
        of("vllm.v1.attention.ops.triton_reshape_and_cache_flash", "triton_reshape_and_cache_flash")(
            values(TOKENS, 8, 128), values(TOKENS, 8, 128), empty(TOKENS // 8, 16, 8, 128, dtype=kind),
            empty(TOKENS // 8, 16, 8, 128, dtype=kind), slots, name, one, one)


def packed_sequences():
    of("vllm.v1.attention.ops.common", "pack_seq_triton")(values(TOKENS, 32, 128), counted(*[TOKENS // 8] * 8))
    of("vllm.v1.attention.ops.common", "unpack_seq_triton")(values(8, TOKENS // 8, 4096), counted(*[TOKENS // 8] * 8))
    of("vllm.v1.attention.ops.int4_per_token_head", "_triton_hadamard_transform")(values(TOKENS, 32, 128))


def logits():
    return values(REQUESTS, VOCABULARY, dtype=F32)


def chosen():
    choose = of("vllm.v1.sample.ops.topk_topp_triton", "apply_top_k_top_p_triton")
    k, p = whole(REQUESTS, low=10, high=100), torch.rand(REQUESTS, device="cuda") * 0.5 + 0.4
    choose(logits(), k, None)
    choose(logits(), k, p)
    choose(torch.cat([logits(), logits()]), None, torch.cat([p, p]))
    choose(logits()[:8], None, p[:8])


def sampled():
    at, heat = upto(REQUESTS), torch.rand(REQUESTS, device="cuda") + 0.5
    module = "vllm.v1.worker.gpu.sample."
    of(module + "gumbel", "apply_temperature")(logits(), at, heat)
    of(module + "gumbel", "gumbel_sample")(logits(), at, heat, whole(REQUESTS, high=2**31 - 1, dtype=torch.int64),
                                           upto(REQUESTS, torch.int64), True, False)
    of(module + "min_p", "apply_min_p")(logits(), at, heat * 0.1)


def penalties():
    at, factor = upto(REQUESTS), torch.rand(REQUESTS, device="cuda") + 1
    module = "vllm.v1.worker.gpu.sample.penalties"
    mask, counts = packed(REQUESTS, (VOCABULARY + 31) // 32), whole(REQUESTS, VOCABULARY, high=3)
    of(module, "apply_penalties")(logits(), at, whole(REQUESTS, high=VOCABULARY), empty(REQUESTS, dtype=I32), factor,
                                  factor - 1, factor - 1, mask, counts)
    of(module, "bincount")(at, whole(REQUESTS, CONTEXT, high=VOCABULARY), counted(*[CONTEXT // 2] * REQUESTS),
                           counted(*[CONTEXT] * REQUESTS), mask, counts, CONTEXT)


def log_probabilities():
    module = "vllm.v1.worker.gpu.sample.logprob"
    tokens = whole(REQUESTS, 20, high=VOCABULARY, dtype=torch.int64)
    of(module, "compute_token_logprobs")(logits(), tokens)
    of(module, "_ranks_kernel")[REQUESTS,](empty(REQUESTS, dtype=torch.int64), logits(), VOCABULARY,
                                           tokens[:, 0].contiguous(), VOCABULARY, BLOCK_SIZE=8192)


def rejection():
    module = "vllm.v1.sample.rejection_sampler"
    drafts = REQUESTS * 4
    tokens = whole(drafts, high=VOCABULARY)
    mine, theirs = (values(drafts, VOCABULARY, dtype=F32).softmax(-1) for _ in range(2))
    noise = torch.rand(REQUESTS, VOCABULARY, device="cuda") + 0.1
    recovered = empty(drafts, dtype=I32)
    of(module, "_sample_recovered_tokens")(recovered, sequences(REQUESTS, 4)[1:], tokens, mine, theirs, noise,
                                           max_spec_len=4)
    of(module, "_rejection_random_sample")(
        empty(REQUESTS, 5, dtype=I32), sequences(REQUESTS, 4)[1:], tokens, mine, theirs, whole(REQUESTS, 1, high=100),
        recovered, torch.rand(drafts, device="cuda", dtype=torch.float64),
        torch.zeros(REQUESTS, device="cuda", dtype=torch.bool), 4, None)


CASES = {function.__name__: function for function in (
    four_bits, scaled_products, block_products, group_quantization, gated_quantization, integer_quantization,
    small_floats, emulated_nvfp4, activations, rotations, norms_and_rotation, norms_of_two, embedding_norms,
    hyper_connections, gated_norms, batch_invariant_products, batch_invariant_rows, experts_of_four_bits,
    experts_in_batches, experts_around, experts_scattered, low_ranks, state_space, state_update, short_convolutions,
    lightning, unified_decode, unified_prefill, prefix_prefill, paged_decode, dense_prefill, merged_states, cached,
    packed_sequences, chosen, sampled, penalties, log_probabilities, rejection)}
CASES |= {
    "experts, many tokens": experts_of(TOKENS, configuration(128, 128, 64, 8, 4)),
    "experts, few tokens": experts_of(REQUESTS, configuration(16, 128, 64, 4, 4)),
    "experts in fp8": experts_of(TOKENS, configuration(64, 128, 128, 4, 3), F8),
    "split decode": split_decode(32, 128, 128, 32, False),
    "split decode, grouped": split_decode(32, 128, 128, 8, False),
    "split decode, latent": split_decode(128, 576, 512, 1, True),
}

if __name__ == "__main__":
    run(CASES)
