// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-delay-products | FileCheck %s

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">

// A product made from another (attention's P V) begins a round later, beside the next round's first: the
// first round stands before the loop, the last product after it.
// CHECK-LABEL: func.func @attention
// CHECK: scf.if
// CHECK: nv.multiply
// CHECK-NOT: nv.multiply
// CHECK: scf.for
// CHECK: %[[S:.*]] = nv.multiply
// CHECK: %[[O:.*]] = nv.multiply
// CHECK-NEXT: nv.finish %[[S]] pending 1
// CHECK: nv.finish %[[O]] :
// CHECK: scf.yield
// CHECK: nv.multiply
// CHECK-NEXT: nv.finish
// CHECK: scf.yield
// CHECK: else
// CHECK-NEXT: scf.yield %arg1
func.func @attention(%q: tensor<64x64xf16>, %zeros: tensor<64x64xf32>, %half: tensor<64x64xf32>, %slot: i32, %n: i32) -> tensor<64x64xf32>
    attributes {tile.kernel} {
  %keys = nv.ring stages 2 : !room
  %values = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %k = nv.slot %keys[%slot] : !room
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %scores = nv.finish %s : tensor<64x64xf32>
    %p = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %scaled = arith.mulf %acc, %half : tensor<64x64xf32>
    %v = nv.slot %values[%slot] : !room
    %o = nv.multiply %p, %v, %scaled grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %next = nv.finish %o {mayBeDelayed} : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// Its slot may be filled again before the next round: nvptx-stage-operands did not say mayBeDelayed.
// CHECK-LABEL: func.func @unmarked
// CHECK-NOT: scf.if
// CHECK-NOT: pending
func.func @unmarked(%q: tensor<64x64xf16>, %zeros: tensor<64x64xf32>, %half: tensor<64x64xf32>, %slot: i32, %n: i32) -> tensor<64x64xf32>
    attributes {tile.kernel} {
  %keys = nv.ring stages 2 : !room
  %values = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %k = nv.slot %keys[%slot] : !room
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %scores = nv.finish %s : tensor<64x64xf32>
    %p = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %scaled = arith.mulf %acc, %half : tensor<64x64xf32>
    %v = nv.slot %values[%slot] : !room
    %o = nv.multiply %p, %v, %scaled grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %next = nv.finish %o : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// Of two rounds, one would have nothing beside it.
// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.if
// CHECK-NOT: pending
func.func @few(%q: tensor<64x64xf16>, %zeros: tensor<64x64xf32>, %half: tensor<64x64xf32>, %slot: i32, %n: i32) -> tensor<64x64xf32>
    attributes {tile.kernel} {
  %keys = nv.ring stages 2 : !room
  %values = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %k = nv.slot %keys[%slot] : !room
  %sums = scf.for %i = %0 to %2 step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %scores = nv.finish %s : tensor<64x64xf32>
    %p = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %scaled = arith.mulf %acc, %half : tensor<64x64xf32>
    %v = nv.slot %values[%slot] : !room
    %o = nv.multiply %p, %v, %scaled grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %next = nv.finish %o {mayBeDelayed} : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}
