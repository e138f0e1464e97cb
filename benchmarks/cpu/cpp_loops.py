# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows beside the loops of loops.cpp, which g++ compiles for this machine when they are asked for. They run on the threads
that PyTorch's operators run on: the library names no OpenMP runtime, and so gets that of the process."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile

import kernels
import torch
import triton.language as tl

SOURCE = pathlib.Path(__file__).with_name("loops.cpp")


def compiled():
    """Of the loops; the file is gone once it is loaded."""
    with tempfile.TemporaryDirectory() as folder:
        whole, part = pathlib.Path(folder, "loops.so"), pathlib.Path(folder, "loops.o")
        subprocess.run(["g++", "-O3", "-march=native", "-mprefer-vector-width=512", "-ffast-math", "-fopenmp", "-fPIC", "-c", SOURCE,
                        "-o", part], check=True)
        subprocess.run(["g++", "-shared", part, "-o", whole, "-lmvec", "-lm"], check=True)
        return ctypes.CDLL(str(whole))


def beside_loops(table):
    if not shutil.which("g++"):
        print("no g++: no rows beside loops in C++")
        return
    n, M, N, K = 1 << 22, 4096, 1024, 512
    x, y, out = torch.randn(n), torch.randn(n), torch.empty(n)
    rows, result, sums = torch.randn(M, N), torch.empty(M, N), torch.empty(M)
    a, b, c = torch.randn(K, K), torch.randn(K, K), torch.empty(K, K)
    cases = {
        f"add {n}": (lambda: kernels.add[(n // 4096,)](x, y, out, n, 4096), "add", (x, y), out, (n,), 12 * n, "B", 1e-6),
        f"gelu {n}": (lambda: kernels.gelu[(n // 4096,)](x, out, n, 4096), "gelu", (x,), out, (n,), 8 * n, "B", 1e-5),
        f"silu {n}": (lambda: kernels.silu[(n // 4096,)](x, out, n, 4096), "silu", (x,), out, (n,), 8 * n, "B", 1e-5),
        f"softmax {M}x{N}": (lambda: kernels.softmax[(M,)](rows, result, N, N), "softmax", (rows,), result, (M, N), 8 * M * N, "B", 1e-5),
        f"sum {M}x{N}": (lambda: kernels.sum_rows[(M,)](rows, sums, N, N), "sum_rows", (rows,), sums, (M, N), 4 * M * N, "B", 1e-5),
        f"matmul {K}": (lambda: kernels.matmul[(64,)](a, b, c, K, K, K, K, 1, K, 1, 64, 64, 64, 4, tl.float32), "product", (a, b), c,
                        (K,), 2 * K ** 3, "FLOP", 1e-5),
    }
    loaded = None
    for name, (ours, function, arguments, mine, extents, work, unit, tolerance) in cases.items():
        if not table.wants(f"C++: {name}"):
            continue
        loaded = loaded or compiled()
        theirs = torch.empty_like(mine)
        pointers = [ctypes.c_void_p(array.data_ptr()) for array in (*arguments, theirs)]
        numbers = [ctypes.c_size_t(extent) for extent in extents]

        def peer():
            loaded[function](*pointers, *numbers)
            return theirs

        table.compare(f"C++: {name}", ours, peer, mine, work, unit, tolerance)
