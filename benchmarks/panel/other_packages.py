# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cut cross-entropy and 8-bit attention (cut-cross-entropy and sageattention from PyPI)."""

import torch

from cases import labels, run, tensor


def cut_cross_entropy():
    from cut_cross_entropy import linear_cross_entropy
    return linear_cross_entropy(tensor(4096, 2048), tensor(32768, 2048, scale=0.02), labels(4096, 32768))


def eight_bit_attention(width, is_causal):
    def attend():
        from sageattention import sageattn
        return sageattn(*(tensor(2, 16, 4096, width, dtype=torch.float16, grad=False) for _ in range(3)),
                        is_causal=is_causal)

    return attend


run({"cut cross entropy": cut_cross_entropy, "sage 64": eight_bit_attention(64, False),
     "sage 64 causal": eight_bit_attention(64, True), "sage 128": eight_bit_attention(128, False),
     "sage 128 causal": eight_bit_attention(128, True)})
