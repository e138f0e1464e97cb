// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-insert-clocks | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-insert-clocks="detail=waits" | FileCheck %s --check-prefix=WAITS
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-insert-clocks="detail=rounds" | FileCheck %s --check-prefix=ROUNDS
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-insert-clocks="detail=programs" | FileCheck %s --check-prefix=PROGRAMS

#four = #nv.layout<"{register: [1, 2, 512], lane: [4, 8, 16, 32, 64], warp: [128, 256]} -> {dim0: 1024}">
!numbers = tensor<1024xi32, #four>
!floats = tensor<1024xf32, #four>
!addresses = tensor<1024x!tile.ptr<f32>, #four>

// What was computed, the access, and the wait for it where it is used first: here not at once.
// CHECK-LABEL: func.func @straight
// CHECK-SAME: nv.clocks
// CHECK: tile.offset
// CHECK-NEXT: nv.clock "compute"
// CHECK-NEXT: %[[V:.*]] = tile.load
// CHECK-NEXT: nv.clock "load"
// CHECK-NEXT: arith.addi
// CHECK-NEXT: nv.clock "compute"
// CHECK-NEXT: nv.clock "await_load" %[[V]] : tensor
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: nv.clock "compute"
// CHECK-NEXT: tile.store
// CHECK-NEXT: nv.clock "store"
// CHECK-NEXT: nv.sync
// CHECK-NEXT: nv.clock "barrier"
// CHECK-NEXT: return
// Of the same only the waits, and what stands before them as one.
// WAITS-LABEL: func.func @straight
// WAITS: tile.load
// WAITS-NEXT: arith.addi
// WAITS-NEXT: nv.clock "compute"
// WAITS-NEXT: nv.clock "await_load"
// WAITS-NEXT: arith.mulf
// WAITS-NEXT: tile.store
// WAITS-NEXT: nv.clock "compute"
// WAITS-NEXT: nv.sync
// WAITS-NEXT: nv.clock "barrier"
// ROUNDS-LABEL: func.func @straight
// ROUNDS-NOT: nv.clock "
// ROUNDS-LABEL: func.func @loops
// ROUNDS: tile.store
// ROUNDS-NEXT: arith.addf
// ROUNDS-NEXT: nv.clock "round"
// Of whole programs all that one does is one interval, loops included.
// PROGRAMS-LABEL: func.func @straight
// PROGRAMS-NOT: nv.clock "
// PROGRAMS: nv.sync
// PROGRAMS-NEXT: nv.clock "compute"
// PROGRAMS-NEXT: return
// PROGRAMS-LABEL: func.func @loops
// PROGRAMS-NOT: nv.clock "
// PROGRAMS: nv.clock "compute"
// PROGRAMS-NEXT: return
func.func @straight(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : !numbers
  %s = tile.splat %p : !tile.ptr<f32> -> !addresses
  %a = tile.offset %s, %i : !addresses, !numbers
  %v = tile.load %a : !addresses
  %j = arith.addi %i, %i : !numbers
  %w = arith.mulf %v, %v : !floats
  tile.store %a, %w : !addresses
  nv.sync
  return
}

// Rounds end with a clock if something in them is noted; a loop that only computes is one thing.
// CHECK-LABEL: func.func @loops
// CHECK: scf.for
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: scf.yield
// CHECK: nv.clock "compute"
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.store
// CHECK-NEXT: nv.clock "store"
// CHECK-NEXT: arith.addf
// CHECK-NEXT: nv.clock "round"
// CHECK-NEXT: scf.yield
// CHECK-NOT: nv.clock
// CHECK: return
func.func @loops(%a: !addresses, %x: !floats, %n: i32) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %y = scf.for %r = %0 to %n step %1 iter_args(%z = %x) -> (!floats) : i32 {
    %zz = arith.mulf %z, %z : !floats
    scf.yield %zz : !floats
  }
  %w = scf.for %r = %0 to %n step %1 iter_args(%z = %y) -> (!floats) : i32 {
    tile.store %a, %z : !addresses
    %zz = arith.addf %z, %z : !floats
    scf.yield %zz : !floats
  }
  return
}

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">

// Each role has its own.
// CHECK-LABEL: func.func @roles
// CHECK: nv.produce {
// CHECK: nv.fetch
// CHECK-NEXT: nv.clock "fetch"
// CHECK-NEXT: nv.clock "round"
// CHECK: nv.await_slot
// CHECK-NEXT: nv.clock "await_tile"
// CHECK: nv.multiply
// CHECK-NEXT: nv.clock "product"
// CHECK-NEXT: nv.await_products
// CHECK-NEXT: nv.clock "await_product"
// CHECK: nv.clock "round"
func.func @roles(%a: !tile.ptr<f16>, %m: i64, %zeros: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32>
    attributes {tile.kernel} {
  %ring = nv.ring stages 16 : !room
  %far = arith.constant 0 : i64
  %box = nv.box %a offset %far extents %m, %m strides %m of [] shape [64, 64] : !tile.ptr<f16> -> !nv.box
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  nv.produce {
    scf.for %k = %0 to %n step %64 : i32 {
      nv.fetch %box[%k, %0] -> %ring : !room
    }
  }
  %sums = scf.for %k = %0 to %n step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %i = nv.await_slot %ring : !room
    %slot = nv.slot %ring[%i] : !room
    %p = nv.multiply %slot, %slot, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    nv.await_products pending 1
    nv.release %ring pending 1 : !room
    scf.yield %p : tensor<64x64xf32>
  }
  %done = nv.finish %sums : tensor<64x64xf32>
  nv.release %ring pending 0 : !room
  nv.free %ring : !room
  return %done : tensor<64x64xf32>
}
