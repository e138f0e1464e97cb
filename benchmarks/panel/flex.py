# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""flex_attention as PyTorch's compiler writes it: masks and score functions, forward and backward, and decoding."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from cases import run, tensor

LENGTH = 4096


def causal(batch, head, query, key):
    return query >= key


def window(batch, head, query, key):
    return (query >= key) & (query - key <= 512)


def prefix(batch, head, query, key):
    return (key < 256) | (query >= key)


def documents(batch, head, query, key):
    return (query // 700 == key // 700) & (query >= key)


def biased(score, batch, head, query, key):
    return score + (key - query) * 2.0**-4


def capped(score, batch, head, query, key):
    return 20.0 * torch.tanh(score / 20.0)


def attend(mask=None, score=None, width=64, queries=LENGTH, heads=16, groups=16, grad=True):
    torch._dynamo.reset()
    compiled = torch.compile(flex_attention)
    query = tensor(2, heads, queries, width, grad=grad)
    key, value = (tensor(2, groups, LENGTH, width, grad=grad) for _ in range(2))
    blocks = create_block_mask(mask, None, None, queries, LENGTH, device="cuda") if mask else None
    return compiled(query, key, value, score_mod=score, block_mask=blocks, enable_gqa=heads != groups)


run({
    "causal": lambda: attend(causal),
    "window": lambda: attend(window),
    "prefix": lambda: attend(prefix),
    "documents": lambda: attend(documents),
    "bias": lambda: attend(score=biased),
    "cap": lambda: attend(causal, capped),
    "causal 128": lambda: attend(causal, width=128),
    "groups": lambda: attend(causal, heads=16, groups=4),
    "decoding": lambda: attend(queries=1, heads=32, groups=8, grad=False),
    "decoding 128": lambda: attend(queries=1, heads=32, groups=8, width=128, grad=False),
})
