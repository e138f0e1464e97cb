// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
!turned = !nv.shared<2x4xf32, "{offset: [[1, 0], [0, 1], [0, 2]]} -> {dim0: 2, dim1: 4}">

// CHECK-LABEL: func.func @rooms
func.func @rooms(%tile: tensor<4x2xf32>, %i: i32) -> tensor<4x2xf32> {
  // CHECK: %[[ROOM:.*]] = nv.alloc stages 2 {reserved = 4096 : i64} : <4x2xf32, "{offset: {{.*}}} -> {dim0: 4, dim1: 2}">
  %room = nv.alloc stages 2 {reserved = 4096 : i64} : !small
  // CHECK: %[[SLOT:.*]] = nv.slot %[[ROOM]][%arg1]
  %slot = nv.slot %room[%i] : !small
  // CHECK: nv.write %arg0 -> %[[SLOT]] : tensor<4x2xf32> -> <4x2xf32,
  nv.write %tile -> %slot : tensor<4x2xf32> -> !small
  // CHECK: nv.view %[[SLOT]] order [1, 0]
  %view = nv.view %slot order [1, 0] : !small -> !turned
  // CHECK: nv.read
  %0 = nv.read %view : !turned -> tensor<2x4xf32>
  // CHECK: nv.read %[[SLOT]]
  %1 = nv.read %slot : !small -> tensor<4x2xf32>
  // Others come and go in between.
  %other = nv.alloc stages 1 : !turned
  nv.free %other : !turned
  // CHECK: nv.free %[[ROOM]]
  nv.free %room : !small
  return %1 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @copies
func.func @copies(%p: tensor<4x2x!tile.ptr<f32>>, %m: tensor<4x2xi1>) {
  %room = nv.alloc stages 1 : !small
  // CHECK: nv.copy %arg0 mask %arg1 -> %{{.*}} : tensor<4x2x!tile.ptr<f32>>, tensor<4x2xi1> -> <4x2xf32,
  nv.copy %p mask %m -> %room : tensor<4x2x!tile.ptr<f32>>, tensor<4x2xi1> -> !small
  // CHECK: nv.commit_copies
  nv.commit_copies
  // CHECK: nv.await_copies pending 0
  nv.await_copies pending 0
  nv.free %room : !small
  return
}

// CHECK-LABEL: func.func @turned
// CHECK: nv.turn %arg0 -> %arg1 : <4x2xi8, {{.*}}> -> <4x2xi8,
func.func @turned(%x: !nv.shared<4x2xi8, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">,
                  %y: !nv.shared<4x2xi8, "{offset: [[1, 0], [2, 0], [0, 1]]} -> {dim0: 4, dim1: 2}">) {
  nv.turn %x -> %y : !nv.shared<4x2xi8, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
      -> !nv.shared<4x2xi8, "{offset: [[1, 0], [2, 0], [0, 1]]} -> {dim0: 4, dim1: 2}">
  return
}

// What each block of a cluster has.
// CHECK-LABEL: func.func @blocks
// CHECK: nv.block_of_program
// CHECK: nv.gather_blocks {{.*}} blocks 2 : (f32, i32) -> (f32, f32, i32, i32)
func.func @blocks(%a: f32) -> i32 {
  %block = nv.block_of_program
  %all:4 = nv.gather_blocks %a, %block blocks 2 : (f32, i32) -> (f32, f32, i32, i32)
  return %all#3 : i32
}
