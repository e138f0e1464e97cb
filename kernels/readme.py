# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of the readme "Triton Kernels - Python-Based GPU Programming".
import triton
import triton.language as tl


# R1, readme: a + b.
@triton.jit
def vector_add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # Calculate which block of data this program instance handles
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)

    # Bounds checking
    mask = offsets < n_elements

    # Load blocks of data
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)

    # Compute
    output = x + y

    # Store result
    tl.store(output_ptr + offsets, output, mask=mask)


# R2, readme: matrix product (completed with BLOCK_SIZE_N, the offsets and the masks).
@triton.jit
def matrix_mul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
                      BLOCK_SIZE_N: tl.constexpr):
    # Program ID determines which output block to compute
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)

    # Rows and columns of this block, and its masks
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask_m = offs_m[:, None] < M
    mask_n = offs_n[None, :] < N

    # Shared memory allocation (automatic in Triton)
    # Triton manages shared memory usage based on block operations

    # Compute matrix multiplication block by block
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)

    for k in range(0, K, BLOCK_SIZE_K):
        offs_k = k + tl.arange(0, BLOCK_SIZE_K)
        offsets_a = offs_m[:, None] * K + offs_k[None, :]
        offsets_b = offs_k[:, None] * N + offs_n[None, :]

        # Load blocks into shared memory (implicit)
        a = tl.load(a_ptr + offsets_a, mask=mask_m & (offs_k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + offsets_b, mask=(offs_k[:, None] < K) & mask_n, other=0.0)

        # Compute partial matrix multiplication
        accumulator += tl.dot(a, b)

    # Write result
    offsets_c = offs_m[:, None] * N + offs_n[None, :]
    tl.store(c_ptr + offsets_c, accumulator, mask=mask_m & mask_n)


# R3, readme: layer normalisation of each row; a row must fill BLOCK_SIZE.
@triton.jit
def layer_norm_kernel(input_ptr, weight_ptr, bias_ptr, output_ptr,
                      mean_ptr, rstd_ptr, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    """
    Educational implementation of fused layer normalization.

    Mathematical Operation:
    output = (input - mean) / sqrt(variance + eps) * weight + bias

    Key Learning Concepts:
    - Reduction operations (mean, variance calculation)
    - Broadcasting patterns
    - Numerical stability considerations
    """
    # Row index (each row is normalized independently)
    row_idx = tl.program_id(0)

    # Load entire row for reduction operations
    row_start = row_idx * stride
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < N

    # Load input data
    x = tl.load(input_ptr + row_start + offsets, mask=mask, other=0.0)

    # Compute statistics (key GPU programming concept: reductions)
    mean = tl.sum(x, axis=0) / N
    centered = x - mean
    variance = tl.sum(centered * centered, axis=0) / N
    rstd = 1.0 / tl.sqrt(variance + eps)

    # Store statistics for backward pass
    tl.store(mean_ptr + row_idx, mean)
    tl.store(rstd_ptr + row_idx, rstd)

    # Load normalization parameters
    weight = tl.load(weight_ptr + offsets, mask=mask)
    bias = tl.load(bias_ptr + offsets, mask=mask)

    # Apply normalization and affine transformation
    normalized = centered * rstd
    output = normalized * weight + bias

    # Store result
    tl.store(output_ptr + row_start + offsets, output, mask=mask)


# R5, readme: valid convolution of square images with several channels.
@triton.jit
def conv2d_kernel(input_ptr, weight_ptr, output_ptr,
                  batch_size, in_channels, out_channels,
                  input_height, input_width, kernel_size,
                  BLOCK_SIZE: tl.constexpr):
    """
    Educational 2D convolution implementation.

    Demonstrates:
    - Spatial computation patterns
    - Input-output mapping for convolutions
    - Memory access optimization for image data
    - Filter application across spatial dimensions
    """
    # Program IDs for output position
    batch_idx = tl.program_id(0)
    out_ch_block = tl.program_id(1)
    spatial_block = tl.program_id(2)

    # Calculate spatial coordinates
    output_size = input_height - kernel_size + 1
    out_h = spatial_block // output_size
    out_w = spatial_block % output_size

    # Load filter weights for this output channel block
    out_ch_start = out_ch_block * BLOCK_SIZE
    out_ch_offsets = out_ch_start + tl.arange(0, BLOCK_SIZE)

    # Initialize output accumulator
    output_val = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)

    # Convolution computation: slide filter over input
    for ic in range(in_channels):
        for kh in range(kernel_size):
            for kw in range(kernel_size):
                # Input coordinates
                in_h = out_h + kh
                in_w = out_w + kw

                # Load input value
                input_offset = (batch_idx * in_channels * input_height * input_width +
                               ic * input_height * input_width +
                               in_h * input_width + in_w)
                input_val = tl.load(input_ptr + input_offset)

                # Load corresponding weights
                weight_offset = (out_ch_offsets * in_channels * kernel_size * kernel_size +
                                ic * kernel_size * kernel_size +
                                kh * kernel_size + kw)
                weight_vals = tl.load(weight_ptr + weight_offset)

                # Accumulate convolution result
                output_val += input_val * weight_vals

    # Store result
    output_offset = (batch_idx * out_channels * output_size * output_size +
                    out_ch_offsets * output_size * output_size +
                    out_h * output_size + out_w)
    tl.store(output_ptr + output_offset, output_val)


# R6, readme: matrix product whose blocks are tuned for each size (completed; its output blocks are square).
@triton.autotune(
    configs=[
        triton.Config({'BLOCK_SIZE_M': 128, 'BLOCK_SIZE_K': 32}, num_stages=2),
        triton.Config({'BLOCK_SIZE_M': 64, 'BLOCK_SIZE_K': 64}, num_stages=3),
        triton.Config({'BLOCK_SIZE_M': 32, 'BLOCK_SIZE_K': 128}, num_stages=4),
    ],
    key=['M', 'N', 'K'],
)
@triton.jit
def auto_tuned_kernel(a_ptr, b_ptr, c_ptr, M, N, K,
                      BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_K: tl.constexpr):
    """
    Auto-tuned kernel that automatically selects optimal block sizes
    based on input dimensions and hardware characteristics.
    """
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offs_m[:, None] < M
    mask_n = offs_n[None, :] < N

    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_M), dtype=tl.float32)
    for k in range(0, K, BLOCK_SIZE_K):
        offs_k = k + tl.arange(0, BLOCK_SIZE_K)
        a = tl.load(a_ptr + offs_m[:, None] * K + offs_k[None, :], mask=mask_m & (offs_k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + offs_k[:, None] * N + offs_n[None, :], mask=(offs_k[:, None] < K) & mask_n, other=0.0)
        accumulator += tl.dot(a, b)

    tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], accumulator, mask=mask_m & mask_n)


