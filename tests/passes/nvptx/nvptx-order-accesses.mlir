// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-order-accesses | FileCheck %s

#four = #nv.layout<"{register: [1, 2, 512], lane: [4, 8, 16, 32, 64], warp: [128, 256]} -> {dim0: 1024}">
#copies = #nv.layout<"{register: [1, 2, 128, 256, 512], lane: [4, 8, 16, 32, 64], warp: [0, 0]} -> {dim0: 1024}">
!numbers = tensor<1024xi32, #four>
!addresses = tensor<1024x!tile.ptr<f32>, #four>

// Where arrays may be one, another thread's element may be overwritten before it is read.
// CHECK-LABEL: func.func @reversed
// CHECK: tile.load
// CHECK: nv.sync
// CHECK-NEXT: tile.store
// CHECK-NOT: nv.sync
func.func @reversed(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : !numbers
  %last = arith.constant dense<1023> : !numbers
  %j = arith.subi %last, %i : !numbers
  %xs = tile.splat %x : !tile.ptr<f32> -> !addresses
  %xp = tile.offset %xs, %i : !addresses, !numbers
  %v = tile.load %xp : !addresses
  %ys = tile.splat %y : !tile.ptr<f32> -> !addresses
  %yp = tile.offset %ys, %j : !addresses, !numbers
  tile.store %yp, %v : !addresses
  return
}

// The host has said that they are two.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: nv.sync
func.func @apart(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 1024 : !numbers
  %xs = tile.splat %x : !tile.ptr<f32> -> !addresses
  %xp = tile.offset %xs, %i : !addresses, !numbers
  %v = tile.load %xp : !addresses
  %ys = tile.splat %y : !tile.ptr<f32> -> !addresses
  %yp = tile.offset %ys, %i : !addresses, !numbers
  tile.store %yp, %v : !addresses
  return
}

// Each thread touches its own element again, and keeps its own accesses in order.
// CHECK-LABEL: func.func @own
// CHECK-NOT: nv.sync
func.func @own(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : !numbers
  %xs = tile.splat %x : !tile.ptr<f32> -> !addresses
  %xp = tile.offset %xs, %i : !addresses, !numbers
  %v = tile.load %xp : !addresses
  tile.store %xp, %v : !addresses
  %w = tile.load %xp : !addresses
  return
}

// Where warps hold copies, an element is that of several threads.
// CHECK-LABEL: func.func @held
// CHECK: tile.load
// CHECK: nv.sync
// CHECK-NEXT: tile.store
func.func @held(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : tensor<1024xi32, #copies>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #copies>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>, #copies>, tensor<1024xi32, #copies>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>, #copies>
  tile.store %xp, %v : tensor<1024x!tile.ptr<f32>, #copies>
  return
}

// What a round stores, a later one may load, which goes on by half a tile; not where nv.disjoint_rounds says that none does.
// CHECK-LABEL: func.func @rounds
// CHECK: scf.for
// CHECK: nv.sync
// CHECK-NEXT: tile.load
// CHECK: scf.for
// CHECK-NOT: nv.sync
// CHECK: {nv.disjoint_rounds}
func.func @rounds(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %512 = arith.constant 512 : i32
  %i = tile.range 0 to 1024 : !numbers
  %xs = tile.splat %x : !tile.ptr<f32> -> !addresses
  scf.for %k = %0 to %n step %512 : i32 {
    %ks = tile.splat %k : i32 -> !numbers
    %at = arith.addi %i, %ks : !numbers
    %xp = tile.offset %xs, %at : !addresses, !numbers
    %v = tile.load %xp : !addresses
    tile.store %xp, %v : !addresses
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> !addresses
  scf.for %k = %0 to %n step %512 : i32 {
    %ks = tile.splat %k : i32 -> !numbers
    %at = arith.addi %i, %ks : !numbers
    %yp = tile.offset %ys, %at : !addresses, !numbers
    %v = tile.load %yp : !addresses
    tile.store %yp, %v : !addresses
  } {nv.disjoint_rounds}
  return
}

// Rounds that go on by a whole tile touch different elements.
// CHECK-LABEL: func.func @rounds_apart
// CHECK-NOT: nv.sync
// CHECK: return
func.func @rounds_apart(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %1024 = arith.constant 1024 : i32
  %i = tile.range 0 to 1024 : !numbers
  %xs = tile.splat %x : !tile.ptr<f32> -> !addresses
  scf.for %k = %0 to %n step %1024 : i32 {
    %ks = tile.splat %k : i32 -> !numbers
    %at = arith.addi %i, %ks : !numbers
    %xp = tile.offset %xs, %at : !addresses, !numbers
    %v = tile.load %xp : !addresses
    tile.store %xp, %v : !addresses
  }
  return
}

// So do tiles that lie side by side, wherever they begin.
// CHECK-LABEL: func.func @side_by_side
// CHECK-NOT: nv.sync
// CHECK: return
func.func @side_by_side(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : !numbers
  %next = tile.range 1024 to 2048 : !numbers
  %first = tile.offset %x, %n : !tile.ptr<f32>, i32
  %firsts = tile.splat %first : !tile.ptr<f32> -> !addresses
  %p = tile.offset %firsts, %i : !addresses, !numbers
  %q = tile.offset %firsts, %next : !addresses, !numbers
  %v = tile.load %p : !addresses
  tile.store %q, %v : !addresses
  return
}

// Rounds that are apart from one another, and not from what was written before them: once, before
// the loop.
// CHECK-LABEL: func.func @once_before_rounds
// CHECK: tile.store
// CHECK-NEXT: nv.sync
// CHECK-NEXT: scf.for
// CHECK-NOT: nv.sync
// CHECK: return
func.func @once_before_rounds(%x: !tile.ptr<f32>, %n: i32, %v: tensor<1024xf32, #four>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %1024 = arith.constant 1024 : i32
  %i = tile.range 0 to 1024 : !numbers
  %last = arith.constant dense<1023> : !numbers
  %j = arith.subi %last, %i : !numbers
  %xs = tile.splat %x : !tile.ptr<f32> -> !addresses
  %turned = tile.offset %xs, %j : !addresses, !numbers
  tile.store %turned, %v : !addresses
  scf.for %k = %0 to %n step %1024 : i32 {
    %ks = tile.splat %k : i32 -> !numbers
    %at = arith.addi %i, %ks : !numbers
    %xp = tile.offset %xs, %at : !addresses, !numbers
    %w = tile.load %xp : !addresses
    tile.store %xp, %w : !addresses
  }
  return
}

// Rounds that meet one another have a barrier each, which is for what was before them, too.
// CHECK-LABEL: func.func @in_each_round
// CHECK: tile.store
// CHECK-NEXT: scf.for
// CHECK: nv.sync
// CHECK-NEXT: tile.load
// CHECK-NOT: nv.sync
// CHECK: return
func.func @in_each_round(%x: !tile.ptr<f32>, %n: i32, %v: tensor<1024xf32, #four>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %i = tile.range 0 to 1024 : !numbers
  %last = arith.constant dense<1023> : !numbers
  %j = arith.subi %last, %i : !numbers
  %xs = tile.splat %x : !tile.ptr<f32> -> !addresses
  %turned = tile.offset %xs, %j : !addresses, !numbers
  tile.store %turned, %v : !addresses
  scf.for %k = %0 to %n step %1 : i32 {
    %ks = tile.splat %k : i32 -> !numbers
    %at = arith.addi %i, %ks : !numbers
    %xp = tile.offset %xs, %at : !addresses, !numbers
    %w = tile.load %xp : !addresses
    tile.store %xp, %w : !addresses
  }
  return
}
