// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-transpose-products | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4 sm=sm_80" -nvptx-transpose-products | FileCheck %s --check-prefix=OLD
// RUN: %nereid-opt %s -nvptx-configure="warps=2" -nvptx-transpose-products | FileCheck %s --check-prefix=OLD

// OLD-NOT: tile.reshape

!pointers = tensor<64x64x!tile.ptr<f32>>
!tile = tensor<64x64xf32>

// Rows of both factors lie along their last dimension: the right one becomes the left one, with rows in the order in which
// instructions have them, and sums are put in order behind the loop.
// CHECK-LABEL: func.func @rows
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[B:.*]] = tile.load
// CHECK: %[[PARTS:.*]] = tile.reshape %[[B]] : tensor<64x64xf32> -> tensor<64x2x2x2x4x2xf32>
// CHECK: %[[ORDER:.*]] = tile.permute %[[PARTS]] [1, 3, 5, 4, 2, 0]
// CHECK: %[[LEFT:.*]] = tile.reshape %[[ORDER]] : tensor<2x2x2x4x2x64xf32> -> tensor<64x64xf32>
// CHECK: %[[RIGHT:.*]] = tile.permute %[[A]] [1, 0]
// CHECK: %[[NEXT:.*]] = tile.dot %[[LEFT]], %[[RIGHT]], %[[SUM]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[SUMS:.*]] = tile.reshape %[[LOOP]] : tensor<64x64xf32> -> tensor<2x2x2x4x2x64xf32>
// CHECK: %[[BACK:.*]] = tile.permute %[[SUMS]] [5, 0, 4, 1, 3, 2]
// CHECK: %[[DONE:.*]] = tile.reshape %[[BACK]]
// CHECK: return %[[DONE]]
func.func @rows(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> !tile attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %f = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %w = arith.constant dense<64> : tensor<64x1xi32>
  %fw = arith.muli %f, %w : tensor<64x1xi32>
  %eb = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %fb = tile.broadcast %fw : tensor<64x1xi32> -> tensor<64x64xi32>
  %o = arith.addi %eb, %fb : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> !pointers
  %p = tile.offset %as, %o : !pointers, tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : !tile
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (!tile) : i32 {
    %x = tile.load %p : !pointers
    %y = tile.load %p : !pointers
    %next = tile.dot %x, %y, %acc precision tf32 : !tile, !tile -> !tile
    scf.yield %next : !tile
  }
  return %sums : !tile
}

// A left factor that is read into registers as it is: its rows are put in that order.
// CHECK-LABEL: func.func @leftByColumns
// CHECK: scf.for
// CHECK: %[[A:.*]] = tile.permute
// CHECK: %[[B:.*]] = tile.permute
// CHECK: %[[PARTS:.*]] = tile.reshape %[[A]] : tensor<64x64xf32> -> tensor<2x2x2x4x2x64xf32>
// CHECK: %[[ORDER:.*]] = tile.permute %[[PARTS]] [0, 2, 4, 3, 1, 5]
// CHECK: %[[LEFT:.*]] = tile.reshape %[[ORDER]]
// CHECK: tile.dot %[[LEFT]], %[[B]],
// CHECK: scf.yield
// CHECK: tile.permute %{{.*}} [0, 4, 1, 3, 2, 5]
func.func @leftByColumns(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> !tile attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %f = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %w = arith.constant dense<64> : tensor<64x1xi32>
  %fw = arith.muli %f, %w : tensor<64x1xi32>
  %eb = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %fb = tile.broadcast %fw : tensor<64x1xi32> -> tensor<64x64xi32>
  %o = arith.addi %eb, %fb : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> !pointers
  %p = tile.offset %as, %o : !pointers, tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : !tile
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (!tile) : i32 {
    %x = tile.load %p : !pointers
    %y = tile.load %p : !pointers
    %left = tile.permute %x [1, 0] : !tile -> !tile
    %right = tile.permute %y [1, 0] : !tile -> !tile
    %next = tile.dot %left, %right, %acc precision tf32 : !tile, !tile -> !tile
    scf.yield %next : !tile
  }
  return %sums : !tile
}

// Either factor may lie as it does: the right one is a tile whose rows run along the sum. And sums that the round uses.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: tile.reshape
// CHECK: return
func.func @columns(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> (!tile, !tile) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %f = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %w = arith.constant dense<64> : tensor<64x1xi32>
  %fw = arith.muli %f, %w : tensor<64x1xi32>
  %eb = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %fb = tile.broadcast %fw : tensor<64x1xi32> -> tensor<64x64xi32>
  %o = arith.addi %eb, %fb : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> !pointers
  %p = tile.offset %as, %o : !pointers, tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : !tile
  %sums:2 = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros, %more = %zeros) -> (!tile, !tile) : i32 {
    %x = tile.load %p : !pointers
    %y = tile.load %p : !pointers
    %turned = tile.permute %y [1, 0] : !tile -> !tile
    %next = tile.dot %x, %turned, %acc precision tf32 : !tile, !tile -> !tile
    %half = arith.mulf %more, %x : !tile
    %used = tile.dot %x, %y, %half precision tf32 : !tile, !tile -> !tile
    scf.yield %next, %used : !tile, !tile
  }
  return %sums#0, %sums#1 : !tile, !tile
}
