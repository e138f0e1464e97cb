// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=16" -nvptx-fetch-rows | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=16 registers=64" -nvptx-fetch-rows | FileCheck %s --check-prefix=NONE
// RUN: %nereid-opt %s -nvptx-configure="warps=16 sm=sm_80" -nvptx-fetch-rows | FileCheck %s --check-prefix=NONE

// A limit on registers leaves none for a warp that fetches; older GPUs have no copy engine.
// NONE-NOT: nv.{{ring|fetch|read|room}}

// A row of 32768 floats takes half of an SM's registers: in four pieces, through a ring that has all of
// shared memory. Where it begins and how long it is are numbers, computed before.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: nv.room_for_programs
// CHECK: %[[RING:.*]] = nv.ring stages 6 {reserved = {{[0-9]+}} : i64} : <8192xf32,
// CHECK: %[[FIRST:.*]] = tile.offset %arg0, %{{.*}} : !tile.ptr<f32>, i64
// CHECK: nv.fetch_row %[[FIRST]] count %[[COUNT:.*]] -> %[[RING]] slots 4 : <f32>
// CHECK: nv.read_row %[[RING]] slots 4 count %[[COUNT]] : {{.*}} -> tensor<32768xf32>
// CHECK-NOT: tile.load
func.func @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %n : i32
  %row = tile.offset %x, %start : !tile.ptr<f32>, i32
  %i = tile.range 0 to 32768 : tensor<32768xi32>
  %ns = tile.splat %n : i32 -> tensor<32768xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<32768xi32>
  %xs = tile.splat %row : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %v = tile.load %xp mask %m : tensor<32768x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<32768xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %yp = tile.offset %y, %pid : !tile.ptr<f32>, i32
  tile.store %yp, %s : !tile.ptr<f32>
  return
}

// Four programs of rows this short have an SM's registers: one loads while another computes.
// CHECK-LABEL: func.func @short
// CHECK-NOT: nv.{{ring|fetch|read|room}}
func.func @short(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %n : i32
  %row = tile.offset %x, %start : !tile.ptr<f32>, i32
  %i = tile.range 0 to 16384 : tensor<16384xi32>
  %xs = tile.splat %row : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
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

// Rows that begin anywhere are none for the copy engine, which moves 16 bytes at a time.
// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: nv.{{ring|fetch|read|room}}
func.func @unaligned(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %n : i32
  %row = tile.offset %x, %start : !tile.ptr<f32>, i32
  %i = tile.range 0 to 32768 : tensor<32768xi32>
  %xs = tile.splat %row : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %v = tile.load %xp : tensor<32768x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<32768xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %yp = tile.offset %y, %pid : !tile.ptr<f32>, i32
  tile.store %yp, %s : !tile.ptr<f32>
  return
}

// Rows that are added up before the reduction are one by then, half as long as the one above.
// CHECK-LABEL: func.func @added_up
// CHECK-NOT: nv.{{ring|fetch|read|room}}
func.func @added_up(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                    %y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.noalias} {
  %pid = tile.program_id 0
  %start = arith.muli %pid, %n : i32
  %i = tile.range 0 to 8192 : tensor<8192xi32>
  %x0 = tile.offset %x, %start : !tile.ptr<f32>, i32
  %xs = tile.splat %x0 : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %u = tile.load %xp : tensor<8192x!tile.ptr<f32>>
  %x1 = tile.offset %x0, %n : !tile.ptr<f32>, i32
  %xt = tile.splat %x1 : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %xq = tile.offset %xt, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %v = tile.load %xq : tensor<8192x!tile.ptr<f32>>
  %z0 = tile.offset %z, %start : !tile.ptr<f32>, i32
  %zs = tile.splat %z0 : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %zp = tile.offset %zs, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %w = tile.load %zp : tensor<8192x!tile.ptr<f32>>
  %both = arith.addf %u, %v : tensor<8192xf32>
  %all = arith.addf %both, %w : tensor<8192xf32>
  %s = tile.reduce (%all) axis 0 : (tensor<8192xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %yp = tile.offset %y, %pid : !tile.ptr<f32>, i32
  tile.store %yp, %s : !tile.ptr<f32>
  return
}
