# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Correct kernels over block pointers and tensor descriptors.
import triton
import triton.language as tl


# run: grid=3 x=rand:f32[70] out=empty:f32[70] n=70 B=32
@triton.jit
def blocks_checked(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B
    source = tl.make_block_ptr(x, (n,), (1,), (at,), (B,), (0,))
    target = tl.make_block_ptr(out, (n,), (1,), (at,), (B,), (0,))
    tl.store(target, tl.load(source, boundary_check=(0,)), boundary_check=(0,))


# run: grid=1 x=rand:f32[60,64] out=empty:f32[64] m=60 n=64 B=16
@triton.jit
def blocks_padded(x, out, m, n, B: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (0, 0), (B, 64), (1, 0))
    acc = tl.zeros((64,), dtype=tl.float32)
    for i in range(0, tl.cdiv(m, B)):
        acc += tl.sum(tl.load(source, boundary_check=(0, 1), padding_option="zero"), axis=0)
        source = tl.advance(source, (B, 0))
    tl.store(out + tl.arange(0, 64), acc)


# run: grid=(2,2) a=rand:f16[50,40] b=rand:f16[40,60] c=empty:f32[50,60] M=50 N=60 K=40 B=32
@triton.jit
def matmul_of_blocks(a, b, c, M, N, K, B: tl.constexpr):
    i = tl.program_id(0) * B
    j = tl.program_id(1) * B
    x = tl.make_block_ptr(a, (M, K), (K, 1), (i, 0), (B, B), (1, 0))
    y = tl.make_block_ptr(b, (K, N), (N, 1), (0, j), (B, B), (1, 0))
    acc = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, K, B):
        acc += tl.dot(tl.load(x, boundary_check=(0, 1), padding_option="zero"),
                      tl.load(y, boundary_check=(0, 1), padding_option="zero"))
        x = tl.advance(x, (0, B))
        y = tl.advance(y, (B, 0))
    target = tl.make_block_ptr(c, (M, N), (N, 1), (i, j), (B, B), (1, 0))
    tl.store(target, acc, boundary_check=(0, 1))


# run: grid=2 x=rand:f32[60,64] out=empty:f32[60,64] m=60 n=64 B=32
@triton.jit
def descriptors(x, out, m, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 64])
    target = tl.make_tensor_descriptor(out, shape=[m, n], strides=[n, 1], block_shape=[B, 64])
    at = tl.program_id(0) * B
    target.store([at, 0], source.load([at, 0]) + 1)


# run: grid=4 x=rand:f32[60,64] out=zeros:f32[1,64] m=60 n=64
@triton.jit
def descriptor_that_adds(x, out, m, n):
    source = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[16, 64])
    target = tl.make_tensor_descriptor(out, shape=[1, n], strides=[n, 1], block_shape=[1, 64])
    part = tl.sum(source.load([tl.program_id(0) * 16, 0]), axis=0)
    target.atomic_add([0, 0], part[None, :])


# run: grid=2 x=rand:f32[64,64] out=empty:f32[64,64] n=64 B=32
@triton.jit
def transposed_block(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B
    source = tl.make_block_ptr(x, (n, n), (n, 1), (at, 0), (B, 64), (1, 0))
    target = tl.make_block_ptr(out, (n, n), (1, n), (at, 0), (B, 64), (0, 1))
    tl.store(target, tl.load(source))
