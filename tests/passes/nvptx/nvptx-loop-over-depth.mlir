// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-choose-products -nvptx-loop-over-depth | FileCheck %s

!slot = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [0, 32]]} -> {dim0: 64, dim1: 64}">

// Rows and columns that a thread multiplies would take more than 64 registers: they are read out of shared
// memory, some steps of the sum at a time.
// CHECK-LABEL: func.func @deep
// CHECK: %[[A:.*]] = nv.alloc stages 1 : <64x64xf32
// CHECK-NEXT: nv.write %arg0 -> %[[A]]
// CHECK: %[[B:.*]] = nv.alloc stages 1
// CHECK-NEXT: nv.write %arg1 -> %[[B]]
// CHECK: nv.multiply_add %[[A]], %[[B]], %arg2 warps 4
// CHECK-NEXT: nv.free %[[B]]
// CHECK-NEXT: nv.free %[[A]]
func.func @deep(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Where they lie in slots already, there.
// CHECK-LABEL: func.func @slots
// CHECK: %[[SLOT:.*]] = nv.slot
// CHECK-NOT: nv.{{read|alloc|write}}
// CHECK: nv.multiply_add %[[SLOT]], %[[SLOT]], %arg0 warps 4
func.func @slots(%acc: tensor<64x64xf32>, %i: i32) -> tensor<64x64xf32> attributes {tile.kernel} {
  %ring = nv.ring stages 2 : !slot
  %s = nv.slot %ring[%i] : !slot
  %a = nv.read %s : !slot -> tensor<64x64xf32>
  %0 = tile.dot %a, %a, %acc precision ieee : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Few steps have room in registers; tensor cores want theirs there; and 2 x 128 KB are more than shared
// memory has.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: tile.dot
// CHECK-NOT: nv.multiply_add
func.func @others(%a: tensor<64x2xf32>, %b: tensor<2x64xf32>, %h: tensor<64x64xf16>, %acc: tensor<64x64xf32>, %x: tensor<128x256xf32>,
                  %y: tensor<256x128xf32>, %sums: tensor<128x128xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<128x128xf32>) attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<64x2xf32>, tensor<2x64xf32> -> tensor<64x64xf32>
  %1 = tile.dot %h, %h, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %2 = tile.dot %x, %y, %sums precision ieee : tensor<128x256xf32>, tensor<256x128xf32> -> tensor<128x128xf32>
  return %0, %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<128x128xf32>
}
