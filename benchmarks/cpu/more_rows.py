# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of norms, losses, pictures, scans and orders."""

import loops
import more_kernels as kernels
import torch
import triton

functions = torch.nn.functional


def norms(table):
    for M, N in ((4096, 1024), (4096, 4096)):
        if table.wants(f"RMS norm {M}x{N}"):
            x, weight, out = torch.randn(M, N), torch.randn(N), torch.empty(M, N)
            table.compare(f"RMS norm {M}x{N}", lambda: kernels.rms_norm[(M,)](x, weight, out, N, 1e-5, N),
                          lambda: functions.rms_norm(x, (N,), weight, 1e-5), out, x.nbytes * 2, "B", 1e-6)
    for M, N in ((4096, 1024), (2048, 32000)):
        if table.wants(f"cross-entropy {M}x{N}"):
            x, targets, out = torch.randn(M, N), torch.randint(0, N, (M,)), torch.empty(M)
            block = triton.next_power_of_2(N)
            table.compare(f"cross-entropy {M}x{N}", lambda: kernels.cross_entropy[(M,)](x, targets, out, N, block),
                          lambda: functions.cross_entropy(x, targets, reduction="none"), out, x.nbytes, "B", 1e-6)


def dropout(table):
    """Which elements are dropped is each contender's own choice: what is kept must be scaled, and about half."""
    for n in (65536, 1 << 22):
        if not table.wants(f"dropout {n}"):
            continue
        x, out = torch.randn(n), torch.empty(n)

        def is_right():
            kept = out != 0
            return torch.equal(out[kept], x[kept] / 0.5) and abs(kept.float().mean().item() - 0.5) < 4 / n ** 0.5

        table.compare(f"dropout {n}", lambda: kernels.dropout[(n // 4096,)](x, out, n, 0.5, 7, 4096),
                      lambda: functions.dropout(x, 0.5), out, 8 * n, "B", is_right)


def pictures(table):
    """PyTorch has no operator that greys: the peer is Numba's loop."""
    height, width = 2048, 3072
    if table.wants("greyscale 2048x3072") and loops.numba:
        picture = torch.randint(0, 256, (height, width, 3), dtype=torch.uint8)
        out, theirs = (torch.empty(height, width, dtype=torch.uint8) for _ in range(2))
        n = height * width
        table.compare("greyscale 2048x3072", lambda: kernels.greyscale[(n // 4096,)](picture, out, n, 4096),
                      lambda: (loops.greyscale(picture.numpy(), theirs.numpy()), theirs)[1], out, 4 * n, "B", 0)
    for N, C, H, K in ((8, 64, 56, 64), (8, 256, 14, 256)):
        name = f"conv2d {N}x{C}x{H}x{H} to {K}, 3x3"
        if not table.wants(name):
            continue
        x, weight, out = torch.randn(N, H, H, C), torch.randn(3, 3, C, K), torch.empty(N, H, H, K)
        # The same numbers in the same places, as PyTorch names their dimensions.
        theirs_x = x.permute(0, 3, 1, 2)
        theirs_weight = weight.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        points = N * H * H

        def launch(tile):
            kernels.conv2d[(triton.cdiv(points, tile[0]), triton.cdiv(K, tile[1]))](x, weight, out, N, C, H, H, K, 3, 3, *tile)

        best = table.fastest(launch, [(64, 64, 64), (128, 64, 64), (64, 64, 32), (256, 64, 64)])
        table.compare(name, lambda: launch(best), lambda: functions.conv2d(theirs_x, theirs_weight, padding=1).permute(0, 2, 3, 1),
                      out, 2 * points * C * K * 9, "FLOP", 1e-5)


def orders_and_scans(table):
    M = 4096
    for N in (256, 1024):
        x = torch.randn(M, N)
        if table.wants(f"top-k {M}x{N}, 16"):
            most = torch.empty(M, 16)
            table.compare(f"top-k {M}x{N}, 16", lambda: kernels.topk[(M,)](x, most, N, 16, N), lambda: torch.topk(x, 16).values,
                          most, x.nbytes, "B", 0)
        if table.wants(f"cumsum {M}x{N}"):
            sums = torch.empty(M, N)
            table.compare(f"cumsum {M}x{N}", lambda: kernels.cumsum[(M,)](x, sums, N, N), lambda: torch.cumsum(x, -1), sums,
                          x.nbytes * 2, "B", 1e-5)
