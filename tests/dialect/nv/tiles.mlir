// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

#a = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 64}">
#b = #nv.layout<"{register: [32], lane: [1, 2, 4, 8, 16], warp: [0]} -> {dim0: 64}">

// CHECK-LABEL: func.func @convert
func.func @convert(%x: tensor<64xf32, #a>, %y: tensor<50xf32, #a>) -> tensor<64xf32, #b> {
  // CHECK: nv.convert %arg0 : tensor<64xf32, #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 64}">> -> tensor<64xf32, #nv.layout<"{register: [32], lane: [1, 2, 4, 8, 16], warp: [0]} -> {dim0: 64}">>
  %0 = nv.convert %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  // Sizes count as the next power of two.
  // CHECK: nv.convert %arg1
  %1 = nv.convert %y : tensor<50xf32, #a> -> tensor<50xf32, #b>
  // CHECK: nv.sync
  nv.sync
  return %0 : tensor<64xf32, #b>
}
