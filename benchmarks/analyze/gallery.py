# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gallery's launches (`examples/gallery`, the sizes of its long runs) as cases of `compare.py`. Not here: what prints (P1 to P3),
what is refused (R2 as printed), and kernels of threads."""

from cases import Case

GUIDE, ELEMENTS, NOTEBOOK = "kernels/guide.py", "kernels/guide_elements.py", "kernels/notebook.py"
README, ATTENTION, PRACTITIONER = "kernels/readme.py", "kernels/readme_attention.py", "kernels/practitioner.py"
N = 1 << 20
STRIDES = "stride_am={k} stride_ak=1 stride_bk={n} stride_bn=1 stride_cm={n} stride_cn=1"


def product(name, kernel, size, tile, more="", grid="cdiv({m},{bm}),cdiv({n},{bn})", options=""):
    (m, n, k), (bm, bn, bk) = size, tile
    strides = "" if kernel == "gemm_v1" else STRIDES.format(k=k, n=n)
    return Case(name, f"{GUIDE}::{kernel}", grid.format(m=m, n=n, bm=bm, bn=bn),
                f"a_ptr=randn:f32[{m},{k}] b_ptr=randn:f32[{k},{n}] c_ptr=empty:f32[{m},{n}] M={m} N={n} K={k} {strides} "
                f"BLOCK_SIZE_M={bm} BLOCK_SIZE_N={bn} BLOCK_SIZE_K={bk} {more}", options)


def grouped(tile, more=""):
    return product(f"G8 gemm_v4 {tile[0]} x {tile[1]}", "gemm_v4", (512, 512, 512), tile, f"GROUP_SIZE_M=8 {more}",
                   "cdiv({m},{bm})*cdiv({n},{bn})")


def transpose(version, size, grid, block, more=""):
    m, n = size
    return Case(f"G7 transpose_v{version} {m} x {n}", f"{GUIDE}::transpose_v{version}", grid,
                f"input_ptr=rand:f32[{m},{n}] output_ptr=empty:f32[{n},{m}] M={m} N={n} BLOCK_SIZE={block} {more}")


def halves(name, kernel, size, block, more=""):
    return Case(name, f"{PRACTITIONER}::{kernel}", f"{-(-size // block)},{-(-size // block)}",
                f"a_ptr=randn:f16[{size},{size}] b_ptr=randn:f16[{size},{size}] c_ptr=empty:f16[{size},{size}] m={size} n={size} k={size} "
                f"{STRIDES.format(k=size, n=size)} bm={block} bn={block} bk={block} {more}")


def softmax(rows, columns):
    return Case(f"N3 softmax {rows} x {columns}", f"{NOTEBOOK}::triton_softmax_kernel", str(rows),
                f"x_ptr=randn:f32[{rows},{columns}] y_ptr=empty:f32[{rows},{columns}] x_row_stride={columns} y_row_stride={columns} "
                f"num_cols={columns} BLOCK_SIZE={1 << (columns - 1).bit_length()}")


WEIGHTED = ("x_ptr=randn:f32[4096,2048] weight_ptr=randn:f32[2048] x_stride_row=2048 x_stride_dim=1 weight_stride_dim=1 ROWS=4096 D=2048 "
            "ROWS_TILE_SIZE=16 D_TILE_SIZE=128 ")
ATTEND = "q_ptr=randn:f32[8,64,64] k_ptr=randn:f32[8,64,64] v_ptr=randn:f32[8,64,64] output_ptr=empty:f32[8,64,64] seq_len=64 head_dim=64 scale=0.125 BLOCK_SIZE=64"

CASES = [
    Case("N1 zip", f"{NOTEBOOK}::zip_guard_triton", f"{N // 256}", f"a_ptr=randn:f32[{N}] b_ptr=randn:f32[{N}] out_ptr=empty:f32[{N}] n={N} BLOCK_SIZE=256"),
    Case("N2 dot", f"{NOTEBOOK}::dot_kernel", f"{N // 256}", f"a_ptr=rand:f32[{N}] b_ptr=rand:f32[{N}] out_ptr=zeros:f32[1] size={N} BLOCK_SIZE=256"),
    *(softmax(*size) for size in ((1823, 781), (4096, 256), (4096, 1024), (4096, 4096), (4096, 12672))),
    Case("N4 weighted sum", f"{NOTEBOOK}::weighted_sum_fwd", "256", f"{WEIGHTED} output_ptr=empty:f32[4096] output_stride_row=1"),
    Case("N5 weighted sum, backward", f"{NOTEBOOK}::weighted_sum_bwd", "16",
         f"{WEIGHTED} grad_output_ptr=randn:f32[4096] grad_x_ptr=empty:f32[4096,2048] grad_weight_ptr=empty:f32[2048] grad_output_stride_row=1 "
         "grad_x_stride_row=2048 grad_x_stride_dim=1 grad_weight_stride_dim=1"),
    Case("G1 add", f"{GUIDE}::my_kernel_add", "4096", f"x_ptr=randn:f32[{4 * N}] y_ptr=randn:f32[{4 * N}] output_ptr=empty:f32[{4 * N}] n_elements={4 * N} BLOCK_SIZE=1024"),
    *(Case(f"G1 {name}", f"{GUIDE}::my_kernel_{name}", "4096", f"x_ptr=randn:f32[{4 * N}] output_ptr=empty:f32[{4 * N}] n_elements={4 * N} BLOCK_SIZE=1024")
      for name in ("silu", "exp")),
    Case("G2 convolution", f"{ELEMENTS}::conv2d_kernel", "12,8",
         "input_ptr=randn:f32[96,130] filter_ptr=randn:f32[5,5] output_ptr=empty:f32[92,126] input_h=96 input_w=130 filter_h=5 filter_w=5 "
         "output_h=92 output_w=126 stride_ih=130 stride_iw=1 stride_oh=126 stride_ow=1 BLOCK_SIZE_H=8 BLOCK_SIZE_W=16"),
    Case("G3 pooling", f"{ELEMENTS}::pooling_kernel", "48",
         "input_ptr=randn:f32[64,96] output_ptr=empty:f32[32,48] input_h=64 input_w=96 output_h=32 output_w=48 window_h=3 window_w=3 stride=2 BLOCK_SIZE=32"),
    Case("G4 elements", f"{GUIDE}::matrix_element_kernel", "130,170", "base_ptr=randn:f32[130,170] out_ptr=empty:f32[130,170] stride_row=170 stride_col=1"),
    Case("G4 elements, transposed", f"{GUIDE}::matrix_element_kernel", "130,170", "base_ptr=randn:f32[170,130] out_ptr=empty:f32[130,170] stride_row=1 stride_col=130"),
    Case("G4 elements of three axes", f"{GUIDE}::tensor_element_kernel", "13,15,17",
         "base_ptr=randn:f32[13,15,17] out_ptr=empty:f32[13,15,17] stride_depth=255 stride_row=17 stride_col=1"),
    Case("G4 tile", f"{GUIDE}::matrix_tile_kernel", "1",
         "base_ptr=randn:f32[1000,777] out_ptr=empty:f32[16,32] M=1000 N=777 row_start=333 col_start=194 stride_row=777 stride_col=1 BLOCK_SIZE_M=16 BLOCK_SIZE_N=32"),
    Case("G4 blocks", f"{GUIDE}::block_wise_kernel", "63,25",
         "base_ptr=randn:f32[777,1000] out_ptr=empty:f32[1000,777] M=1000 N=777 stride_row=1 stride_col=1000 BLOCK_SIZE_M=16 BLOCK_SIZE_N=32"),
    Case("G4 coalesced", f"{GUIDE}::coalesced_kernel", "8192", f"base_ptr=randn:f32[{N}] out_ptr=empty:f32[{N}] BLOCK_SIZE=128"),
    Case("G4 strided", f"{GUIDE}::strided_kernel", "8192", f"base_ptr=randn:f32[{N + 4096}] out_ptr=empty:f32[{N}] large_stride=33 BLOCK_SIZE=128"),
    Case("G5 padded copy", f"{ELEMENTS}::padded_copy_kernel", "1", "input_ptr=randn:f32[32,35] shared_mem_ptr=zeros:f32[32,33] stride_row=35 stride_col=1 BLOCK_SIZE=32 PAD=1"),
    Case("G6 two buffers", f"{ELEMENTS}::double_buffer_kernel", "1024", f"ptr_a=randn:f32[{N}] ptr_out=empty:f32[{N}] n={N} num_chunks=16 BLOCK_SIZE=64"),
    *(transpose(version, size, grid, 1024) for version, axis in ((1, 1), (2, 0)) for size in ((1000, 777), (4096, 8192)) for grid in (str(size[axis]),)),
    *(transpose(3, size, "cdiv(M,BLOCK_SIZE),cdiv(N,BLOCK_SIZE)", 32) for size in ((1000, 777), (4096, 8192))),
    transpose(4, (1000, 777), "16", 32, "scratch_ptr=empty:f32[16,32,33] PAD=1"),
    product("G8 gemm_v1", "gemm_v1", (512, 512, 512), (32, 32, 32)),
    product("G8 gemm_v2", "gemm_v2", (512, 512, 512), (64, 64, 32)),
    product("G8 gemm_v2, odd", "gemm_v2", (300, 200, 100), (64, 64, 32)),
    product("G8 gemm_v3", "gemm_v3", (512, 512, 512), (64, 64, 32), "UNROLL=2"),
    *(grouped(tile) for tile in ((128, 256, 64), (64, 256, 32), (128, 128, 32), (128, 64, 32), (64, 128, 32))),
    Case("G9 silu", f"{GUIDE}::silu_kernel", "8192", f"input=randn:f32[{4 * N}] output=empty:f32[{4 * N}] n={4 * N} BLOCK_SIZE=512"),
    Case("G9 RMS norm of a vector", f"{GUIDE}::rms_norm_vector_kernel", "1",
         f"input=randn:f32[{N}] weight=randn:f32[{N}] output=empty:f32[{N}] cols={N} epsilon=1e-5 BLOCK_SIZE=1024"),
    Case("G9 RMS norm of rows", f"{GUIDE}::rms_norm_matrix_kernel", "1000",
         "input=randn:f32[1000,777] weight=randn:f32[777] output=empty:f32[1000,777] rows=1000 cols=777 epsilon=1e-5 BLOCK_SIZE=1024"),
    Case("G9 first column", f"{GUIDE}::copy_first_column", "16", "h_A=randn:f32[4096,1000] d_A=empty:f32[4096] rows=4096 cols=1000 BLOCK_SIZE=256"),
    Case("R1 add", f"{README}::vector_add_kernel", "1024", f"x_ptr=randn:f32[{N}] y_ptr=randn:f32[{N}] output_ptr=empty:f32[{N}] n_elements={N} BLOCK_SIZE=1024"),
    Case("R2 product", f"{README}::matrix_mul_kernel", "16,16",
         "a_ptr=randn:f32[512,512] b_ptr=randn:f32[512,512] c_ptr=empty:f32[512,512] M=512 N=512 K=512 BLOCK_SIZE_M=32 BLOCK_SIZE_K=32 BLOCK_SIZE_N=32"),
    Case("R3 layer norm", f"{README}::layer_norm_kernel", "1024",
         "input_ptr=randn:f32[1024,512] weight_ptr=randn:f32[512] bias_ptr=randn:f32[512] output_ptr=empty:f32[1024,512] mean_ptr=empty:f32[1024] "
         "rstd_ptr=empty:f32[1024] stride=512 N=512 eps=1e-5 BLOCK_SIZE=512"),
    Case("R4 attention as printed", f"{ATTENTION}::educational_flash_attention_kernel", "8,1", ATTEND),
    Case("R4 attention of known size", f"{ATTENTION}::attention_of_known_size_kernel", "8,1", ATTEND),
    Case("R5 convolution", f"{README}::conv2d_kernel", "4,4,3844",
         "input_ptr=randn:f32[4,8,66,66] weight_ptr=randn:f32[32,8,5,5] output_ptr=empty:f32[4,32,62,62] batch_size=4 in_channels=8 out_channels=32 "
         "input_height=66 input_width=66 kernel_size=5 BLOCK_SIZE=8"),
    Case("R6 tuned product", f"{README}::auto_tuned_kernel", "8,8",
         "a_ptr=randn:f32[512,512] b_ptr=randn:f32[512,512] c_ptr=empty:f32[512,512] M=512 N=512 K=512 BLOCK_SIZE_M=64 BLOCK_SIZE_K=64", "--num-stages 3"),
    Case("R7 twice", f"{README}::memory_efficient_kernel", "4096", "input_ptr=randn:f32[1024,1024] output_ptr=empty:f32[1024,1024] M=1024 N=1024 BLOCK_SIZE=256"),
    Case("R8 sum", f"{README}::shared_memory_demo", "1", "input_ptr=randn:f32[4096] output_ptr=empty:f32[4096] BLOCK_SIZE=4096"),
    Case("P4 greyscale", f"{PRACTITIONER}::rgb2grey_k", "28,40", "x_ptr=rand:u8[3,896,1280] out_ptr=empty:u8[896,1280] h=896 w=1280 bs0=32 bs1=32"),
    halves("P6 product", "naive_matmul_k", 512, 16),
    Case("P7 swizzle", f"{PRACTITIONER}::swizzle_k", "64,48", "x_ptr=arange:i64[64,48] z_ptr=empty:i64[64,48] group_sz=3"),
    halves("P8 product in groups", "grouped_matmul_k", 512, 16, "group_sz=32"),
    Case("P9 tuned product", f"{PRACTITIONER}::grouped_autotuned_matmul_k", "8,16",
         f"a_ptr=randn:f16[1024,1024] b_ptr=randn:f16[1024,1024] c_ptr=empty:f16[1024,1024] m=1024 n=1024 k=1024 {STRIDES.format(k=1024, n=1024)} "
         "bm=128 bn=64 bk=32 group_sz=8", "--num-warps 4 --num-stages 4"),
]
