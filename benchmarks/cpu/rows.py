# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compared. Products and attention are tuned first: the fastest of the tiles below."""

import kernels
import loops
import torch
import triton
import triton.language as tl

TILES = [(16, 64, 128), (16, 128, 128), (16, 256, 32), (16, 256, 64), (16, 512, 64), (16, 64, 256), (64, 32, 256), (64, 64, 512), (128, 64, 256),
         (32, 128, 128), (32, 256, 64), (64, 64, 64), (64, 64, 256), (64, 128, 128),
         (64, 128, 512), (64, 512, 64), (128, 128, 64), (128, 128, 256), (128, 128, 512), (256, 256, 128), (256, 256, 256), (256, 128, 256)]
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "int8": torch.int8}
SHAPES = [(256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (1, 4096, 4096), (16, 4096, 4096),
          (64, 4096, 4096), (8192, 128, 512), (64, 64, 16384), (128, 128, 4096), (16, 1024, 4096), (16, 512, 16384)]


def products(table, peers):
    for name, dtype in TYPES.items():
        for M, N, K in SHAPES:
            row = f"matmul {name} {M}x{N}x{K}"
            if not table.wants(row):
                continue
            if peers.products.get(name, "oneDNN") is None:
                print(f"{row:34}no peer: PyTorch has a loop of its own here")
            elif dtype != torch.int8 or M > 16:  # of fewer rows torch._int_mm makes none
                product(table, row, dtype, M, N, K)


def product(table, row, dtype, M, N, K):
    whole = dtype == torch.int8
    if whole:
        a, b = (torch.randint(-128, 128, shape).to(dtype) for shape in ((M, K), (K, N)))
        c = torch.empty((M, N), dtype=torch.int32)
    else:
        a, b = torch.randn(M, K).to(dtype), torch.randn(K, N).to(dtype)
        c = torch.empty((M, N), dtype=dtype)

    def launch(tile):
        grid = (triton.cdiv(M, tile[0]) * triton.cdiv(N, tile[1]),)
        kernels.matmul[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *tile, 4, tl.int32 if whole else tl.float32)

    best = table.fastest(launch, [tile for tile in TILES if tile[0] <= max(M, 16) and tile[1] <= N and tile[2] <= K])
    theirs = (lambda: torch._int_mm(a, b)) if whole else (lambda: torch.mm(a, b))
    tolerance = 0 if whole else {torch.float32: 1e-5}.get(dtype, 1e-2)
    table.compare(row, lambda: launch(best), theirs, c, 2 * M * N * K, "FLOP", tolerance)


def attention(table):
    for name, dtype, tolerance in (("f32", torch.float32, 1e-5), ("bf16", torch.bfloat16, 2e-2)):
        for D, N, causal in ((64, 1024, False), (64, 4096, False), (64, 4096, True), (128, 1024, False), (128, 4096, True)):
            row = f"attention {name} 8 x {N} x {D}{' causal' if causal else ''}"
            if not table.wants(row):
                continue
            q, k, v = (torch.randn(1, 8, N, D).to(dtype) for _ in range(3))
            out = torch.empty_like(q)

            def launch(tile):
                kernels.attention[(N // tile[0], 8)](q, k, v, out, N * D, N, D ** -0.5, *tile, D, causal)

            best = table.fastest(launch, [(64, 64), (64, 128), (128, 64), (128, 128), (128, 256)])
            flops = 4 * 8 * N * N * D // (2 if causal else 1)
            table.compare(row, lambda: launch(best),
                          lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal), out, flops,
                          "FLOP", tolerance)


def decoding(table):
    """32 query heads on 8 heads of keys; the peer gathers the pages of all sequences and then attends to them under a mask."""
    heads, group, page, D = 8, 4, 16, 128
    for name, dtype, tolerance in (("f32", torch.float32, 1e-5), ("bf16", torch.bfloat16, 2e-2)):
        for sequences, most in ((16, 1024), (4, 4096)):
            row = f"decode {name} {sequences} x up to {most}"
            if not table.wants(row):
                continue
            lengths = torch.randint(most // 2, most + 1, (sequences,), dtype=torch.int32)
            count = most // page
            pages = torch.randperm(sequences * count, dtype=torch.int32).reshape(sequences, count)
            k, v = (torch.randn(sequences * count, page, heads, D).to(dtype) for _ in range(2))
            q = torch.randn(sequences, heads * group, D).to(dtype)
            out = torch.empty_like(q)
            mask = (torch.arange(most)[None, :] < lengths[:, None])[:, None, None, :]

            def theirs():
                keys, values = (cache[pages.long()].reshape(sequences, most, heads, D).transpose(1, 2) for cache in (k, v))
                return torch.nn.functional.scaled_dot_product_attention(q[:, :, None], keys, values, attn_mask=mask,
                                                                        enable_gqa=True)[:, :, 0]

            def ours():
                kernels.decode[(sequences, heads)](q, k, v, pages, lengths, out, D ** -0.5, count, heads, group, page, D)

            table.compare(row, ours, theirs, out, int(lengths.sum()) * heads * D * 2 * k.element_size(), "B", tolerance)


def elementwise(table):
    for n in (4096, 65536, 1 << 22, 1 << 24):
        x, y, out, other = torch.randn(n), torch.randn(n), torch.empty(n), torch.empty(n)
        grid = (triton.cdiv(n, 4096),)
        rows = {
            "add": (lambda: kernels.add[grid](x, y, out, n, 4096), lambda: torch.add(x, y, out=other), 12),
            "gelu": (lambda: kernels.gelu[grid](x, out, n, 4096), lambda: torch.nn.functional.gelu(x), 8),
            "silu": (lambda: kernels.silu[grid](x, out, n, 4096), lambda: torch.nn.functional.silu(x), 8),
        }
        for name, (ours, theirs, bytes_each) in rows.items():
            if table.wants(f"{name} {n}"):
                table.compare(f"{name} {n}", ours, theirs, out, n * bytes_each, "B", 1e-6)


def rows_of_tiles(table):
    functions = torch.nn.functional
    for M, N in ((1823, 781), (4096, 1024), (4096, 12672)):
        if table.wants(f"softmax {M}x{N}"):
            x, out = torch.randn(M, N), torch.empty(M, N)
            block = triton.next_power_of_2(N)
            table.compare(f"softmax {M}x{N}", lambda: kernels.softmax[(M,)](x, out, N, block), lambda: torch.softmax(x, -1),
                          out, x.nbytes * 2, "B", 1e-6)
    for M, N in ((4096, 1024), (4096, 4096)):
        x, weight, bias, out, sums = torch.randn(M, N), torch.randn(N), torch.randn(N), torch.empty(M, N), torch.empty(M)
        if table.wants(f"layer norm {M}x{N}"):
            table.compare(f"layer norm {M}x{N}", lambda: kernels.layer_norm[(M,)](x, weight, bias, out, N, 1e-5, N),
                          lambda: functions.layer_norm(x, (N,), weight, bias), out, x.nbytes * 2, "B", 1e-6)
        if table.wants(f"sum {M}x{N}"):
            table.compare(f"sum {M}x{N}", lambda: kernels.sum_rows[(M,)](x, sums, N, N), lambda: x.sum(-1), sums, x.nbytes,
                          "B", 1e-5)
    if table.wants("transpose 2048"):
        x, out = torch.randn(2048, 2048), torch.empty(2048, 2048)
        table.compare("transpose 2048", lambda: kernels.transpose[(32, 32)](x, out, 2048, 2048, 64),
                      lambda: x.t().contiguous(), out, x.nbytes * 2, "B", 0)


def beside_numba(table):
    """Numba's parallel loops are the peer."""
    if not loops.numba:
        print("Numba is not there: no rows beside its loops")
        return

    def row(name, ours, function, arguments, out, work, unit, tolerance):
        if not table.wants(name):
            return
        arrays = [argument.numpy() for argument in arguments]
        theirs = torch.empty_like(out)
        table.compare(name, ours, lambda: (function(*arrays, theirs.numpy()), theirs)[1], out, work, unit, tolerance)

    n = 1 << 22
    x, y, out = torch.randn(n), torch.randn(n), torch.empty(n)
    row(f"Numba: add {n}", lambda: kernels.add[(n // 4096,)](x, y, out, n, 4096), loops.add, (x, y), out, 12 * n, "B", 1e-6)
    rows, result = torch.randn(4096, 1024), torch.empty(4096, 1024)
    row("Numba: softmax 4096x1024", lambda: kernels.softmax[(4096,)](rows, result, 1024, 1024), loops.softmax, (rows,), result,
        rows.nbytes * 2, "B", 1e-6)
    a, b, c = torch.randn(512, 512), torch.randn(512, 512), torch.empty(512, 512)
    row("Numba: matmul 512", lambda: kernels.matmul[(64,)](a, b, c, 512, 512, 512, 512, 1, 512, 1, 64, 64, 64, 4, tl.float32),
        loops.product, (a, b), c, 2 * 512 ** 3, "FLOP", 1e-5)
