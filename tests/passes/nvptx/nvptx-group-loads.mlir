// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-group-loads | FileCheck %s

// The second load, and its address, move up to the first.
// CHECK-LABEL: func.func @two
// CHECK: tile.load
// CHECK-NEXT: tile.splat %arg1
// CHECK-NEXT: tile.offset
// CHECK-NEXT: tile.load
// CHECK-NEXT: math.exp
func.func @two(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) -> tensor<1024xf32> attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %f = math.exp %v : tensor<1024xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %w = tile.load %yp : tensor<1024x!tile.ptr<f32>>
  %s = arith.addf %f, %w : tensor<1024xf32>
  return %s : tensor<1024xf32>
}

// Not what is loaded, if arrays are apart.
// CHECK-LABEL: func.func @storeElsewhere
// CHECK: tile.load
// CHECK: tile.load
// CHECK: math.exp
// CHECK: tile.store
func.func @storeElsewhere(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) -> tensor<1024xf32> attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %f = math.exp %v : tensor<1024xf32>
  tile.store %xp, %f : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %w = tile.load %yp : tensor<1024x!tile.ptr<f32>>
  return %w : tensor<1024xf32>
}

// What is stored in between may be what is loaded.
// CHECK-LABEL: func.func @store
// CHECK: tile.load
// CHECK: tile.store
// CHECK: tile.load
func.func @store(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) -> tensor<1024xf32> attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %f = math.exp %v : tensor<1024xf32>
  tile.store %xp, %f : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %w = tile.load %yp : tensor<1024x!tile.ptr<f32>>
  return %w : tensor<1024xf32>
}

// Two tiles of 32 registers a thread would be more than 48.
// CHECK-LABEL: func.func @wide
// CHECK: tile.load
// CHECK-NEXT: math.exp
// CHECK: tile.load
func.func @wide(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) -> tensor<4096xf32> attributes {tile.kernel} {
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %v = tile.load %xp : tensor<4096x!tile.ptr<f32>>
  %f = math.exp %v : tensor<4096xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %w = tile.load %yp : tensor<4096x!tile.ptr<f32>>
  %s = arith.addf %f, %w : tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// Sums are stored behind their product, past the next one; past a load, which may read them, they are not.
// CHECK-LABEL: func.func @sums
// CHECK: tile.dot
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.dot
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.dot
// CHECK: tile.store
// CHECK: tile.store
func.func @sums(%p: tensor<16x16x!tile.ptr<f16>>, %a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %s: tensor<16x16xf32>)
    attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %s precision tf32 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = tile.dot %b, %a, %s precision tf32 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %h0 = arith.truncf %0 : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %p, %h0 : tensor<16x16x!tile.ptr<f16>>
  %v = tile.load %p : tensor<16x16x!tile.ptr<f16>>
  %2 = tile.dot %v, %a, %s precision tf32 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %h1 = arith.truncf %1 : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %p, %h1 : tensor<16x16x!tile.ptr<f16>>
  %h2 = arith.truncf %2 : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %p, %h2 : tensor<16x16x!tile.ptr<f16>>
  return
}
