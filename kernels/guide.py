# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of the guide "Programming GPUs with Triton".
import triton
import triton.language as tl


# G1, guide: the template with compute = +.
@triton.jit
def my_kernel_add(
    # Pointers to input/output data
    x_ptr, y_ptr, output_ptr,
    # Problem size and other scalar parameters
    n_elements,
    # Constants that influence the program's shape
    BLOCK_SIZE: tl.constexpr,
):
    # Get program ID (often representing block ID)
    pid = tl.program_id(axis=0)

    # Calculate starting positions and offsets
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)

    # Create mask for boundary checking
    mask = offsets < n_elements

    # Load data using pointers
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)

    # Perform computation
    result = x + y

    # Store results
    tl.store(output_ptr + offsets, result, mask=mask)


# G9, guide: the device function of its SiLU.
@triton.jit
def sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


# G1, guide: the template with compute = silu.
@triton.jit
def my_kernel_silu(
    # Pointers to input/output data
    x_ptr, output_ptr,
    # Problem size and other scalar parameters
    n_elements,
    # Constants that influence the program's shape
    BLOCK_SIZE: tl.constexpr,
):
    # Get program ID (often representing block ID)
    pid = tl.program_id(axis=0)

    # Calculate starting positions and offsets
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)

    # Create mask for boundary checking
    mask = offsets < n_elements

    # Load data using pointers
    data = tl.load(x_ptr + offsets, mask=mask)

    # Perform computation
    result = data * sigmoid(data)

    # Store results
    tl.store(output_ptr + offsets, result, mask=mask)


# G1, guide: the template with compute = exp.
@triton.jit
def my_kernel_exp(
    # Pointers to input/output data
    x_ptr, output_ptr,
    # Problem size and other scalar parameters
    n_elements,
    # Constants that influence the program's shape
    BLOCK_SIZE: tl.constexpr,
):
    # Get program ID (often representing block ID)
    pid = tl.program_id(axis=0)

    # Calculate starting positions and offsets
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)

    # Create mask for boundary checking
    mask = offsets < n_elements

    # Load data using pointers
    data = tl.load(x_ptr + offsets, mask=mask)

    # Perform computation
    result = tl.exp(data)

    # Store results
    tl.store(output_ptr + offsets, result, mask=mask)


# G4, guide: one element of a matrix with any strides, a program each.
@triton.jit
def matrix_element_kernel(base_ptr, out_ptr, stride_row, stride_col):
    row = tl.program_id(0)
    col = tl.program_id(1)

    # Accessing a 2D matrix element at [row, col]
    element_ptr = base_ptr + row * stride_row + col * stride_col

    tl.store(out_ptr + row * tl.num_programs(1) + col, tl.load(element_ptr))


# G4, guide: one element of a 3-D tensor with any strides, a program each.
@triton.jit
def tensor_element_kernel(base_ptr, out_ptr, stride_depth, stride_row, stride_col):
    depth = tl.program_id(0)
    row = tl.program_id(1)
    col = tl.program_id(2)

    # Accessing a 3D tensor at [depth, row, col]
    element_ptr = base_ptr + depth * stride_depth + row * stride_row + col * stride_col

    out_idx = (depth * tl.num_programs(1) + row) * tl.num_programs(2) + col
    tl.store(out_ptr + out_idx, tl.load(element_ptr))


# G4, guide: a tile of a matrix that begins anywhere.
@triton.jit
def matrix_tile_kernel(
    base_ptr, out_ptr, M, N, row_start, col_start, stride_row, stride_col,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
):
    # 2D matrix indexing with broadcasting
    row_indices = row_start + tl.arange(0, BLOCK_SIZE_M)[:, None]  # Add dimension for broadcasting
    col_indices = col_start + tl.arange(0, BLOCK_SIZE_N)[None, :]  # Add dimension for broadcasting
    mask = (row_indices < M) & (col_indices < N)

    # Full matrix addressing
    ptrs = base_ptr + row_indices * stride_row + col_indices * stride_col
    elements = tl.load(ptrs, mask=mask)

    out_ptrs = out_ptr + (row_indices - row_start) * BLOCK_SIZE_N + (col_indices - col_start)
    tl.store(out_ptrs, elements, mask=mask)


