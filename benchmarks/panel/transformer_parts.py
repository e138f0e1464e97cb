# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of transformers by xformers (from PyPI), and what PyTorch itself launches without its compiler: products with
matrices that are sparse by blocks, and outer products."""

import torch
import xformers.ops as xops
from torch.sparse import _triton_ops as sparse
from xformers.ops.rmsnorm import rms_norm, rms_norm_add

from cases import run, tensor

ROWS, WIDTH, HEADS, CACHE = 4096, 4096, 32, 4096


def values(*shape, dtype=torch.bfloat16):
    return tensor(*shape, dtype=dtype, grad=False)


def tiled_product():
    left = [[tensor(ROWS // 2, WIDTH // 2) for _ in range(2)] for _ in range(2)]
    right = [[tensor(WIDTH // 2, width) for width in (WIDTH, WIDTH // 4, WIDTH // 4)] for _ in range(2)]
    return [tile for row in xops.tiled_matmul(left, right) for tile in row]


def norm_of_sum():
    return rms_norm_add(values(4 * ROWS, WIDTH), values(4 * ROWS, WIDTH), values(WIDTH), 1e-6)


def rotated(adjacents, queries, requests, **options):
    def rotate():
        bias = xops.fmha.attn_bias.BlockDiagonalCausalWithOffsetPaddedKeysMask.from_seqlens(
            q_seqlen=[queries] * requests, kv_padding=CACHE,
            kv_seqlen=[CACHE - 64 * (each % 8) for each in range(requests)], device=torch.device("cuda"))
        count = queries * requests
        return xops.rope_padded(values(1, count, HEADS, 128), values(1, count, HEADS // 4, 128),
                                values(1, count, HEADS // 4, 128), values(1, requests * CACHE, HEADS // 4, 128),
                                values(1, requests * CACHE, HEADS // 4, 128), bias, adjacents=adjacents, **options)

    return rotate


def added_rows():
    chosen = torch.randperm(64, device="cuda")[:48]
    return xops.scaled_index_add(tensor(64, ROWS // 8, WIDTH) * 1, chosen, tensor(48, ROWS // 8, WIDTH),
                                 tensor(WIDTH), 0.5)


def chosen_rows():
    chosen = [torch.randperm(4 * ROWS, device="cuda")[:2 * ROWS] for _ in range(2)]
    return xops.index_select_cat([tensor(4 * ROWS, WIDTH), tensor(4 * ROWS, WIDTH // 4)], chosen)


def split_keys(queries, split, **options):
    """Attention of a few queries whose keys are divided among blocks, and what their sums are merged by."""
    def attend():
        requests, groups = 8, 8
        bias = xops.fmha.attn_bias.BlockDiagonalCausalWithOffsetPaddedKeysMask.from_seqlens(
            q_seqlen=[queries] * requests, kv_padding=CACHE,
            kv_seqlen=[CACHE - 64 * each for each in range(requests)], device=torch.device("cuda"))
        keys, others = (values(1, requests * CACHE, groups, 1, 128).expand(-1, -1, -1, 4, -1) for _ in range(2))
        operator = type("Split", (xops.fmha.triton_splitk.FwOp,), {"SPLIT_K": split, "AUTOTUNE": False, **options})
        return xops.memory_efficient_attention_forward(values(1, requests * queries, groups, 4, 128), keys, others,
                                                       attn_bias=bias, op=operator)

    return attend


def merged():
    parts, sums = ([values(4, ROWS // 2, 8, *last, dtype=dtype) for _ in range(4)]
                   for last, dtype in (((128,), torch.bfloat16), ((), torch.float32)))
    return xops.fmha.merge_attentions(parts, [each.transpose(1, 2) for each in sums])[0]


def blocks(size, kept=0.2, dtype=torch.bfloat16, rows=WIDTH, columns=WIDTH):
    keep = torch.rand(rows // size, columns // size, device="cuda") < kept
    keep[:, 0] = True
    return (values(rows, columns, dtype=dtype)
            * keep.repeat_interleave(size, 0).repeat_interleave(size, 1)).to_sparse_bsr((size, size))


def scattered(kind):
    def multiply():
        left, right = blocks(64, dtype=torch.float16), values(WIDTH, ROWS, dtype=torch.float16)
        return sparse.bsr_scatter_mm(left, right, sparse.bsr_scatter_mm_indices_data(left, right, kind))

    return multiply


def sparse_attention():
    mask = torch.stack([blocks(64, rows=ROWS, columns=ROWS).to_dense()] * 4).unsqueeze(0).to_sparse_bsr((64, 64))
    return sparse._scaled_dot_product_attention(*(values(1, 4, ROWS, 128) for _ in range(3)), mask)


def outer_product():
    from torch._native.ops.bmm_outer_product.triton_kernels import bmm_outer_product
    return bmm_outer_product(values(256, 512, 1), values(256, 1, 512))


run({
    "tiled product": tiled_product,
    "norm": lambda: rms_norm(values(4 * ROWS, WIDTH), values(WIDTH), 1e-6),
    "norm without weights": lambda: rms_norm(values(4 * ROWS, WIDTH), None, 1e-6),
    "norm of a sum": norm_of_sum,
    "rope": rotated(True, 128, 16),
    "rope of halves": rotated(False, 128, 16),
    "rope scaled": rotated(True, 128, 16, use_dynamic_scaling=True, internal_dtype="f32"),
    "added rows": added_rows,
    "chosen rows": chosen_rows,
    "split keys": split_keys(1, 8),
    "split keys of 4 queries": split_keys(4, 4),
    "keys at once": split_keys(1, 1),
    "merged": merged,
    "sparse product": lambda: sparse.bsr_dense_mm(blocks(64), values(WIDTH, ROWS)),
    "sparse product of small blocks": lambda: sparse.bsr_dense_addmm(
        values(WIDTH, ROWS), blocks(16), values(WIDTH, ROWS), beta=0.5, alpha=2),
    "sparse product of large blocks": lambda: sparse.bsr_dense_addmm(
        values(WIDTH, ROWS, dtype=torch.float16), blocks(128, dtype=torch.float16),
        values(WIDTH, ROWS, dtype=torch.float16), beta=0),
    "sampled product": lambda: sparse.sampled_addmm(blocks(32), values(WIDTH, WIDTH // 4), values(WIDTH // 4, WIDTH),
                                                    beta=0.5),
    "sparse softmax": lambda: sparse.bsr_softmax(blocks(32, rows=4 * ROWS)),
    "sparse attention": sparse_attention,
    "scattered product": scattered("scatter_mm"),
    "scattered product of strips": scattered("bsr_strided_mm_compressed"),
    "outer product": outer_product,
})
