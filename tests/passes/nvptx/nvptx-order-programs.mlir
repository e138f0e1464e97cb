// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-order-programs | FileCheck %s

// Causal attention: program i multiplies i + 1 times.
// CHECK-LABEL: func.func @grows
// CHECK-SAME: warps = 4>, nv.grows_along_x_alone, nv.last_program_first
func.func @grows(%a: tensor<64x64xf16>, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %64 : i32
  %end = arith.addi %first, %64 : i32
  %sums = scf.for %i = %0 to %end step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %d = tile.dot %a, %a, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  return
}

// How long the loop is depends on memory as well.
// CHECK-LABEL: func.func @growsAndMore
// CHECK-SAME: warps = 4>, nv.last_program_first
func.func @growsAndMore(%a: tensor<64x64xf16>, %c: !tile.ptr<f32>, %n: !tile.ptr<i32>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id 0
  %end = arith.muli %pid, %64 : i32
  %rounds = tile.load %n : !tile.ptr<i32>
  %loaded = scf.for %i = %0 to %rounds step %64 iter_args(%acc = %0) -> (i32) : i32 {
    %s = arith.addi %acc, %i : i32
    scf.yield %s : i32
  }
  tile.store %n, %loaded : !tile.ptr<i32>
  %sums = scf.for %i = %0 to %end step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %d = tile.dot %a, %a, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  return
}

// The first programs have most to do: they begin first anyway.
// CHECK-LABEL: func.func @shrinks
// CHECK-NOT: nv.last_program_first
func.func @shrinks(%a: tensor<64x64xf16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %64 : i32
  %sums = scf.for %i = %first to %n step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %d = tile.dot %a, %a, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  return
}

// A program may wait for one before it, which must have begun.
// CHECK-LABEL: func.func @waits
// CHECK-NOT: nv.last_program_first
func.func @waits(%a: tensor<64x64xf16>, %c: !tile.ptr<f32>, %lock: !tile.ptr<i32>) attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %64 : i32
  %end = arith.addi %first, %64 : i32
  %sums = scf.for %i = %0 to %end step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %d = tile.dot %a, %a, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %before = tile.load %lock {isVolatile} : !tile.ptr<i32>
  %cp = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  return
}
