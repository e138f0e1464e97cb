# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of `compare.py` that were chosen before anybody had measured them, and to which nothing has been fitted since: other sizes, kernels
that the other sets have not, and programs that do unequally much. Who looks at them while the model is changed moves them to `others.py`
and writes new ones."""

from cases import FIGURES, Case, attention, flat, matmul, rows
from others import CPU, MORE, SERVING, tiles

UNEQUAL, SLOW = "benchmarks/analyze/unequal_kernels.py", "benchmarks/analyze/slow_kernels.py"


def by_length(name, kernel, count, more=""):
    """Programs of 0 to 99 rounds, by chance."""
    return Case(name, f"{UNEQUAL}::{kernel}", str(count), f"{more} lengths=rand:i32[{count}] out=empty:f32[{count},1024] BLOCK=1024")


CASES = [
    flat("add of 3 million", "add", 3_000_000, 512, "xy"),
    flat("copy of bf16", "copy", 11_000_000, 4096, kind="bf16"),
    rows("softmax of 500", "softmax", 10_000, 500, warps=2),
    rows("softmax of bf16", "softmax", 3000, 6000, kind="bf16", warps=8),
    rows("RMS norm of 2048", "rms_norm", 6000, 2048, "weight=randn:f16[2048] epsilon=1e-5", "f16", 4),
    Case("layer norm of f32", f"{CPU}::layer_norm", "5000",
         "x_ptr=randn:f32[5000,3072] weight_ptr=randn:f32[3072] bias_ptr=randn:f32[3072] out_ptr=empty:f32[5000,3072] columns=3072 eps=1e-5 BLOCK=4096", "--num-warps 8"),
    Case("RMS norm of f32", f"{MORE}::rms_norm", "3000",
         "x_ptr=randn:f32[3000,5120] weight_ptr=randn:f32[5120] out_ptr=empty:f32[3000,5120] columns=5120 eps=1e-5 BLOCK=8192", "--num-warps 8"),
    Case("cross-entropy of 10,000", f"{MORE}::cross_entropy", "2000",
         "x_ptr=randn:f32[2000,10000] target_ptr=rand:i64[2000] out_ptr=empty:f32[2000] columns=10000 BLOCK=16384", "--num-warps 8"),
    Case("sum of rows of 3000", f"{CPU}::sum_rows", "8000", "x_ptr=randn:f32[8000,3000] out_ptr=empty:f32[8000] columns=3000 BLOCK=4096", "--num-warps 4"),
    Case("transpose of f16 by 128", f"{FIGURES}::transpose", "cdiv(rows,BLOCK),cdiv(columns,BLOCK)",
         "x=randn:f16[6000,4000] out=empty:f16[4000,6000] rows=6000 columns=4000 BLOCK=128", "--num-warps 8"),
    Case("rows of a long table", f"{FIGURES}::gather", "30000",
         "table=randn:f16[50000,2048] index=rand:i32[30000] out=empty:f16[30000,2048] columns=2048 BLOCK=2048", "--num-warps 4"),
    Case("decays of 2 million", f"{SLOW}::decays", "2048", "x=rand:f32[2097152] out=empty:f32[2097152] n=2097152 COUNT=16 BLOCK=1024"),
    Case("rounds of 512", f"{SLOW}::sums_of_rounds", "132", "x=randn:f32[132,51200] out=empty:f32[132,512] n=100 BLOCK=512"),
    Case("quantized rows of 1000", f"{SERVING}::quantize_rows", "6000",
         "x=randn:bf16[6000,1000] out=empty:f8e4nv[6000,1000] scales=empty:f32[6000] N=1000 B=1024", "--num-warps 2"),
    Case("convolution of 64 channels", f"{SERVING}::convolution", "98,1",
         f"x=randn:f16[4,56,56,64] w=randn:f16[576,64] out=empty:f16[12544,64] H=56 W=56 C=64 F=64 {tiles(128, 64, 64)}", "--num-warps 4"),
    Case("product with scales", f"{SERVING}::scaled_product", "8,16",
         f"a=randn:f16[1024,2048] b=randn:f16[2048,2048] a_scale=rand:f32[1024,16] b_scale=rand:f32[16,16] out=empty:bf16[1024,2048] M=1024 N=2048 K=2048 {tiles(128, 128, 128)}",
         "--num-warps 8"),
    Case("product of experts", f"{SERVING}::grouped_product", "64,8",
         f"a=randn:bf16[100,1024] b=randn:bf16[100,1024,1024] ids=rand:i32[4096] experts=rand:i32[64] out=empty:bf16[100,1024] N=1024 K=1024 COUNT=100 {tiles(64, 128, 64)}",
         "--num-warps 4"),
    Case("pages", f"{SERVING}::paged_decode", "64,8",
         "q=randn:f16[64,8,16,128] keys=randn:f16[100,16,8,128] values=randn:f16[100,16,8,128] table=rand:i32[64,128] lengths=rand:i32[64] "
         "out=empty:f16[64,8,16,128] scale=0.088 stride_page=16384 PAGES=128 PAGE=16 D=128 GROUP=16", "--num-warps 4"),
    matmul("matmul f16 3072", 3072, 3072, 3072, (128, 128, 64), stages=4),
    matmul("matmul bf16, wide", 512, 8192, 2048, (128, 256, 64), kind="bf16", out="bfloat16"),
    matmul("matmul f16, deep", 256, 512, 16384, (64, 64, 64), warps=4, stages=4),
    attention("attention of 64 columns", 12, 2048, False, (128, 64), 64),
    attention("causal attention of 64 columns", 12, 3072, True, (128, 64), 64),
    by_length("shared rows by chance", "shared_rows", 2000, "x=randn:f32[100,1024]"),
    by_length("powers by chance", "powers", 6000, "x=rand:f32[6000,1024]"),
    Case("products by chance", f"{UNEQUAL}::products", "48,16",
         "a=randn:f16[6144,4096] b=randn:f16[2048,4096] lengths=rand:i32[48] out=empty:f16[6144,2048] TILE=128 DEPTH=32", "--num-warps 8"),
]
