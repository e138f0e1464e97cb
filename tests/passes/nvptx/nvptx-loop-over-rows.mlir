// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-loop-over-rows | FileCheck %s

// Sums of 256 registers a thread: half of the rows after the other half, each with its own loop over
// the depth. The right factor is loaded whole in both.
// CHECK-LABEL: func.func @tall
// CHECK: %[[HALF:.*]] = arith.constant 64 : i32
// CHECK: scf.for {{.*}} step %[[HALF]]
// CHECK: %[[SUMS:.*]] = scf.for {{.*}} -> (tensor<64x256xf32>)
// CHECK: tile.dot {{.*}} : tensor<64x32xf16>, tensor<32x256xf16> -> tensor<64x256xf32>
// CHECK: tile.store %{{.*}}, %[[SUMS]] : tensor<64x256x!tile.ptr<f32>>
// CHECK-NOT: tensor<128x256xf32>
func.func @tall(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %rows = tile.range 0 to 128 : tensor<128xi32>
  %down = tile.expand_dims %rows axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %left = tile.broadcast %down : tensor<128x1xi32> -> tensor<128x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
  %ap = tile.offset %as, %left : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
  %bp = tile.splat %b : !tile.ptr<f16> -> tensor<32x256x!tile.ptr<f16>>
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<128x256xf32>) : i32 {
    %x = tile.load %ap : tensor<128x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x256x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision tf32 : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %wide = tile.broadcast %down : tensor<128x1xi32> -> tensor<128x256xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>>
  %cp = tile.offset %cs, %wide : tensor<128x256x!tile.ptr<f32>>, tensor<128x256xi32>
  tile.store %cp, %sums : tensor<128x256x!tile.ptr<f32>>
  return
}

// 128 registers fit.
// CHECK-LABEL: func.func @fits
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @fits(%a: tensor<64x32xf16>, %b: tensor<32x256xf16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x256xf32>
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x256xf32>) : i32 {
    %d = tile.dot %a, %b, %acc precision tf32 : tensor<64x32xf16>, tensor<32x256xf16> -> tensor<64x256xf32>
    scf.yield %d : tensor<64x256xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x256x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<64x256x!tile.ptr<f32>>
  return
}

// The arrays may be one: what the first rows store, the others may load.
// CHECK-LABEL: func.func @mayMeet
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @mayMeet(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %ap = tile.splat %a : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
  %bp = tile.splat %b : !tile.ptr<f16> -> tensor<32x256x!tile.ptr<f16>>
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<128x256xf32>) : i32 {
    %x = tile.load %ap : tensor<128x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x256x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc precision tf32 : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<128x256x!tile.ptr<f32>>
  return
}
