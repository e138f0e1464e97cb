// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=16" -nvptx-prefetch-rows | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=16 sm=sm_80" -nvptx-prefetch-rows | FileCheck %s --check-prefix=NONE

// Older GPUs have no instruction for it.
// NONE-NOT: nv.prefetch_row

// Before the first reduction, at whose barrier the row is there: 96 rows of 64 KB are 6 MB.
// CHECK-LABEL: func.func @rows
// CHECK: tile.load
// CHECK: %[[OWN:.*]] = tile.program_id 0
// CHECK: %[[DISTANCE:.*]] = arith.constant 96 : i32
// CHECK: %[[LATER:.*]] = arith.addi %[[OWN]], %[[DISTANCE]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[LATER]], %{{.*}} : i32
// CHECK: tile.offset %arg0
// CHECK: %[[FIRST:.*]] = tile.offset %arg0
// CHECK: nv.prefetch_row %[[FIRST]] count %{{.*}} if %[[EXISTS]] : <f32>
// CHECK-NEXT: tile.reduce
func.func @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %n : i32
  %row = tile.offset %x, %start : !tile.ptr<f32>, i32
  %i = tile.range 0 to 16384 : tensor<16384xi32>
  %ns = tile.splat %n : i32 -> tensor<16384xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<16384xi32>
  %xs = tile.splat %row : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %xp mask %m : tensor<16384x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<16384xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %yp = tile.offset %y, %pid : !tile.ptr<f32>, i32
  tile.store %yp, %s : !tile.ptr<f32>
  return
}

// All programs read one row, which the cache has from the first.
// CHECK-LABEL: func.func @same
// CHECK-NOT: nv.prefetch_row
func.func @same(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32>)
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %i = tile.range 0 to 16384 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %xp : tensor<16384x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<16384xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %yp = tile.offset %y, %pid : !tile.ptr<f32>, i32
  tile.store %yp, %s : !tile.ptr<f32>
  return
}

// Where four programs share an SM, one loads while another computes.
// CHECK-LABEL: func.func @short
// CHECK-NOT: nv.prefetch_row
func.func @short(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %n : i32
  %row = tile.offset %x, %start : !tile.ptr<f32>, i32
  %i = tile.range 0 to 8192 : tensor<8192xi32>
  %xs = tile.splat %row : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %v = tile.load %xp : tensor<8192x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<8192xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %yp = tile.offset %y, %pid : !tile.ptr<f32>, i32
  tile.store %yp, %s : !tile.ptr<f32>
  return
}
