// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-drop-unit-dimensions -canonicalize -cse | FileCheck %s

// A matrix of a batch: what is carried, broadcast, reduced and turned over has one dimension less.
// CHECK-LABEL: func.func @matrix_of_batch
// CHECK-NOT: tensor<1x{{[18]}}
// CHECK: scf.for {{.*}} -> (tensor<8x4xf32>)
// CHECK: tile.load %{{.*}} : tensor<8x4x!tile.ptr<f32>>
// CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<8x4xf32>) -> tensor<8xf32>
// CHECK: tile.permute %{{.*}} [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
// CHECK: return
func.func @matrix_of_batch(%p: !tile.ptr<f32>, %b: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1x8x4xf32>
  %strides = arith.constant dense<4> : tensor<1x8x1xi32>
  %batch = tile.splat %b : i32 -> tensor<1x1x1xi32>
  %rows = tile.range 0 to 8 : tensor<8xi32>
  %r0 = tile.expand_dims %rows axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %r1 = tile.expand_dims %r0 axis 2 : tensor<1x8xi32> -> tensor<1x8x1xi32>
  %r2 = arith.muli %r1, %strides : tensor<1x8x1xi32>
  %columns = tile.range 0 to 4 : tensor<4xi32>
  %k0 = tile.expand_dims %columns axis 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k1 = tile.expand_dims %k0 axis 1 : tensor<1x4xi32> -> tensor<1x1x4xi32>
  %b1 = tile.broadcast %batch : tensor<1x1x1xi32> -> tensor<1x8x1xi32>
  %s1 = arith.addi %b1, %r2 : tensor<1x8x1xi32>
  %s2 = tile.broadcast %s1 : tensor<1x8x1xi32> -> tensor<1x8x4xi32>
  %k2 = tile.broadcast %k1 : tensor<1x1x4xi32> -> tensor<1x8x4xi32>
  %at = arith.addi %s2, %k2 : tensor<1x8x4xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1x8x4x!tile.ptr<f32>>
  %all = tile.offset %ps, %at : tensor<1x8x4x!tile.ptr<f32>>, tensor<1x8x4xi32>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<1x8x4xf32>) : i32 {
    %v = tile.load %all : tensor<1x8x4x!tile.ptr<f32>>
    %next = arith.addf %sum, %v : tensor<1x8x4xf32>
    scf.yield %next : tensor<1x8x4xf32>
  }
  %row = tile.reduce (%total) axis 2 : (tensor<1x8x4xf32>) -> tensor<1x8xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  %one = tile.reduce (%row) axis 0 : (tensor<1x8xf32>) -> tensor<8xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    tile.yield %z : f32
  }
  %e0 = tile.expand_dims %one axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %e1 = tile.broadcast %e0 : tensor<8x1xf32> -> tensor<8x4xf32>
  %e2 = tile.reshape %e1 : tensor<8x4xf32> -> tensor<1x8x4xf32>
  %e3 = arith.addf %e2, %total : tensor<1x8x4xf32>
  %turned = tile.permute %e3 [2, 0, 1] : tensor<1x8x4xf32> -> tensor<4x1x8xf32>
  %places = tile.permute %all [2, 0, 1] : tensor<1x8x4x!tile.ptr<f32>> -> tensor<4x1x8x!tile.ptr<f32>>
  tile.store %places, %turned : tensor<4x1x8x!tile.ptr<f32>>
  return
}

// Who must know the dimensions is given them back.
// CHECK-LABEL: func.func @given_back
// CHECK: %[[V:.*]] = tile.load %{{.*}} : tensor<8x!tile.ptr<f32>>
// CHECK: %[[BACK:.*]] = tile.reshape %[[V]] : tensor<8xf32> -> tensor<1x1x8xf32>
// CHECK: %[[PAIRS:.*]] = tile.join %[[BACK]], %[[BACK]] : tensor<1x1x8xf32> -> tensor<1x1x8x2xf32>
// CHECK: %[[MATRIX:.*]] = tile.reshape %[[PAIRS]] : tensor<1x1x8x2xf32> -> tensor<8x2xf32>
// CHECK: %[[TURNED:.*]] = tile.permute %[[MATRIX]] [1, 0] : tensor<8x2xf32> -> tensor<2x8xf32>
// CHECK: tile.store %{{.*}}, %[[TURNED]] : tensor<2x8x!tile.ptr<f32>>
func.func @given_back(%p: !tile.ptr<f32>) {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<1x1x8x!tile.ptr<f32>>
  %v = tile.load %q : tensor<1x1x8x!tile.ptr<f32>>
  %pairs = tile.join %v, %v : tensor<1x1x8xf32> -> tensor<1x1x8x2xf32>
  %turned = tile.permute %pairs [0, 3, 1, 2] : tensor<1x1x8x2xf32> -> tensor<1x2x1x8xf32>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<1x2x1x8x!tile.ptr<f32>>
  tile.store %r, %turned : tensor<1x2x1x8x!tile.ptr<f32>>
  return
}

// One element is a scalar, and a promise about it that of a multiple.
// CHECK-LABEL: func.func @one_element
// CHECK: %[[AT:.*]] = tile.hint divisibility %{{.*}} [16] : i32
// CHECK: tile.offset %{{.*}}, %[[AT]] : !tile.ptr<f32>, i32
// CHECK: %[[V:.*]] = tile.load %{{.*}} : !tile.ptr<f32>
// CHECK: tile.store %{{.*}}, %[[V]] : !tile.ptr<f32>
func.func @one_element(%p: !tile.ptr<f32>, %n: i32) {
  %at = tile.splat %n : i32 -> tensor<1x1x1xi32>
  %promised = tile.hint divisibility %at [16, 16, 16] : tensor<1x1x1xi32>
  %useless = tile.hint contiguity %promised [1, 1, 1] : tensor<1x1x1xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1x1x1x!tile.ptr<f32>>
  %q = tile.offset %ps, %useless : tensor<1x1x1x!tile.ptr<f32>>, tensor<1x1x1xi32>
  %v = tile.load %q : tensor<1x1x1x!tile.ptr<f32>>
  tile.store %q, %v : tensor<1x1x1x!tile.ptr<f32>>
  return
}

// Columns and rows of matrices stay.
// CHECK-LABEL: func.func @matrix
// CHECK: tensor<8x1xi32>
func.func @matrix(%p: !tile.ptr<f32>) {
  %rows = tile.range 0 to 8 : tensor<8xi32>
  %r = tile.expand_dims %rows axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %at = tile.broadcast %r : tensor<8x1xi32> -> tensor<8x4xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x4x!tile.ptr<f32>>
  %q = tile.offset %ps, %at : tensor<8x4x!tile.ptr<f32>>, tensor<8x4xi32>
  %v = tile.load %q : tensor<8x4x!tile.ptr<f32>>
  tile.store %q, %v : tensor<8x4x!tile.ptr<f32>>
  return
}
