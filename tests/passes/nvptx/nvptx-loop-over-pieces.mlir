// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-loop-over-pieces | FileCheck %s

// 512 elements a thread, in pieces of 16; no two rounds touch one element.
// CHECK-LABEL: func.func @copy
// CHECK: %[[PIECE:.*]] = arith.constant 4096 : i32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %[[PIECE]]
// CHECK: %[[V:.*]] = tile.load {{.*}} : tensor<4096x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}}, %[[V]] : tensor<4096x!tile.ptr<f32>>
// CHECK: } {nv.disjoint_rounds}
// CHECK-NOT: tensor<131072
// CHECK: return
func.func @copy(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 131072 : tensor<131072xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  %v = tile.load %xp : tensor<131072x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  tile.store %yp, %v : tensor<131072x!tile.ptr<f32>>
  return
}

// What a reduction has of the pieces so far is carried, lane by lane.
// CHECK-LABEL: func.func @sum
// CHECK: %[[PARTS:.*]] = scf.for {{.*}} iter_args(%{{.*}}) -> (tensor<4096xf32>)
// CHECK: tile.load {{.*}} : tensor<4096x!tile.ptr<f32>>
// CHECK: arith.addf {{.*}} : tensor<4096xf32>
// CHECK: tile.reduce(%[[PARTS]])
func.func @sum(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 131072 : tensor<131072xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  %v = tile.load %xp : tensor<131072x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<131072xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  return
}

// Registers hold 16 elements a thread.
// CHECK-LABEL: func.func @fits
// CHECK-NOT: scf.for
// CHECK: return
func.func @fits(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %v = tile.load %xp : tensor<4096x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %yp, %v : tensor<4096x!tile.ptr<f32>>
  return
}

// The arrays may be one, shifted: a piece that is stored may be what a later piece loads.
// CHECK-LABEL: func.func @mayMeet
// CHECK-NOT: scf.for
// CHECK: return
func.func @mayMeet(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 131072 : tensor<131072xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  %v = tile.load %xp : tensor<131072x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  tile.store %yp, %v : tensor<131072x!tile.ptr<f32>>
  return
}

// Rows of bf16 that are apart in memory: a piece is whole rows, of as many elements as 16 registers hold as they are
// loaded; whether rows overlap is not known, and what one store writes has no order.
// CHECK-LABEL: func.func @narrow_rows
// CHECK: scf.for
// CHECK: tile.load {{.*}} : tensor<2x4096x!tile.ptr<bf16>>
// CHECK: tile.store {{.*}} : tensor<2x4096x!tile.ptr<f32>>
// CHECK: } {nv.disjoint_rounds}
func.func @narrow_rows(%x: !tile.ptr<bf16>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %c = tile.range 0 to 4096 : tensor<4096xi32>
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %s = arith.muli %r, %ns : tensor<32xi32>
  %s1 = tile.expand_dims %s axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %s2 = tile.broadcast %s1 : tensor<32x1xi32> -> tensor<32x4096xi32>
  %c1 = tile.expand_dims %c axis 0 : tensor<4096xi32> -> tensor<1x4096xi32>
  %c2 = tile.broadcast %c1 : tensor<1x4096xi32> -> tensor<32x4096xi32>
  %i = arith.addi %s2, %c2 : tensor<32x4096xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<32x4096x!tile.ptr<bf16>>
  %xp = tile.offset %xs, %i : tensor<32x4096x!tile.ptr<bf16>>, tensor<32x4096xi32>
  %v = tile.load %xp : tensor<32x4096x!tile.ptr<bf16>>
  %w = arith.extf %v : tensor<32x4096xbf16> to tensor<32x4096xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<32x4096x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<32x4096x!tile.ptr<f32>>, tensor<32x4096xi32>
  tile.store %yp, %w : tensor<32x4096x!tile.ptr<f32>>
  return
}
