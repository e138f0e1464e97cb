// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s
// RUN: %nereid-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @pointers
func.func @pointers(%base: !tile.ptr<f32>, %n: i32, %moves: tensor<8xi64>) -> i64 {
  // CHECK: tile.offset %{{.*}}, %{{.*}} : !tile.ptr<f32>, i32
  %0 = tile.offset %base, %n : !tile.ptr<f32>, i32
  %1 = tile.splat %0 : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // CHECK: tile.offset %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %2 = tile.offset %1, %moves : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  %3 = tile.ptr_to_int %2 : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  // CHECK: tile.int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tile.ptr<i8>>
  %4 = tile.int_to_ptr %3 : tensor<8xi64> -> tensor<8x!tile.ptr<i8>>
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i1>
  %5 = tile.ptr_cast %0 : !tile.ptr<f32> -> !tile.ptr<i1>
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<i1> -> i64
  %6 = tile.ptr_to_int %5 : !tile.ptr<i1> -> i64
  return %6 : i64
}

// A pointer can point at pointers.
// CHECK-LABEL: func.func @pointersToPointers
func.func @pointersToPointers(%base: !tile.ptr<!tile.ptr<f16>>) -> f16 {
  // CHECK: tile.load %{{.*}} : !tile.ptr<!tile.ptr<f16>>
  %0 = tile.load %base : !tile.ptr<!tile.ptr<f16>>
  // CHECK: tile.load %{{.*}} : !tile.ptr<f16>
  %1 = tile.load %0 : !tile.ptr<f16>
  return %1 : f16
}

// CHECK-LABEL: func.func @access
func.func @access(%p: tensor<8x!tile.ptr<f32>>, %mask: tensor<8xi1>, %other: tensor<8xf32>) {
  // CHECK: tile.load %{{.*}} : tensor<8x!tile.ptr<f32>>
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>
  %1 = tile.load %p mask %mask : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} {cache = #tile<cache cg>, eviction = #tile<eviction evict_last>, isVolatile} : tensor<8x!tile.ptr<f32>>
  %2 = tile.load %p mask %mask other %other
      {cache = #tile<cache cg>, eviction = #tile<eviction evict_last>, isVolatile}
      : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>
  tile.store %p, %1 : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} {cache = #tile<cache wt>, eviction = #tile<eviction evict_first>} : tensor<8x!tile.ptr<f32>>
  tile.store %p, %2 mask %mask {cache = #tile<cache wt>, eviction = #tile<eviction evict_first>}
      : tensor<8x!tile.ptr<f32>>
  return
}

// FOLD-LABEL: func.func @nowhere
// FOLD-SAME: (%[[P:.*]]: tensor<8x!tile.ptr<f32>>)
func.func @nowhere(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8x!tile.ptr<f32>> {
  // FOLD-NOT: tile.offset
  // FOLD-NOT: tile.ptr_cast
  // FOLD: return %[[P]]
  %zero = arith.constant dense<0> : tensor<8xi32>
  %0 = tile.offset %p, %zero : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %1 = tile.ptr_cast %0 : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<f32>>
  return %1 : tensor<8x!tile.ptr<f32>>
}

// Somebody else may write between two loads, and a store is seen from outside.
// FOLD-LABEL: func.func @effects
func.func @effects(%p: !tile.ptr<i32>, %value: i32) {
  // FOLD: tile.store
  // FOLD: tile.store
  tile.store %p, %value : !tile.ptr<i32>
  tile.store %p, %value : !tile.ptr<i32>
  return
}
