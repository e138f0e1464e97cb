// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-fold-add-into-dot | FileCheck %s

// CHECK-LABEL: func.func @float
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x4xf32>, %[[ACC:.*]]: tensor<4x4xf32>)
func.func @float(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[DOT:.*]] = tile.dot %[[A]], %[[B]], %[[ACC]]
  // CHECK-NOT: arith.addf
  // CHECK: return %[[DOT]]
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %dot = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %acc, %dot : tensor<4x4xf32>
  return %sum : tensor<4x4xf32>
}

// The dot may stand left, and its accumulator may be computed after it.
// CHECK-LABEL: func.func @dotFirst
func.func @dotFirst(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // CHECK: %[[LATER:.*]] = arith.muli
  // CHECK: %[[DOT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[LATER]]
  // CHECK: return %[[DOT]]
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  %dot = tile.dot %a, %b, %zero precision ieee : tensor<4x8xi8>, tensor<8x4xi8> -> tensor<4x4xi32>
  %later = arith.muli %x, %x : tensor<4x4xi32>
  %sum = arith.addi %dot, %later : tensor<4x4xi32>
  return %sum : tensor<4x4xi32>
}

// Its factors would be held while another product is computed and something is loaded.
// CHECK-LABEL: func.func @productBetween
func.func @productBetween(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %s: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %[[ZERO:.*]] precision
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %[[ZERO]] precision
  // CHECK: arith.addf
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %dot = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %other = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %scaled = arith.mulf %other, %s : tensor<4x4xf32>
  %sum = arith.addf %dot, %scaled : tensor<4x4xf32>
  return %sum : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @loadBetween
func.func @loadBetween(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %p: tensor<4x4x!tile.ptr<f32>>) -> tensor<4x4xf32> {
  // CHECK: tile.dot
  // CHECK: tile.load
  // CHECK: arith.addf
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %dot = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %loaded = tile.load %p : tensor<4x4x!tile.ptr<f32>>
  %sum = arith.addf %dot, %loaded : tensor<4x4xf32>
  return %sum : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @secondUse
func.func @secondUse(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: tile.dot
  // CHECK: arith.addf
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %dot = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %acc, %dot : tensor<4x4xf32>
  return %sum, %dot : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @ownAccumulator
func.func @ownAccumulator(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: tile.dot
  // CHECK: arith.addf
  %one = arith.constant dense<1.0> : tensor<4x4xf32>
  %dot = tile.dot %a, %b, %one precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %acc, %dot : tensor<4x4xf32>
  return %sum : tensor<4x4xf32>
}

// Into a branch the dot must not move: the other way would not compute it, nor pay for it, but a loop
// would do it every time.
// CHECK-LABEL: func.func @otherBlock
func.func @otherBlock(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>, %n: i32) -> tensor<4x4xf32> {
  // CHECK: tile.dot
  // CHECK: scf.for
  // CHECK: arith.addf
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %dot = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %acc) -> tensor<4x4xf32> : i32 {
    %y = arith.addf %x, %dot : tensor<4x4xf32>
    scf.yield %y : tensor<4x4xf32>
  }
  return %sum : tensor<4x4xf32>
}

// Sums of 16 bits that float32 is added to are rounded there alone.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<4x4xf32>)
func.func @halves(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[DOT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[ACC]] precision tf32 : tensor<4x8xf16>, tensor<8x4xf16> -> tensor<4x4xf32>
  // CHECK-NOT: arith.addf
  // CHECK: return %[[DOT]]
  %zero = arith.constant dense<0.0> : tensor<4x4xf16>
  %dot = tile.dot %a, %b, %zero precision tf32 : tensor<4x8xf16>, tensor<8x4xf16> -> tensor<4x4xf16>
  %wide = arith.extf %dot : tensor<4x4xf16> to tensor<4x4xf32>
  %sum = arith.addf %wide, %acc : tensor<4x4xf32>
  return %sum : tensor<4x4xf32>
}

// They are what they are where somebody else reads them.
// CHECK-LABEL: func.func @halvesStored
func.func @halvesStored(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf16>) {
  // CHECK: tile.dot {{.*}} -> tensor<4x4xf16>
  // CHECK: arith.extf
  // CHECK: arith.addf
  %zero = arith.constant dense<0.0> : tensor<4x4xf16>
  %dot = tile.dot %a, %b, %zero precision tf32 : tensor<4x8xf16>, tensor<8x4xf16> -> tensor<4x4xf16>
  %wide = arith.extf %dot : tensor<4x4xf16> to tensor<4x4xf32>
  %sum = arith.addf %acc, %wide : tensor<4x4xf32>
  return %sum, %dot : tensor<4x4xf32>, tensor<4x4xf16>
}

// Sums of 64 bits are another product.
// CHECK-LABEL: func.func @doubles
func.func @doubles(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf64>) -> tensor<4x4xf64> {
  // CHECK: tile.dot {{.*}} -> tensor<4x4xf32>
  // CHECK: arith.extf
  // CHECK: arith.addf
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %dot = tile.dot %a, %b, %zero precision ieee : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %wide = arith.extf %dot : tensor<4x4xf32> to tensor<4x4xf64>
  %sum = arith.addf %acc, %wide : tensor<4x4xf64>
  return %sum : tensor<4x4xf64>
}
