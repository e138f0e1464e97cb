// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @print
func.func @print(%x: tensor<4xi32>, %y: f32) {
  // CHECK: tile.print inline ["x = ", ", y = ", ""](%{{.*}}, %{{.*}} : tensor<4xi32>, f32) signed [true, false]
  tile.print inline ["x = ", ", y = ", ""] (%x, %y : tensor<4xi32>, f32) signed [true, false]
  // CHECK: tile.print per_element [" x", ""](%{{.*}} : tensor<4xi32>) signed [true] {debug, hex}
  tile.print per_element [" x", ""] (%x : tensor<4xi32>) signed [true] {debug, hex}
  // CHECK: tile.print inline ["here"] signed []
  tile.print inline ["here"] signed []
  return
}

// CHECK-LABEL: func.func @variable
func.func @variable(%x: tensor<4xi32>) {
  // CHECK: tile.variable "x" = %{{.*}} : tensor<4xi32> statement
  tile.variable "x" = %x : tensor<4xi32> statement
  // CHECK: tile.variable "BLOCK" constant "64"{{$}}
  tile.variable "BLOCK" constant "64"
  // CHECK: tile.variable "f" statement
  tile.variable "f" statement
  return
}

// CHECK-LABEL: func.func @check_index
func.func @check_index(%at: i64, %extent: i64, %part: !tile.ptr<f32>) {
  // CHECK: tile.check_index %{{.*}} of %{{.*}} dimension 1 leading to %{{.*}} : <f32>
  tile.check_index %at of %extent dimension 1 leading to %part : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @assert
func.func @assert(%fits: i1, %mask: tensor<4xi1>) {
  // CHECK: tile.assert %{{.*}}, "num_cols <= BLOCK_SIZE" : i1
  tile.assert %fits, "num_cols <= BLOCK_SIZE" : i1
  // CHECK: tile.assert %{{.*}}, "" : tensor<4xi1>
  tile.assert %mask, "" : tensor<4xi1>
  return
}