# G4, guide: a matrix, block by block.
@triton.jit
def block_wise_kernel(
    base_ptr, out_ptr, M, N, stride_row, stride_col,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
):
    block_row_id = tl.program_id(0)
    block_col_id = tl.program_id(1)

    # Block starting position
    block_row_start = block_row_id * BLOCK_SIZE_M
    block_col_start = block_col_id * BLOCK_SIZE_N

    # Element offsets within block
    row_offsets = block_row_start + tl.arange(0, BLOCK_SIZE_M)
    col_offsets = block_col_start + tl.arange(0, BLOCK_SIZE_N)

    # Create 2D grid of pointers (using broadcasting)
    ptrs = base_ptr + row_offsets[:, None] * stride_row + col_offsets[None, :] * stride_col

    mask = (row_offsets[:, None] < M) & (col_offsets[None, :] < N)
    data = tl.load(ptrs, mask=mask)
    tl.store(out_ptr + row_offsets[:, None] * N + col_offsets[None, :], data, mask=mask)


# G4, guide: neighbouring elements.
@triton.jit
def coalesced_kernel(base_ptr, out_ptr, BLOCK_SIZE: tl.constexpr):
    block_start = tl.program_id(0) * BLOCK_SIZE

    # Good: Coalesced access (threads access adjacent memory)
    offsets = tl.arange(0, BLOCK_SIZE)  # Each thread gets consecutive offset
    coalesced_ptr = base_ptr + block_start + offsets
    data = tl.load(coalesced_ptr)

    tl.store(out_ptr + block_start + offsets, data)


# G4, guide: elements far apart.
@triton.jit
def strided_kernel(base_ptr, out_ptr, large_stride, BLOCK_SIZE: tl.constexpr):
    block_start = tl.program_id(0) * BLOCK_SIZE
    offsets = tl.arange(0, BLOCK_SIZE)

    # Bad: Strided access (threads access non-adjacent memory)
    strided_ptr = base_ptr + block_start + offsets * large_stride
    data = tl.load(strided_ptr)  # Poor performance due to non-coalesced access

    tl.store(out_ptr + block_start + offsets, data)


# G7, guide: transpose V1, a row of the output per program, read with strides.
@triton.jit
def transpose_v1(input_ptr, output_ptr, M, N, BLOCK_SIZE: tl.constexpr):
    col = tl.program_id(0)

    for start in range(0, M, BLOCK_SIZE):
        rows = start + tl.arange(0, BLOCK_SIZE)
        mask = rows < M
        data = tl.load(input_ptr + rows * N + col, mask=mask)
        tl.store(output_ptr + col * M + rows, data, mask=mask)


