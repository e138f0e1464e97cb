// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-choose-products -nvptx-stage-operands | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4 sm=sm_80" -nvptx-choose-products -nvptx-stage-operands | FileCheck %s --check-prefix=OLD
// RUN: %nereid-opt %s -nvptx-configure="warps=2" -nvptx-choose-products -nvptx-stage-operands | FileCheck %s --check-prefix=OLD

// No warpgroups: an older GPU, or half of one.
// OLD-NOT: nv.multiply

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">

// Factors are read in their slots; one that is turned, through a view.
// CHECK-LABEL: func.func @slots
// CHECK: %[[A:.*]] = nv.slot
// CHECK: %[[B:.*]] = nv.slot
// CHECK: %[[TURNED:.*]] = nv.view %[[B]] order [1, 0]
// CHECK-NOT: nv.read
// CHECK: %[[SUMS:.*]] = nv.multiply %[[A]], %[[TURNED]], %arg0 grid [1, 1] columns 64
// CHECK-NEXT: %[[DONE:.*]] = nv.finish %[[SUMS]] :
// CHECK-NOT: tile.dot
// CHECK: return %[[DONE]]
func.func @slots(%acc: tensor<64x64xf32>, %i: i32) -> tensor<64x64xf32> attributes {tile.kernel} {
  %ring = nv.ring stages 2 : !room
  %sa = nv.slot %ring[%i] : !room
  %a = nv.read %sa : !room -> tensor<64x64xf16>
  %sb = nv.slot %ring[%i] : !room
  %b = nv.read %sb : !room -> tensor<64x64xf16>
  %turned = tile.permute %b [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %0 = tile.dot %a, %turned, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// What is nowhere in shared memory is put there; a left factor that is made beside the product stays in
// registers.
// CHECK-LABEL: func.func @registers
// CHECK: %[[LEFT:.*]] = arith.addf
// CHECK: %[[ROOM:.*]] = nv.alloc stages 1
// CHECK-NEXT: nv.write %arg1 -> %[[ROOM]]
// CHECK: nv.multiply %[[LEFT]], %[[ROOM]],
// CHECK-NEXT: nv.finish
// CHECK-NEXT: nv.free %[[ROOM]]
func.func @registers(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %left = arith.addf %a, %a : tensor<64x64xf16>
  %0 = tile.dot %left, %b, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// In flight: one product goes on while the next round begins, and is done behind the loop.
// CHECK-LABEL: func.func @inFlight
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK: %[[SUMS:.*]] = nv.multiply
// CHECK-NEXT: nv.await_products pending 1
// CHECK-NEXT: scf.yield %[[SUMS]]
// CHECK: %[[DONE:.*]] = nv.finish %[[LOOP]]
// CHECK-NEXT: return %[[DONE]]
func.func @inFlight(%zeros: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> attributes {tile.kernel} {
  %ring = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = nv.slot %ring[%i] : !room
    %a = nv.read %s : !room -> tensor<64x64xf16>
    %d = tile.dot %a, %a, %acc precision tf32 {nv.overlap = #nv<overlap in_flight>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// A delayed one goes to nvptx-delay-products.
// CHECK-LABEL: func.func @delayed
// CHECK: nv.multiply
// CHECK-NEXT: nv.finish {{.*}} {mayBeDelayed}
func.func @delayed(%a: tensor<64x64xf16>, %zeros: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> attributes {tile.kernel} {
  %ring = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %s = nv.slot %ring[%i] : !room
    %b = nv.read %s : !room -> tensor<64x64xf16>
    %left = arith.addf %a, %a : tensor<64x64xf16>
    %d = tile.dot %left, %b, %acc precision tf32 {nv.overlap = #nv<overlap delayed>} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// Exact products of f32 are those of threads, and few rows those of warps.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: tile.dot
// CHECK-NOT: nv.multiply
func.func @others(%x: tensor<64x64xf32>, %a: tensor<16x64xf16>, %b: tensor<64x64xf16>, %acc: tensor<16x64xf32>)
    -> (tensor<64x64xf32>, tensor<16x64xf32>) attributes {tile.kernel} {
  %0 = tile.dot %x, %x, %x precision ieee : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = tile.dot %a, %b, %acc precision tf32 : tensor<16x64xf16>, tensor<64x64xf16> -> tensor<16x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<16x64xf32>
}
