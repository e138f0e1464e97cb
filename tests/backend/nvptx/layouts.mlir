// Tiles are given to threads: accesses along addresses, products as their instruction has them,
// everything else as what it is made from.
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-assign-layouts -nvptx-order-accesses -split-input-file | FileCheck %s

// Four neighbours of 4 bytes a thread; the mask and the addresses are computed where they are used.
// CHECK-LABEL: func.func @add
// CHECK: tile.range 0 to 1024 : tensor<1024xi32, #nv.layout<"{register: [1, 2, 512], lane: [4, 8, 16, 32, 64], warp: [128, 256]} -> {dim0: 1024}">>
// CHECK-NOT: nv.convert
// CHECK-NOT: nv.sync
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
               %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp mask %m : tensor<1024x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %w mask %m : tensor<1024x!tile.ptr<f32>>
  func.return
}

// -----

// Where arrays may be one, another thread's element may be overwritten before it is read: the
// threads wait for one another, but not where each touches its own element again.
// CHECK-LABEL: func.func @reversed
// CHECK: tile.load
// CHECK: nv.sync
// CHECK-NEXT: tile.store
// CHECK-NOT: nv.sync
func.func @reversed(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %last = arith.constant dense<1023> : tensor<1024xi32>
  %j = arith.subi %last, %i : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.offset %ys, %j : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %v : tensor<1024x!tile.ptr<f32>>
  func.return
}

// -----

// The sums start as constants and lie as the products do; the factors are converted once each.
// CHECK-LABEL: func.func @dot
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<64x64xf32, #nv.layout<"{register: {{\[\[}}0, 1], [8, 0]
// CHECK-COUNT-2: nv.convert
// CHECK-NOT: nv.convert
// CHECK: tile.dot
func.func @dot(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %k: i32)
    attributes {tile.kernel, tile.noalias} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.range 0 to 64 : tensor<64xi32>
  %rows = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %down = arith.muli %rows, %c64 : tensor<64x1xi32>
  %wide = tile.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %row = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %across = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %wide, %across : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %start = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %r = %zero to %k step %one iter_args(%acc = %start) -> tensor<64x64xf32> : i32 {
    %v = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %v, %v, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.offset %cs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  func.return
}
