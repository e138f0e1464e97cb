// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-part-rounds | FileCheck %s

// 128 registers a thread of sums that the loop carries, and as many of a round's product: the round makes one half of the rows
// behind the other, of one right factor.
// CHECK-LABEL: func.func @scaled
// CHECK-DAG: %[[UPPER:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[LOWER:.*]] = arith.constant 128 : i32
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[U:.*]] = {{.*}}, %[[L:.*]] = {{.*}}) -> (tensor<128x128xf32>, tensor<128x128xf32>)
// CHECK-COUNT-1: tile.load {{.*}} : tensor<32x128x!tile.ptr<f16>>
// CHECK: %[[A:.*]] = tile.dot {{.*}} : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
// CHECK: arith.mulf %[[A]]
// CHECK: arith.addf %[[U]]
// CHECK: %[[B:.*]] = tile.dot {{.*}} : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
// CHECK: arith.mulf %[[B]]
// CHECK: arith.addf %[[L]]
// CHECK: scf.yield
// CHECK: tile.store %{{.*}}, %[[SUMS]]#0 {nv.part_of = 0 : i32} : tensor<128x128x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %[[SUMS]]#1 {nv.part_of = 0 : i32} : tensor<128x128x!tile.ptr<f32>>
// CHECK-NOT: tensor<256x128xf32>
func.func @scaled(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %s: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<256x128xf32>
  %rows = tile.range 0 to 256 : tensor<256xi32>
  %down = tile.expand_dims %rows axis 1 : tensor<256xi32> -> tensor<256x1xi32>
  %left = tile.broadcast %down : tensor<256x1xi32> -> tensor<256x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<256x32x!tile.ptr<f16>>
  %ap = tile.offset %as, %left : tensor<256x32x!tile.ptr<f16>>, tensor<256x32xi32>
  %bp = tile.splat %b : !tile.ptr<f16> -> tensor<32x128x!tile.ptr<f16>>
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<256x128xf32>) : i32 {
    %x = tile.load %ap : tensor<256x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x128x!tile.ptr<f16>>
    %f = tile.load %s : !tile.ptr<f32>
    %d = tile.dot %x, %y, %zeros precision tf32 : tensor<256x32xf16>, tensor<32x128xf16> -> tensor<256x128xf32>
    %fs = tile.splat %f : f32 -> tensor<256x128xf32>
    %m = arith.mulf %d, %fs : tensor<256x128xf32>
    %t = arith.addf %acc, %m : tensor<256x128xf32>
    scf.yield %t : tensor<256x128xf32>
  }
  %wide = tile.broadcast %down : tensor<256x1xi32> -> tensor<256x128xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<256x128x!tile.ptr<f32>>
  %cp = tile.offset %cs, %wide : tensor<256x128x!tile.ptr<f32>>, tensor<256x128xi32>
  tile.store %cp, %sums : tensor<256x128x!tile.ptr<f32>>
  return
}

// What the product itself adds up takes no registers beside what the loop carries.
// CHECK-LABEL: func.func @addedUp
// CHECK: tile.dot {{.*}} -> tensor<256x128xf32>
// CHECK-NOT: tile.dot
func.func @addedUp(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %ap = tile.splat %pa : !tile.ptr<f16> -> tensor<256x32x!tile.ptr<f16>>
  %bp = tile.splat %pb : !tile.ptr<f16> -> tensor<32x128x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<256x128xf32>
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<256x128xf32>) : i32 {
    %a = tile.load %ap : tensor<256x32x!tile.ptr<f16>>
    %b = tile.load %bp : tensor<32x128x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc precision tf32 : tensor<256x32xf16>, tensor<32x128xf16> -> tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<256x128x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<256x128x!tile.ptr<f32>>
  return
}

// Eight warps have no fewer rows than 128: one half of the columns behind the other, of one left factor.
// CHECK-LABEL: func.func @wide
// CHECK: scf.for {{.*}} -> (tensor<128x128xf32>, tensor<128x128xf32>)
// CHECK-COUNT-1: tile.load {{.*}} : tensor<128x32x!tile.ptr<f16>>
// CHECK-COUNT-2: tile.dot {{.*}} : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
// CHECK-NOT: tensor<128x256xf32>
func.func @wide(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %s: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %columns = tile.range 0 to 256 : tensor<256xi32>
  %beside = tile.expand_dims %columns axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %right = tile.broadcast %beside : tensor<1x256xi32> -> tensor<32x256xi32>
  %ap = tile.splat %a : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x256x!tile.ptr<f16>>
  %bp = tile.offset %bs, %right : tensor<32x256x!tile.ptr<f16>>, tensor<32x256xi32>
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<128x256xf32>) : i32 {
    %x = tile.load %ap : tensor<128x32x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<32x256x!tile.ptr<f16>>
    %f = tile.load %s : !tile.ptr<f32>
    %d = tile.dot %x, %y, %zeros precision tf32 : tensor<128x32xf16>, tensor<32x256xf16> -> tensor<128x256xf32>
    %fs = tile.splat %f : f32 -> tensor<128x256xf32>
    %m = arith.mulf %d, %fs : tensor<128x256xf32>
    %t = arith.addf %acc, %m : tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  %wide = tile.broadcast %beside : tensor<1x256xi32> -> tensor<128x256xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>>
  %cp = tile.offset %cs, %wide : tensor<128x256x!tile.ptr<f32>>, tensor<128x256xi32>
  tile.store %cp, %sums : tensor<128x256x!tile.ptr<f32>>
  return
}

// A product that something else than the sums wants whole stays whole: here the next round's factor is made of it.
// CHECK-LABEL: func.func @wantedWhole
// CHECK: tile.dot {{.*}} -> tensor<256x128xf32>
// CHECK-NOT: tile.dot
func.func @wantedWhole(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %ap = tile.splat %pa : !tile.ptr<f16> -> tensor<256x32x!tile.ptr<f16>>
  %bp = tile.splat %pb : !tile.ptr<f16> -> tensor<32x128x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<256x128xf32>
  %one = arith.constant 1.0 : f32
  %sums:2 = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros, %factor = %one) -> (tensor<256x128xf32>, f32) : i32 {
    %a = tile.load %ap : tensor<256x32x!tile.ptr<f16>>
    %b = tile.load %bp : tensor<32x128x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %zeros precision tf32 : tensor<256x32xf16>, tensor<32x128xf16> -> tensor<256x128xf32>
    %fs = tile.splat %factor : f32 -> tensor<256x128xf32>
    %m = arith.mulf %d, %fs : tensor<256x128xf32>
    %t = arith.addf %acc, %m : tensor<256x128xf32>
    %flat = tile.reshape %d : tensor<256x128xf32> -> tensor<32768xf32>
    %sum = tile.reduce (%flat) axis 0 : (tensor<32768xf32>) -> f32 {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      tile.yield %r : f32
    }
    scf.yield %t, %sum : tensor<256x128xf32>, f32
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<256x128x!tile.ptr<f32>>
  tile.store %cp, %sums#0 : tensor<256x128x!tile.ptr<f32>>
  return
}
