// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @pair
func.func @pair(%out: !tile.ptr<f32>) attributes {tile.kernel, tile.block = array<i64: 64, 2, 1>} {
  // CHECK: tile.thread_id 0
  %x = tile.thread_id 0
  // CHECK: tile.shared 64 : <f32>
  %cache = tile.shared 64 : !tile.ptr<f32>
  // CHECK: tile.local 4 : <i64>
  %stack = tile.local 4 : !tile.ptr<i64>
  %mine = tile.offset %cache, %x : !tile.ptr<f32>, i32
  %one = arith.constant 1.0 : f32
  tile.store %mine, %one : !tile.ptr<f32>
  // CHECK: tile.active_mask
  %here = tile.active_mask
  // CHECK: tile.table dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32> : <f32>
  %weights = tile.table dense<[0.5, 2.0]> : tensor<2xf32> : !tile.ptr<f32>
  // CHECK: tile.table dense<1> : tensor<3xi8> : <i1>
  %flags = tile.table dense<1> : tensor<3xi8> : !tile.ptr<i1>
  // CHECK: tile.sync_threads
  tile.sync_threads
  // CHECK-NEXT: tile.sync_threads whole_grid
  tile.sync_threads whole_grid
  return
}

// CHECK-LABEL: func.func @warp
func.func @warp(%isFound: i1, %lane: i32, %members: i32, %number: f64) -> (i32, i32, f64) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  // CHECK: tile.sync_threads_count %arg0
  %found = tile.sync_threads_count %isFound
  // CHECK: tile.sync_warp %arg2
  tile.sync_warp %members
  // CHECK: tile.ballot %arg0, %arg2
  %who = tile.ballot %isFound, %members
  // CHECK: tile.shuffle %arg3, %arg1, %arg2 : f64
  %other = tile.shuffle %number, %lane, %members : f64
  return %found, %who, %other : i32, i32, f64
}
