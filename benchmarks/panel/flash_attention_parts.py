# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton operators of flash_attn (Dao-AILab/flash-attention), forward and backward. Its products and its attention in
Triton are written for Triton 2 and left out."""

import os
import sys

import torch

from cases import labels, run, tensor

sys.path += [os.path.join(each, "apart") for each in sys.path]  # where other packages do not find it (packages.toml)

ROWS, WIDTH, VOCABULARY, LENGTH = 8192, 4096, 32768, 2048


def norm(**more):
    def apply():
        from flash_attn.ops.triton.layer_norm import layer_norm_fn
        given = {name: make() for name, make in more.items() if callable(make)}
        plain = {name: value for name, value in more.items() if not callable(value)}
        bias = None if plain.get("is_rms_norm") else tensor(WIDTH)
        return layer_norm_fn(tensor(ROWS, WIDTH), tensor(WIDTH), bias, **given, **plain)

    return apply


def rows(dtype=torch.bfloat16):
    return lambda: tensor(ROWS, WIDTH, dtype=dtype)


def weights():
    return tensor(WIDTH)


def norm_and_product():
    from flash_attn.ops.triton.layer_norm import layer_norm_linear_fn
    return layer_norm_linear_fn(tensor(ROWS, WIDTH), tensor(WIDTH), None, tensor(WIDTH, WIDTH), None,
                                residual=tensor(ROWS, WIDTH), prenorm=True, is_rms_norm=True)


def cross_entropy(**more):
    def loss():
        from flash_attn.ops.triton.cross_entropy import cross_entropy_loss
        return cross_entropy_loss(tensor(ROWS // 2, VOCABULARY), labels(ROWS // 2, VOCABULARY), **more)[0]

    return loss


def rotary(interleaved, packed=False, **more):
    def rotate():
        from flash_attn.ops.triton.rotary import apply_rotary
        angles = tensor(LENGTH, 64, grad=False), tensor(LENGTH, 64, grad=False)
        if packed:
            more["cu_seqlens"] = torch.tensor([0, LENGTH, 2 * LENGTH], device="cuda", dtype=torch.int32)
            more["max_seqlen"] = LENGTH
        shape = (2 * LENGTH, 32, 128) if packed else (2, LENGTH, 32, 128)
        apply_rotary(tensor(*shape, grad=False), *angles, interleaved=interleaved, **more)

    return rotate


CASES = {
    "layer norm": norm(),
    "layer norm, residual": norm(residual=rows(torch.float32), prenorm=True, residual_in_fp32=True),
    "layer norm, dropout": norm(residual=rows(), dropout_p=0.1, prenorm=True),
    "layer norms of two": norm(x1=rows(), weight1=weights, bias1=weights, residual=rows(), prenorm=True),
    "rms norm": norm(is_rms_norm=True),
    "rms norm, centred, residual": norm(is_rms_norm=True, residual=rows(), prenorm=True, zero_centered_weight=True),
    "norm and product": norm_and_product,
    "cross entropy": cross_entropy(),
    "cross entropy, all": cross_entropy(label_smoothing=0.1, logit_scale=0.5, lse_square_scale=1e-4,
                                        inplace_backward=True),
    "rotary": rotary(False),
    "rotary, interleaved": rotary(True, inplace=True),
    "rotary, packed, conjugate": rotary(False, packed=True, conjugate=True),
}

if __name__ == "__main__":
    run(CASES)
