// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-load-ahead | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=ahead_registers=1" -nvptx-load-ahead | FileCheck %s --check-prefix=FEW

#sums = #nv.layout<"{register: [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane: [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
#row = #nv.layout<"{register: [8], lane: [0, 0, 1, 2, 4], warp: [16, 32]} -> {dim0: 64}">
!sums = tensor<64x64xf32, #sums>
!row = tensor<64xf32, #row>
!places = tensor<64x!tile.ptr<f32>, #row>
!left = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!right = !nv.shared<64x64xf16, "{offset: [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]]} -> {dim0: 64, dim1: 64}">

// The row of a round and its scalar are loaded in the round before, and before the loop if it has rounds. Of one register only the
// scalar is.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[HAS:.*]] = arith.cmpi slt, %{{.*}}, %[[N:.*]] : i32
// CHECK: %[[ALL:.*]] = tile.splat %[[HAS]]
// CHECK: %[[ROW:.*]] = tile.load %{{.*}} mask %[[ALL]]
// CHECK: %[[ONE:.*]] = tile.load %{{.*}} mask %[[HAS]]
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[R:.*]] = %[[ROW]], %[[S:.*]] = %[[ONE]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]],
// CHECK: %[[IS:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK: tile.load
// CHECK: tile.load %{{.*}} mask %[[IS]]
// CHECK: nv.finish
// CHECK-NOT: tile.load
// CHECK: tile.splat %[[S]]
// CHECK: arith.mulf %[[R]],
// FEW-LABEL: func.func @scaled
// FEW: %[[ONE:.*]] = tile.load %{{.*}} mask %{{.*}} : !tile.ptr<f32>
// FEW: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[S:.*]] = %[[ONE]])
// FEW: tile.load
// FEW: nv.finish
func.func @scaled(%a: !left, %b: !right, %zeros: !sums, %rows: !places, %blocks: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %left = nv.ring stages 4 : !left
  %right = nv.ring stages 4 : !right
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (!sums) : i32 {
    %at = tile.splat %i : i32 -> tensor<64xi32, #row>
    %place = tile.offset %rows, %at : !places, tensor<64xi32, #row>
    %row = tile.load %place : !places
    %x = nv.await_slot %left : !left
    %xs = nv.slot %left[%x] : !left
    %y = nv.await_slot %right : !right
    %ys = nv.slot %right[%y] : !right
    %m = nv.multiply %xs, %ys, %zeros grid [1, 1] columns 64 : !left, !right -> !sums
    %p = nv.finish %m : !sums
    %block = tile.offset %blocks, %i : !tile.ptr<f32>, i32
    %one = tile.load %block : !tile.ptr<f32>
    %ones = tile.splat %one : f32 -> !row
    %scale = arith.mulf %row, %ones : !row
    %column = tile.expand_dims %scale axis 1 : !row -> tensor<64x1xf32, #nv.layout<"{register: [[8, 0]], lane: [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 1}">>
    %wide = tile.broadcast %column : tensor<64x1xf32, #nv.layout<"{register: [[8, 0]], lane: [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 1}">> -> !sums
    %q = arith.mulf %p, %wide : !sums
    %next = arith.addf %sum, %q : !sums
    scf.yield %next : !sums
  }
  nv.free %right : !right
  nv.free %left : !left
  return
}
