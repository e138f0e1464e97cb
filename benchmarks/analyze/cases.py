# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches whose counts are compared with a GPU's: as `nereid run` and `nereid analyze` both take them."""

import dataclasses


@dataclasses.dataclass
class Case:
    name: str
    kernel: str  # FILE::KERNEL
    grid: str
    arguments: str  # NAME=VALUE, with spaces between
    options: str = ""  # --num-warps and its like


SMALL, GUIDE, FIGURES = "tests/analyze/Inputs/kernels.py", "kernels/guide.py", "benchmarks/gpu_figures/kernels.py"
NOTEBOOK, README, PRACTITIONER = "kernels/notebook.py", "kernels/readme.py", "kernels/practitioner.py"


def flat(name, kernel, n, block, inputs="x", file=FIGURES, kind="f32", **more):
    arrays = " ".join(f"{array}=randn:{kind}[{n}]" for array in inputs)
    return Case(name, f"{file}::{kernel}", "cdiv(n,BLOCK)", f"{arrays} out=empty:{kind}[{n}] n={n} BLOCK={block}", **more)


def rows(name, kernel, count, columns, more="", kind="f32", warps=0):
    block = 1 << (columns - 1).bit_length()
    return Case(name, f"{FIGURES}::{kernel}", str(count),
                f"x=randn:{kind}[{count},{columns}] {more} out=empty:{kind}[{count},{columns}] columns={columns} BLOCK={block}",
                f"--num-warps {warps}" if warps else "")


def matmul(name, m, n, k, tile, kind="f16", sums="float32", out="float16", kernel="matmul", warps=8, stages=3):
    bm, bn, bk = tile
    return Case(name, f"{FIGURES}::{kernel}", f"cdiv({m},{bm})*cdiv({n},{bn})",
                f"a=randn:{kind}[{m},{k}] b=randn:{kind}[{k},{n}] c=empty:{kind}[{m},{n}] M={m} N={n} K={k} "
                f"stride_am={k} stride_ak=1 stride_bk={n} stride_bn=1 stride_cm={n} stride_cn=1 "
                f"BLOCK_M={bm} BLOCK_N={bn} BLOCK_K={bk} GROUP=8 SUM=tl.{sums} OUT=tl.{out}",
                f"--num-warps {warps} --num-stages {stages}")


def attention(name, heads, n, causal, tile=(128, 128), d=128):
    array = f"f16[{heads},{n},{d}]"
    return Case(name, f"{FIGURES}::attention", f"{n // tile[0]},{heads}",
                f"q=randn:{array} k=randn:{array} v=randn:{array} out=empty:{array} stride_head={n * d} N={n} scale=0.088 "
                f"BLOCK_M={tile[0]} BLOCK_N={tile[1]} D={d} CAUSAL={causal}", "--num-warps 8 --num-stages 2")


def square(name, kernel, grid, size, more, file=GUIDE):
    return Case(name, f"{file}::{kernel}", grid,
                f"input_ptr=randn:f32[{size},{size}] output_ptr=empty:f32[{size},{size}] M={size} N={size} {more}")


