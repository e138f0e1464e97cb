# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of training and recommendation from libraries of PyPI: chalk, memeff, moe_ops, flash_swiglu_mlp, torchnorm,
bitsandbytes, fbgemm's jagged tensors, its experts and 8-bit products, and sparse attention of two kinds."""

from importlib import import_module

import torch

from cases import labels, run, tensor

F16, BF16, F32, I32 = torch.float16, torch.bfloat16, torch.float32, torch.int32
ROWS, WIDTH = 4096, 4096


def of(module, name):
    return getattr(import_module(module), name)


def values(*shape, dtype=BF16, **options):
    return tensor(*shape, dtype=dtype, grad=False, **options)


def built(module, builder, *arguments):
    """A function of chalk's, whose builders make it when asked; its loaders would test it first."""
    return of("chalk.ops." + module, builder)(*arguments)


def gated_norm():
    return built("gdn", "_build_gated_rmsnorm_kernels")(tensor(ROWS * 32, 128), tensor(128), tensor(ROWS * 32, 128),
                                                        1e-6)


def convolution():
    return built("gdn", "_build_conv_kernels")(tensor(2, 8192, ROWS), tensor(8192, 4), None)


def chunked_cross_entropy():
    return built("flce", "_build_kernels")(tensor(ROWS, 2048), tensor(65536, 2048, scale=0.02), labels(ROWS, 65536))


def reinforcement():
    return built("grpo_loss", "_build_kernels")(tensor(ROWS, 1024), tensor(65536, 1024, scale=0.02),
                                                tensor(ROWS, dtype=F32), torch.ones(ROWS, device="cuda"))


def chalk_norm():
    return built("rmsnorm", "_build_kernels")(tensor(ROWS, WIDTH), tensor(WIDTH), 1e-6)


def chalk_gate():
    return built("swiglu", "_build_kernels")(tensor(ROWS, 9216), tensor(ROWS, 9216))


def chalk_rotary():
    angles = values(2, ROWS, 128)
    return built("rope", "_build_kernels")(tensor(2, 16, ROWS, 128), tensor(2, 8, ROWS, 128), angles, angles)


def normed_rotary():
    angles = values(2 * ROWS, 64)
    return built("qkv", "_build_qknorm_rope")(tensor(2 * ROWS, 16, 256), tensor(256), angles, angles)


def low_rank():
    from chalk.ops.lora import fused_lora
    return fused_lora(tensor(ROWS, WIDTH), tensor(16, WIDTH), tensor(WIDTH, 16), 2.0)


def contrastive(name, **options):
    return lambda: of("memeff", name)(**options)(*(tensor(8192, 512) for _ in range(2)))


def chosen_experts():
    return of("moe_ops", "fused_topk_softmax")(tensor(16384, 128), 8)[0]


def permuted():
    indices = torch.randint(0, 64, (ROWS, 8), device="cuda", dtype=I32)
    module = import_module("moe_ops")
    rows, places, _ = module.permute(tensor(ROWS, 2048), indices, 0, 64)
    return module.unpermute(rows, places, torch.rand(ROWS, 8, device="cuda").requires_grad_(), ROWS, 8)


