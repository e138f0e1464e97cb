// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">

// CHECK-LABEL: func.func @rings
func.func @rings(%a: !tile.ptr<f32>, %n: i64, %m: i32, %at: i32) {
  // CHECK: %[[RING:.*]] = nv.ring stages 4 : <4x2xf32,
  %ring = nv.ring stages 4 : !small
  // CHECK: %[[BOX:.*]] = nv.box %arg0 offset %arg1 extents %arg1, %arg1 strides %arg1 multiples %arg2 : i32 of [128] shape [2, 4] : <f32> -> !nv.box
  %box = nv.box %a offset %n extents %n, %n strides %n multiples %m : i32 of [128] shape [2, 4] : !tile.ptr<f32> -> !nv.box
  // CHECK: nv.produce {
  nv.produce {
    // CHECK-NEXT: nv.programs {
    nv.programs {
      // CHECK-NEXT: nv.fetch %[[BOX]][%arg3, %arg3] -> %[[RING]]
      nv.fetch %box[%at, %at] -> %ring : !small
    }
  }
  // CHECK: nv.programs {
  nv.programs {
    // CHECK-NEXT: %[[I:.*]] = nv.await_slot %[[RING]]
    %i = nv.await_slot %ring : !small
    // CHECK-NEXT: nv.slot %[[RING]][%[[I]]]
    %slot = nv.slot %ring[%i] : !small
    // CHECK-NEXT: nv.release %[[RING]] pending 1
    nv.release %ring pending 1 : !small
    // CHECK-NEXT: {{^ *[}]$}}
    nv.end_program
  }
  // CHECK: nv.free %[[RING]]
  nv.free %ring : !small
  return
}

// CHECK-LABEL: func.func @flat
func.func @flat(%a: !tile.ptr<f32>, %n: i64) {
  // CHECK: nv.box %arg0 offset %arg1 extents %arg1 of [] shape [16] : <f32> -> !nv.box
  %box = nv.box %a offset %n extents %n of [] shape [16] : !tile.ptr<f32> -> !nv.box
  return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%a: !tile.ptr<f32>, %n: i32, %c: i1, %x: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: %[[RING:.*]] = nv.ring stages 5
  %ring = nv.ring stages 5 : !row
  // CHECK: nv.fetch_row %arg0 count %arg1 -> %[[RING]] slots 4 : <f32>, <4xf32,
  nv.fetch_row %a count %n -> %ring slots 4 : !tile.ptr<f32>, !row
  // CHECK: nv.read_row %[[RING]] slots 4 count %arg1 : <4xf32, {{.*}}> -> tensor<16xf32>
  %0 = nv.read_row %ring slots 4 count %n : !row -> tensor<16xf32>
  // CHECK: nv.read_row %[[RING]] slots 4 count %arg1 other %arg3 : tensor<16xf32> : <4xf32, {{.*}}> -> tensor<16xf32>
  %1 = nv.read_row %ring slots 4 count %n other %x : tensor<16xf32> : !row -> tensor<16xf32>
  // CHECK: nv.prefetch_row %arg0 count %arg1 if %arg2 : <f32>
  nv.prefetch_row %a count %n if %c : !tile.ptr<f32>
  return %1 : tensor<16xf32>
}

// CHECK-LABEL: func.func @kept
func.func @kept(%a: !tile.ptr<f32>, %n: i32, %x: f32, %i: i32) -> tensor<4xf32> {
  // CHECK: %[[ROOM:.*]] = nv.keep_row %arg0 count %arg1 slots 3 : <f32> -> <4xf32,
  %0 = nv.keep_row %a count %n slots 3 : !tile.ptr<f32> -> !row
  // CHECK: nv.keep_row %arg0 count %arg1 other %arg2 : f32 slots 2 {reserved = 4096 : i64} : <f32> -> <4xf32,
  %1 = nv.keep_row %a count %n other %x : f32 slots 2 {reserved = 4096 : i64} : !tile.ptr<f32> -> !row
  // CHECK: nv.read_kept %[[ROOM]][%arg3] : <4xf32, {{.*}}> -> tensor<4xf32>
  %2 = nv.read_kept %0[%i] : !row -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @send
func.func @send(%a: !tile.ptr<f32>, %n: i64, %at: i32, %tile: tensor<64x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // CHECK: nv.send %arg3 through %{{.*}} -> %{{.*}}[%arg2, %arg2] grid [1, 1] columns 64 : tensor<64x64xf32>, <64x32xf32,
  nv.send %tile through %room -> %box[%at, %at] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  // CHECK: nv.await_sent %{{.*}} : <64x32xf32,
  nv.await_sent %room : !piece
  // CHECK: nv.send %arg3 {{.*}} grid [1, 1] columns 64 adds : tensor<64x64xf32>
  nv.send %tile through %room -> %box[%at, %at] grid [1, 1] columns 64 adds : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}
