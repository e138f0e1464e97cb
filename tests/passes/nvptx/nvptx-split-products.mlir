// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-split-products | FileCheck %s

// The smallest first; the largest are added to what was there.
// CHECK-LABEL: func.func @tf32
// CHECK: %[[A:.*]] = arith.bitcast {{.*}} : tensor<64x64xi32> to tensor<64x64xf32>
// CHECK: %[[SMALLA:.*]] = arith.subf %arg0, %[[A]]
// CHECK: %[[B:.*]] = arith.bitcast {{.*}} : tensor<64x64xi32> to tensor<64x64xf32>
// CHECK: %[[SMALLB:.*]] = arith.subf %arg1, %[[B]]
// CHECK: %[[ONE:.*]] = tile.dot %[[SMALLA]], %[[B]], %{{.*}} precision tf32
// CHECK: tile.dot %[[A]], %[[SMALLB]], %[[ONE]] precision tf32
// CHECK: %[[LARGE:.*]] = tile.dot %[[A]], %[[B]], %arg2 precision tf32
// CHECK: %[[SUM:.*]] = arith.addf %[[LARGE]],
// CHECK: return %[[SUM]]
func.func @tf32(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision tf32x3 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Three parts of 16 bits each, of whose nine products six count.
// CHECK-LABEL: func.func @bf16
// CHECK-COUNT-6: tile.dot {{.*}} precision ieee : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
// CHECK-NOT: tile.dot
// CHECK: return
func.func @bf16(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision bf16x6 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// No tensor core takes a depth of four: threads multiply, exactly.
// CHECK-LABEL: func.func @small
// CHECK: tile.dot %arg0, %arg1, %arg2 precision tf32x3
// CHECK-NOT: tile.dot
// CHECK: return
func.func @small(%a: tensor<64x4xf32>, %b: tensor<4x64xf32>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision tf32x3 : tensor<64x4xf32>, tensor<4x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Who asks for one product gets one.
// CHECK-LABEL: func.func @plain
// CHECK-COUNT-2: tile.dot
// CHECK-NOT: tile.dot
// CHECK: return
func.func @plain(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision tf32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = tile.dot %a, %b, %0 precision ieee : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
