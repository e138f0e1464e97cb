// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @add
func.func @add(%p: !tile.ptr<f32>, %value: f32, %ps: tensor<8x!tile.ptr<i32>>, %values: tensor<8xi32>,
               %mask: tensor<8xi1>) -> f32 {
  // CHECK: tile.atomic_rmw fadd %{{.*}}, %{{.*}} order acq_rel scope gpu : !tile.ptr<f32>
  %old = tile.atomic_rmw fadd %p, %value order acq_rel scope gpu : !tile.ptr<f32>
  // CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} mask %{{.*}} order relaxed scope sys : tensor<8x!tile.ptr<i32>>
  %0 = tile.atomic_rmw add %ps, %values mask %mask order relaxed scope sys : tensor<8x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw add {{.*}} order acquire scope cta
  %1 = tile.atomic_rmw add %ps, %0 order acquire scope cta : tensor<8x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw add {{.*}} order release scope gpu
  %2 = tile.atomic_rmw add %ps, %1 order release scope gpu : tensor<8x!tile.ptr<i32>>
  // CHECK: tile.barrier
  tile.barrier
  return %old : f32
}
