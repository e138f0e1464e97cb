# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of torchao (from PyPI): casts with scales by tensor, row, block or group, and their products."""

import os
from importlib import import_module

import torch

from cases import run, tensor

os.environ.setdefault("TORCHAO_FORCE_SKIP_LOADING_SO_FILES", "1")

ROWS, WIDTH, EXPERTS, INNER = 4096, 4096, 8, 2048
F8 = torch.float8_e4m3fn


def of(module, name):
    return getattr(import_module("torchao." + module), name)


def load_mx():
    """Casts to MX by "floor" run on any GPU; the package asks for a newer one at the first of its questions."""
    import torchao.utils
    known, answers = torchao.utils.is_sm_at_least_100, iter([True])
    torchao.utils.is_sm_at_least_100 = lambda: next(answers, False)
    try:
        import_module("torchao.prototype.mx_formats.kernels")
    finally:
        torchao.utils.is_sm_at_least_100 = known


load_mx()


def values(*shape, dtype=torch.bfloat16):
    return tensor(*shape, dtype=dtype, grad=False)


def small(*shape):
    return torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)


def column_major(x):
    return x.transpose(-2, -1).contiguous().transpose(-2, -1)


def ends(rows, groups=EXPERTS, equal=False):
    """Where each group of rows ends: groups of several sizes, multiples of 128."""
    sizes = torch.arange(groups, device="cuda") % (1 if equal else 4) + 1
    return (sizes.cumsum(0) * (rows // int(sizes.sum()) // 128 * 128)).to(torch.int32)


TRAINING = "prototype.blockwise_fp8_training."
MOE = "prototype.moe_training."


def quantised(module, name, *shape, **options):
    return lambda: of(module, name)(values(*shape), **options)


def fp8_linear():
    return of(TRAINING + "linear", "fp8_blockwise_mm").apply(tensor(ROWS, WIDTH), tensor(WIDTH, WIDTH, scale=0.02),
                                                              128, torch.bfloat16, True)


def fp8_product():
    quantise, quantise_weight, product = (of("kernel.blockwise_quantization", name) for name in (
        "fp8_blockwise_act_quant", "fp8_blockwise_weight_quant", "blockwise_fp8_gemm"))
    weight, scales = quantise_weight(values(WIDTH, WIDTH))
    of("kernel.blockwise_quantization", "fp8_blockwise_weight_dequant")(weight, scales)
    return product(*quantise(values(ROWS, WIDTH)), weight, scales)


def int8_product(scaled):
    def product():
        import triton
        config = triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_warps=8, num_stages=3)
        out = torch.empty(ROWS, WIDTH, device="cuda", dtype=torch.bfloat16 if scaled else torch.int32)
        factors = small(ROWS, WIDTH), small(WIDTH, WIDTH).T
        if scaled:
            scales = values(ROWS, 1).expand(ROWS, WIDTH)
            return of("kernel.intmm_triton", "int_scaled_matmul_kernel")(*factors, scales, out, config)
        return of("kernel.intmm_triton", "int_matmul_kernel")(*factors, out, config)

    return product


def int8_training():
    return of("prototype.quantized_training.int8_mm", "scaled_int8_mm_cuda")(
        small(ROWS, WIDTH), small(WIDTH, WIDTH).T, values(ROWS), values(WIDTH))


def int4_product(rows, transposed=False):
    def product():
        packed = torch.randint(0, 256, (WIDTH // 2, WIDTH), device="cuda", dtype=torch.uint8)
        scales, zeros = (values(WIDTH, WIDTH // 128, dtype=torch.float16).T for _ in range(2))
        return of("prototype.hqq.mixed_mm", "triton_mixed_mm")(
            values(rows, WIDTH, dtype=torch.float16), packed, scales, zeros, 128, transposed=transposed)

    return product


def block_sparse():
    keep = torch.rand(WIDTH // 64, WIDTH // 64, device="cuda") < 0.2
    weight = values(WIDTH, WIDTH) * keep.repeat_interleave(64, 0).repeat_interleave(64, 1)
    return of("kernel.bsr_triton_ops", "bsr_dense_addmm")(values(WIDTH, ROWS), weight.to_sparse_bsr((64, 64)),
                                                          values(WIDTH, ROWS), beta=1, alpha=1)


def by_groups(name, *widths, rows=ROWS, groups=EXPERTS, equal=False):
    return lambda: of(MOE + "kernels.jagged_float8_scales", name)(
        *(values(rows, width) for width in widths), ends(rows, groups, equal), round_scales_to_power_of_2=True)


def experts(name):
    def cast():
        weights = values(EXPERTS, WIDTH, INNER)
        return of(MOE + "kernels.float8_rowwise", name)(column_major(weights), round_scales_to_power_of_2=True)

    return cast


def deepgemm_weights(name):
    return lambda: of(TRAINING + "deepgemm_quant", name)(column_major(values(EXPERTS, INNER, WIDTH)))


def deepgemm_activations(width):
    return lambda: of(TRAINING + "deepgemm_quant", "triton_fp8_blockwise_act_quant_k_grouped_deepgemm")(
        values(4 * ROWS, width), ends(4 * ROWS))


def scale_bytes(*shape):
    return torch.randint(100, 140, shape, device="cuda", dtype=torch.uint8)


def swizzled(module, name, *shape, offsets=None):
    return lambda: of(module, name)(scale_bytes(*shape), *([offsets()] if offsets else []))


def from_mx():
    return of("prototype.mx_formats.kernels", "triton_mxfp8_dequant_dim0")(
        values(2 * ROWS, WIDTH).to(F8), scale_bytes(2 * ROWS, WIDTH // 32), torch.bfloat16)


def to_mx(name):
    return lambda: of("prototype.mx_formats.kernels", name)(values(2 * ROWS, WIDTH), scaling_mode="floor")


def rotated_maxima():
    module = MOE + "nvfp4_training.hadamard_amax_triton"
    import_module("torchao." + module).is_sm_at_least_100 = lambda: True
    return of(module, "triton_rht_amax")(values(2 * ROWS, WIDTH), [1, -1] * 8)


def permuted_gradient():
    counts = torch.full((EXPERTS,), ROWS // EXPERTS - 8, device="cuda", dtype=torch.int64)
    indices, *_ = of(MOE + "ep.kernels", "generate_permute_indices")(counts, EXPERTS, 1, ROWS + 128 * EXPERTS, 128)
    return of(MOE + "ep.permute", "_triton_permute_bwd")(values(len(indices), WIDTH), indices, ROWS, WIDTH)


def nocompile(name, algorithm="ATOMIC_MAX"):
    def cast():
        module = "prototype.float8nocompile.kernels.fp8_dynamic_tensorwise"
        of(module, name)(values(ROWS, WIDTH), F8, of("float8.float8_training_tensor", "LinearMMConfig")(),
                         algo=of(module, "KernelAlgorithm")[algorithm])

    return cast


def heads(*order):
    """Queries of 32 heads and keys and values of 8 or as many as there are queries."""
    return lambda *counts: [values(1, *(ROWS if each == "s" else count for each in order), 128) for count in counts]


def angles():
    turns = torch.outer(torch.arange(ROWS, device="cuda"), torch.rand(64, device="cuda")).repeat(1, 2)
    return turns.cos().float(), turns.sin().float()


ATTENTION = "prototype.attention.quantization."
FEW, ALL = (32, 8, 8), (32, 32, 32)

run({
    "fp8 linear": fp8_linear,
    "fp8 product": fp8_product,
    "int8 product": int8_product(False),
    "int8 product scaled": int8_product(True),
    "int8 training": int8_training,
    "int4 product of 16 rows": int4_product(16),
    "int4 product": int4_product(1024),
    "int4 product transposed": int4_product(1024, True),
    "block sparse": block_sparse,
    "groups by rows": by_groups("triton_fp8_per_group_rowwise_scales", WIDTH),
    "groups by columns": by_groups("triton_fp8_per_group_colwise_scales", WIDTH, rows=4 * ROWS, groups=4),
    "groups by columns at once": by_groups("triton_fp8_per_group_colwise_scales", WIDTH, equal=True),
    "groups by columns of two": by_groups("triton_fp8_per_group_colwise_scales_dual", WIDTH, INNER),
    "rows": quantised(MOE + "kernels.float8_rowwise", "triton_fp8_rowwise_2d_scale_and_cast", ROWS, WIDTH),
    "experts transposed": experts("triton_fp8_rowwise_3d_transpose_rhs"),
    "experts transposed at once": experts("triton_fp8_rowwise_3d_transpose_rhs_fused_reduction"),
    "experts by columns": experts("triton_fp8_colwise_3d_scale_and_cast"),
    "deepgemm weights": deepgemm_weights("triton_fp8_blockwise_weight_quant_grouped_transposed_rhs_deepgemm"),
    "deepgemm weights transposed": deepgemm_weights("triton_fp8_blockwise_weight_quant_grouped_rhs_deepgemm"),
    "deepgemm activations": deepgemm_activations(WIDTH),
    "deepgemm activations of odd width": deepgemm_activations(WIDTH - 64),
    "mx swizzle": swizzled("prototype.mx_formats.kernels", "triton_mx_block_rearrange", 64 * ROWS, WIDTH // 32),
    "mx swizzle of row groups": swizzled(MOE + "kernels.mxfp8.quant", "triton_mx_block_rearrange_2d_M_groups",
                                         64 * ROWS, WIDTH // 32, offsets=lambda: ends(64 * ROWS)),
    "mx swizzle of column groups": swizzled(MOE + "kernels.mxfp8.quant", "triton_mx_block_rearrange_2d_K_groups",
                                            4 * WIDTH, 2 * ROWS, offsets=lambda: ends(64 * ROWS) // 32),
    "mx swizzle of experts": swizzled(MOE + "kernels.mxfp8.quant", "triton_mx_block_rearrange_per_group_3d",
                                      32 * EXPERTS, WIDTH, INNER // 32),
    "mx rows": to_mx("triton_to_mxfp8_dim0"),
    "mx columns": to_mx("triton_to_mxfp8_dim1"),
    "mx back": from_mx,
    "rotated maxima": rotated_maxima,
    "permuted gradient": permuted_gradient,
    "tensor": nocompile("hp_to_fp8_row_major"),
    "tensor by a reduction": nocompile("hp_to_fp8_row_major", "REDUCTION"),
    "tensor transposed": nocompile("hp_to_fp8_row_major_t"),
    "tensor by columns": nocompile("hp_to_fp8_col_major"),
    "tensor transposed by columns": nocompile("hp_to_fp8_col_major_t"),
    "tensor both ways": nocompile("hp_to_fp8_row_and_col_major"),
    "tensor and transposed": nocompile("hp_to_fp8_row_major_t_and_non_t"),
    "tensor and transposed by columns": nocompile("hp_to_fp8_col_major_t_and_non_t"),
    "attention": lambda: of(ATTENTION + "triton_qkv_quantization", "triton_fp8_sdpa_quantize")(*heads("h", "s")(*FEW)),
    "attention rope": lambda: of(ATTENTION + "triton_rope_qkv_quantization", "triton_fp8_rope_sdpa_quantize")(
        *heads("s", "h")(*FEW), *angles()),
    "attention rope interleaved": lambda: of(ATTENTION + "triton_rope_qkv_quantization",
                                             "triton_fp8_rope_sdpa_quantize")(
        *heads("s", "h")(*ALL), *angles(), rope_interleaved=True),
    "attention hadamard": lambda: of(ATTENTION + "triton_hadamard_qkv_quantization",
                                     "triton_fp8_hadamard_sdpa_quantize")(*heads("h", "s")(*FEW)),
    "attention hadamard rope": lambda: of(ATTENTION + "triton_hadamard_rope_qkv_quantization",
                                          "triton_fp8_hadamard_rope_sdpa_quantize")(
        *heads("s", "h")(*FEW), *angles()),
    "hadamard back": lambda: of(ATTENTION + "triton_hadamard_utils", "inverse_hadamard_transform")(
        values(1, 32, ROWS, 128)),
    "attention at once": lambda: of("prototype.fp8_sdpa_inference.fp8_sdpa_quantization", "fp8_sdpa_quantize_func")(
        *heads("h", "s")(*ALL)),
    "attention of other lengths": lambda: of("prototype.fp8_sdpa_inference.fp8_sdpa_quantization",
                                             "fp8_sdpa_quantize_func")(
        values(1, 32, ROWS, 128), values(1, 32, ROWS // 2, 128), values(1, 32, ROWS // 2, 128)),
})
