# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The readme's attention, as printed: head_dim is an ordinary argument and the size of tiles all the same.
# Its offsets of keys and values multiply the number of a row by BLOCK_SIZE once more, so that it is right
# where one block holds the whole sequence.
import triton
import triton.language as tl


# R4, readme: attention.
@triton.jit
def educational_flash_attention_kernel(q_ptr, k_ptr, v_ptr, output_ptr,
                                       seq_len, head_dim, scale,
                                       BLOCK_SIZE: tl.constexpr):
    """
    Educational Flash Attention implementation.

    Demonstrates:
    - Block-wise attention computation
    - Online softmax algorithm
    - Memory-efficient attention patterns
    - GPU memory hierarchy optimization
    """
    # Which attention head and sequence position
    head_idx = tl.program_id(0)
    seq_block = tl.program_id(1)

    # Query block for this program
    q_offset = head_idx * seq_len * head_dim + seq_block * BLOCK_SIZE * head_dim
    q = tl.load(q_ptr + q_offset + tl.arange(0, BLOCK_SIZE)[:, None] * head_dim +
                tl.arange(0, head_dim)[None, :])

    # Initialize attention accumulator
    output_acc = tl.zeros((BLOCK_SIZE, head_dim), dtype=tl.float32)
    max_score = tl.zeros((BLOCK_SIZE,), dtype=tl.float32) - float('inf')
    sum_exp = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)

    # Iterate through key/value blocks (online softmax)
    for k_block in range(0, seq_len, BLOCK_SIZE):
        # Load key and value blocks
        k_offset = head_idx * seq_len * head_dim + k_block * BLOCK_SIZE * head_dim
        k = tl.load(k_ptr + k_offset + tl.arange(0, BLOCK_SIZE)[:, None] * head_dim +
                    tl.arange(0, head_dim)[None, :])

        v = tl.load(v_ptr + k_offset + tl.arange(0, BLOCK_SIZE)[:, None] * head_dim +
                    tl.arange(0, head_dim)[None, :])

        # Compute attention scores for this block
        scores = tl.dot(q, tl.trans(k)) * scale

        # Online softmax update (numerically stable)
        new_max = tl.maximum(max_score, tl.max(scores, axis=1))
        old_scale = tl.exp(max_score - new_max)
        new_scale = tl.exp(tl.max(scores, axis=1) - new_max)

        # Update attention weights and output accumulator
        weights = tl.exp(scores - new_max[:, None])

        # Scale previous accumulator and add new contribution
        output_acc = output_acc * old_scale[:, None]
        output_acc += tl.dot(weights, v)

        # Update normalizers
        sum_exp = sum_exp * old_scale + tl.sum(weights, axis=1)
        max_score = new_max

    # Final normalization
    output = output_acc / sum_exp[:, None]

    # Store result
    output_offset = head_idx * seq_len * head_dim + seq_block * BLOCK_SIZE * head_dim
    tl.store(output_ptr + output_offset + tl.arange(0, BLOCK_SIZE)[:, None] * head_dim +
             tl.arange(0, head_dim)[None, :], output)


# R4, readme: the same with head_dim marked.
@triton.jit
def attention_of_known_size_kernel(q_ptr, k_ptr, v_ptr, output_ptr,
                                   seq_len, head_dim: tl.constexpr, scale,
                                   BLOCK_SIZE: tl.constexpr):
    educational_flash_attention_kernel(q_ptr, k_ptr, v_ptr, output_ptr, seq_len, head_dim, scale, BLOCK_SIZE)
