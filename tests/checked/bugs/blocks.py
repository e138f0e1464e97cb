# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Block pointers and tensor descriptors.
import triton
import triton.language as tl


# run: grid=3 x=rand:f32[70] out=zeros:f32[70] n=70 B=32
@triton.jit
def block_without_boundary_check(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B
    source = tl.make_block_ptr(x, (n,), (1,), (at,), (B,), (0,))
    target = tl.make_block_ptr(out, (n,), (1,), (at,), (B,), (0,))
    v = tl.load(source)  # BUG out_of_bounds
    tl.store(target, v, boundary_check=(0,))


# run: grid=3 x=rand:f32[60,64] out=zeros:f32[60,64] m=60 n=64 B=32
@triton.jit
def block_checked_along_the_wrong_dimension(x, out, m, n, B: tl.constexpr):
    at = tl.program_id(0) % 2 * B
    source = tl.make_block_ptr(x, (m, n), (n, 1), (at, 0), (B, 64), (1, 0))
    target = tl.make_block_ptr(out, (m, n), (n, 1), (at, 0), (B, 64), (1, 0))
    if tl.program_id(0) < 2:
        v = tl.load(source, boundary_check=(1,))  # BUG out_of_bounds
        tl.store(target, v, boundary_check=(0, 1))


# run: grid=1 x=rand:f32[64,64] out=zeros:f32[64] n=64 B=16
@triton.jit
def block_advanced_once_too_often(x, out, n, B: tl.constexpr):
    source = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (B, 64), (1, 0))
    acc = tl.zeros((64,), dtype=tl.float32)
    for i in range(0, 5):
        acc += tl.sum(tl.load(source), axis=0)  # BUG out_of_bounds
        source = tl.advance(source, (B, 0))
    tl.store(out + tl.arange(0, 64), acc)


# run: grid=2 x=rand:f32[40] out=zeros:f32[64] n=40 B=32
@triton.jit
def block_summed_without_padding(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B
    source = tl.make_block_ptr(x, (n,), (1,), (at,), (B,), (0,))
    v = tl.load(source, boundary_check=(0,))  # BUG undefined_value
    tl.store(out + at + tl.arange(0, B), v - tl.sum(v, axis=0))


# run: grid=2 x=rand:f32[48,64] out=zeros:f32[64,64] m=64 n=64 B=32
@triton.jit
def descriptor_taller_than_its_array(x, out, m, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 64])
    target = tl.make_tensor_descriptor(out, shape=[m, n], strides=[n, 1], block_shape=[B, 64])
    at = tl.program_id(0) * B
    v = source.load([at, 0])  # BUG out_of_bounds
    target.store([at, 0], v)


# run: grid=2 x=rand:f32[64,64] out=zeros:f32[32,64] m=64 n=64 B=32
@triton.jit
def descriptor_stores_beyond(x, out, m, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[m, n], strides=[n, 1], block_shape=[B, 64])
    target = tl.make_tensor_descriptor(out, shape=[m, n], strides=[n, 1], block_shape=[B, 64])
    at = tl.program_id(0) * B
    target.store([at, 0], source.load([at, 0]))  # BUG out_of_bounds
