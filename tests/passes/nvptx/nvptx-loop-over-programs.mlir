// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-loop-over-programs | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-loop-over-programs | FileCheck %s --check-prefix=SHARED

// Another block on the SM computes while this one begins and ends.
// SHARED-NOT: nv.programs

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">

// Behind boxes and rings; what is sent is on its way while the next program begins.
// CHECK-LABEL: func.func @persistent
// CHECK: nv.ring
// CHECK: = nv.box
// CHECK: = nv.box
// CHECK-NEXT: %[[ROOM:.*]] = nv.alloc
// CHECK-NEXT: nv.programs {
// CHECK-NEXT: tile.program_id 0
// CHECK: nv.fetch
// CHECK: nv.send
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: nv.free %[[ROOM]]
func.func @persistent(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %tile: tensor<64x64xf32>) attributes {nv.room_for_programs, tile.kernel, tile.noalias} {
  %ring = nv.ring stages 16 : !room
  %0 = arith.constant 0 : i64
  %from = nv.box %a offset %0 extents %n, %n strides %n of [] shape [64, 64] : !tile.ptr<f16> -> !nv.box
  %to = nv.box %c offset %0 extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %pid = tile.program_id 0
  nv.fetch %from[%pid, %pid] -> %ring : !room
  %room = nv.alloc stages 2 : !piece
  nv.send %tile through %room -> %to[%pid, %pid] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// The ring leaves too little for what a program has beside it, or programs are of unequal length: nobody
// said nv.room_for_programs.
// CHECK-LABEL: func.func @unmarked
// CHECK-NOT: nv.programs
func.func @unmarked(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %tile: tensor<64x64xf32>) attributes {tile.kernel, tile.noalias} {
  %ring = nv.ring stages 16 : !room
  %0 = arith.constant 0 : i64
  %from = nv.box %a offset %0 extents %n, %n strides %n of [] shape [64, 64] : !tile.ptr<f16> -> !nv.box
  %to = nv.box %c offset %0 extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %pid = tile.program_id 0
  nv.fetch %from[%pid, %pid] -> %ring : !room
  %room = nv.alloc stages 2 : !piece
  nv.send %tile through %room -> %to[%pid, %pid] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// Two blocks share the SM, whose shared memory is not half taken.
// CHECK-LABEL: func.func @small
// CHECK-NOT: nv.programs
func.func @small(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %tile: tensor<64x64xf32>) attributes {nv.room_for_programs, tile.kernel, tile.noalias} {
  %ring = nv.ring stages 4 : !room
  %0 = arith.constant 0 : i64
  %from = nv.box %a offset %0 extents %n, %n strides %n of [] shape [64, 64] : !tile.ptr<f16> -> !nv.box
  %to = nv.box %c offset %0 extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %pid = tile.program_id 0
  nv.fetch %from[%pid, %pid] -> %ring : !room
  %room = nv.alloc stages 2 : !piece
  nv.send %tile through %room -> %to[%pid, %pid] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}
