// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4 sm=sm_80" -nvptx-widen-products | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: %nereid-opt %s -nvptx-configure="warps=4 sm=sm_90a" -nvptx-widen-products | FileCheck %s --check-prefixes=CHECK,NEW

// Sums of 16 bits are added up in 32, and rounded at the end.
// CHECK-LABEL: func.func @half
// CHECK: %[[ACC:.*]] = arith.extf %arg2 : tensor<64x64xf16> to tensor<64x64xf32>
// CHECK: %[[SUM:.*]] = tile.dot %arg0, %arg1, %[[ACC]]
// CHECK-SAME: -> tensor<64x64xf32>
// CHECK: %[[S:.*]] = arith.truncf %[[SUM]] : tensor<64x64xf32> to tensor<64x64xf16>
// CHECK: return %[[S]]
func.func @half(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %acc: tensor<64x64xf16>) -> tensor<64x64xf16> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// Floats of 8 bits are left to warps, which make halves of them where they need to.
// CHECK-LABEL: func.func @eight
// CHECK-NOT: arith.extf
// CHECK: tile.dot {{.*}} : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E5M2>
func.func @eight(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E5M2>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision tf32 : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Warpgroups read them in shared memory: for those they become halves where the instruction is less exact than the product asks.
// CHECK-LABEL: func.func @exact
// OLD-NOT: arith.extf
// OLD: tile.dot {{.*}} : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>
// NEW-COUNT-2: arith.extf
// NEW: tile.dot {{.*}} : tensor<64x64xf16>, tensor<64x64xf16>
func.func @exact(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Of fewer rows warps multiply, on every SM.
// CHECK-LABEL: func.func @few
// CHECK-NOT: arith.extf
// CHECK: tile.dot {{.*}} : tensor<16x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>
func.func @few(%a: tensor<16x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<16x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// Less deep than a step of bytes, they become halves, of which a step is half as deep.
// CHECK-LABEL: func.func @shallow
// CHECK: arith.extf %arg0 : tensor<16x16xf8E4M3FN> to tensor<16x16xf16>
// CHECK: arith.extf %arg1 : tensor<16x64xf8E5M2> to tensor<16x64xf16>
// CHECK: tile.dot {{.*}} : tensor<16x16xf16>, tensor<16x64xf16>
func.func @shallow(%a: tensor<16x16xf8E4M3FN>, %b: tensor<16x64xf8E5M2>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision tf32 : tensor<16x16xf8E4M3FN>, tensor<16x64xf8E5M2> -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}

// Factors of 16 bits, and of 32, are what they are.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: arith.
// CHECK: return
func.func @wide(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %x: tensor<64x64xf32>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %1 = tile.dot %x, %x, %0 precision ieee : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
