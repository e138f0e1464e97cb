// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=2" -nvptx-join-reductions | FileCheck %s

#rows = #nv.layout<"{register: [1], lane: [2, 4, 8, 16, 32], warp: [64]} -> {dim0: 128}">
#one = #nv.layout<"{register: [64], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 128}">
!row = tensor<128xf32, #rows>
!other = tensor<128xf32, #one>

// Two sums of one tile's functions; what the second is made of goes before the first.
// CHECK-LABEL: func.func @sums
// CHECK: %[[Y:.*]] = arith.mulf %arg0, %arg0
// CHECK-NEXT: %[[R:.*]]:2 = tile.reduce(%arg0, %[[Y]]) axis 0
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32):
// CHECK-DAG: %[[S:.*]] = arith.addf %[[A]], %[[C]]
// CHECK-DAG: %[[T:.*]] = arith.maximumf %[[B]], %[[D]]
// CHECK: tile.yield %[[S]], %[[T]]
// CHECK: tile.store %arg1, %[[R]]#0
// CHECK: tile.store %arg2, %[[R]]#1
func.func @sums(%x: !row, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %a = tile.reduce (%x) axis 0 : (!row) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  tile.store %p, %a : !tile.ptr<f32>
  %y = arith.mulf %x, %x : !row
  %b = tile.reduce (%y) axis 0 : (!row) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.maximumf %l, %r : f32
    tile.yield %s : f32
  }
  tile.store %q, %b : !tile.ptr<f32>
  return
}

// One that is computed from the other, one of a load behind the other, one that lies otherwise.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: = tile.reduce
func.func @apart(%x: !row, %z: !other, %p: !tile.ptr<f32>, %ps: tensor<128x!tile.ptr<f32>, #rows>) attributes {tile.kernel} {
  %a = tile.reduce (%x) axis 0 : (!row) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %as = tile.splat %a : f32 -> !row
  %y = arith.subf %x, %as : !row
  %b = tile.reduce (%y) axis 0 : (!row) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  tile.store %p, %b : !tile.ptr<f32>
  %w = tile.load %ps : tensor<128x!tile.ptr<f32>, #rows>
  %c = tile.reduce (%w) axis 0 : (!row) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  tile.store %p, %c : !tile.ptr<f32>
  %d = tile.reduce (%z) axis 0 : (!other) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  tile.store %p, %d : !tile.ptr<f32>
  return
}