# G7, guide: transpose V2, a row of the input per program: loads are contiguous, stores are not.
@triton.jit
def transpose_v2(input_ptr, output_ptr, M, N, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)

    for start in range(0, N, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        data = tl.load(input_ptr + row * N + cols, mask=mask)
        tl.store(output_ptr + cols * M + row, data, mask=mask)


# G7, guide: transpose V3, a tile per program: loads and stores are contiguous.
@triton.jit
def transpose_v3(input_ptr, output_ptr, M, N, BLOCK_SIZE: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)

    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tile = tl.load(input_ptr + rows[:, None] * N + cols[None, :], mask=mask)

    tl.store(output_ptr + cols[:, None] * M + rows[None, :], tl.trans(tile), mask=tl.trans(mask))


# G7, guide: transpose V4, as V3 through a scratch tile with padded rows, so that neither its rows nor
# its columns fall into one bank. A program keeps its scratch tile and handles every
# num_programs-th tile.
@triton.jit
def transpose_v4(
    input_ptr, output_ptr, scratch_ptr, M, N,
    BLOCK_SIZE: tl.constexpr, PAD: tl.constexpr,
):
    pid = tl.program_id(0)
    row_offs = tl.arange(0, BLOCK_SIZE)[:, None]
    col_offs = tl.arange(0, BLOCK_SIZE)[None, :]

    # Each row has BLOCK_SIZE + PAD elements
    pitch = BLOCK_SIZE + PAD
    tile_ptr = scratch_ptr + pid * BLOCK_SIZE * pitch

    tiles_n = tl.cdiv(N, BLOCK_SIZE)
    for tile in range(pid, tl.cdiv(M, BLOCK_SIZE) * tiles_n, tl.num_programs(0)):
        row_start = tile // tiles_n * BLOCK_SIZE
        col_start = tile % tiles_n * BLOCK_SIZE

        rows = row_start + row_offs
        cols = col_start + col_offs
        data = tl.load(input_ptr + rows * N + cols, mask=(rows < M) & (cols < N), other=0.0)
        tl.store(tile_ptr + row_offs * pitch + col_offs, data)
        tl.debug_barrier()

        # Read the tile by columns, write it by rows
        data = tl.load(tile_ptr + col_offs * pitch + row_offs)
        tl.debug_barrier()
        rows = col_start + row_offs
        cols = row_start + col_offs
        tl.store(output_ptr + rows * M + cols, data, mask=(rows < N) & (cols < M))


# G8, guide: GEMM V1, row-major matrices, addresses computed anew for every step along K.
@triton.jit
def gemm_v1(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    row = (tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M))[:, None]
    col = (tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N))[None, :]

    c = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_SIZE_K):
        k_in_row = (k + tl.arange(0, BLOCK_SIZE_K))[None, :]
        k_in_col = (k + tl.arange(0, BLOCK_SIZE_K))[:, None]
        a = tl.load(a_ptr + row * K + k_in_row, mask=(row < M) & (k_in_row < K), other=0.0)
        b = tl.load(b_ptr + k_in_col * N + col, mask=(k_in_col < K) & (col < N), other=0.0)
        c += tl.dot(a, b, input_precision="ieee")

    tl.store(c_ptr + row * N + col, c, mask=(row < M) & (col < N))


# G8, guide: GEMM V2, any strides, tiles of A and B that move along K.
@triton.jit
def gemm_v2(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    offs_m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    mask_m = offs_m[:, None] < M
    mask_n = offs_n[None, :] < N

    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn

    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        k_left = K - k * BLOCK_SIZE_K
        a = tl.load(a_ptrs, mask=mask_m & (offs_k[None, :] < k_left), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < k_left) & mask_n, other=0.0)
        accumulator = tl.dot(a, b, accumulator, input_precision="ieee")
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk

    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, accumulator, mask=mask_m & mask_n)


# G8, guide: GEMM V3, V2 with double buffering, an unrolled loop and alignment hints.
@triton.jit
def gemm_v3(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
    UNROLL: tl.constexpr,
):
    start_m = tl.multiple_of(tl.program_id(0) * BLOCK_SIZE_M, BLOCK_SIZE_M)
    start_n = tl.multiple_of(tl.program_id(1) * BLOCK_SIZE_N, BLOCK_SIZE_N)
    offs_m = tl.max_contiguous(start_m + tl.arange(0, BLOCK_SIZE_M), BLOCK_SIZE_M)
    offs_n = tl.max_contiguous(start_n + tl.arange(0, BLOCK_SIZE_N), BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    mask_m = offs_m[:, None] < M
    mask_n = offs_n[None, :] < N

    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn

    # Load initial data into first buffer
    a = tl.load(a_ptrs, mask=mask_m & (offs_k[None, :] < K), other=0.0)
    b = tl.load(b_ptrs, mask=(offs_k[:, None] < K) & mask_n, other=0.0)

    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_SIZE_K * UNROLL):
        for step in tl.static_range(1, UNROLL + 1):
            # Load next chunk into second buffer (overlapped with computation)
            a_ptrs += BLOCK_SIZE_K * stride_ak
            b_ptrs += BLOCK_SIZE_K * stride_bk
            k_left = K - k - step * BLOCK_SIZE_K
            a_next = tl.load(a_ptrs, mask=mask_m & (offs_k[None, :] < k_left), other=0.0)
            b_next = tl.load(b_ptrs, mask=(offs_k[:, None] < k_left) & mask_n, other=0.0)

            # Process data in first buffer
            accumulator = tl.dot(a, b, accumulator, input_precision="ieee")

            # Swap buffers
            a, b = a_next, b_next

    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, accumulator, mask=mask_m & mask_n)


