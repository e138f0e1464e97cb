// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel is compiled for stands at the kernel; tiles decide how many warps run it, if nobody said.
// RUN: %nereid-opt %s -nvptx-configure | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="sm=sm_80 warps=2 stages=3 registers=128 boxes=false" | FileCheck %s --check-prefix=SAID
// RUN: not %nereid-opt %s -nvptx-configure="warps=3" 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not %nereid-opt %s -nvptx-configure="sm=sm_12" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not %nereid-opt %s -nvptx-configure="policy=multiply_steps=0" 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: not %nereid-opt %s -nvptx-configure="policy=multiply_step=2" 2>&1 | FileCheck %s --check-prefix=NONE

// Other passes ask for it.
// RUN: not %nereid-opt %s -nvptx-order-programs 2>&1 | FileCheck %s --check-prefix=MISSING

// THREE: error: 3 warps are no power of two up to 32
// UNKNOWN: error: there is no sm_12
// LESS: error: policy: 'multiply_steps' cannot be 0: 1 to 64 (elements of the depth) are accepted
// NONE: error: policy: there is no choice 'multiply_step'; there are: {{.*}}multiply_steps
// MISSING: error: has no nv.configuration: nvptx-configure comes first

// SAID-COUNT-4: nv.configuration = #nv.configuration<sm = "sm_80", warps = 2, stages = 3, registers = 128, boxes = false>

// Eight elements a thread.
// CHECK: func.func @elementwise
// CHECK-SAME: nv.configuration = #nv.configuration<sm = "sm_90a", warps = 4>
func.func @elementwise(%x: tensor<1024xf32>) -> tensor<1024xf32> attributes {tile.kernel} {
  %y = arith.addf %x, %x : tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// A row that is reduced stays in few warps: 32.
// CHECK: func.func @reduced
// CHECK-SAME: warps = 1>
func.func @reduced(%x: tensor<1024xf32>) -> f32 attributes {tile.kernel} {
  %y = arith.addf %x, %x : tensor<1024xf32>
  %sum = tile.reduce (%y) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %sum : f32
}

// Products have eight at most.
// CHECK: func.func @multiplied
// CHECK-SAME: warps = 8>
func.func @multiplied(%a: tensor<256x64xf16>, %b: tensor<64x256xf16>, %acc: tensor<256x256xf32>) -> tensor<256x256xf32>
    attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %acc precision ieee : tensor<256x64xf16>, tensor<64x256xf16> -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// Who wrote the kernel has counted its warps.
// CHECK: func.func @counted
// CHECK-SAME: warps = 2>
func.func @counted(%x: tensor<1024xf32>) -> tensor<1024xf32> attributes {tile.kernel, tile.warps = 2 : i32} {
  %y = arith.addf %x, %x : tensor<1024xf32>
  return %y : tensor<1024xf32>
}
