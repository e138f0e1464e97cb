// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-carry-steps-as-scalars | FileCheck %s

// CHECK-LABEL: func.func @pointers
// CHECK-SAME: (%[[P0:.*]]: tensor<64x!tile.ptr<f32>>, %[[STRIDE:.*]]: i32, %{{.*}}: i32)
func.func @pointers(%p0: tensor<64x!tile.ptr<f32>>, %stride: i32, %n: i32) -> tensor<64x!tile.ptr<f32>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %value = arith.constant dense<1.0> : tensor<64xf32>
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[BY:.*]] = %[[ZERO]]) -> (i64)
  // CHECK: %[[SPREAD:.*]] = tile.splat %[[BY]] : i64 -> tensor<64xi64>
  // CHECK: %[[P:.*]] = tile.offset %[[P0]], %[[SPREAD]]
  // CHECK: tile.store %[[P]]
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[STRIDE]] : i32 to i64
  // CHECK: %[[NEXT:.*]] = arith.addi %[[BY]], %[[WIDE]] : i64
  // CHECK: scf.yield %[[NEXT]] : i64
  // CHECK: %[[END:.*]] = tile.splat %[[LOOP]] : i64 -> tensor<64xi64>
  // CHECK: %[[LAST:.*]] = tile.offset %[[P0]], %[[END]]
  // CHECK: return %[[LAST]]
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> tensor<64x!tile.ptr<f32>> : i32 {
    tile.store %p, %value : tensor<64x!tile.ptr<f32>>
    %step = tile.splat %stride : i32 -> tensor<64xi32>
    %next = tile.offset %p, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  return %last : tensor<64x!tile.ptr<f32>>
}

// Integers count in their own width; a step may be a constant, and there may be several.
// CHECK-LABEL: func.func @integers
func.func @integers(%x0: tensor<8xi32>, %n: i32, %p: tensor<8x!tile.ptr<i32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %five = arith.constant dense<5> : tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  // CHECK: scf.for {{.*}} iter_args(%[[BY:.*]] = %{{.*}}) -> (i32)
  // CHECK: tile.splat %[[BY]] : i32 -> tensor<8xi32>
  // CHECK-COUNT-2: arith.addi {{.*}} : i32
  // CHECK: scf.yield %{{.*}} : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %x0) -> tensor<8xi32> : i32 {
    tile.store %p, %x : tensor<8x!tile.ptr<i32>>
    %y = arith.addi %x, %five : tensor<8xi32>
    %z = arith.addi %two, %y : tensor<8xi32>
    scf.yield %z : tensor<8xi32>
  }
  return
}

// Only what moves is rewritten; other carried values keep their place.
// CHECK-LABEL: func.func @besideOthers
func.func @besideOthers(%p0: tensor<8x!tile.ptr<f32>>, %n: i32, %s0: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<8> : tensor<8xi32>
  // CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} -> (tensor<8xf32>, i64)
  // CHECK: return %[[LOOP]]#0
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0, %p = %p0)
      -> (tensor<8xf32>, tensor<8x!tile.ptr<f32>>) : i32 {
    %x = tile.load %p : tensor<8x!tile.ptr<f32>>
    %sum = arith.addf %s, %x : tensor<8xf32>
    %next = tile.offset %p, %step : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %sum, %next : tensor<8xf32>, tensor<8x!tile.ptr<f32>>
  }
  return %r#0 : tensor<8xf32>
}

// A step that differs from lane to lane stays.
// CHECK-LABEL: func.func @unequalSteps
func.func @unequalSteps(%p0: tensor<8x!tile.ptr<f32>>, %n: i32) -> tensor<8x!tile.ptr<f32>> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %steps = tile.range 0 to 8 : tensor<8xi32>
  // CHECK: scf.for {{.*}} -> (tensor<8x!tile.ptr<f32>>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> tensor<8x!tile.ptr<f32>> : i32 {
    %next = tile.offset %p, %steps : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %next : tensor<8x!tile.ptr<f32>>
  }
  return %last : tensor<8x!tile.ptr<f32>>
}

// So do tiles that change places.
// CHECK-LABEL: func.func @swapped
func.func @swapped(%a0: tensor<8xi32>, %b0: tensor<8xi32>, %n: i32) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1> : tensor<8xi32>
  // CHECK: scf.for {{.*}} -> (tensor<8xi32>, tensor<8xi32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0)
      -> (tensor<8xi32>, tensor<8xi32>) : i32 {
    %c = arith.addi %a, %one : tensor<8xi32>
    scf.yield %b, %c : tensor<8xi32>, tensor<8xi32>
  }
  return %r#0 : tensor<8xi32>
}

// An inner loop that moves by steps makes the outer one do so too.
// CHECK-LABEL: func.func @nested
func.func @nested(%p0: tensor<8x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %value = arith.constant dense<1.0> : tensor<8xf32>
  %step = arith.constant dense<8> : tensor<8xi32>
  // CHECK: scf.for {{.*}} -> (i64)
  // CHECK: scf.for {{.*}} -> (i64)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> tensor<8x!tile.ptr<f32>> : i32 {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%q = %p) -> tensor<8x!tile.ptr<f32>> : i32 {
      tile.store %q, %value : tensor<8x!tile.ptr<f32>>
      %next = tile.offset %q, %step : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      scf.yield %next : tensor<8x!tile.ptr<f32>>
    }
    scf.yield %inner : tensor<8x!tile.ptr<f32>>
  }
  return
}

// Promises move nothing.
// CHECK-LABEL: func.func @promised
func.func @promised(%p0: tensor<8x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %value = arith.constant dense<1.0> : tensor<8xf32>
  %step = arith.constant dense<8> : tensor<8xi32>
  // CHECK: scf.for {{.*}} -> (i64)
  // CHECK: %[[P:.*]] = tile.offset %{{.*}}
  // CHECK: tile.hint divisibility %[[P]] [16]
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> tensor<8x!tile.ptr<f32>> : i32 {
    %known = tile.hint divisibility %p [16] : tensor<8x!tile.ptr<f32>>
    tile.store %known, %value : tensor<8x!tile.ptr<f32>>
    %next = tile.offset %known, %step : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %next : tensor<8x!tile.ptr<f32>>
  }
  return
}
