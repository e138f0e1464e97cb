# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of unsloth (its folder of kernels, from PyPI): losses, norms, rotations and gates of training, products of
experts, and weights of eight and four bits."""

import os
from importlib import import_module
from types import SimpleNamespace

import torch

from cases import labels, run, tensor

os.environ.setdefault("UNSLOTH_TRITON_FAST_LAUNCH", "0")

ROWS, WIDTH, HEADS, VOCABULARY, EXPERTS = 4096, 4096, 32, 32000, 16
F8, F32 = torch.float8_e4m3fn, torch.float32


def of(module, name):
    return getattr(import_module("unsloth.kernels." + module), name)


def values(*shape, dtype=torch.bfloat16):
    return tensor(*shape, dtype=dtype, grad=False)


def entropy(rows, vocabulary, **options):
    return lambda: of("cross_entropy_loss", "fast_cross_entropy_loss")(
        tensor(1, rows, vocabulary) * 1, labels(rows, vocabulary)[None], **options)


def weights(width, trained=True):
    return SimpleNamespace(weight=tensor(width, grad=trained), bias=tensor(width, grad=trained), eps=1e-6,
                           variance_epsilon=1e-6, elementwise_affine=True)


def root_mean_square(rows, width, **options):
    return lambda: of("rms_layernorm", "fast_rms_layernorm")(weights(width), tensor(1, rows, width) * 1, **options)


def angles(rows=ROWS):
    turns = torch.outer(torch.arange(rows, device="cuda"), torch.rand(64, device="cuda")).repeat(1, 2)
    return turns.cos().bfloat16(), turns.sin().bfloat16()


def rotated(chosen):
    def rotate():
        places = torch.arange(ROWS, device="cuda")[None] if chosen else None
        return of("rope_embedding", "fast_rope_embedding")(
            tensor(1, HEADS, ROWS, 128) * 1, tensor(1, HEADS // 4, ROWS, 128) * 1, *angles(), places)

    return rotate


def normed_and_rotated():
    return of("qk_norm_rope", "Fast_QK_Norm_RoPE").apply(
        tensor(1, ROWS, HEADS, 128), tensor(1, ROWS, HEADS // 4, 128), values(128), values(128), *angles(),
        torch.arange(ROWS, device="cuda", dtype=torch.int32), 1e-6, 1e-6, True)


def gated(module, name):
    return lambda: of(module, name)(values(1, ROWS, 11008), values(1, ROWS, 11008))


def gated_backward(module, name):
    return lambda: of(module, name)(*(values(ROWS, 11008) for _ in range(3)))


def large_heads():
    lower, upper = of("large_head_attention", "_dense_intervals")(1, ROWS // 2, True, torch.device("cuda"))
    return of("large_head_attention", "large_head_attention")(
        tensor(1, HEADS // 4, ROWS // 2, 512), tensor(1, HEADS // 8, ROWS // 2, 512),
        tensor(1, HEADS // 8, ROWS // 2, 512), lower, upper)


def experts(first, boxes, each=2):
    def multiply():
        ids = torch.stack([torch.randperm(EXPERTS, device="cuda")[:each] for _ in range(ROWS)])
        counts = torch.bincount(ids.flatten(), minlength=EXPERTS).to(torch.int32)
        order = ids.flatten().argsort(stable=True).to(torch.int32)
        tile = dict(BLOCK_SIZE_M=128, BLOCK_SIZE_N=128, BLOCK_SIZE_K=64, num_warps=8, num_stages=3, permute_x=first,
                    permute_y=not first)
        forward, inputs, factors = (of("moe.grouped_gemm.kernels.tuning", "KernelConfig" + name)
                                    for name in ("Forward", "Backward_dX", "Backward_dW"))
        return of("moe.grouped_gemm.interface", "grouped_gemm")(
            tensor(ROWS if first else ROWS * each, WIDTH // 2), tensor(EXPERTS, WIDTH // 2, WIDTH // 2, scale=0.02),
            counts, each, order, permute_x=first, permute_y=not first, is_first_gemm=first,
            kernel_config_fwd=forward(**tile, use_tma_load_w=boxes, use_tma_load_x=boxes and not first,
                                      use_tma_store=boxes and first),
            kernel_config_bwd_dX=inputs(**tile, use_tma_load_w=boxes, use_tma_load_dy=boxes and first),
            kernel_config_bwd_dW=factors(**tile, use_tma_load_dy=boxes and first, use_tma_load_x=boxes and not first,
                                         use_tma_store=boxes))

    return multiply


def fp8_weight(rows=4 * WIDTH, width=WIDTH):
    return values(rows, width).to(F8), torch.rand(rows // 128, width // 128, device="cuda")


def fp8_product(rows):
    def multiply():
        weight, scales = fp8_weight(WIDTH if rows > 128 else 4 * WIDTH)
        left, left_scales = of("fp8", "act_quant")(values(rows, WIDTH))
        return of("fp8", "w8a8_block_fp8_matmul_triton")(left, weight, left_scales, scales, [128, 128], torch.bfloat16)

    return multiply


def fp8_product_of_boxes():
    weight, scales = fp8_weight(WIDTH)
    left, left_scales = of("fp8", "act_quant")(values(ROWS, WIDTH))
    of("fp8", "_launch_fp8_tma_gemm")(left, weight, values(ROWS, WIDTH), left_scales, scales, ROWS, WIDTH, WIDTH, 128,
                                      128)


def fp8_rows(rows, height, width):
    return lambda: of("fp8", "fp8_rowwise_gemv")(values(rows, width), fp8_weight(height, width)[0],
                                                 torch.rand(height, 1, device="cuda"))


def int4_weight():
    packed = torch.randint(-2**31, 2**31 - 1, (4 * WIDTH, WIDTH // 4), device="cuda", dtype=torch.int32)
    module = import_module("unsloth.kernels.int4_packed")
    module._FAST_LAUNCH = False
    return packed, module.Int4QuantState(values(4 * WIDTH, WIDTH // 64), None, None, (4 * WIDTH, 2 * WIDTH), 4, 128,
                                         torch.bfloat16)


def int4_row():
    with torch.no_grad():
        return of("int4_packed", "int4_matmul")(values(1, 2 * WIDTH), *int4_weight())


def nf4_weight():
    def some(count, dtype=F32):
        return torch.rand(count, device="cuda").to(dtype)

    count = 8 * WIDTH * WIDTH
    packed = torch.randint(0, 256, (count // 2, 1), device="cuda", dtype=torch.uint8)
    maxima = torch.randint(0, 256, (count // 64,), device="cuda", dtype=torch.uint8)
    return packed, maxima, some(256), some(count // 64 // 256), some(()), some(16), 64, 256, (4 * WIDTH, 2 * WIDTH)


def nf4_rows(rows):
    return lambda: of("nf4_gemv", "gemv_nf4_rows")(values(rows, 1, 2 * WIDTH), *nf4_weight(),
                                                         values(rows, 1, 4 * WIDTH))


def nvfp4_weight():
    packed = torch.randint(0, 256, (4 * WIDTH, WIDTH), device="cuda", dtype=torch.uint8)
    return packed, torch.rand(4 * WIDTH, WIDTH // 8, device="cuda").to(F8), torch.ones(1, device="cuda")


def nvfp4_product(rows):
    def multiply():
        packed, scales, scale = nvfp4_weight()
        of("nvfp4", "_nvfp4_matmul_fwd_fused")(values(rows, 2 * WIDTH), packed, scales, scale)
        of("nvfp4", "_nvfp4_matmul_dx_fused")(values(rows, 4 * WIDTH), packed, scales, scale)

    return multiply


run({
    "cross entropy": entropy(ROWS, VOCABULARY),
    "cross entropy of a large vocabulary": entropy(ROWS // 4, 4 * VOCABULARY, logit_softcapping=30.0),
    "rms norm": root_mean_square(ROWS, WIDTH),
    "rms norm of gemma": root_mean_square(ROWS, WIDTH, gemma=True),
    "rms norm narrow": root_mean_square(HEADS * ROWS, 128),
    "layer norm": lambda: of("layernorm", "fast_layernorm")(weights(WIDTH), tensor(1, ROWS, WIDTH)),
    "added rms norm": lambda: of("fused_add_rms_layernorm", "fast_add_rms_layernorm_inference")(
        values(1, ROWS, WIDTH), values(1, ROWS, WIDTH), values(WIDTH), 1e-6),
    "rope": rotated(False),
    "rope of chosen places": rotated(True),
    "norm and rope": normed_and_rotated,
    "swiglu": gated("swiglu", "swiglu_fg_kernel"),
    "swiglu backward": gated_backward("swiglu", "swiglu_DWf_DW_dfg_kernel"),
    "geglu": gated("geglu", "geglu_exact_forward_kernel"),
    "geglu backward": gated_backward("geglu", "geglu_exact_backward_kernel"),
    "geglu by tanh": gated("geglu", "geglu_approx_forward_kernel"),
    "geglu by tanh backward": gated_backward("geglu", "geglu_approx_backward_kernel"),
    "large heads": large_heads,
    "experts first": experts(True, False),
    "experts second": experts(False, False),
    "experts first by boxes": experts(True, True),
    "experts second by boxes": experts(False, True),
    "fp8 back": lambda: of("fp8", "weight_dequant_block")(*fp8_weight()),
    "fp8 back by rows": lambda: of("fp8", "_scale_dequant_one_pass")(fp8_weight()[0],
                                                                    torch.rand(4 * WIDTH, 1, device="cuda"),
                                                                    torch.bfloat16),
    "fp8 back by bytes": lambda: of("fp8", "_e4m3fn_bytes_dequant")(*fp8_weight(), 128, 128, torch.bfloat16),
    "fp8 product": fp8_product(ROWS),
    "fp8 product of 64 rows": fp8_product(64),
    "fp8 product of boxes": fp8_product_of_boxes,
    "fp8 product of 8 rows": lambda: of("fp8", "fp8_block_small_m_linear")(values(8, WIDTH), *fp8_weight()),
    "fp8 row": fp8_rows(1, 4 * WIDTH, WIDTH),
    "fp8 rows": fp8_rows(8, 4 * WIDTH, WIDTH),
    "fp8 rows that are long": fp8_rows(8, 2 * WIDTH, 2 * WIDTH),
    "fp8 row by blocks": lambda: of("fp8", "fp8_block_gemv")(values(4, 4 * WIDTH), *fp8_weight(WIDTH, 4 * WIDTH)),
    "int4 back": lambda: of("int4_packed", "int4_dequantize")(*int4_weight()),
    "int4 row": int4_row,
    "nf4 back": lambda: of("nf4", "dequantize_nf4")(*nf4_weight(), torch.bfloat16),
    "nf4 row": nf4_rows(1),
    "nf4 rows": nf4_rows(4),
    "nvfp4 back": lambda: of("nvfp4", "_nvfp4_dequantize_triton")(*nvfp4_weight(), torch.bfloat16),
    "nvfp4 product of 16 rows": nvfp4_product(16),
    "nvfp4 product": nvfp4_product(256),
})
