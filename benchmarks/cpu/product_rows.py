# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of products of batches and of groups of any size, of products with bias and GELU, and of NumPy's library beside them."""

import kernels
import numpy as np
import product_kernels
import torch
import triton
import triton.language as tl

TILES = [(32, 64, 64), (32, 64, 128), (32, 128, 64), (64, 64, 64), (64, 64, 256), (64, 128, 128), (128, 128, 64), (128, 128, 128),
         (128, 128, 256), (128, 256, 64), (128, 256, 128), (512, 128, 128), (32, 512, 128), (64, 512, 128)]
TYPES = {"f32": (torch.float32, 1e-5), "bf16": (torch.bfloat16, 1e-2)}


def tiles(M, N, K):
    return [tile for tile in TILES if tile[0] <= max(M, 32) and tile[1] <= max(N, 64) and tile[2] <= max(K, 128)]


def batches(table):
    for name, (dtype, tolerance) in TYPES.items():
        for B, M, N, K in ((64, 128, 128, 64), (256, 32, 64, 64), (16, 500, 500, 100)):
            row = f"batch {name} {B} of {M}x{N}x{K}"
            if not table.wants(row):
                continue
            a, b = torch.randn(B, M, K).to(dtype), torch.randn(B, K, N).to(dtype)
            c = torch.empty(B, M, N, dtype=dtype)

            def launch(tile):
                product_kernels.batched[(triton.cdiv(N, tile[1]), triton.cdiv(M, tile[0]), B)](a, b, c, M, N, K, *tile)

            best = table.fastest(launch, tiles(M, N, K))
            table.compare(row, lambda: launch(best), lambda: torch.bmm(a, b), c, 2 * B * M * N * K, "FLOP", tolerance)


def groups(table):
    """Experts of a mixture, of which each has its own number of rows, some none; the peer multiplies one after the other."""
    N, K = 512, 512
    for name, (dtype, tolerance) in TYPES.items():
        for count, most in ((32, 64), (32, 256), (8, 1024)):
            row = f"groups {name} {count} of 0 to {most} x{N}x{K}"
            if not table.wants(row):
                continue
            sizes = torch.randint(0, most + 1, (count,))
            ends = torch.cumsum(sizes, 0).to(torch.int32)
            rows = int(ends[-1])
            a, b = torch.randn(rows, K).to(dtype), torch.randn(count, K, N).to(dtype)
            c, theirs = (torch.empty(rows, N, dtype=dtype) for _ in range(2))
            bounds = [(int(end) - int(size), int(end)) for end, size in zip(ends, sizes)]

            def tables(height):
                pairs = [(group, first) for group, (begin, end) in enumerate(bounds) for first in range(begin, end, height)]
                return torch.tensor(pairs, dtype=torch.int32).t().contiguous()

            of_height = {height: tables(height) for height in {tile[0] for tile in TILES}}

            def launch(tile):
                group, first = of_height[tile[0]]
                product_kernels.grouped[(triton.cdiv(N, tile[1]), len(group))](a, b, c, ends, group, first, N, K, *tile)

            def peer():
                for group, (begin, end) in enumerate(bounds):
                    torch.mm(a[begin:end], b[group], out=theirs[begin:end])
                return theirs

            best = table.fastest(launch, tiles(most, N, K))
            table.compare(row, lambda: launch(best), peer, c, 2 * rows * N * K, "FLOP", tolerance)


def fused(table):
    for name, (dtype, tolerance) in TYPES.items():
        for M, N, K in ((1024, 1024, 1024), (64, 4096, 1024)):
            row = f"bias, GELU {name} {M}x{N}x{K}"
            if not table.wants(row):
                continue
            a, b, bias = torch.randn(M, K).to(dtype), torch.randn(K, N).to(dtype), torch.randn(N).to(dtype)
            c = torch.empty(M, N, dtype=dtype)

            def launch(tile):
                product_kernels.linear_gelu[(triton.cdiv(N, tile[1]), triton.cdiv(M, tile[0]))](a, b, bias, c, M, N, K, *tile)

            best = table.fastest(launch, tiles(M, N, K))
            table.compare(row, lambda: launch(best), lambda: torch.nn.functional.gelu(torch.addmm(bias, a, b)), c, 2 * M * N * K,
                          "FLOP", tolerance)


def beside_numpy(table, peers):
    """NumPy's OpenBLAS, where it says which core's code it runs and has as many threads."""
    if not peers.openblas:
        print(f"NumPy's library is no peer: {peers.why_no_openblas}")
        return
    for N in (512, 2048):
        row = f"NumPy: matmul f32 {N}"
        if not table.wants(row):
            continue
        a, b, c, theirs = torch.randn(N, N), torch.randn(N, N), torch.empty(N, N), torch.empty(N, N)
        left, right, result = a.numpy(), b.numpy(), theirs.numpy()

        def launch(tile):
            grid = (triton.cdiv(N, tile[0]) * triton.cdiv(N, tile[1]),)
            kernels.matmul[grid](a, b, c, N, N, N, N, 1, N, 1, *tile, 4, tl.float32)

        best = table.fastest(launch, tiles(N, N, N))
        table.compare(row, lambda: launch(best), lambda: (np.matmul(left, right, out=result), theirs)[1], c, 2 * N ** 3, "FLOP", 1e-5)
