// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-spread-rows | FileCheck %s

// Four blocks have 16,384 elements each, and the sum's function brings their sums together in their order;
// the first one stores it.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: nv.cluster = 4 : i32
// CHECK: %[[BLOCK:.*]] = nv.block_of_program
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}} : i32
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[BLOCK]], %{{.*}} : i32
// CHECK: tile.load {{.*}} : tensor<16384x!tile.ptr<f32>>
// CHECK: %[[OWN:.*]] = tile.reduce
// CHECK: %[[ALL:.*]]:4 = nv.gather_blocks %[[OWN]] blocks 4 : (f32) -> (f32, f32, f32, f32)
// CHECK: %[[A:.*]] = arith.addf %[[ALL]]#0, %[[ALL]]#1
// CHECK: %[[B:.*]] = arith.addf %[[ALL]]#2, %[[ALL]]#3
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: tile.store %{{.*}}, %[[SUM]] mask %[[IS_FIRST]]
func.func @sum(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 65536 : tensor<65536xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %v = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<65536xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  return
}

// What a block writes another one may read: nobody is first.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: nv.block_of_program
// CHECK: return
func.func @shifted(%x: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 65536 : tensor<65536xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %v = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<65536xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sums = tile.splat %s : f32 -> tensor<65536xf32>
  %j = tile.range 1 to 65537 : tensor<65536xi32>
  %xq = tile.offset %xs, %j : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  tile.store %xq, %sums : tensor<65536x!tile.ptr<f32>>
  return
}
