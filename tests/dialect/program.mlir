// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @grid
func.func @grid() -> (i32, i32) attributes {tile.kernel} {
  // CHECK: tile.program_id 0
  %pid = tile.program_id 0
  // CHECK: tile.num_programs 2
  %count = tile.num_programs 2
  return %pid, %count : i32, i32
}

// CHECK-LABEL: func.func @promises
func.func @promises(%tile: tensor<8x4xi32>, %scalar: i32, %condition: i1) -> (tensor<8x4xi32>, i32) {
  // CHECK: tile.hint divisibility %{{.*}} [16, 1] : tensor<8x4xi32>
  %0 = tile.hint divisibility %tile [16, 1] : tensor<8x4xi32>
  // CHECK: tile.hint contiguity %{{.*}} [1, 4] : tensor<8x4xi32>
  %1 = tile.hint contiguity %0 [1, 4] : tensor<8x4xi32>
  // CHECK: tile.hint constancy %{{.*}} [8, 1] : tensor<8x4xi32>
  %2 = tile.hint constancy %1 [8, 1] : tensor<8x4xi32>
  // CHECK: tile.hint divisibility %{{.*}} [8] : i32
  %3 = tile.hint divisibility %scalar [8] : i32
  // CHECK: tile.assume %{{.*}}
  tile.assume %condition
  return %2, %3 : tensor<8x4xi32>, i32
}
