// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s
// RUN: %nereid-opt %s -canonicalize | FileCheck %s --check-prefixes=CHECK,FOLDED

// What was widened is not what it is narrowed to again: an infinity becomes the largest number.
// CHECK-LABEL: func.func @narrow
func.func @narrow(%x: tensor<4xf8E5M2>, %y: f64) -> (tensor<4xf8E5M2>, f8E4M3FN) {
  %wide = arith.extf %x : tensor<4xf8E5M2> to tensor<4xf32>
  // CHECK: tile.narrow %{{.*}} : tensor<4xf32> -> tensor<4xf8E5M2>
  %narrow = tile.narrow %wide : tensor<4xf32> -> tensor<4xf8E5M2>
  // CHECK: tile.narrow %{{.*}} : f64 -> f8E4M3FN
  %scalar = tile.narrow %y : f64 -> f8E4M3FN
  return %narrow, %scalar : tensor<4xf8E5M2>, f8E4M3FN
}

// Zero is zero in every format: loads can tell it. Other constants are left to the executors.
// CHECK-LABEL: func.func @zero
func.func @zero() -> (f8E4M3FN, tensor<4xf8E5M2>, f8E5M2) {
  %0 = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4xf16>
  %1 = arith.constant 1.0 : f32
  // FOLDED-DAG: arith.constant 0.000000e+00 : f8E4M3FN
  // FOLDED-DAG: arith.constant dense<0.000000e+00> : tensor<4xf8E5M2>
  %scalar = tile.narrow %0 : f32 -> f8E4M3FN
  %tile = tile.narrow %zeros : tensor<4xf16> -> tensor<4xf8E5M2>
  // CHECK: tile.narrow %{{.*}} : f32 -> f8E5M2
  %one = tile.narrow %1 : f32 -> f8E5M2
  return %scalar, %tile, %one : f8E4M3FN, tensor<4xf8E5M2>, f8E5M2
}
