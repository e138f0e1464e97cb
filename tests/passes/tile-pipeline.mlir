// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-pipeline | FileCheck %s

// The inner loop of a matrix product: pointers become a scalar that is carried, the product goes into
// the accumulator, and what that left over is gone.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: (%[[A:.*]]: tensor<4x8x!tile.ptr<f32>>, %[[B:.*]]: tensor<8x4xf32>
func.func @matmul(%a0: tensor<4x8x!tile.ptr<f32>>, %b: tensor<8x4xf32>, %n: i32) -> tensor<4x4xf32>
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %unused = tile.program_id 0
  // CHECK-NOT: tile.program_id
  // CHECK: scf.for {{.*}} iter_args(%[[BY:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}}) -> (i64, tensor<4x4xf32>)
  // CHECK: tile.splat %[[BY]]
  // CHECK: %[[X:.*]] = tile.load
  // CHECK: %[[DOT:.*]] = tile.dot %[[X]], %[[B]], %[[ACC]]
  // CHECK-NOT: arith.addf
  // CHECK: scf.yield %{{.*}}, %[[DOT]] : i64, tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %init = tile.splat %zero : f32 -> tensor<4x4xf32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %a0, %acc = %init)
      -> (tensor<4x8x!tile.ptr<f32>>, tensor<4x4xf32>) : i32 {
    %x = tile.load %a : tensor<4x8x!tile.ptr<f32>>
    %none = tile.splat %zero : f32 -> tensor<4x4xf32>
    %product = tile.dot %x, %b, %none precision ieee
        : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    %sum = arith.addf %acc, %product : tensor<4x4xf32>
    %eight = arith.constant 8 : i32
    %step = tile.splat %eight : i32 -> tensor<4x8xi32>
    %next = tile.offset %a, %step : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
    scf.yield %next, %sum : tensor<4x8x!tile.ptr<f32>>, tensor<4x4xf32>
  }
  return %r#1 : tensor<4x4xf32>
}

// Two roundings stay two.
// CHECK-LABEL: func.func @rounds_twice
func.func @rounds_twice(%i: tensor<16xi32>) -> (tensor<16xbf16>, tensor<16xf16>) attributes {tile.kernel} {
  // CHECK: arith.sitofp {{.*}} to tensor<16xf32>
  // CHECK: arith.truncf {{.*}} to tensor<16xbf16>
  // CHECK: arith.uitofp {{.*}} to tensor<16xf32>
  // CHECK: arith.truncf {{.*}} to tensor<16xf16>
  %s = arith.sitofp %i : tensor<16xi32> to tensor<16xf32>
  %b = arith.truncf %s : tensor<16xf32> to tensor<16xbf16>
  %u = arith.uitofp %i : tensor<16xi32> to tensor<16xf32>
  %h = arith.truncf %u : tensor<16xf32> to tensor<16xf16>
  return %b, %h : tensor<16xbf16>, tensor<16xf16>
}
