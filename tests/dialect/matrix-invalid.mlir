// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @rank(%a: tensor<4xf32>, %b: tensor<4xf32>, %acc: tensor<4xf32>) {
  // expected-error @below {{operands and result must all have rank 2 or all rank 3}}
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @mixedRank(%a: tensor<2x4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<2x4x4xf32>) {
  // expected-error @below {{operands and result must all have rank 2 or all rank 3}}
  %0 = tile.dot %a, %b, %acc precision ieee
      : tensor<2x4x8xf32>, tensor<8x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @inner(%a: tensor<4x8xf32>, %b: tensor<16x4xf32>, %acc: tensor<4x4xf32>) {
  // expected-error @below {{shapes do not fit: 'tensor<4x8xf32>' times 'tensor<16x4xf32>' into 'tensor<4x4xf32>'}}
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<4x8xf32>, tensor<16x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @outer(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x2xf32>) {
  // expected-error @below {{shapes do not fit}}
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @batch(%a: tensor<2x4x8xf32>, %b: tensor<3x8x4xf32>, %acc: tensor<2x4x4xf32>) {
  // expected-error @below {{shapes do not fit}}
  %0 = tile.dot %a, %b, %acc precision ieee
      : tensor<2x4x8xf32>, tensor<3x8x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @factors(%a: tensor<4x8xf16>, %b: tensor<8x4xbf16>, %acc: tensor<4x4xf32>) {
  // expected-error @below {{both factors must have the same element type}}
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<4x8xf16>, tensor<8x4xbf16> -> tensor<4x4xf32>
  return
}

// -----

func.func @floatIntoInteger(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xi32>) {
  // expected-error @below {{factors and accumulator must be both float or both integer}}
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<4x8xf16>, tensor<8x4xf16> -> tensor<4x4xi32>
  return
}

// -----

func.func @pointers(%a: tensor<4x4x!tile.ptr<f32>>, %acc: tensor<4x4xi64>) {
  // expected-error @below {{factors and accumulator must be both float or both integer}}
  %0 = tile.dot %a, %a, %acc precision ieee
      : tensor<4x4x!tile.ptr<f32>>, tensor<4x4x!tile.ptr<f32>> -> tensor<4x4xi64>
  return
}
