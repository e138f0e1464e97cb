// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-expand-powers | FileCheck %s

// CHECK-LABEL: func.func @powers
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
  // CHECK: %[[AGAIN:.*]] = arith.mulf %[[X]], %[[X]]
  // CHECK: %[[THIRD:.*]] = arith.mulf %[[AGAIN]], %[[X]]
  // CHECK: %[[ONCE:.*]] = arith.mulf %[[X]], %[[X]]
  // CHECK: %[[FOURTH:.*]] = arith.mulf %[[ONCE]], %[[ONCE]]
  // CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[X]]
  // CHECK: return %{{.*}}, %[[X]], %[[SQUARE]], %[[THIRD]], %[[FOURTH]], %[[INVERSE]]
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<1.0> : tensor<4xf32>
  %c2 = arith.constant dense<2.0> : tensor<4xf32>
  %c3 = arith.constant dense<3.0> : tensor<4xf32>
  %c4 = arith.constant dense<4.0> : tensor<4xf32>
  %cm = arith.constant dense<-1.0> : tensor<4xf32>
  %0 = math.powf %x, %c0 : tensor<4xf32>
  %1 = math.powf %x, %c1 : tensor<4xf32>
  %2 = math.powf %x, %c2 : tensor<4xf32>
  %3 = math.powf %x, %c3 : tensor<4xf32>
  %4 = math.powf %x, %c4 : tensor<4xf32>
  %5 = math.powf %x, %cm : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A square that was made in float64 is one of float32; a third power is rounded there.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @wide(%x: f32) -> (f32, f32) {
  // CHECK: %[[WIDE:.*]] = arith.extf %[[X]]
  // CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]] : f32
  // CHECK: arith.mulf %[[WIDE]], %[[WIDE]] : f64
  // CHECK: return %[[SQUARE]]
  %wide = arith.extf %x : f32 to f64
  %c2 = arith.constant 2.0 : f64
  %c3 = arith.constant 3.0 : f64
  %p2 = math.powf %wide, %c2 : f64
  %0 = arith.truncf %p2 : f64 to f32
  %p3 = math.powf %wide, %c3 : f64
  %1 = arith.truncf %p3 : f64 to f32
  return %0, %1 : f32, f32
}

// Others are functions still: a root of -0 is 0, and an exponent that differs from place to place is not known.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: math.powf
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %five = arith.constant dense<5.0> : tensor<4xf32>
  %several = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = math.powf %x, %half : tensor<4xf32>
  %1 = math.powf %x, %five : tensor<4xf32>
  %2 = math.powf %x, %several : tensor<4xf32>
  %3 = math.powf %x, %y : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
