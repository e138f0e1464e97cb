// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-drop-bounds -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @upper
// CHECK: %[[A:.*]] = arith.maxnumf
// CHECK-NEXT: tile.narrow %[[A]]
func.func @upper(%x: tensor<8xf32>) -> tensor<8xf8E4M3FN> {
  %lo = arith.constant dense<-448.0> : tensor<8xf32>
  %hi = arith.constant dense<448.0> : tensor<8xf32>
  %a = arith.maxnumf %x, %lo : tensor<8xf32>
  %b = arith.minnumf %a, %hi : tensor<8xf32>
  %q = tile.narrow %b : tensor<8xf32> -> tensor<8xf8E4M3FN>
  return %q : tensor<8xf8E4M3FN>
}

// CHECK-LABEL: func.func @lower
// CHECK: %[[A:.*]] = arith.minnumf
// CHECK-NEXT: tile.narrow %[[A]]
func.func @lower(%x: f32) -> f8E5M2 {
  %lo = arith.constant -60000.0 : f32
  %hi = arith.constant 1.0 : f32
  %a = arith.minnumf %x, %hi : f32
  %b = arith.maxnumf %a, %lo : f32
  %q = tile.narrow %b : f32 -> f8E5M2
  return %q : f8E5M2
}

// A NaN would stay one.
// CHECK-LABEL: func.func @alone
// CHECK: %[[B:.*]] = arith.minnumf
// CHECK-NEXT: tile.narrow %[[B]]
func.func @alone(%x: f32) -> f8E4M3FN {
  %hi = arith.constant 448.0 : f32
  %b = arith.minnumf %x, %hi : f32
  %q = tile.narrow %b : f32 -> f8E4M3FN
  return %q : f8E4M3FN
}

// Numbers up to 448 would stay larger.
// CHECK-LABEL: func.func @nearer
// CHECK: %[[B:.*]] = arith.minnumf
// CHECK-NEXT: tile.narrow %[[B]]
func.func @nearer(%x: f32) -> f8E4M3FN {
  %lo = arith.constant -240.0 : f32
  %hi = arith.constant 240.0 : f32
  %a = arith.maxnumf %x, %lo : f32
  %b = arith.minnumf %a, %hi : f32
  %q = tile.narrow %b : f32 -> f8E4M3FN
  return %q : f8E4M3FN
}

// CHECK-LABEL: func.func @turned
// CHECK: %[[A:.*]] = arith.maxnumf
// CHECK-NEXT: tile.reshape %[[A]]
func.func @turned(%x: tensor<8xf32>) -> tensor<2x4xf8E4M3FN> {
  %lo = arith.constant dense<-448.0> : tensor<8xf32>
  %hi = arith.constant dense<448.0> : tensor<8xf32>
  %a = arith.maxnumf %x, %lo : tensor<8xf32>
  %b = arith.minnumf %a, %hi : tensor<8xf32>
  %r = tile.reshape %b : tensor<8xf32> -> tensor<2x4xf32>
  %q = tile.narrow %r : tensor<2x4xf32> -> tensor<2x4xf8E4M3FN>
  return %q : tensor<2x4xf8E4M3FN>
}
