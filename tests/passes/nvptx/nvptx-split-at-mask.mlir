// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-split-at-mask | FileCheck %s

// Below the diagonal every element is chosen: the first loop does not ask.
// CHECK-LABEL: func.func @causal
// CHECK: %[[FIRST:.*]] = scf.for %{{.*}} = %{{.*}} to %[[MIDDLE:.*]] step
// CHECK-NOT: arith.select {{.*}} : tensor
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to %{{.*}} step {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK: arith.select {{.*}} : tensor
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK: return
func.func @causal(%a: tensor<64x64xf16>, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<-1.0> : tensor<64x64xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %64 : i32
  %end = arith.addi %first, %64 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %fs = tile.splat %first : i32 -> tensor<64xi32>
  %rows = arith.addi %fs, %r : tensor<64xi32>
  %re = tile.expand_dims %rows axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rb = tile.broadcast %re : tensor<64x1xi32> -> tensor<64x64xi32>
  %sums = scf.for %i = %0 to %end step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %columns = arith.addi %is, %r : tensor<64xi32>
    %ce = tile.expand_dims %columns axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %cb = tile.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
    %below = arith.cmpi sge, %rb, %cb : tensor<64x64xi32>
    %d = tile.dot %a, %a, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %chosen = arith.select %below, %d, %least : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %chosen : tensor<64x64xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  return
}

// Above the diagonal the choice is between other elements: it does not hold in the first rounds.
// CHECK-LABEL: func.func @above
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @above(%a: tensor<64x64xf16>, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<-1.0> : tensor<64x64xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %64 : i32
  %end = arith.addi %first, %64 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %fs = tile.splat %first : i32 -> tensor<64xi32>
  %rows = arith.addi %fs, %r : tensor<64xi32>
  %re = tile.expand_dims %rows axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rb = tile.broadcast %re : tensor<64x1xi32> -> tensor<64x64xi32>
  %sums = scf.for %i = %0 to %end step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %columns = arith.addi %is, %r : tensor<64xi32>
    %ce = tile.expand_dims %columns axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %cb = tile.broadcast %ce : tensor<1x64xi32> -> tensor<64x64xi32>
    %over = arith.cmpi sle, %rb, %cb : tensor<64x64xi32>
    %d = tile.dot %a, %a, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %chosen = arith.select %over, %d, %least : tensor<64x64xi1>, tensor<64x64xf32>
    scf.yield %chosen : tensor<64x64xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  return
}

// A loop without products is not worth two.
// CHECK-LABEL: func.func @noProduct
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @noProduct(%c: !tile.ptr<i32>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %end = arith.muli %pid, %64 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %fs = tile.splat %end : i32 -> tensor<64xi32>
  %rows = arith.addi %fs, %r : tensor<64xi32>
  %sums = scf.for %i = %0 to %end step %64 iter_args(%acc = %r) -> (tensor<64xi32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %below = arith.cmpi sge, %rows, %is : tensor<64xi32>
    %chosen = arith.select %below, %is, %acc : tensor<64xi1>, tensor<64xi32>
    scf.yield %chosen : tensor<64xi32>
  }
  %cp = tile.splat %c : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  tile.store %cp, %sums : tensor<64x!tile.ptr<i32>>
  return
}

// Two elements of a thread are chosen sooner than another loop begins.
// CHECK-LABEL: func.func @few
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @few(%a: tensor<16x16xf16>, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %16 = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %least = arith.constant dense<-1.0> : tensor<16x16xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %16 : i32
  %end = arith.addi %first, %16 : i32
  %r = tile.range 0 to 16 : tensor<16xi32>
  %fs = tile.splat %first : i32 -> tensor<16xi32>
  %rows = arith.addi %fs, %r : tensor<16xi32>
  %re = tile.expand_dims %rows axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %rb = tile.broadcast %re : tensor<16x1xi32> -> tensor<16x16xi32>
  %sums = scf.for %i = %0 to %end step %16 iter_args(%acc = %zeros) -> (tensor<16x16xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<16xi32>
    %columns = arith.addi %is, %r : tensor<16xi32>
    %ce = tile.expand_dims %columns axis 0 : tensor<16xi32> -> tensor<1x16xi32>
    %cb = tile.broadcast %ce : tensor<1x16xi32> -> tensor<16x16xi32>
    %below = arith.cmpi sge, %rb, %cb : tensor<16x16xi32>
    %d = tile.dot %a, %a, %acc precision tf32 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %chosen = arith.select %below, %d, %least : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %chosen : tensor<16x16xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<16x16x!tile.ptr<f32>>
  return
}