# The first of these the model of time was fitted to; of HELD_OUT nothing was known.
CASES = [
    Case("copy, odd", f"{SMALL}::copy", "cdiv(n,BLOCK)", "x=randn:f32[1000003] y=empty:f32[1000003] n=1000003 BLOCK=1024"),
    Case("copy of f16", f"{SMALL}::copy", "cdiv(n,BLOCK)", "x=randn:f16[4194304] y=empty:f16[4194304] n=4194304 BLOCK=1024"),
    Case("copy of i8", f"{SMALL}::copy", "cdiv(n,BLOCK)", "x=zeros:i8[4194304] y=empty:i8[4194304] n=4194304 BLOCK=4096"),
    Case("strides of 2", f"{SMALL}::strided", "4096", "x=randn:f32[8388608] y=empty:f32[4194304] n=4194304 STRIDE=2 BLOCK=1024"),
    Case("strides of 3", f"{SMALL}::strided", "4096", "x=randn:f32[12582912] y=empty:f32[4194304] n=4194304 STRIDE=3 BLOCK=1024"),
    Case("strides of 17", f"{SMALL}::strided", "1024", "x=randn:f32[17825792] y=empty:f32[1048576] n=1048576 STRIDE=17 BLOCK=1024"),
    Case("transpose by rows", f"{SMALL}::transpose_naive", "rows,cdiv(cols,BLOCK)",
         "x=randn:f32[2048,2048] y=empty:f32[2048,2048] rows=2048 cols=2048 BLOCK=1024"),
    Case("transpose by tiles", f"{SMALL}::transpose_tiled", "cdiv(rows,R),cdiv(cols,C)",
         "x=randn:f32[4096,4096] y=empty:f32[4096,4096] rows=4096 cols=4096 R=64 C=64"),
    Case("transpose by odd tiles", f"{SMALL}::transpose_tiled", "cdiv(rows,R),cdiv(cols,C)",
         "x=randn:f32[1001,1003] y=empty:f32[1001,1003] rows=1001 cols=1003 R=32 C=32"),
    Case("gather at random", f"{SMALL}::gather", "cdiv(n,BLOCK)",
         "x=randn:f32[4194304] index=rand:i32[1048576] y=empty:f32[1048576] n=1048576 BLOCK=1024"),
    Case("sums of rows", f"{SMALL}::row_sum", "4096", "x=randn:f32[4096,4096] y=empty:f32[4096] cols=4096 BLOCK=4096"),
    Case("sums of odd rows", f"{SMALL}::row_sum", "4096", "x=randn:f32[4096,781] y=empty:f32[4096] cols=781 BLOCK=1024"),
    flat("copy", "copy", 1 << 25, 1024),
    flat("add", "add", 1 << 24, 1024, "xy"),
    flat("silu", "silu", 1 << 24, 1024),
    Case("erf, eight times", f"{FIGURES}::functions", "cdiv(n,BLOCK)",
         f"x=randn:f32[{1 << 22}] out=empty:f32[{1 << 22}] n={1 << 22} FUNCTION=0 BLOCK=1024"),
    Case("dot", f"{FIGURES}::dot", "cdiv(n,BLOCK)",
         f"x=randn:f32[{1 << 24}] y=randn:f32[{1 << 24}] out=zeros:f32[1] n={1 << 24} BLOCK=4096", "--num-warps 8"),
    rows("softmax of 256", "softmax", 16384, 256, warps=1),
    rows("softmax of 781", "softmax", 4096, 781, warps=4),
    rows("softmax of 4096", "softmax", 4096, 4096, warps=8),
    rows("softmax of 12672", "softmax", 2048, 12672, warps=16),
    rows("layer norm of 4096", "layer_norm", 4096, 4096, "weight=randn:f16[4096] bias=randn:f16[4096] epsilon=1e-5", "f16", 8),
    rows("RMS norm of 1024", "rms_norm", 8192, 1024, "weight=randn:f16[1024] epsilon=1e-5", "f16", 4),
    Case("transpose of figures", f"{FIGURES}::transpose", "cdiv(rows,BLOCK),cdiv(columns,BLOCK)",
         "x=randn:f32[4096,4096] out=empty:f32[4096,4096] rows=4096 columns=4096 BLOCK=64", "--num-warps 8"),
    square("transpose V1", "transpose_v1", "2048", 2048, "BLOCK_SIZE=1024"),
    square("transpose V2", "transpose_v2", "2048", 2048, "BLOCK_SIZE=1024"),
    square("transpose V3", "transpose_v3", "cdiv(M,BLOCK_SIZE),cdiv(N,BLOCK_SIZE)", 2048, "BLOCK_SIZE=32"),
    square("transpose V4", "transpose_v4", "1024", 2048, "scratch_ptr=empty:f32[1081344] BLOCK_SIZE=32 PAD=1"),
    Case("first column", f"{GUIDE}::copy_first_column", "cdiv(rows,BLOCK_SIZE)",
         "h_A=randn:f32[65536,64] d_A=empty:f32[65536] rows=65536 cols=64 BLOCK_SIZE=256"),
    Case("vector add of README", f"{README}::vector_add_kernel", "cdiv(n_elements,BLOCK_SIZE)",
         "x_ptr=randn:f32[1000000] y_ptr=randn:f32[1000000] output_ptr=empty:f32[1000000] n_elements=1000000 BLOCK_SIZE=1024"),
    Case("matmul, small", f"{SMALL}::matmul", "cdiv(M,BM),cdiv(N,BN)",
         "a=randn:f16[1024,1024] b=randn:f16[1024,1024] c=empty:f16[1024,1024] M=1024 N=1024 K=1024 BM=64 BN=64 BK=64"),
    Case("matmul, odd", f"{SMALL}::matmul", "cdiv(M,BM),cdiv(N,BN)",
         "a=randn:f16[1000,1001] b=randn:f16[1001,1003] c=empty:f16[1000,1003] M=1000 N=1003 K=1001 BM=64 BN=64 BK=32"),
    matmul("matmul f16 2048", 2048, 2048, 2048, (128, 256, 64)),
    matmul("matmul f16 4096", 4096, 4096, 4096, (128, 256, 64)),
    matmul("matmul f16 4096, tiles of 64", 4096, 4096, 4096, (64, 64, 64), warps=4, stages=4),
    matmul("matmul f32 2048", 2048, 2048, 2048, (128, 128, 32), kind="f32", out="float32"),
    attention("attention", 16, 4096, False),
    attention("causal attention", 16, 4096, True),
]

