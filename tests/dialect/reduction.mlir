// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @sum
func.func @sum(%x: tensor<6x4xf32>) -> tensor<6xf32> {
  // CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<6x4xf32>) -> tensor<6xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK-NEXT:   arith.addf
  // CHECK-NEXT:   tile.yield %{{.*}} : f32
  %sum = tile.reduce (%x) axis 1 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %sum : tensor<6xf32>
}

// Two tiles together: a value and its index. A 1-D tile reduces to scalars.
// CHECK-LABEL: func.func @largestWithIndex
func.func @largestWithIndex(%x: tensor<7xf32>, %i: tensor<7xi32>) -> (f32, i32) {
  // CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 0 : (tensor<7xf32>, tensor<7xi32>) -> f32, i32 {
  %r:2 = tile.reduce (%x, %i) axis 0 : (tensor<7xf32>, tensor<7xi32>) -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %larger = arith.cmpf ogt, %a, %b : f32
    %value = arith.select %larger, %a, %b : f32
    %index = arith.select %larger, %ai, %bi : i32
    // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
    tile.yield %value, %index : f32, i32
  }
  return %r#0, %r#1 : f32, i32
}

// A scan keeps the shape, and has a direction.
// CHECK-LABEL: func.func @sumsFromTheEnd
func.func @sumsFromTheEnd(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  // CHECK: tile.scan(%{{.*}}) axis 1 reverse : (tensor<6x4xf32>) -> tensor<6x4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK-NEXT:   arith.addf
  // CHECK-NEXT:   tile.yield %{{.*}} : f32
  %sums = tile.scan (%x) axis 1 reverse : (tensor<6x4xf32>) -> tensor<6x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %sums : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @maps
func.func @maps(%x: tensor<7xf32>, %i: tensor<7xi32>) -> tensor<7xi32> {
  // CHECK: tile.scan(%{{.*}}, %{{.*}}) axis 0 : (tensor<7xf32>, tensor<7xi32>) -> tensor<7xf32>, tensor<7xi32> {
  %r:2 = tile.scan (%x, %i) axis 0 : (tensor<7xf32>, tensor<7xi32>) -> tensor<7xf32>, tensor<7xi32> {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tile.yield %b, %bi : f32, i32
  }
  return %r#1 : tensor<7xi32>
}

// CHECK-LABEL: func.func @counts
func.func @counts(%x: tensor<7xi32>, %y: tensor<7xi64>, %m: tensor<7xi1>) {
  // CHECK: tile.histogram %{{.*}} : tensor<7xi32> -> tensor<3xi32>
  %a = tile.histogram %x : tensor<7xi32> -> tensor<3xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<7xi64> -> tensor<3xi32>
  %b = tile.histogram %y mask %m : tensor<7xi64> -> tensor<3xi32>
  return
}