# R7, readme: 2 * x.
@triton.jit
def memory_efficient_kernel(input_ptr, output_ptr, M, N, BLOCK_SIZE: tl.constexpr):
    """
    Demonstrates memory coalescing for optimal bandwidth utilization.
    """
    # Good: Sequential memory access (coalesced)
    block_id = tl.program_id(0)
    offsets = block_id * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    data = tl.load(input_ptr + offsets)  # Efficient: consecutive addresses

    # Process data
    result = data * 2.0

    # Good: Sequential write (coalesced)
    tl.store(output_ptr + offsets, result)


# R8, readme: x + sum(x).
@triton.jit
def shared_memory_demo(input_ptr, output_ptr, BLOCK_SIZE: tl.constexpr):
    """
    Educational example of shared memory usage patterns.
    Note: Triton automatically manages shared memory allocation.
    """
    # Triton automatically uses shared memory for:
    # 1. Block-level operations
    # 2. Temporary computation results
    # 3. Data reuse across program instances

    # Load data (automatically cached in shared memory if beneficial)
    data = tl.load(input_ptr + tl.arange(0, BLOCK_SIZE))

    # Operations that benefit from shared memory
    # (Triton compiler automatically optimizes these)
    sum_val = tl.sum(data)  # Reduction uses shared memory
    broadcast_sum = sum_val * tl.ones_like(data)  # Broadcasting

    result = data + broadcast_sum
    tl.store(output_ptr + tl.arange(0, BLOCK_SIZE), result)