# G8, guide: GEMM V4, block sizes tuned for every size of the matrices, blocks in grouped order.
@triton.autotune(
    configs=[
        triton.Config({'BLOCK_SIZE_M': 128, 'BLOCK_SIZE_N': 256, 'BLOCK_SIZE_K': 64, 'GROUP_SIZE_M': 8}),
        triton.Config({'BLOCK_SIZE_M': 64, 'BLOCK_SIZE_N': 256, 'BLOCK_SIZE_K': 32, 'GROUP_SIZE_M': 8}),
        triton.Config({'BLOCK_SIZE_M': 128, 'BLOCK_SIZE_N': 128, 'BLOCK_SIZE_K': 32, 'GROUP_SIZE_M': 8}),
        triton.Config({'BLOCK_SIZE_M': 128, 'BLOCK_SIZE_N': 64, 'BLOCK_SIZE_K': 32, 'GROUP_SIZE_M': 8}),
        triton.Config({'BLOCK_SIZE_M': 64, 'BLOCK_SIZE_N': 128, 'BLOCK_SIZE_K': 32, 'GROUP_SIZE_M': 8}),
    ],
    key=['M', 'N', 'K'],
)
@triton.jit
def gemm_v4(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
):
    # A group is GROUP_SIZE_M rows of blocks, walked column by column; the last may have fewer rows
    pid = tl.program_id(0)
    blocks_m = tl.cdiv(M, BLOCK_SIZE_M)
    blocks_per_group = GROUP_SIZE_M * tl.cdiv(N, BLOCK_SIZE_N)
    first_m = pid // blocks_per_group * GROUP_SIZE_M
    rows_in_group = min(blocks_m - first_m, GROUP_SIZE_M)
    pid_m = first_m + pid % blocks_per_group % rows_in_group
    pid_n = pid % blocks_per_group // rows_in_group

    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    mask_m = offs_m[:, None] < M
    mask_n = offs_n[None, :] < N

    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn

    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_SIZE_K):
        a = tl.load(a_ptrs, mask=mask_m & (offs_k[None, :] < K - k), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < K - k) & mask_n, other=0.0)
        accumulator = tl.dot(a, b, accumulator, input_precision="ieee")
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk

    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, accumulator, mask=mask_m & mask_n)


# G9, guide: SiLU (exercise, completed).
@triton.jit
def silu_kernel(input, output, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    x = tl.load(input + offsets, mask=mask)
    tl.store(output + offsets, x * sigmoid(x), mask=mask)


# G9, guide: RMS normalisation of a vector by one program (exercise, completed).
@triton.jit
def rms_norm_vector_kernel(input, weight, output, cols, epsilon, BLOCK_SIZE: tl.constexpr):
    # 1. Calculate sum of squares
    squares = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for start in range(0, cols, BLOCK_SIZE):
        offsets = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(input + offsets, mask=offsets < cols, other=0.0)
        squares += x * x

    # 2. Calculate RMS (root mean square)
    rms = tl.sqrt(tl.sum(squares, axis=0) / cols + epsilon)

    # 3. Normalize and scale by weight
    for start in range(0, cols, BLOCK_SIZE):
        offsets = start + tl.arange(0, BLOCK_SIZE)
        mask = offsets < cols
        x = tl.load(input + offsets, mask=mask)
        w = tl.load(weight + offsets, mask=mask)
        tl.store(output + offsets, x / rms * w, mask=mask)


# G9, guide: RMS normalisation of a matrix's rows (exercise, completed).
@triton.jit
def rms_norm_matrix_kernel(input, weight, output, rows, cols, epsilon, BLOCK_SIZE: tl.constexpr):
    # Process each row independently
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = (row < rows) & (offsets < cols)
    x = tl.load(input + row * cols + offsets, mask=mask, other=0.0)
    w = tl.load(weight + offsets, mask=mask)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / cols + epsilon)
    tl.store(output + row * cols + offsets, x * scale * w, mask=mask)


# G9, guide: copy of a matrix's first column (exercise, completed).
@triton.jit
def copy_first_column(h_A, d_A, rows, cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = row < rows
    tl.store(d_A + row, tl.load(h_A + row * cols, mask=mask), mask=mask)
