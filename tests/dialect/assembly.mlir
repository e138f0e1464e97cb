// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @assembly
func.func @assembly(%x: tensor<64xi32>, %y: f32) -> (tensor<64xi32>, f32) {
  // CHECK: tile.assembly "bswap $0" "=r,0" [i32] 0 pack 1(%{{.*}}) : (tensor<64xi32>) -> tensor<64xi32>
  %0 = tile.assembly "bswap $0" "=r,0" [i32] 0 pack 1 (%x) : (tensor<64xi32>) -> tensor<64xi32>
  // CHECK: tile.assembly "divl $4" "={ax},={dx},0,1,r" [i32, i32] 1 pack 1(%{{.*}}, %{{.*}}, %{{.*}})
  %1 = tile.assembly "divl $4" "={ax},={dx},0,1,r" [i32, i32] 1 pack 1 (%0, %0, %x)
      : (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  %2 = tile.assembly "sqrtss $1, $0" "=x,x" [f32] 0 pack 1 (%y) : (f32) -> f32
  return %1, %2 : tensor<64xi32>, f32
}