HELD_OUT = [
    flat("copy of 64 MiB", "copy", 1 << 24, 2048),
    flat("add of 100 million bytes", "add", 25_000_000, 2048, "xy"),
    flat("silu, small", "silu", 1 << 20, 512),
    Case("strides of 5", f"{SMALL}::strided", "2048",
         "x=randn:f32[10485760] y=empty:f32[2097152] n=2097152 STRIDE=5 BLOCK=1024"),
    Case("transpose of f16", f"{SMALL}::transpose_tiled", "cdiv(rows,R),cdiv(cols,C)",
         "x=randn:f16[4096,4096] y=empty:f16[4096,4096] rows=4096 cols=4096 R=64 C=64"),
    Case("transpose by long rows", f"{SMALL}::transpose_naive", "rows,cdiv(cols,BLOCK)",
         "x=randn:f32[1024,4096] y=empty:f32[1024,4096] rows=1024 cols=4096 BLOCK=2048"),
    Case("transpose 8192 of figures", f"{FIGURES}::transpose", "cdiv(rows,BLOCK),cdiv(columns,BLOCK)",
         "x=randn:f32[8192,8192] out=empty:f32[8192,8192] rows=8192 columns=8192 BLOCK=32", "--num-warps 4"),
    Case("sums of tiles' rows", f"{SMALL}::sums_of_rows", "512",
         "x=randn:f32[32768,128] y=empty:f32[32768] cols=128 R=64 C=128"),
    rows("softmax of 1024", "softmax", 8192, 1024, warps=4),
    rows("softmax of 2048", "softmax", 4096, 2048, warps=8),
    rows("softmax of 8192", "softmax", 4096, 8192, warps=8),
    rows("layer norm of 1024", "layer_norm", 4096, 1024, "weight=randn:f16[1024] bias=randn:f16[1024] epsilon=1e-5", "f16", 4),
    rows("layer norm of 8192", "layer_norm", 4096, 8192, "weight=randn:f16[8192] bias=randn:f16[8192] epsilon=1e-5", "f16", 8),
    rows("RMS norm of 4096", "rms_norm", 4096, 4096, "weight=randn:f16[4096] epsilon=1e-5", "f16", 8),
    Case("rows of a table", f"{FIGURES}::gather", "16384",
         "table=randn:f16[32000,1024] index=rand:i32[16384] out=empty:f16[16384,1024] columns=1024 BLOCK=1024", "--num-warps 2"),
    Case("V3 of 4096", f"{GUIDE}::transpose_v3", "cdiv(M,BLOCK_SIZE),cdiv(N,BLOCK_SIZE)",
         "input_ptr=randn:f32[4096,4096] output_ptr=empty:f32[4096,4096] M=4096 N=4096 BLOCK_SIZE=64"),
    matmul("matmul f16 1024", 1024, 1024, 1024, (128, 128, 64)),
    matmul("matmul f16 3000", 3000, 3000, 3008, (128, 256, 64)),
    matmul("matmul f16 2048, tiles of 128", 2048, 2048, 2048, (128, 128, 64), stages=4),
    attention("attention, short", 16, 1024, False),
]
