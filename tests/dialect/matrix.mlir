// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @floats
func.func @floats(%a: tensor<5x7xf16>, %b: tensor<7x3xf16>, %acc: tensor<5x3xf32>) -> tensor<5x3xf32> {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision ieee : tensor<5x7xf16>, tensor<7x3xf16> -> tensor<5x3xf32>
  %0 = tile.dot %a, %b, %acc precision ieee
      : tensor<5x7xf16>, tensor<7x3xf16> -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @twoFloatsOfEightBits
func.func @twoFloatsOfEightBits(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x4xf8E5M2>,
                                %acc: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision ieee : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2> -> tensor<4x4xf16>
  %0 = tile.dot %a, %b, %acc precision ieee
      : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2> -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// CHECK-LABEL: func.func @batchOfIntegers
func.func @batchOfIntegers(%a: tensor<2x4x8xi8>, %b: tensor<2x8x4xi8>, %acc: tensor<2x4x4xi32>)
    -> tensor<2x4x4xi32> {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision tf32 : tensor<2x4x8xi8>, tensor<2x8x4xi8> -> tensor<2x4x4xi32>
  %0 = tile.dot %a, %b, %acc precision tf32
      : tensor<2x4x8xi8>, tensor<2x8x4xi8> -> tensor<2x4x4xi32>
  // CHECK: tile.dot {{.*}} precision tf32x3
  %1 = tile.dot %a, %b, %0 precision tf32x3
      : tensor<2x4x8xi8>, tensor<2x8x4xi8> -> tensor<2x4x4xi32>
  return %1 : tensor<2x4x4xi32>
}
