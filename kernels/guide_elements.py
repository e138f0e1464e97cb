# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of the guide "Programming GPUs with Triton" that look at single elements of tiles, or hand
# tiles on from one turn of a loop to the next.
import triton
import triton.language as tl


# G2, guide: valid convolution of one channel.
@triton.jit
def conv2d_kernel(
    input_ptr, filter_ptr, output_ptr,
    input_h, input_w, filter_h, filter_w, output_h, output_w,
    stride_ih, stride_iw, stride_oh, stride_ow,
    BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr
):
    # Get program ID for output block
    pid_h = tl.program_id(0)
    pid_w = tl.program_id(1)

    # Calculate starting positions in output
    h_start = pid_h * BLOCK_SIZE_H
    w_start = pid_w * BLOCK_SIZE_W

    # Create offsets for output dimensions
    offs_h = h_start + tl.arange(0, BLOCK_SIZE_H)
    offs_w = w_start + tl.arange(0, BLOCK_SIZE_W)

    # Create masks for bounds checking
    mask_h = offs_h < output_h
    mask_w = offs_w < output_w

    # For each pixel in the output block
    for h in range(BLOCK_SIZE_H):
        for w in range(BLOCK_SIZE_W):
            if h + h_start >= output_h or w + w_start >= output_w:
                continue

            # Initialize accumulator for this output pixel
            acc = tl.zeros((1, 1), dtype=tl.float32)

            # Apply the filter by processing input tiles
            for fh in range(filter_h):
                for fw in range(filter_w):
                    # Calculate input coordinates
                    ih = h + h_start + fh
                    iw = w + w_start + fw

                    # Boundary check
                    if ih < input_h and iw < input_w:
                        # Load input and filter values
                        input_val = tl.load(input_ptr + ih * stride_ih + iw * stride_iw)
                        filter_val = tl.load(filter_ptr + fh * filter_w + fw)

                        # Accumulate weighted value
                        acc += input_val * filter_val

            # Store result for this output pixel
            out_pos = (h + h_start) * stride_oh + (w + w_start) * stride_ow
            tl.store(output_ptr + out_pos, acc)


# G3, guide: max pooling.
@triton.jit
def pooling_kernel(
    input_ptr, output_ptr,
    input_h, input_w, output_h, output_w,
    window_h, window_w, stride,
    BLOCK_SIZE: tl.constexpr
):
    # Process output in tiles
    pid = tl.program_id(0)

    # Number of elements per block
    n_elements = BLOCK_SIZE

    # Starting output index for this block
    start_idx = pid * n_elements

    # Offset within the block
    offsets = start_idx + tl.arange(0, n_elements)

    # Calculate 2D positions from linear index
    out_h = offsets // output_w
    out_w = offsets % output_w

    # Mask for valid outputs
    mask = (out_h < output_h) & (out_w < output_w)

    # Initialize output values
    results = tl.zeros((n_elements,), dtype=tl.float32)

    # For each output element in our block
    for i in range(n_elements):
        if not mask[i]:
            continue

        # Calculate input window top-left corner
        in_h_start = out_h[i] * stride
        in_w_start = out_w[i] * stride

        # Initialize for max pooling
        max_val = tl.zeros((1,), dtype=tl.float32) - float('inf')

        # Process the input window in tiles
        for h in range(window_h):
            for w in range(window_w):
                # Calculate input position
                ih = in_h_start + h
                iw = in_w_start + w

                # Boundary check
                if ih < input_h and iw < input_w:
                    # Load input value
                    idx = ih * input_w + iw
                    val = tl.load(input_ptr + idx)

                    # Update max value
                    max_val = tl.maximum(max_val, val)

        # Store result for this output element
        results[i] = max_val

    # Store results for the entire block
    tl.store(output_ptr + offsets, results, mask=mask)


# G5, guide: a copy whose rows are PAD further apart.
@triton.jit
def padded_copy_kernel(input_ptr, shared_mem_ptr, stride_row, stride_col, BLOCK_SIZE: tl.constexpr,
                       PAD: tl.constexpr):
    # Normal loading (row-major, without padding)
    row_offs = tl.arange(0, BLOCK_SIZE)[:, None]
    col_offs = tl.arange(0, BLOCK_SIZE)[None, :]
    global_ptrs = input_ptr + row_offs * stride_row + col_offs * stride_col
    data = tl.load(global_ptrs)

    # Store to shared memory with padding to avoid bank conflicts
    # Each row has BLOCK_SIZE + PAD elements
    for i in range(BLOCK_SIZE):
        for j in range(BLOCK_SIZE):
            sm_idx = i * (BLOCK_SIZE + PAD) + j
            sm_ptr = shared_mem_ptr + sm_idx
            tl.store(sm_ptr, data[i, j])


# G6, guide: what double_buffer_kernel computes; the listing leaves it open.
@triton.jit
def compute(x):
    return x * 0.5 + 1.0


# G6, guide: a map, chunk by chunk, in two buffers; with the last chunk, which the listing leaves out.
@triton.jit
def double_buffer_kernel(ptr_a, ptr_out, n, num_chunks, BLOCK_SIZE: tl.constexpr):
    # Initialize two buffers
    buffer_a = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    buffer_b = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)

    # Load initial data into first buffer
    offsets_prev = tl.program_id(0) * num_chunks * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask_prev = offsets_prev < n
    buffer_a = tl.load(ptr_a + offsets_prev, mask=mask_prev)

    # Process data in chunks
    for i in range(1, num_chunks):
        # Load next chunk into second buffer (overlapped with computation)
        offsets_i = offsets_prev + BLOCK_SIZE
        mask_i = offsets_i < n
        buffer_b = tl.load(ptr_a + offsets_i, mask=mask_i)

        # Process data in first buffer
        result_a = compute(buffer_a)
        tl.store(ptr_out + offsets_prev, result_a, mask=mask_prev)

        # Swap buffers
        buffer_a, buffer_b = buffer_b, buffer_a
        offsets_prev = offsets_i
        mask_prev = mask_i

    tl.store(ptr_out + offsets_prev, compute(buffer_a), mask=mask_prev)
