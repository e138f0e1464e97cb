// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=2" -nvptx-reduce-behind-loops | FileCheck %s

#row = #nv.layout<"{register: [1, 128], lane: [2, 4, 8, 16, 32], warp: [64]} -> {dim0: 256}">
#tile = #nv.layout<"{register: [[1, 0], [0, 1]], lane: [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp: [[64, 0]]} -> {dim0: 128, dim1: 2}">
#both = #nv.layout<"{register: [1], lane: [0, 0, 0, 0, 0], warp: [0]} -> {dim0: 2}">
#apart = #nv.layout<"{register: [], lane: [1, 0, 0, 0, 0], warp: [0]} -> {dim0: 2}">
!row = tensor<256xf32, #row>
!tile = tensor<128x2xi32, #tile>

// A number: what is a thread's is added first, along both of the axis's parts that are.
// CHECK-LABEL: func.func @number
// CHECK: %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : tensor<64xf32
// CHECK: %[[P:.*]] = scf.for {{.*}} iter_args(%[[PART:.*]] = %[[NONE]])
// CHECK: %[[X:.*]] = tile.reshape %arg0 : {{.*}} -> tensor<2x64x2xf32
// CHECK: %[[Y:.*]] = tile.reduce(%[[X]]) axis 2
// CHECK: %[[Z:.*]] = tile.reduce(%[[Y]]) axis 0
// CHECK: %[[S:.*]] = arith.addf %[[PART]], %[[Z]]
// CHECK: scf.yield %[[S]]
// CHECK: %[[ALL:.*]] = tile.reduce(%[[P]]) axis 0
// CHECK: %[[R:.*]] = arith.addf %arg1, %[[ALL]] : f32
// CHECK: tile.store %arg3, %[[R]]
func.func @number(%x: !row, %first: f32, %n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (f32) : i32 {
    %a = tile.reduce (%x) axis 0 : (!row) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %t = arith.addf %l, %r : f32
      tile.yield %t : f32
    }
    %t = arith.addf %sum, %a : f32
    scf.yield %t : f32
  }
  tile.store %p, %s : !tile.ptr<f32>
  return
}

// Results that go to other threads for the sum go there once.
// CHECK-LABEL: func.func @moved
// CHECK: %[[NONE:.*]] = arith.constant dense<-2147483648> : tensor<64x2xi32
// CHECK: %[[P:.*]] = scf.for {{.*}} iter_args(%[[PART:.*]] = %[[NONE]])
// CHECK-NOT: nv.convert
// CHECK: arith.maxsi %[[PART]]
// CHECK: scf.yield
// CHECK: %[[ALL:.*]] = tile.reduce(%[[P]]) axis 0
// CHECK: %[[THERE:.*]] = nv.convert %[[ALL]]
// CHECK: arith.maxsi %arg1, %[[THERE]]
func.func @moved(%x: !tile, %first: tensor<2xi32, #apart>, %n: i32, %p: tensor<2x!tile.ptr<i32>, #apart>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%most = %first) -> (tensor<2xi32, #apart>) : i32 {
    %a = tile.reduce (%x) axis 0 : (!tile) -> tensor<2xi32, #both> {
    ^bb0(%l: i32, %r: i32):
      %t = arith.maxsi %l, %r : i32
      tile.yield %t : i32
    }
    %b = nv.convert %a : tensor<2xi32, #both> -> tensor<2xi32, #apart>
    %t = arith.maxsi %b, %most : tensor<2xi32, #apart>
    scf.yield %t : tensor<2xi32, #apart>
  }
  tile.store %p, %s : tensor<2x!tile.ptr<i32>, #apart>
  return
}

// A sum of largest elements, and one that a round stores, are wanted whole in each round.
// CHECK-LABEL: func.func @whole
// CHECK: scf.for {{.*}} -> (f32, f32)
// CHECK-COUNT-2: tile.reduce(%arg0) axis 0
// CHECK-NOT: tile.reduce
func.func @whole(%x: !row, %first: f32, %n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first, %read = %first) -> (f32, f32) : i32 {
    %a = tile.reduce (%x) axis 0 : (!row) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %t = arith.maximumf %l, %r : f32
      tile.yield %t : f32
    }
    %t = arith.addf %sum, %a : f32
    %b = tile.reduce (%x) axis 0 : (!row) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %u = arith.addf %l, %r : f32
      tile.yield %u : f32
    }
    %u = arith.addf %read, %b : f32
    tile.store %p, %u : !tile.ptr<f32>
    scf.yield %t, %u : f32, f32
  }
  tile.store %p, %s#0 : !tile.ptr<f32>
  return
}
