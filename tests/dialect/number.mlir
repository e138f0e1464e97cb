// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s
// RUN: %nereid-opt %s -canonicalize | FileCheck %s

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
