// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-choose-products -nvptx-send-stores | FileCheck %s

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">

// What nvptx-fetch-loads marked: 32 columns of 128 bytes at a time, through two slots that live as long as
// what stands around in the kernel's body. The box is described behind the rings.
// CHECK-LABEL: func.func @marked
// CHECK: nv.ring
// CHECK: %[[BOX:.*]] = nv.box %arg0 {{.*}} shape [32, 64]
// CHECK: %[[ROOM:.*]] = nv.alloc stages 2 : <64x32xf32,
// CHECK-NEXT: scf.for
// CHECK: %[[SUM:.*]] = tile.dot
// CHECK: nv.send %[[SUM]] through %[[ROOM]] -> %[[BOX]][%{{.*}}, %{{.*}}] grid [1, 1] columns 64
// CHECK-NOT: tile.store
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: nv.free %[[ROOM]]
func.func @marked(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %a: tensor<64x64xf16>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %ring = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  %across = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ab = tile.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  scf.for %i = %0 to %n step %64 : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %rows = arith.addi %is, %r : tensor<64xi32>
    %down = tile.expand_dims %rows axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %far = arith.muli %down, %width : tensor<64x1xi32>
    %db = tile.broadcast %far : tensor<64x1xi32> -> tensor<64x64xi32>
    %at = arith.addi %ab, %db : tensor<64x64xi32>
    %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    %cp = tile.offset %cs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %d = tile.dot %a, %a, %zeros precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    tile.store %cp, %d {nv.sent} : tensor<64x64x!tile.ptr<f32>>
  }
  return
}

// Nobody has kept room for it.
// CHECK-LABEL: func.func @unmarked
// CHECK-NOT: nv.{{box|alloc|send}}
// CHECK: tile.store
// CHECK-NOT: nv.{{box|alloc|send}}
// CHECK: return
func.func @unmarked(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %a: tensor<64x64xf16>) attributes {tile.kernel, tile.noalias} {
  %ring = nv.ring stages 2 : !room
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %d = tile.dot %a, %a, %zeros precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %cp, %d : tensor<64x64x!tile.ptr<f32>>
  return
}

// What is added goes through a room for all of it, from two warpgroups beside one another or from one.
// CHECK-LABEL: func.func @added
// CHECK: %[[ROOM:.*]] = nv.alloc stages 4 : <64x32xf32,
// CHECK: nv.send %{{.*}} through %[[ROOM]] -> %{{.*}} grid [1, 1] columns 128 adds
// CHECK-NOT: tile.atomic_rmw
// CHECK: return
func.func @added(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %a: tensor<64x64xf16>, %b: tensor<64x128xf16>) attributes {tile.kernel, tile.noalias} {
  %ring = nv.ring stages 2 : !room
  %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
  %width = arith.constant dense<128> : tensor<64x1xi32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  %l = tile.range 0 to 128 : tensor<128xi32>
  %across = tile.expand_dims %l axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ab = tile.broadcast %across : tensor<1x128xi32> -> tensor<64x128xi32>
  %down = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %far = arith.muli %down, %width : tensor<64x1xi32>
  %db = tile.broadcast %far : tensor<64x1xi32> -> tensor<64x128xi32>
  %at = arith.addi %ab, %db : tensor<64x128xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
  %cp = tile.offset %cs, %at : tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>
  %d = tile.dot %a, %b, %zeros precision tf32 : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
  %old = tile.atomic_rmw fadd %cp, %d order relaxed scope gpu {nv.sent} : tensor<64x128x!tile.ptr<f32>>
  return
}
