# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lmdeploy, conch and flashnn serve models with (from PyPI)."""

from importlib import import_module

import torch

from cases import run, tensor

F16, BF16, F32, F8, I32 = torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn, torch.int32
TOKENS, WIDTH, HEADS, GROUPS, HEAD = 4096, 4096, 32, 8, 128
REQUESTS, CONTEXT, PAGE = 64, 2048, 64


def of(module, name):
    return getattr(import_module(module), name)


def lmdeploy(module, name):
    return of("lmdeploy.pytorch.kernels.cuda." + module, name)


def values(*shape, dtype=BF16, **options):
    return tensor(*shape, dtype=dtype, grad=False, **options)


def small(*shape, dtype=torch.int8):
    return torch.randint(-128, 128, shape, device="cuda").to(dtype)


def packed(*shape):
    return torch.randint(-(1 << 31), (1 << 31) - 1, shape, device="cuda").to(I32)


def pages(page=PAGE, requests=REQUESTS, context=CONTEXT):
    return torch.randperm(requests * context // page, device="cuda").view(requests, -1).to(I32)


def lengths(requests=REQUESTS, context=CONTEXT):
    return (context - torch.arange(requests, device="cuda") * (context // requests // 2)).to(I32)


def cache(page=PAGE, heads=GROUPS, width=HEAD, dtype=BF16):
    return values(REQUESTS * CONTEXT // page, page, heads, width, dtype=F16).to(dtype)


def routes(tokens, experts, chosen):
    logits = torch.randn(tokens, experts, device="cuda")
    weights, ids = logits.softmax(-1).topk(chosen)
    return weights, ids


# lmdeploy


def awq(rows):
    return lambda: lmdeploy("awq_kernels", "awq_linear")(
        values(rows, WIDTH, dtype=F16), packed(WIDTH, WIDTH // 8), values(WIDTH // 128, WIDTH, dtype=F16, scale=0.01),
        packed(WIDTH // 128, WIDTH // 8))


def decoding(page, heads=HEADS, width=HEAD, **options):
    def decode():
        keys = cache(page, GROUPS, width)
        return lmdeploy("pagedattention", "flash_attn_with_kvcache")(
            values(REQUESTS, heads, width), keys, cache(page, GROUPS, width), lengths(), pages(page), **options)

    return decode


def decoding_int8():
    from lmdeploy.messages import QuantPolicy
    keys, scales = small(REQUESTS * CONTEXT // PAGE, PAGE, GROUPS, HEAD, dtype=torch.uint8), values(
        REQUESTS * CONTEXT // PAGE, PAGE, GROUPS, 2, dtype=BF16, scale=0.01)
    return lmdeploy("pagedattention", "flash_attn_with_kvcache")(
        values(REQUESTS, HEADS, HEAD), keys, keys.clone(), lengths(), pages(), k_scales_zeros=scales,
        v_scales_zeros=scales.clone(), quant_policy=QuantPolicy.INT8)


def prompts(width, heads=HEADS, **options):
    def attend():
        sizes = torch.tensor([4096, 2048, 1024, 1024], device="cuda", dtype=I32)
        starts = torch.nn.functional.pad(sizes.cumsum(0), (1, 0)).to(I32)
        return lmdeploy("flashattention", "flash_attn_varlen_func")(
            values(8192, heads, width), values(8192, GROUPS, width), values(8192, GROUPS, width), starts, starts, 4096,
            4096, causal=True, kv_layout="shd", **options)

    return attend


def filled():
    sizes = torch.full((32,), 128, device="cuda", dtype=I32)
    return lmdeploy("fill_kv_cache", "fill_kv_cache")(
        values(TOKENS, GROUPS, HEAD), values(TOKENS, GROUPS, HEAD), cache(), cache(), (sizes.cumsum(0) - sizes), sizes,
        sizes + 512, 128, pages()[:32])


def filled_fp8():
    sizes = torch.full((32,), 128, device="cuda", dtype=I32)
    starts = torch.nn.functional.pad(sizes.cumsum(0), (1, 0)).to(I32)
    scales = values(REQUESTS * CONTEXT // PAGE, PAGE, GROUPS, 1, dtype=F32)
    return lmdeploy("fill_kv_cache", "fill_kv_cache_blocked_fp8")(
        values(TOKENS, GROUPS, HEAD), values(TOKENS, GROUPS, HEAD), cache(dtype=F8), cache(dtype=F8), scales,
        scales.clone(), starts, sizes + 512, 128, pages()[:32])


def flattened():
    return lmdeploy("flatten_kv_cache", "flatten_kv_cache")(cache(), cache(), lengths(), pages(),
                                                            out_size=REQUESTS * CONTEXT)


def experts(tokens, count=64, chosen=6, inner=1408, width=2048):
    def mixture():
        weights, ids = routes(tokens, count, chosen)
        return lmdeploy("moe.fused_moe", "fused_moe")(
            values(tokens, width), values(count, 2 * inner, width, scale=0.02),
            values(count, width, inner, scale=0.02), weights, ids, chosen)

    return mixture


def experts_fp8(tokens, count=64, chosen=6, inner=1408, width=2048):
    def mixture():
        weights, ids = routes(tokens, count, chosen)
        x, scale = lmdeploy("blocked_gemm_fp8", "quant_fp8")(values(tokens, width), 128)
        return lmdeploy("moe.blocked_fp8", "fused_moe_blocked_fp8")(
            x, scale, values(count, 2 * inner, width).to(F8),
            torch.rand(count, 2 * inner // 128, width // 128, device="cuda"), values(count, width, inner).to(F8),
            torch.rand(count, width // 128, inner // 128, device="cuda"), weights, ids, chosen, out_dtype=BF16)

    return mixture


def experts_int8():
    tokens, count, chosen, inner, width = 2048, 64, 6, 1408, 2048
    weights, ids = routes(tokens, count, chosen)
    return lmdeploy("moe.w8a8", "fused_moe_w8a8")(
        small(tokens, width), torch.rand(tokens, 1, device="cuda"), small(count, 2 * inner, width),
        torch.rand(count, 2 * inner, 1, device="cuda"), small(count, width, inner),
        torch.rand(count, width, 1, device="cuda"), weights, ids, chosen, out_dtype=F16)


def experts_int4(tokens):
    def mixture():
        count, chosen, inner, width = 64, 6, 1024, 2048
        weights, ids = routes(tokens, count, chosen)
        return lmdeploy("compressed_tensors_w4a16", "fused_moe_w4a16")(
            values(tokens, width), packed(count, 2 * inner, width // 8),
            values(count, 2 * inner, width // 32, scale=0.01), packed(count, width, inner // 8),
            values(count, width, inner // 32, scale=0.01), weights, ids, chosen)

    return mixture


def routed():
    return lmdeploy("moe.route_noaux_tc", "fused_noaux_tc_routing")(values(TOKENS, 256, dtype=F32),
                                                                    values(256, dtype=F32))


def fp8_product(rows, width=WIDTH):
    def product():
        x, scale = lmdeploy("blocked_gemm_fp8", "quant_fp8")(values(rows, width), 128)
        return lmdeploy("blocked_gemm_fp8", "blocked_gemm_fp8")(
            x, scale, values(width, width).to(F8).T,
            torch.rand(width // 128, width // 128, device="cuda").T, out_dtype=BF16)

    return product


def int8_product(residual):
    def product():
        module = "w8a8_triton_kernels"
        x, scale = lmdeploy(module, "rms_norm_dynamic_quant")(values(TOKENS, WIDTH, dtype=F16),
                                                              values(WIDTH, dtype=F16), 1e-6)[:2]
        return lmdeploy(module, "matmul_kernel_dynamic_quant")(
            x, small(WIDTH, WIDTH), scale, torch.rand(WIDTH, 1, device="cuda"),
            residual=values(TOKENS, WIDTH, dtype=F16) if residual else None)

    return product


def to_int8():
    return lmdeploy("w8a8_triton_kernels", "per_token_quant_int8")(values(TOKENS, WIDTH, dtype=F16), 1e-7)


def best(count, rows=64, of_all=32768):
    return lambda: lmdeploy("bitonic_topk", "bitonic_topk")(
        values(rows, of_all, dtype=F32), torch.ones(rows, device="cuda", dtype=I32),
        torch.full((rows,), of_all, device="cuda", dtype=I32), count)


def indexed():
    return lmdeploy("ds_index", "fp8_index")(
        values(REQUESTS, 64, 128).to(F8), values(REQUESTS, 64, dtype=F32),
        values(REQUESTS * CONTEXT // PAGE, PAGE, 128).to(F8),
        values(REQUESTS * CONTEXT // PAGE, PAGE, dtype=F32), torch.arange(REQUESTS + 1, device="cuda", dtype=I32),
        lengths(), pages(), max_q_seqlen=1, max_k_seqlen=CONTEXT)


def adapters():
    ranks = torch.tensor([16, 32, 64, 16], device="cuda")
    starts = ranks.cumsum(0) - ranks
    sizes = torch.full((16,), 256, device="cuda")
    return lmdeploy("fused_lora", "fused_lora")(
        values(TOKENS, WIDTH), values(128, WIDTH), values(128, WIDTH), torch.ones(4, device="cuda"), starts, ranks,
        sizes.cumsum(0) - sizes, sizes, torch.arange(16, device="cuda") % 4, 64, 256)


def normed():
    return lmdeploy("rms_norm", "rms_norm")(values(TOKENS, WIDTH), values(WIDTH), residual=values(TOKENS, WIDTH))


def rotated():
    return lmdeploy("apply_rotary_pos_emb", "apply_rotary_pos_emb")(
        values(TOKENS, HEADS, HEAD), values(TOKENS, GROUPS, HEAD), values(TOKENS, HEAD), values(TOKENS, HEAD))


def gated():
    return lmdeploy("activation", "silu_and_mul")(values(TOKENS, 2 * 14336))


def drawn():
    scores = values(256, 32000, dtype=F32).softmax(-1).sort(descending=True)[0]
    return lmdeploy("multinomial_sampling", "multinomial_sampling")(
        scores, torch.arange(256, device="cuda"), torch.zeros(256, device="cuda", dtype=torch.long))


# conch

def mixed(bits, rows):
    return lambda: of("conch.ops.quantization.gemm", "mixed_precision_gemm")(
        values(rows, WIDTH, dtype=F16), packed(WIDTH * bits // 32, WIDTH),
        values(WIDTH // 128, WIDTH, dtype=F16, scale=0.01), None, bits, 1 << bits - 1, 128)


def scaled(dtype):
    def product():
        left, right = (small(TOKENS, WIDTH), small(WIDTH, WIDTH)) if dtype == torch.int8 else (
            values(TOKENS, WIDTH).to(dtype), values(WIDTH, WIDTH).to(dtype))
        return of("conch.ops.quantization.gemm", "scaled_gemm")(
            left, right.T, torch.rand(TOKENS, 1, device="cuda"), torch.rand(WIDTH, 1, device="cuda"), BF16)

    return product


def conch_decoding(**options):
    return lambda: of("conch.ops.attention.paged_attention", "paged_attention")(
        values(REQUESTS, HEADS, HEAD), cache(32), cache(32), pages(32), lengths(), **options)


def conch_prompts():
    sizes = torch.full((16,), 256, device="cuda", dtype=I32)
    return of("conch.ops.attention.varlen_attention", "varlen_attention")(
        values(16 * 256, HEADS, HEAD), cache(32), cache(32),
        torch.nn.functional.pad(sizes.cumsum(0), (1, 0)).to(I32), 256, lengths()[:16].contiguous(), CONTEXT,
        pages(32)[:16].contiguous(), causal=True)


def in_blocks(kind):
    def quantise():
        module = "conch.ops.quantization.bitsandbytes.functional"
        quantised, state = of(module, "quantize_4bit")(values(WIDTH, WIDTH, dtype=F16), quant_type=kind)
        out = values(WIDTH, WIDTH, dtype=F16)
        return of(module, "dequantize_4bit")(quantised, absmax=state.absmax, out=out, quant_type=kind)

    return quantise


def suppressed():
    corners = torch.rand(4096, 2, device="cuda") * 1000
    return of("conch.ops.vision.nms", "nms")(torch.cat([corners, corners + torch.rand(4096, 2, device="cuda") * 90], 1),
                                             torch.rand(4096, device="cuda"), 0.5)


def voxels():
    module = "conch.ops.vision.voxelization"
    parameter = of(module, "VoxelizationParameter")((0.0, -40.0, -3.0), (70.4, 40.0, 1.0), (0.4, 0.4, 0.5), 32)
    points = torch.rand(200000, 4, device="cuda") * torch.tensor([70.4, 80.0, 4.0, 1.0], device="cuda")
    return of(module, "generate_voxels")(points - torch.tensor([0.0, 40.0, 3.0, 0.0], device="cuda"), parameter)


def from_above():
    starts = torch.arange(0, 1 << 18, 16, device="cuda", dtype=I32)
    cell = torch.randperm(128 * 128, device="cuda").repeat_interleave(16)  # one for each interval
    cells = torch.stack([cell // 128, cell % 128, 0 * cell, 0 * cell], 1).to(I32)
    return of("conch.ops.vision.bev_pool", "bev_pool")(values(1 << 18, 80, dtype=F32), cells, starts,
                                                       torch.full_like(starts, 16), 1, 1, 128, 128)


def conch_norm():
    return of("conch.ops.normalization.gemma_rms_norm", "gemma_rms_norm")(
        values(TOKENS, WIDTH), values(WIDTH), 1e-6, values(TOKENS, WIDTH))


def conch_gelu():
    return of("conch.ops.activation.gelu_tanh_and_mul", "gelu_tanh_and_mul")(
        values(TOKENS, 2 * 14336, dtype=F32))


def conch_quantised(kind):
    return lambda: of(f"conch.ops.quantization.{kind}", f"scaled_{kind}_quant")(
        values(TOKENS, WIDTH), torch.full((1,), 0.02, device="cuda"))


# flashnn

def flashnn(module, name, *shapes):
    return lambda: of("flashnn.triton_kernels." + module, name)(*(values(*shape, dtype=F16) for shape in shapes), 1e-6)


def penalised():
    ids = torch.randint(0, 32000, (64, 512), device="cuda")
    addresses = ids.data_ptr() + torch.arange(64, device="cuda") * 512 * 8
    of("flashnn.triton_kernels.logits_processor", "triton_logits_processor_forward")(
        values(64, 32000, dtype=F32), torch.rand(64, device="cuda"), addresses,
        torch.full((64,), 512, device="cuda", dtype=torch.long), 512, "REPETITION")
    torch.cuda.synchronize()  # until here the addresses mean something


CASES = {
    "awq 16": awq(16), "awq 2048": awq(2048),
    "decoding, pages of 64": decoding(64), "decoding, pages of 16": decoding(16),
    "decoding, window": decoding(64, window_size=1024), "decoding int8": decoding_int8,
    "prompts 128": prompts(128), "prompts 64, capped": prompts(64, softcap=30.0), "prompts 256": prompts(256, 8),
    "filled": filled, "filled fp8": filled_fp8, "flattened": flattened,
    "experts 64": experts(64), "experts 4096": experts(4096), "experts fp8": experts_fp8(4096),
    "experts fp8 64": experts_fp8(64), "experts int8": experts_int8, "experts int4 16": experts_int4(16),
    "experts int4 2048": experts_int4(2048), "routed": routed,
    "fp8 product": fp8_product(TOKENS), "fp8 product 32": fp8_product(32),
    "int8 product": int8_product(False), "int8 product and sum": int8_product(True), "to int8": to_int8,
    "best 512": best(512), "indexed": indexed, "adapters": adapters, "normed": normed,
    "rotated": rotated, "gated": gated, "drawn": drawn,
    "conch 4 bits 16": mixed(4, 16), "conch 4 bits": mixed(4, 2048), "conch 8 bits": mixed(8, 2048),
    "conch int8": scaled(torch.int8), "conch fp8": scaled(F8), "conch decoding": conch_decoding(),
    "conch decoding, capped": conch_decoding(softcap=50.0), "conch prompts": conch_prompts,
    "conch nf4": in_blocks("nf4"), "conch fp4": in_blocks("fp4"), "conch nms": suppressed,
    "conch voxels": voxels, "conch from above": from_above, "conch norm": conch_norm, "conch gelu": conch_gelu,
    "conch to fp8": conch_quantised("fp8"), "conch to int8": conch_quantised("int8"),
    "flashnn rms": flashnn("rms_norm_dquant", "triton_rmsnorm_dquant_forward", (TOKENS, WIDTH), (WIDTH,)),
    "flashnn layer": flashnn("layer_norm_dquant", "triton_layer_norm_dquant_forward", (TOKENS, WIDTH), (WIDTH,),
                             (WIDTH,)),
    "flashnn penalised": penalised,
}

if __name__ == "__main__":
    run(CASES)
