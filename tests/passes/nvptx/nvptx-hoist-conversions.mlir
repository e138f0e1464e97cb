// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=1" -nvptx-hoist-conversions | FileCheck %s --check-prefixes=CHECK,ROOM
// RUN: %nereid-opt %s -nvptx-configure="warps=1 policy=sum_registers=40" -nvptx-hoist-conversions | FileCheck %s --check-prefixes=CHECK,FULL

#loaded = #nv.layout<"{register: [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane: [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp: []} -> {dim0: 32, dim1: 32}">
#left = #nv.layout<"{register: [[0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane: [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp: []} -> {dim0: 32, dim1: 32}">
#right = #nv.layout<"{register: [[1, 0], [8, 0], [16, 0], [0, 8], [0, 16]], lane: [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp: []} -> {dim0: 32, dim1: 32}">
#renamed = #nv.layout<"{register: [[1, 0], [2, 0], [4, 0], [0, 16], [0, 8]], lane: [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp: []} -> {dim0: 32, dim1: 32}">
!loaded = tensor<32x32xf16, #loaded>
!left = tensor<32x32xf16, #left>
!right = tensor<32x32xf16, #right>
!sums = tensor<32x32xf32, #left>
!addresses = tensor<32x32x!tile.ptr<f16>, #loaded>

// What no round changes is exchanged once; whoever wants it so later takes it, and since nobody needs it as it was loaded any more,
// the other factor is made of that as well. Where registers do not suffice (32 of the sums, 16 of the tile), it stays.
// CHECK-LABEL: func.func @weighted
// CHECK: %[[W:.*]] = tile.load
// ROOM: %[[A:.*]] = nv.convert %[[W]] : {{.*}}[2, 0], [4, 0]]{{.*}}
// ROOM: scf.for
// ROOM-NOT: nv.convert
// ROOM: tile.dot %[[A]],
// ROOM: scf.yield
// ROOM: %[[B:.*]] = nv.convert %[[A]]
// ROOM: tile.dot %[[A]], %[[B]]
// FULL: scf.for
// FULL: %[[A:.*]] = nv.convert %[[W]]
// FULL: tile.dot %[[A]],
func.func @weighted(%p: !tile.ptr<f16>, %b: !right, %rounds: i32, %out: tensor<32x32x!tile.ptr<f32>, #left>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %ps = tile.splat %p : !tile.ptr<f16> -> !addresses
  %w = tile.load %ps : !addresses
  %s = scf.for %r = %c0 to %rounds step %c1 iter_args(%sum = %zero) -> (!sums) : i32 {
    %a = nv.convert %w : !loaded -> !left
    %next = tile.dot %a, %b, %sum precision ieee {nv.product = #nv.product<by = warps, depth = 16>} : !left, !right -> !sums
    scf.yield %next : !sums
  }
  %a2 = nv.convert %w : !loaded -> !left
  %b2 = nv.convert %w : !loaded -> !right
  %t = tile.dot %a2, %b2, %s precision ieee {nv.product = #nv.product<by = warps, depth = 16>} : !left, !right -> !sums
  tile.store %out, %t : tensor<32x32x!tile.ptr<f32>, #left>
  return
}

// What rounds make, what a branch may not need, and names of registers stay where they are.
// CHECK-LABEL: func.func @left_there
// CHECK: scf.for
// CHECK: tile.load
// CHECK-NEXT: nv.convert
// CHECK: scf.if
// CHECK: nv.convert
// CHECK: nv.convert
func.func @left_there(%p: !tile.ptr<f16>, %w: !loaded, %rounds: i32, %asked: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ps = tile.splat %p : !tile.ptr<f16> -> !addresses
  scf.for %r = %c0 to %rounds step %c1 : i32 {
    %v = tile.load %ps : !addresses
    %a = nv.convert %v : !loaded -> !left
    scf.if %asked {
      %b = nv.convert %w : !loaded -> !left
      %c = nv.convert %b : !left -> !loaded
      tile.store %ps, %c : !addresses
    }
    %d = nv.convert %w : !loaded -> tensor<32x32xf16, #renamed>
    %e = nv.convert %d : tensor<32x32xf16, #renamed> -> !loaded
    tile.store %ps, %e : !addresses
  }
  return
}
