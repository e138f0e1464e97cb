# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of liger-kernel (from PyPI), forward and backward, at sizes of training."""

import torch
import torch.nn.functional as F
from liger_kernel.transformers import functional as liger

from cases import labels, run, tensor

ROWS, WIDTH, VOCABULARY = 4096, 4096, 32000


def softmaxed(*shape):
    return F.softmax(tensor(*shape, dtype=torch.float32, grad=False), -1).requires_grad_(True)


def logs(*shape, grad=True):
    return F.log_softmax(tensor(*shape, dtype=torch.float32, grad=False), -1).requires_grad_(grad)


def angles(length, width):
    steps = torch.outer(torch.arange(length, device="cuda"), 1e-4 ** (torch.arange(width // 2,
                                                                                   device="cuda") / width * 2))
    both = torch.cat((steps, steps), -1)[None]
    return both.cos().bfloat16(), both.sin().bfloat16()


run({
    "cross entropy": lambda: liger.liger_cross_entropy(tensor(ROWS, VOCABULARY), labels(ROWS, VOCABULARY)),
    "cross entropy softcap": lambda: liger.liger_cross_entropy(
        tensor(2048, 128256), labels(2048, 128256), softcap=30.0, label_smoothing=0.1),
    "linear cross entropy": lambda: liger.liger_fused_linear_cross_entropy(
        tensor(ROWS, 2048), tensor(VOCABULARY, 2048, scale=0.02), labels(ROWS, VOCABULARY)),
    "geglu": lambda: liger.liger_geglu(tensor(ROWS, 11008), tensor(ROWS, 11008)),
    "swiglu": lambda: liger.liger_swiglu(tensor(ROWS, 11008), tensor(ROWS, 11008)),
    "group norm": lambda: liger.liger_group_norm(tensor(16, 256, 32, 32, dtype=torch.float32),
                                                 tensor(256, dtype=torch.float32), tensor(256, dtype=torch.float32),
                                                 256, 32, 1e-5),
    "jsd": lambda: liger.liger_jsd(logs(2048, VOCABULARY), logs(2048, VOCABULARY, grad=False)),
    "kl div": lambda: liger.liger_kl_div(logs(2048, VOCABULARY), softmaxed(2048, VOCABULARY).detach()),
    "sparsemax": lambda: liger.liger_sparsemax(tensor(2048, 2048, dtype=torch.float32)),
    "layer norm": lambda: liger.liger_layer_norm(tensor(ROWS, WIDTH), tensor(WIDTH), tensor(WIDTH), 1e-5),
    "rms norm": lambda: liger.liger_rms_norm(tensor(ROWS, WIDTH), tensor(WIDTH), 1e-5),
    "rms norm narrow": lambda: liger.liger_rms_norm(tensor(65536, 128), tensor(128), 1e-5),
    "add rms norm": lambda: liger.liger_fused_add_rms_norm(tensor(ROWS, WIDTH), tensor(ROWS, WIDTH), tensor(WIDTH),
                                                           1e-5),
    "poly norm": lambda: liger.liger_poly_norm(tensor(ROWS, WIDTH), tensor(3), tensor(1)),
    "rope": lambda: liger.liger_rope(tensor(2, 32, 2048, 128), tensor(2, 8, 2048, 128), *angles(2048, 128)),
    "softmax": lambda: liger.liger_softmax(tensor(ROWS, 4096)),
    "softmax wide": lambda: liger.liger_softmax(tensor(512, 32768)),
    "tvd": lambda: liger.liger_tvd(softmaxed(2048, 16384), softmaxed(2048, 16384).detach()),
    "dyt": lambda: liger.liger_dyt(tensor(ROWS, WIDTH), tensor(1), tensor(WIDTH), tensor(WIDTH)),
    "neighborhood attention": lambda: liger.liger_fused_neighborhood_attention(
        *(tensor(1, 4, 512, 64, dtype=torch.float32) for _ in range(3))),
    "multi-token attention": lambda: liger.liger_multi_token_attention(
        tensor(1, 4, 512, 512, dtype=torch.float32), tensor(4, 4, 3, 3, dtype=torch.float32), padding=1),
})
