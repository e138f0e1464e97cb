# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of the notebook "Programming on GPUs".
import triton
import triton.language as tl


# N1, notebook: a + b.
@triton.jit
def zip_guard_triton(a_ptr, b_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    # Triton uses program_id (block index) instead of explicit blockIdx/threadIdx
    # Each "program" processes BLOCK_SIZE elements at once (vectorized)
    pid = tl.program_id(0)
    
    # Triton computes offsets for a *vector* of BLOCK_SIZE elements
    # Unlike Numba where each thread processes 1 element,
    # Triton processes multiple elements per program instance
    offset = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    
    # Triton uses mask-based guards for vectorized operations
    # instead of scalar if-statements (if i < size)
    mask = offset < n
    
    # Vectorized load: loads BLOCK_SIZE elements at once with mask
    # Numba loads scalar: a[i]
    a = tl.load(a_ptr + offset, mask=mask)
    b = tl.load(b_ptr + offset, mask=mask)
    
    # Vectorized computation (same as Numba but on vectors)
    c = a + b
    
    # Vectorized store with mask (vs. scalar store in Numba)
    tl.store(out_ptr + offset, c, mask=mask)


# N2, notebook: dot product.
@triton.jit
def dot_kernel(
    a_ptr,      # Pointer to first input vector
    b_ptr,      # Pointer to second input vector  
    out_ptr,    # Pointer to output scalar
    size,       # Size of vectors
    BLOCK_SIZE: tl.constexpr,  # Elements per program
):
    # Program ID (analogous to blockIdx.x)
    pid = tl.program_id(0)
    
    # Compute offsets for this program's block
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    
    # Mask for boundary handling
    mask = offsets < size
    
    # Load data 
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    
    # Element-wise multiplication
    products = a * b
    
    # Reduce sum within this block (automatic parallel reduction!)
    block_sum = tl.sum(products)
    
    # Atomic add to output (single thread per block does this)
    tl.atomic_add(out_ptr, block_sum)


# N3, notebook: softmax of each row (exercise, completed).
@triton.jit
def triton_softmax_kernel(x_ptr, y_ptr, x_row_stride, y_row_stride, num_cols, BLOCK_SIZE: tl.constexpr):
    assert num_cols <= BLOCK_SIZE
    # Process each row independently
    row_idx = tl.program_id(0)
    row_start_ptr = x_ptr + row_idx * x_row_stride
    col_offsets = tl.arange(0, BLOCK_SIZE)

    # BLOCK_SIZE may exceed the row: -inf neither wins the maximum nor adds to the sum
    mask = col_offsets < num_cols
    row = tl.load(row_start_ptr + col_offsets, mask=mask, other=-float('inf'))

    # Subtract the maximum, so that exp does not overflow
    row_minus_max = row - tl.max(row, axis=0)
    numerator = tl.exp(row_minus_max)
    denominator = tl.sum(numerator, axis=0)
    softmax_output = numerator / denominator

    y_row_start_ptr = y_ptr + row_idx * y_row_stride
    tl.store(y_row_start_ptr + col_offsets, softmax_output, mask=mask)


# N4, notebook: weighted sum of each row, through block pointers.
@triton.jit
def weighted_sum_fwd(
    x_ptr, weight_ptr,  # Input pointers
    output_ptr,  # Output pointer
    x_stride_row, x_stride_dim,  # Strides tell us how to move one element in each axis of a tensor
    weight_stride_dim,  # Likely 1
    output_stride_row,  # Likely 1
    ROWS, D,
    ROWS_TILE_SIZE: tl.constexpr, D_TILE_SIZE: tl.constexpr,  # Tile shapes must be known at compile time
):
    # Each instance will compute the weighted sum of a tile of rows of x.
    # `tl.program_id` gives us a way to check which thread block we're running in
    row_tile_idx = tl.program_id(0)
    
    # Block pointers give us a way to select from an ND region of memory
    # and move our selection around.
    # The block pointer must know:
    # - The pointer to the first element of the tensor
    # - The overall shape of the tensor to handle out-of-bounds access
    # - The strides of each dimension to use the memory layout properly
    # - The ND coordinates of the starting block, i.e., "offsets"
    # - The block shape to use load/store at a time
    # - The order of the dimensions in memory from major to minor
    # axes (= np.argsort(strides)) for optimizations, especially useful on H100
    
    x_block_ptr = tl.make_block_ptr(
        x_ptr,
        shape=(ROWS, D),
        strides=(x_stride_row, x_stride_dim),
        offsets=(row_tile_idx * ROWS_TILE_SIZE, 0),
        block_shape=(ROWS_TILE_SIZE, D_TILE_SIZE),
        order=(1, 0),
    )
    
    weight_block_ptr = tl.make_block_ptr(
        weight_ptr,
        shape=(D,),
        strides=(weight_stride_dim,),
        offsets=(0,),
        block_shape=(D_TILE_SIZE,),
        order=(0,),
    )
    
    output_block_ptr = tl.make_block_ptr(
        output_ptr,
        shape=(ROWS,),
        strides=(output_stride_row,),
        offsets=(row_tile_idx * ROWS_TILE_SIZE,),
        block_shape=(ROWS_TILE_SIZE,),
        order=(0,),
    )
    
    # Initialize a buffer to write to
    output = tl.zeros((ROWS_TILE_SIZE,), dtype=tl.float32)
    
    for i in range(tl.cdiv(D, D_TILE_SIZE)):
        # Load the current block pointer
        # Since ROWS_TILE_SIZE might not divide ROWS, and D_TILE_SIZE might not divide D,
        # we need boundary checks for both dimensions
        row = tl.load(x_block_ptr, boundary_check=(0, 1), padding_option="zero")  # (ROWS_TILE_SIZE, D_TILE_SIZE)
        weight = tl.load(weight_block_ptr, boundary_check=(0,), padding_option="zero")  # (D_TILE_SIZE,)
        
        # Compute the weighted sum of the row.
        output += tl.sum(row * weight[None, :], axis=1)
        
        # Move the pointers to the next tile.
        # These are (rows, columns) coordinate deltas
        x_block_ptr = x_block_ptr.advance((0, D_TILE_SIZE))  # Move by D_TILE_SIZE in the last dimension
        weight_block_ptr = weight_block_ptr.advance((D_TILE_SIZE,))  # Move by D_TILE_SIZE
    
    # Write output to the output block pointer (a single scalar per row).
    # Since ROWS_TILE_SIZE might not divide ROWS, we need boundary checks
    tl.store(output_block_ptr, output, boundary_check=(0,))


# N5, notebook: the backward pass of N4 (exercise, completed).
@triton.jit
def weighted_sum_bwd(
    x_ptr, weight_ptr,  # What the forward pass read
    grad_output_ptr,  # Gradient with respect to the forward pass's output
    grad_x_ptr, grad_weight_ptr,  # Gradients with respect to its inputs
    x_stride_row, x_stride_dim,
    weight_stride_dim,
    grad_output_stride_row,
    grad_x_stride_row, grad_x_stride_dim,
    grad_weight_stride_dim,
    ROWS, D,
    ROWS_TILE_SIZE: tl.constexpr, D_TILE_SIZE: tl.constexpr,
):
    # Each instance owns a tile of columns and walks down all rows. So it alone sums its part of
    # grad_weight: no atomics, no partial sums to add up later, and the same result every time.
    d_tile_idx = tl.program_id(0)
    x_block_ptr = tl.make_block_ptr(
        x_ptr,
        shape=(ROWS, D),
        strides=(x_stride_row, x_stride_dim),
        offsets=(0, d_tile_idx * D_TILE_SIZE),
        block_shape=(ROWS_TILE_SIZE, D_TILE_SIZE),
        order=(1, 0),
    )

    weight_block_ptr = tl.make_block_ptr(
        weight_ptr,
        shape=(D,),
        strides=(weight_stride_dim,),
        offsets=(d_tile_idx * D_TILE_SIZE,),
        block_shape=(D_TILE_SIZE,),
        order=(0,),
    )

    grad_output_block_ptr = tl.make_block_ptr(
        grad_output_ptr,
        shape=(ROWS,),
        strides=(grad_output_stride_row,),
        offsets=(0,),
        block_shape=(ROWS_TILE_SIZE,),
        order=(0,),
    )

    grad_x_block_ptr = tl.make_block_ptr(
        grad_x_ptr,
        shape=(ROWS, D),
        strides=(grad_x_stride_row, grad_x_stride_dim),
        offsets=(0, d_tile_idx * D_TILE_SIZE),
        block_shape=(ROWS_TILE_SIZE, D_TILE_SIZE),
        order=(1, 0),
    )

    grad_weight_block_ptr = tl.make_block_ptr(
        grad_weight_ptr,
        shape=(D,),
        strides=(grad_weight_stride_dim,),
        offsets=(d_tile_idx * D_TILE_SIZE,),
        block_shape=(D_TILE_SIZE,),
        order=(0,),
    )

    weight = tl.load(weight_block_ptr, boundary_check=(0,), padding_option="zero")  # (D_TILE_SIZE,)
    grad_weight = tl.zeros((D_TILE_SIZE,), dtype=tl.float32)

    for i in range(tl.cdiv(ROWS, ROWS_TILE_SIZE)):
        grad_output = tl.load(grad_output_block_ptr, boundary_check=(0,), padding_option="zero")  # (ROWS_TILE_SIZE,)
        row = tl.load(x_block_ptr, boundary_check=(0, 1), padding_option="zero")  # (ROWS_TILE_SIZE, D_TILE_SIZE)

        # d/dw (w^T x) = x, summed over the rows
        grad_weight += tl.sum(row * grad_output[:, None], axis=0)

        # d/dx (w^T x) = w
        grad_x = grad_output[:, None] * weight[None, :]
        tl.store(grad_x_block_ptr, grad_x, boundary_check=(0, 1))

        # Move the pointers to the next tile of rows.
        x_block_ptr = x_block_ptr.advance((ROWS_TILE_SIZE, 0))
        grad_output_block_ptr = grad_output_block_ptr.advance((ROWS_TILE_SIZE,))
        grad_x_block_ptr = grad_x_block_ptr.advance((ROWS_TILE_SIZE, 0))

    tl.store(grad_weight_block_ptr, grad_weight, boundary_check=(0,))
