// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-select-branches | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=selected_operations=0" -nvptx-select-branches | FileCheck %s --check-prefix=NONE

// One addition: less than a branch, where the tile would be whole.
// CHECK-LABEL: func.func @added
// CHECK: %[[SUM:.*]] = arith.addf %[[X:.*]], %{{.*}} : tensor<4096xf32>
// CHECK: %[[C:.*]] = tile.splat %arg2
// CHECK: arith.select %[[C]], %[[SUM]], %[[X]] : tensor<4096xi1>, tensor<4096xf32>
// CHECK-NOT: scf.if
// NONE-LABEL: func.func @added
// NONE: scf.if
func.func @added(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %c: i1) attributes {tile.kernel, tile.noalias} {
  %one = arith.constant dense<1.0> : tensor<4096xf32>
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %v = tile.load %xp : tensor<4096x!tile.ptr<f32>>
  %w = scf.if %c -> (tensor<4096xf32>) {
    %s = arith.addf %v, %one : tensor<4096xf32>
    scf.yield %s : tensor<4096xf32>
  } else {
    scf.yield %v : tensor<4096xf32>
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %yp, %w : tensor<4096x!tile.ptr<f32>>
  return
}

// Three operations are the branch's.
// CHECK-LABEL: func.func @longer
// CHECK: scf.if
func.func @longer(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %c: i1) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %v = tile.load %xp : tensor<4096x!tile.ptr<f32>>
  %w = scf.if %c -> (tensor<4096xf32>) {
    %a = arith.addf %v, %v : tensor<4096xf32>
    %b = arith.mulf %a, %v : tensor<4096xf32>
    %d = arith.addf %b, %v : tensor<4096xf32>
    scf.yield %d : tensor<4096xf32>
  } else {
    scf.yield %v : tensor<4096xf32>
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %yp, %w : tensor<4096x!tile.ptr<f32>>
  return
}

// Both sides load a row; from where, is selected.
// CHECK-LABEL: func.func @alike
// CHECK: %[[P:.*]] = arith.select %arg3, %arg0, %arg1 : !tile.ptr<f32>
// CHECK: tile.splat %[[P]]
// CHECK: tile.load
// CHECK-NOT: {{scf.if|tile.load}}
func.func @alike(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %y: !tile.ptr<f32>, %c: i1) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %zp = tile.offset %zs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %w = scf.if %c -> (tensor<4096xf32>) {
    %v = tile.load %xp : tensor<4096x!tile.ptr<f32>>
    scf.yield %v : tensor<4096xf32>
  } else {
    %v = tile.load %zp : tensor<4096x!tile.ptr<f32>>
    scf.yield %v : tensor<4096xf32>
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %yp, %w : tensor<4096x!tile.ptr<f32>>
  return
}

// What one side computes otherwise stays a branch.
// CHECK-LABEL: func.func @unlike
// CHECK: scf.if
func.func @unlike(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %y: !tile.ptr<f32>, %c: i1) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %zp = tile.offset %zs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %w = scf.if %c -> (tensor<4096xf32>) {
    %v = tile.load %xp : tensor<4096x!tile.ptr<f32>>
    %s = arith.addf %v, %v : tensor<4096xf32>
    scf.yield %s : tensor<4096xf32>
  } else {
    %v = tile.load %zp : tensor<4096x!tile.ptr<f32>>
    %s = arith.mulf %v, %v : tensor<4096xf32>
    scf.yield %s : tensor<4096xf32>
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %yp, %w : tensor<4096x!tile.ptr<f32>>
  return
}

// In few short rounds a branch that loads does so under a mask: the rounds' loads are on their way together.
// CHECK-LABEL: func.func @few_rounds
// CHECK: scf.for
// CHECK: %[[IS:.*]] = arith.cmpi slt
// CHECK: %[[ALL:.*]] = tile.splat %[[IS]] : i1 -> tensor<128xi1>
// CHECK: %[[V:.*]] = tile.load %{{.*}} mask %[[ALL]]
// CHECK: arith.addf %{{.*}}, %[[V]]
// CHECK: arith.select
// CHECK-NOT: scf.if
// NONE-LABEL: func.func @few_rounds
// NONE: scf.if
func.func @few_rounds(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 128 : tensor<128xi32>
  %zeros = arith.constant dense<0.0> : tensor<128xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %8 = arith.constant 8 : i32
  %128 = arith.constant 128 : i32
  %sums = scf.for %k = %0 to %8 step %1 iter_args(%acc = %zeros) -> (tensor<128xf32>) : i32 {
    %is = arith.cmpi slt, %k, %n : i32
    %w = scf.if %is -> (tensor<128xf32>) {
      %first = arith.muli %k, %128 : i32
      %firsts = tile.splat %first : i32 -> tensor<128xi32>
      %at = arith.addi %i, %firsts : tensor<128xi32>
      %xp = tile.offset %xs, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      %v = tile.load %xp : tensor<128x!tile.ptr<f32>>
      %s = arith.addf %acc, %v : tensor<128xf32>
      scf.yield %s : tensor<128xf32>
    } else {
      scf.yield %acc : tensor<128xf32>
    }
    scf.yield %w : tensor<128xf32>
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %yp, %sums : tensor<128x!tile.ptr<f32>>
  return
}

// As many rounds as only the launch knows keep it.
// CHECK-LABEL: func.func @many_rounds
// CHECK: scf.if
func.func @many_rounds(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %m: i32) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 128 : tensor<128xi32>
  %zeros = arith.constant dense<0.0> : tensor<128xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %k = %0 to %m step %1 iter_args(%acc = %zeros) -> (tensor<128xf32>) : i32 {
    %is = arith.cmpi slt, %k, %n : i32
    %w = scf.if %is -> (tensor<128xf32>) {
      %v = tile.load %xp : tensor<128x!tile.ptr<f32>>
      %s = arith.addf %acc, %v : tensor<128xf32>
      scf.yield %s : tensor<128xf32>
    } else {
      scf.yield %acc : tensor<128xf32>
    }
    scf.yield %w : tensor<128xf32>
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %yp, %sums : tensor<128x!tile.ptr<f32>>
  return
}
