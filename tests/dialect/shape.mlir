// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s
// RUN: %nereid-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @make
func.func @make(%scalar: f32) -> (tensor<5xi32>, tensor<4x3xf32>) {
  // CHECK: tile.range 3 to 8 : tensor<5xi32>
  %range = tile.range 3 to 8 : tensor<5xi32>
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<4x3xf32>
  %splat = tile.splat %scalar : f32 -> tensor<4x3xf32>
  return %range, %splat : tensor<5xi32>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @rangeAcrossZero
func.func @rangeAcrossZero() -> tensor<4xi32> {
  // CHECK: tile.range -2 to 2 : tensor<4xi32>
  %range = tile.range -2 to 2 : tensor<4xi32>
  return %range : tensor<4xi32>
}

// CHECK-LABEL: func.func @change
func.func @change(%vector: tensor<6xf32>) -> tensor<2x12xf32> {
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<6xf32> -> tensor<6x1xf32>
  %column = tile.expand_dims %vector axis 1 : tensor<6xf32> -> tensor<6x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<6x1xf32> -> tensor<6x4xf32>
  %matrix = tile.broadcast %column : tensor<6x1xf32> -> tensor<6x4xf32>
  // CHECK: tile.permute %{{.*}} [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %transposed = tile.permute %matrix [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<4x6xf32> -> tensor<2x12xf32>
  %flat = tile.reshape %transposed : tensor<4x6xf32> -> tensor<2x12xf32>
  return %flat : tensor<2x12xf32>
}

// CHECK-LABEL: func.func @scalarAndTile
func.func @scalarAndTile(%scalar: i64) -> i64 {
  // CHECK: tile.reshape %{{.*}} : i64 -> tensor<1x1xi64>
  %one = tile.reshape %scalar : i64 -> tensor<1x1xi64>
  // CHECK: tile.reshape %{{.*}} : tensor<1x1xi64> -> i64
  %back = tile.reshape %one : tensor<1x1xi64> -> i64
  return %back : i64
}

// Pointers are elements like any other.
// CHECK-LABEL: func.func @pointers
func.func @pointers(%base: !tile.ptr<bf16>) -> tensor<4x!tile.ptr<bf16>> {
  // CHECK: tile.splat %{{.*}} : !tile.ptr<bf16> -> tensor<4x!tile.ptr<bf16>>
  %0 = tile.splat %base : !tile.ptr<bf16> -> tensor<4x!tile.ptr<bf16>>
  return %0 : tensor<4x!tile.ptr<bf16>>
}

// FOLD-LABEL: func.func @splatOfConstant
func.func @splatOfConstant() -> tensor<4x3xf32> {
  // FOLD: arith.constant dense<2.500000e+00> : tensor<4x3xf32>
  // FOLD-NOT: tile.
  %number = arith.constant 2.5 : f32
  %0 = tile.splat %number : f32 -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// FOLD-LABEL: func.func @sameShape
// FOLD-SAME: (%[[ARG:.*]]: tensor<4x3xi8>)
func.func @sameShape(%tile: tensor<4x3xi8>) -> tensor<4x3xi8> {
  // FOLD-NOT: tile.
  // FOLD: return %[[ARG]]
  %0 = tile.broadcast %tile : tensor<4x3xi8> -> tensor<4x3xi8>
  %1 = tile.reshape %0 : tensor<4x3xi8> -> tensor<4x3xi8>
  %2 = tile.permute %1 [0, 1] : tensor<4x3xi8> -> tensor<4x3xi8>
  return %2 : tensor<4x3xi8>
}

// FOLD-LABEL: func.func @scalarAndBack
// FOLD-SAME: (%[[ARG:.*]]: f32)
func.func @scalarAndBack(%scalar: f32) -> f32 {
  // FOLD-NOT: tile.
  // FOLD: return %[[ARG]]
  %0 = tile.splat %scalar : f32 -> tensor<1x1xf32>
  %1 = tile.reshape %0 : tensor<1x1xf32> -> f32
  return %1 : f32
}

// FOLD-LABEL: func.func @constantInAnyShape
func.func @constantInAnyShape() -> tensor<5x4xi32> {
  // FOLD: arith.constant dense<7> : tensor<5x4xi32>
  // FOLD-NOT: tile.
  %0 = arith.constant dense<7> : tensor<2x2xi32>
  %1 = tile.reshape %0 : tensor<2x2xi32> -> tensor<4x1xi32>
  %2 = tile.broadcast %1 : tensor<4x1xi32> -> tensor<4x5xi32>
  %3 = tile.permute %2 [1, 0] : tensor<4x5xi32> -> tensor<5x4xi32>
  return %3 : tensor<5x4xi32>
}

// A transposition of unequal elements stays.
// FOLD-LABEL: func.func @transposition
func.func @transposition(%tile: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // FOLD: tile.permute %{{.*}} [1, 0]
  %0 = tile.permute %tile [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @gather
func.func @gather(%x: tensor<6x4xf32>, %i: tensor<6x9xi32>) -> tensor<6x9xf32> {
  // CHECK: tile.gather %{{.*}} at %{{.*}} axis 1 : tensor<6x4xf32>, tensor<6x9xi32> -> tensor<6x9xf32>
  %0 = tile.gather %x at %i axis 1 : tensor<6x4xf32>, tensor<6x9xi32> -> tensor<6x9xf32>
  return %0 : tensor<6x9xf32>
}

// CHECK-LABEL: func.func @joinAndSplit
func.func @joinAndSplit(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>, %c: tensor<5x2x!tile.ptr<i8>>)
    -> (tensor<4x3x2xf32>, tensor<5x!tile.ptr<i8>>) {
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<4x3xf32> -> tensor<4x3x2xf32>
  %0 = tile.join %a, %b : tensor<4x3xf32> -> tensor<4x3x2xf32>
  // CHECK: %{{.*}}, %{{.*}} = tile.split %{{.*}} : tensor<5x2x!tile.ptr<i8>> -> tensor<5x!tile.ptr<i8>>
  %1, %2 = tile.split %c : tensor<5x2x!tile.ptr<i8>> -> tensor<5x!tile.ptr<i8>>
  return %0, %2 : tensor<4x3x2xf32>, tensor<5x!tile.ptr<i8>>
}

// FOLD-LABEL: func.func @splitOfJoin
// FOLD-SAME: (%[[A:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<4xi8>)
func.func @splitOfJoin(%a: tensor<4xi8>, %b: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  // FOLD-NOT: tile.
  // FOLD: return %[[B]], %[[A]]
  %0 = tile.join %a, %b : tensor<4xi8> -> tensor<4x2xi8>
  %1, %2 = tile.split %0 : tensor<4x2xi8> -> tensor<4xi8>
  return %2, %1 : tensor<4xi8>, tensor<4xi8>
}
