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

// CHECK-LABEL: func.func @kinds
func.func @kinds(%p: !tile.ptr<i32>, %value: i32, %q: !tile.ptr<f64>, %x: f64) {
  // CHECK: tile.atomic_rmw smax
  %0 = tile.atomic_rmw smax %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw smin
  %1 = tile.atomic_rmw smin %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw umax
  %2 = tile.atomic_rmw umax %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw umin
  %3 = tile.atomic_rmw umin %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw and
  %4 = tile.atomic_rmw and %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw or
  %5 = tile.atomic_rmw or %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw xor
  %6 = tile.atomic_rmw xor %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw xchg
  %7 = tile.atomic_rmw xchg %q, %x order relaxed scope gpu : !tile.ptr<f64>
  // CHECK: tile.atomic_rmw inc
  %8 = tile.atomic_rmw inc %p, %value order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw dec
  %9 = tile.atomic_rmw dec %p, %value order relaxed scope gpu : !tile.ptr<i32>
  return
}

// CHECK-LABEL: func.func @cas
func.func @cas(%p: tensor<4x!tile.ptr<f16>>, %expected: tensor<4xf16>, %value: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} order acquire scope cta : tensor<4x!tile.ptr<f16>>
  %old = tile.atomic_cas %p, %expected, %value order acquire scope cta : tensor<4x!tile.ptr<f16>>
  return %old : tensor<4xf16>
}
