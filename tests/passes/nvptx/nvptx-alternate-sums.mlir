// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=alternating_rounds=2" -nvptx-alternate-sums | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=alternating_rounds=1" -nvptx-alternate-sums | FileCheck %s --check-prefix=NONE

#sums = #nv.layout<"{register: [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane: [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!sums = tensor<64x64xf32, #sums>
!left = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!right = !nv.shared<64x64xf16, "{offset: [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]]} -> {dim0: 64, dim1: 64}">

// The second of two rounds begins its product before the first one's sums are used, whose scale was loaded before. An odd round is left.
// CHECK-LABEL: func.func @scaled
// CHECK: arith.divui %{{.*}}, %c2
// CHECK: %[[PAIRS:.*]]:2 = scf.for {{.*}} iter_args(%[[I:.*]] = %c0{{.*}}, %[[SUM:.*]] = %{{.*}})
// CHECK: %[[ONE:.*]] = tile.load
// CHECK: %[[M:.*]] = nv.multiply
// CHECK: %[[TWO:.*]] = tile.load
// CHECK: %[[N:.*]] = nv.multiply
// CHECK: %[[P:.*]] = nv.finish %[[M]] pending 1
// CHECK: nv.release %{{.*}} pending 1
// CHECK: tile.splat %[[ONE]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]],
// CHECK: nv.finish %[[N]] :
// CHECK: nv.release %{{.*}} pending 0
// CHECK: tile.splat %[[TWO]]
// CHECK: arith.addf %[[NEXT]],
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[PAIRS]]#1)
// CHECK: nv.finish %{{.*}} :
// NONE-LABEL: func.func @scaled
// NONE-COUNT-1: nv.multiply
// NONE-NOT: nv.multiply
// NONE-LABEL: func.func @kept
func.func @scaled(%a: !left, %b: !right, %zero: !sums, %blocks: !tile.ptr<f32>, %n: i32) -> !sums attributes {tile.kernel} {
  %zeros = arith.constant dense<0.0> : !sums
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %left = nv.ring stages 4 : !left
  %right = nv.ring stages 4 : !right
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!sums) : i32 {
    %block = tile.offset %blocks, %i : !tile.ptr<f32>, i32
    %one = tile.load %block : !tile.ptr<f32>
    %x = nv.await_slot %left : !left
    %xs = nv.slot %left[%x] : !left
    %y = nv.await_slot %right : !right
    %ys = nv.slot %right[%y] : !right
    %m = nv.multiply %xs, %ys, %zeros grid [1, 1] columns 64 : !left, !right -> !sums
    %p = nv.finish %m : !sums
    nv.release %left pending 0 : !left
    nv.release %right pending 0 : !right
    %wide = tile.splat %one : f32 -> !sums
    %q = arith.mulf %p, %wide : !sums
    %next = arith.addf %sum, %q : !sums
    scf.yield %next : !sums
  }
  nv.free %right : !right
  nv.free %left : !left
  return %t : !sums
}

// A round that loads by what it made of the sums of the one before waits for them.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-1: nv.multiply
// CHECK-NOT: nv.multiply
func.func @kept(%zero: !sums, %blocks: !tile.ptr<f32>, %n: i32) -> !sums attributes {tile.kernel} {
  %zeros = arith.constant dense<0.0> : !sums
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %left = nv.ring stages 4 : !left
  %right = nv.ring stages 4 : !right
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!sums) : i32 {
    %x = nv.await_slot %left : !left
    %xs = nv.slot %left[%x] : !left
    %y = nv.await_slot %right : !right
    %ys = nv.slot %right[%y] : !right
    %m = nv.multiply %xs, %ys, %zeros grid [1, 1] columns 64 : !left, !right -> !sums
    %p = nv.finish %m : !sums
    nv.release %left pending 0 : !left
    nv.release %right pending 0 : !right
    %next = arith.addf %sum, %p : !sums
    %at = tile.offset %blocks, %i : !tile.ptr<f32>, i32
    %all = arith.constant dense<true> : tensor<64x64xi1, #sums>
    %places = tile.splat %at : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>, #sums>
    tile.store %places, %next mask %all : tensor<64x64x!tile.ptr<f32>, #sums>
    scf.yield %next : !sums
  }
  nv.free %right : !right
  nv.free %left : !left
  return %t : !sums
}
