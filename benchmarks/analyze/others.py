# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of `compare.py` to which nothing was fitted: the panel's serving kernels, those of the figures that `cases.py` has not, and those
of the CPU's table. Sizes are smaller than there, so that a counted run takes seconds."""

from cases import Case, FIGURES, flat, matmul, rows

SERVING, CPU, MORE = "benchmarks/panel/serving.py", "benchmarks/cpu/kernels.py", "benchmarks/cpu/more_kernels.py"


def tiles(m, n, k):
    return f"BM={m} BN={n} BK={k}"


CASES = [
    Case("product and GELU", f"{SERVING}::product_gelu", "8,16",
         f"a=randn:bf16[1024,1024] b=randn:bf16[1024,2048] bias=randn:bf16[2048] out=empty:bf16[1024,2048] M=1024 N=2048 K=1024 {tiles(128, 128, 64)}",
         "--num-warps 8 --num-stages 3"),
    *(Case(f"gate {kind}", f"{SERVING}::gated", "2048",
           f"a=randn:bf16[2048,5632] b=randn:bf16[2048,5632] out=empty:bf16[2048,5632] N=5632 KIND=\"'{kind}'\" B=8192", "--num-warps 8")
      for kind in ("tanh", "silu")),
    Case("best of a row", f"{SERVING}::best", "4096", "scores=randn:f32[4096,1024] values=empty:f32[4096,8] places=empty:i32[4096,8] N=1024 K=8"),
    Case("top of a row", f"{SERVING}::sorted_best", "1024", "scores=randn:f32[1024,1024] values=empty:f32[1024,8] N=1024 K=8"),
    Case("quantized rows", f"{SERVING}::quantize_rows", "2048",
         "x=randn:bf16[2048,4096] out=empty:f8e4nv[2048,4096] scales=empty:f32[2048] N=4096 B=4096", "--num-warps 8"),
    Case("quantized groups", f"{SERVING}::quantize_groups", "65536",
         "x=randn:bf16[2048,4096] out=empty:f8e4nv[2048,4096] scales=empty:f32[65536] G=128", "--num-warps 1"),
    Case("split product", f"{SERVING}::split_product", "2,32,8",
         f"a=randn:f16[128,4096] b=randn:f16[4096,4096] out=zeros:f32[128,4096] M=128 N=4096 K=4096 SPLIT=8 {tiles(64, 128, 64)}", "--num-warps 4 --num-stages 3"),
    Case("four-bit product", f"{SERVING}::four_bit_product", "1,64",
         f"a=randn:f16[16,4096] b=rand:i32[512,4096] scales=randn:f16[32,4096] out=empty:f16[16,4096] M=16 N=4096 K=4096 G=128 {tiles(16, 64, 128)}",
         "--num-warps 4 --num-stages 3"),
    Case("running sums", f"{SERVING}::running_sums", "1024", "x=randn:f32[1024,8192] out=empty:f32[1024,8192] N=8192 B=1024"),
    Case("rotation", f"{SERVING}::rotate", "2048", "x=randn:bf16[2048,32,128] cosines=randn:f32[2048,64] sines=randn:f32[2048,64] out=empty:bf16[2048,32,128] HEADS=32 D=128"),
    Case("dropout and residual", f"{SERVING}::dropped", "4096", "x=randn:bf16[4194304] residual=randn:bf16[4194304] out=empty:bf16[4194304] seed=42 N=4194304 p=0.1 B=1024"),
    Case("experts", f"{SERVING}::experts_of", "512", "logits=randn:f32[8192,64] weights=empty:f32[8192,4] ids=empty:i32[8192,4] E=64 K=4 ROWS=16"),
    Case("norm, backward", f"{SERVING}::norm_backward", "264",
         "x=randn:bf16[2112,4096] w=randn:bf16[4096] dy=randn:bf16[2112,4096] dx=empty:bf16[2112,4096] dw=empty:f32[264,4096] N=4096 ROWS=8 eps=1e-6 B=4096",
         "--num-warps 8"),
    Case("group norm", f"{SERVING}::group_norm", "256",
         "x=randn:bf16[8,32,16,4096] w=randn:bf16[512] b=randn:bf16[512] out=empty:bf16[8,32,16,4096] SIZE=65536 CHANNELS=16 AREA=4096 eps=1e-5 B=4096",
         "--num-warps 8"),
    Case("cross-entropy", f"{FIGURES}::cross_entropy", "1024", "logits=randn:f32[1024,32000] targets=rand:i64[1024] losses=empty:f32[1024] columns=32000 BLOCK=32768", "--num-warps 16"),
    *(Case(f"functions, {number}", f"{FIGURES}::functions", "2048", f"x=rand:f32[2097152] out=empty:f32[2097152] n=2097152 FUNCTION={number} BLOCK=1024")
      for number in (1, 2, 3, 4)),
    matmul("matmul bf16 2048", 2048, 2048, 2048, (128, 256, 64), kind="bf16", out="bfloat16"),
    matmul("matmul 64 rows", 64, 4096, 4096, (64, 128, 64), warps=4, stages=4),
    matmul("matmul 1000 x 1003 x 1001", 1000, 1003, 1001, (64, 64, 32), warps=4, stages=3),
    matmul("matmul f32 512", 512, 512, 512, (64, 64, 32), kind="f32", out="float32", warps=4),
    flat("copy of 300 KB", "copy", 75_000, 1024),
    flat("add of f16", "add", 1 << 22, 1024, "xy", kind="f16"),
    rows("softmax of f16", "softmax", 8192, 2000, kind="f16", warps=4),
    rows("softmax of 100 columns", "softmax", 65536, 100, warps=1),
    Case("GELU", f"{CPU}::gelu", "4096", "x_ptr=randn:f32[4194304] out_ptr=empty:f32[4194304] n=4194304 BLOCK=1024"),
    Case("sum of long rows", f"{CPU}::sum_rows", "1024", "x_ptr=randn:f32[1024,16384] out_ptr=empty:f32[1024] columns=16384 BLOCK=16384", "--num-warps 8"),
    Case("transpose of an odd matrix", f"{CPU}::transpose", "cdiv(M,BLOCK),cdiv(N,BLOCK)", "x_ptr=randn:f32[1999,3001] out_ptr=empty:f32[3001,1999] M=1999 N=3001 BLOCK=32"),
    Case("dropout", f"{MORE}::dropout", "4096", "x_ptr=randn:f32[4194304] out_ptr=empty:f32[4194304] n=4194304 p=0.5 seed=123 BLOCK=1024"),
    Case("greyscale by pixels", f"{MORE}::greyscale", "4096", "picture_ptr=rand:f32[12582912] out_ptr=empty:f32[4194304] n=4194304 BLOCK=1024"),
    Case("top 8 of 256", f"{MORE}::topk", "4096", "x_ptr=randn:f32[4096,256] out_ptr=empty:f32[4096,8] columns=256 K=8 BLOCK=256"),
    Case("cumsum of 1024", f"{MORE}::cumsum", "4096", "x_ptr=randn:f32[4096,1024] out_ptr=empty:f32[4096,1024] columns=1024 BLOCK=1024"),
]