def grouped():
    offsets = torch.arange(0, 65, device="cuda", dtype=I32) * (ROWS * 4 // 64)
    return of("moe_ops", "grouped_gemm")(tensor(ROWS * 4, 2048), tensor(64, 1408, 2048, scale=0.02), offsets)


def gated_layer():
    return of("flash_swiglu_mlp", "flash_swiglu")(tensor(2, 2048, 2048), tensor(5632, 2048, scale=0.02),
                                                  tensor(5632, 2048, scale=0.02), tensor(2048, 5632, scale=0.02))


def torchnorm(name, *shapes):
    return lambda: of("torchnorm._triton", name)(*(tensor(*shape) for shape in shapes), 1e-6)


# bitsandbytes


def four_bits(kind):
    def both():
        module = "bitsandbytes.backends.triton.kernels_4bit"
        weights, blocks = values(WIDTH, WIDTH), WIDTH * WIDTH // 64
        absmax = torch.empty(blocks, device="cuda")
        out = torch.empty(WIDTH * WIDTH // 2, 1, device="cuda", dtype=torch.uint8)
        of(module, "quantize_4bit_blockwise_triton")(weights, 64, kind, blocks, absmax, WIDTH * WIDTH, out)
        of(module, "dequantize_4bit_impl")(out, absmax, 64, kind, BF16, torch.empty_like(weights))

    return both


def codes():
    return torch.linspace(-1, 1, 256, device="cuda")


def eight_bits():
    module = "bitsandbytes.backends.triton.kernels_8bit_quant"
    out, absmax = of(module, "quantize_blockwise_triton")(values(WIDTH, WIDTH, dtype=F32), codes(), 256)
    return of(module, "dequant_8bit_blockwise")(out, absmax, codes(), 256, dtype=BF16)


def optimizer(name):
    def step():
        return of("bitsandbytes.backends.triton.kernels_optim", "optimizer_update_32bit_impl")(
            name, values(WIDTH, WIDTH), values(WIDTH, WIDTH),
            values(2 if name == "ademamix" else 1, WIDTH, WIDTH, dtype=F32),  # two means of ademamix, one behind the other
            values(WIDTH, WIDTH, dtype=F32).abs(), None, 0.0, 0.0, 0.9, 0.95, 0.0, 0.0, 1e-8, 0.01, 10, 1e-4)

    return step


def optimizer_8bit():
    blocks = WIDTH * WIDTH // 256
    def state():
        return torch.randint(0, 256, (WIDTH, WIDTH), device="cuda", dtype=torch.uint8)
    return of("bitsandbytes.backends.triton.kernels_optim", "optimizer_update_8bit_blockwise_impl")(
        "adam", values(WIDTH, WIDTH), values(WIDTH, WIDTH), state(), state(), 0.9, 0.95, 0.0, 0.0, 1e-8, 10, 1e-4,
        codes(), codes().abs(), torch.rand(blocks, device="cuda"), torch.rand(blocks, device="cuda"), 0.01, 1.0, False)


# fbgemm

SLL, MOE = "fbgemm_gpu.sll.triton.triton_", "fbgemm_gpu.experimental.gen_ai.moe."
LONGEST = 512


def sequences(batch=128):
    sizes = LONGEST - torch.arange(batch, device="cuda") * 3
    return torch.nn.functional.pad(sizes.cumsum(0), (1, 0)), int(LONGEST * batch - 3 * batch * (batch - 1) // 2)


def jagged_attention():
    offsets, rows = sequences()
    return of(SLL + "jagged_flash_attention_basic", "jagged_flash_attention_basic")(
        *(tensor(rows, 128, dtype=F32) for _ in range(3)), offsets, LONGEST)


def jagged_heads():
    offsets, rows = sequences()
    return of(SLL + "multi_head_jagged_flash_attention", "multi_head_jagged_flash_attention")(
        *(tensor(8, rows, 64) for _ in range(3)), offsets, LONGEST)


def jagged_dense_attention():
    offsets, rows = sequences()
    return of(SLL + "jagged_dense_flash_attention", "jagged_dense_flash_attention")(
        tensor(rows, 128, dtype=F32), tensor(128, 128, 64, dtype=F32), tensor(rows, 128, dtype=F32),
        tensor(128, 64, LONGEST, dtype=F32), offsets, LONGEST)


def jagged_product():
    offsets, rows = sequences()
    return of(SLL + "jagged_bmm", "triton_jagged_dense_bmm")(values(rows, 256), values(128, 256, 256), offsets, LONGEST,
                                                             True)


def jagged_jagged_product():
    offsets, rows = sequences()
    return of(SLL + "jagged_bmm", "triton_jagged_jagged_bmm")(values(256, rows), values(rows, 256), offsets, LONGEST,
                                                              True)


def jagged_softmax():
    offsets, rows = sequences()
    return of(SLL + "jagged_softmax", "jagged_softmax")(tensor(rows, 128, dtype=F32), offsets, LONGEST, False)


def padded():
    offsets, rows = sequences()
    return of("fbgemm_gpu.triton.jagged.triton_jagged_tensor_ops", "jagged_to_dense")(
        values(rows, 256, dtype=F32), [offsets], [LONGEST])


def jagged_again():
    offsets, _ = sequences()
    return of("fbgemm_gpu.triton.jagged.triton_jagged_tensor_ops", "dense_to_jagged")(
        values(128, LONGEST, 256, dtype=F32), [offsets])


def mx4():
    module = "fbgemm_gpu.triton.quantize"
    return of(module, "triton_dequantize_mx4")(of(module, "triton_quantize_mx4")(values(ROWS, WIDTH)))


def mx4_unpacked():
    return of("fbgemm_gpu.experimental.gemm.triton_gemm.fp4_quantize", "triton_quantize_mx4_unpack")(
        values(ROWS, WIDTH))


def nvfp4():
    return of("fbgemm_gpu.experimental.gemm.triton_gemm.fp4_quantize", "triton_scale_nvfp4_quant")(
        values(ROWS, WIDTH), torch.ones(1, device="cuda"))


GEMM = "fbgemm_gpu.experimental.gemm.triton_gemm.fp8_gemm"


def fp8_rows(**options):
    def product():
        (left, scales), (right, others) = (of(GEMM, "triton_quantize_fp8_row")(values(ROWS, WIDTH)) for _ in range(2))
        return of(GEMM, "matmul_fp8_row")(left, right, scales, others, use_warp_specialization=False, **options)

    return product


def fp8_blocks():
    (left, scales), (right, others) = (of(GEMM, "triton_quantize_fp8_block")(values(ROWS, WIDTH)) for _ in range(2))
    return of(GEMM, "matmul_fp8_block")(left, right, scales, others)


def fp8_groups():
    return of(GEMM, "triton_quantize_fp8_group")(values(ROWS, WIDTH))


def unscaled():
    rows, scales = of(GEMM, "triton_quantize_fp8_row")(values(ROWS, WIDTH))
    return of(GEMM, "dequantize_fp8_row")(rows, scales)


def fbgemm_grouped():
    return of("fbgemm_gpu.experimental.gemm.triton_gemm.grouped_gemm", "grouped_gemm")(
        values(ROWS * 2, 2048), values(16 * 2048, 2048), torch.full((16,), 512, device="cuda", dtype=I32),
        _use_warp_specialization=False)


def fbgemm_gate():
    return of(MOE + "activation", "silu_mul")(values(ROWS, 8192), values(ROWS, 8192))


def fbgemm_gate_fp8():
    return of(MOE + "activation", "silu_mul_quant")(values(ROWS, 8192), values(ROWS, 8192))


def gathered(name):
    return lambda: of(MOE + "gather_scatter", name)(
        values(ROWS, WIDTH), torch.randint(0, ROWS, (2 * ROWS,), device="cuda", dtype=I32),
        torch.randint(0, 16, (2 * ROWS,), device="cuda", dtype=I32), values(ROWS, 16))


def scattered():
    return of(MOE + "gather_scatter", "scatter_add_dense_tokens")(
        values(ROWS, WIDTH), values(2 * ROWS, WIDTH), torch.randint(0, ROWS, (2 * ROWS,), device="cuda", dtype=I32))


def shuffled():
    return of(MOE + "shuffling", "combine_shuffling")(
        values(4096, 4096), torch.full((8, 16), 32, device="cuda", dtype=I32))


# Sparse attention


def entmax(length, **options):
    return lambda: of("adasplash", "adasplash_no_block_mask")(*(tensor(2, 16, length, 64) for _ in range(3)), **options)


def entmax_blocks():
    return of("adasplash", "adasplash_v1")(*(tensor(2, 16, 2048, 64) for _ in range(3)), is_causal=True)


def entmax_rows():
    return of("adasplash.triton_entmax", "triton_entmax")(tensor(ROWS, 8192, dtype=F32), 1.5)


def sparse(kind, *extra, **options):
    def attend():
        heads = [tensor(2, 4096, 16, 128), *(tensor(2, 4096, 4, 128) for _ in range(2))]
        gates = [tensor(2, 4096, count, dtype=BF16) for count in extra]
        return of("flash_sparse_attn.ops.triton.interface", f"flash_{kind}_attn_func")(
            *heads, *gates, is_causal=True, is_autotune=False, **options)

    return attend


CASES = {function.__name__.replace("_", " "): function for function in (
    gated_norm, convolution, chunked_cross_entropy, reinforcement, chalk_norm, chalk_gate, chalk_rotary, normed_rotary,
    low_rank, chosen_experts, permuted, grouped, gated_layer, eight_bits, optimizer_8bit, jagged_attention,
    jagged_heads, jagged_dense_attention, jagged_product, jagged_jagged_product, jagged_softmax, padded, jagged_again,
    mx4, mx4_unpacked, nvfp4, fp8_blocks, fp8_groups, unscaled, fbgemm_grouped, fbgemm_gate, fbgemm_gate_fp8, scattered,
    shuffled, entmax_blocks, entmax_rows)}
CASES |= {
    "clip": contrastive("MemoryEfficientCLIPLoss"), "qwen3": contrastive("MemoryEfficientQwen3Loss"),
    "torchnorm rms": torchnorm("fused_rms_norm", (ROWS, WIDTH), (WIDTH,)),
    "torchnorm layer": torchnorm("fused_layer_norm", (ROWS, WIDTH), (WIDTH,), (WIDTH,)),
    "nf4": four_bits("nf4"), "fp4": four_bits("fp4"),
    "adam": optimizer("adam"), "lion": optimizer("lion"), "ademamix": optimizer("ademamix"),
    "fp8 rows": fp8_rows(), "fp8 rows, no tma": fp8_rows(tma_persistent=False),
    "gathered": gathered("gather_scale_dense_tokens"), "gathered fp8": gathered("gather_scale_quant_dense_tokens"),
    "entmax": entmax(2048), "entmax causal": entmax(4096, is_causal=True),
    "dense": sparse("dense"), "sparse": sparse("sparse", softmax_threshold=0.01), "gated": sparse("gated", 16, 4),
}

if __name__ == "__main__":
    run(CASES)
