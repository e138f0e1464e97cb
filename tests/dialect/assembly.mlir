// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @assembly
func.func @assembly(%x: tensor<64xi32>, %y: f32, %p: !tile.ptr<i32>) -> (tensor<64xi32>, f32, i32) {
  // CHECK: tile.assembly "bswap $0" "=r,0" pack 1(%{{.*}}) : (tensor<64xi32>) -> tensor<64xi32>
  %0 = tile.assembly "bswap $0" "=r,0" pack 1 (%x) : (tensor<64xi32>) -> tensor<64xi32>
  // CHECK: tile.assembly "divl $4" "={ax},={dx},0,1,r" pack 1(%{{.*}}, %{{.*}}, %{{.*}})
  %1:2 = tile.assembly "divl $4" "={ax},={dx},0,1,r" pack 1 (%0, %0, %x)
      : (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)
  %2 = tile.assembly "sqrtss $1, $0" "=x,x" pack 1 (%y) : (f32) -> f32
  // CHECK: tile.assembly "ld.global.u32 $0, [$1];" "=r,l" pack 1 effects(%{{.*}})
  %3 = tile.assembly "ld.global.u32 $0, [$1];" "=r,l" pack 1 effects (%p) : (!tile.ptr<i32>) -> i32
  return %1#1, %2, %3 : tensor<64xi32>, f32, i32
}
