# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m nereid benchmarks/cpu/compare.py [--threads N] [--only WORDS]: kernels in Triton's syntax on this machine's CPU
beside PyTorch's operators, in one process, in turns, with the same number of threads.

A row shows the best and the median of all turns in milliseconds, PyTorch's time over ours by medians (above 1, Nereid is
faster) with its least and greatest over the turns, and what the row achieved. Products are tuned first: the fastest
of the tiles below. PyTorch's threads spin for a while after their work, which would slow down who comes next: a pause
lies between turns."""

import argparse
import os
import statistics
import time

import kernels
import torch
import triton
import triton.language as tl

TURNS, CALLS, PAUSE = 7, 5, 0.03
TILES = [(32, 128, 128), (64, 64, 64), (64, 64, 256), (64, 128, 128), (128, 128, 64), (128, 128, 256), (256, 256, 256), (256, 128, 256)]


def seconds(call):
    """Of one call: the least of some in a row."""
    times = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def compare(name, ours, theirs, out, work, unit, tolerance):
    """`work` in `unit`s, which a row shows per second."""
    ours()
    expected = theirs()
    error = (out.double() - expected.double()).abs().max().item() / max(expected.double().abs().max().item(), 1e-30)
    verdict = "right" if error <= tolerance else f"WRONG by {error:.1e}"
    nereid, torch_times = [], []
    for turn in range(TURNS):
        for times, call in ((nereid, ours), (torch_times, theirs))[:: 1 if turn % 2 else -1]:
            times.append(seconds(call))
            time.sleep(PAUSE)
    ratios = [b / a for a, b in zip(nereid, torch_times)]
    middle = statistics.median(nereid)
    print(f"{name:30}{min(nereid) * 1e3:10.4f}{middle * 1e3:10.4f}{statistics.median(torch_times) * 1e3:10.4f}"
          f"{statistics.median(torch_times) / middle:7.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
          f"{work / middle:12.1f} {unit}/s  {verdict}", flush=True)


def products(only):
    types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "int8": torch.int8}
    shapes = [(256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (16, 4096, 4096), (8192, 128, 512)]
    for name, dtype in types.items():
        for M, N, K in shapes:
            row = f"matmul {name} {M}x{N}x{K}"
            if only in row:
                product(row, dtype, M, N, K)


def product(row, dtype, M, N, K):
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

    def time_of(tile):
        launch(tile)
        return seconds(lambda: launch(tile))

    best = min((tile for tile in TILES if tile[0] <= max(M, 32) and tile[1] <= N and tile[2] <= K), key=time_of)
    theirs = (lambda: torch._int_mm(a, b)) if whole else (lambda: torch.mm(a, b))
    tolerance = 0 if whole else {torch.float32: 1e-5}.get(dtype, 1e-2)
    compare(row, lambda: launch(best), theirs, c, 2 * M * N * K / 1e9, "GFLOP", tolerance)


def elementwise(only):
    for n in (4096, 65536, 1 << 22):
        x, y, out = torch.randn(n), torch.randn(n), torch.empty(n)
        grid = (triton.cdiv(n, 4096),)
        rows = {
            "add": (lambda: kernels.add[grid](x, y, out, n, 4096), lambda: torch.add(x, y), 12),
            "gelu": (lambda: kernels.gelu[grid](x, out, n, 4096), lambda: torch.nn.functional.gelu(x), 8),
            "silu": (lambda: kernels.silu[grid](x, out, n, 4096), lambda: torch.nn.functional.silu(x), 8),
        }
        for name, (ours, theirs, bytes_each) in rows.items():
            if only in f"{name} {n}":
                compare(f"{name} {n}", ours, theirs, out, n * bytes_each / 1e9, "GB", 1e-6)


def rows_of_tiles(only):
    for M, N in ((1823, 781), (4096, 1024), (4096, 12672)):
        x, out = torch.randn(M, N), torch.empty(M, N)
        block = triton.next_power_of_2(N)
        if only in f"softmax {M}x{N}":
            compare(f"softmax {M}x{N}", lambda: kernels.softmax[(M,)](x, out, N, block), lambda: torch.softmax(x, -1), out,
                    x.numel() * 8 / 1e9, "GB", 1e-6)
    for M, N in ((4096, 1024), (4096, 4096)):
        x, weight, bias, out, sums = torch.randn(M, N), torch.randn(N), torch.randn(N), torch.empty(M, N), torch.empty(M)
        if only in f"layer norm {M}x{N}":
            compare(f"layer norm {M}x{N}", lambda: kernels.layer_norm[(M,)](x, weight, bias, out, N, 1e-5, N),
                    lambda: torch.nn.functional.layer_norm(x, (N,), weight, bias), out, x.numel() * 8 / 1e9, "GB", 1e-6)
        if only in f"sum {M}x{N}":
            compare(f"sum {M}x{N}", lambda: kernels.sum_rows[(M,)](x, sums, N, N), lambda: x.sum(-1), sums,
                    x.numel() * 4 / 1e9, "GB", 1e-5)
    x, out = torch.randn(2048, 2048), torch.empty(2048, 2048)
    if only in "transpose 2048":
        compare("transpose 2048", lambda: kernels.transpose[(32, 32)](x, out, 2048, 2048, 64), lambda: x.t().contiguous(),
                out, x.numel() * 8 / 1e9, "GB", 0)


def copy_rate():
    """Gigabytes that a copy of 64 MiB moves in a second: what memory gives at most."""
    x, out = torch.randn(1 << 24), torch.empty(1 << 24)
    return x.numel() * 8 / 1e9 / seconds(lambda: out.copy_(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="rows whose names hold these words")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    os.environ["NEREID_THREADS"] = str(arguments.threads)
    print(f"{arguments.threads} threads; PyTorch {torch.__version__} runs its code for {torch.backends.cpu.get_cpu_capability()}; "
          f"a copy moves {copy_rate():.1f} GB/s")
    print(f"{'':30}{'best':>10}{'median':>10}{'PyTorch':>10}{'ratio':>7}")
    torch.manual_seed(0)
    products(arguments.only)
    elementwise(arguments.only)
    rows_of_tiles(arguments.only)


if __name__ == "__main__":
    main()
