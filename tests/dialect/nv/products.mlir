// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!e4 = !nv.shared<64x64xf8E4M3FN, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!e5 = !nv.shared<64x64xf8E5M2, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!cube = !nv.shared<2x2x2xf32, "{offset: [[0, 0, 1], [0, 1, 0], [1, 0, 0]]} -> {dim0: 2, dim1: 2, dim2: 2}">

// CHECK-LABEL: func.func @threads
func.func @threads(%a: !floats, %acc: tensor<64x64xf32>, %c: !cube, %sums: tensor<2x2x2xf32>) {
  // CHECK: nv.multiply_add %arg0, %arg0, %arg1 warps 4 : <64x64xf32, {{.*}}>, <64x64xf32, {{.*}}> -> tensor<64x64xf32>
  %0 = nv.multiply_add %a, %a, %acc warps 4 : !floats, !floats -> tensor<64x64xf32>
  // CHECK: nv.multiply_add
  %1 = nv.multiply_add %c, %c, %sums warps 1 : !cube, !cube -> tensor<2x2x2xf32>
  return
}

// CHECK-LABEL: func.func @warpgroups
func.func @warpgroups(%a: !room, %left: tensor<64x64xf16>, %acc: tensor<64x64xf32>, %x: !e4, %y: !e5) -> tensor<64x64xf32> {
  // CHECK: %[[P:.*]] = nv.multiply %arg0, %arg0, %arg2 grid [1, 1] columns 64
  %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
  // CHECK: %[[Q:.*]] = nv.multiply %arg1, %arg0, %[[P]] grid [1, 1] columns 64 : tensor<64x64xf16>,
  %q = nv.multiply %left, %a, %p grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
  // CHECK: %[[R:.*]] = nv.multiply
  %r = nv.multiply %x, %y, %q grid [1, 2] columns 32 : !e4, !e5 -> tensor<64x64xf32>
  // CHECK: nv.await_products pending 1
  nv.await_products pending 1
  // CHECK: nv.finish %[[R]] pending 1 {mayBeDelayed} : tensor<64x64xf32>
  %done = nv.finish %r pending 1 {mayBeDelayed} : tensor<64x64xf32>
  return %done : tensor<64x64xf32>
}

// A loop carries it to the next round, which may wait for it, and to its end.
// CHECK-LABEL: func.func @carried
func.func @carried(%a: !room, %zeros: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    scf.yield %p : tensor<64x64xf32>
  }
  // CHECK: nv.finish
  %done = nv.finish %sums : tensor<64x64xf32>
  return %done : tensor<64x64xf32>
}
