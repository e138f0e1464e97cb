// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-give-roles | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-give-roles | FileCheck %s --check-prefix=EIGHT

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">

// One warp more fetches; the others await a slot where they read it, and give it back when the product that
// read it is done: the first round gives back nothing, the end gives back the last. Where two warpgroups
// have the SM for themselves, the warp is of a whole third one, whose registers they get.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: nv.producer_warps = 1 : i32
// EIGHT-LABEL: func.func @matmul
// EIGHT-SAME: nv.producer_warps = 4 : i32
// CHECK: %[[RING:.*]] = nv.ring
// CHECK: %[[BOX:.*]] = nv.box
// CHECK-NEXT: nv.produce {
// CHECK: scf.for
// CHECK-NOT: tensor
// CHECK: nv.fetch %[[BOX]]{{.*}} -> %[[RING]]
// CHECK-NOT: nv.fetch
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK-NEXT: %[[I:.*]] = nv.await_slot %[[RING]]
// CHECK-NEXT: %[[SLOT:.*]] = nv.slot %[[RING]][%[[I]]]
// CHECK-NEXT: nv.multiply %[[SLOT]], %[[SLOT]]
// CHECK-NEXT: nv.await_products pending 1
// CHECK-NEXT: nv.release %[[RING]] pending 1
// CHECK: scf.yield
// CHECK: nv.finish
// CHECK-NEXT: nv.release %[[RING]] pending 0
// CHECK-NEXT: nv.free %[[RING]]
func.func @matmul(%a: !tile.ptr<f16>, %m: i64, %zeros: tensor<64x64xf32>, %n: i32, %x: tensor<64xf32>) -> tensor<64x64xf32>
    attributes {tile.kernel} {
  %ring = nv.ring stages 16 : !room
  %far = arith.constant 0 : i64
  %box = nv.box %a offset %far extents %m, %m strides %m of [] shape [64, 64] : !tile.ptr<f16> -> !nv.box
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %sums:2 = scf.for %k = %0 to %n step %64 iter_args(%acc = %zeros, %y = %x) -> (tensor<64x64xf32>, tensor<64xf32>) : i32 {
    nv.fetch %box[%k, %0] -> %ring : !room
    %i = nv.await_slot %ring : !room
    %slot = nv.slot %ring[%i] : !room
    %z = arith.mulf %y, %y : tensor<64xf32>
    %p = nv.multiply %slot, %slot, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    nv.await_products pending 1
    scf.yield %p, %z : tensor<64x64xf32>, tensor<64xf32>
  }
  %done = nv.finish %sums#0 : tensor<64x64xf32>
  return %done : tensor<64x64xf32>
}

// Both roles run one program after the other; room of what is sent is free before the rings.
// CHECK-LABEL: func.func @persistent
// CHECK: nv.box
// CHECK-NEXT: nv.produce {
// CHECK-NEXT: nv.programs {
// CHECK: nv.fetch
// CHECK-NOT: nv.fetch
// CHECK: %[[ROOM:.*]] = nv.alloc
// CHECK-NEXT: nv.programs {
// CHECK: nv.await_slot
// CHECK: nv.read
// CHECK-NEXT: nv.release
// CHECK: nv.write
// CHECK: nv.free %[[ROOM]]
// CHECK-NEXT: nv.free
// CHECK-NEXT: return
func.func @persistent(%a: !tile.ptr<f16>, %m: i64) attributes {tile.kernel} {
  %ring = nv.ring stages 4 : !room
  %far = arith.constant 0 : i64
  %box = nv.box %a offset %far extents %m, %m strides %m of [] shape [64, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 1 : !room
  nv.programs {
    %pid = tile.program_id 0
    nv.fetch %box[%pid, %pid] -> %ring : !room
    %i = nv.await_slot %ring : !room
    %slot = nv.slot %ring[%i] : !room
    %tile = nv.read %slot : !room -> tensor<64x64xf16>
    nv.write %tile -> %room : tensor<64x64xf16> -> !room
  }
  nv.free %room : !room
  return
}

// Threads copy for themselves: all warps do the same.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: nv.{{produce|release}}
func.func @copies(%ptrs: tensor<64x64x!tile.ptr<f16>>, %mask: tensor<64x64xi1>) -> tensor<64x64xf16> attributes {tile.kernel} {
  %room = nv.alloc stages 1 : !room
  nv.copy %ptrs mask %mask -> %room : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi1> -> !room
  nv.commit_copies
  nv.await_copies pending 0
  %a = nv.read %room : !room -> tensor<64x64xf16>
  nv.free %room : !room
  return %a : tensor<64x64xf16>
}
