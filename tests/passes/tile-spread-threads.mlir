// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-spread-threads -canonicalize -cse | FileCheck %s

// A guard becomes a mask.
// CHECK-LABEL: func.func @guarded
// CHECK-NOT: tile.block
// CHECK: %[[X:.*]] = tile.range 0 to 64 : tensor<64xi32>
// CHECK: %[[N:.*]] = tile.splat %{{.*}} : i32 -> tensor<64xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[X]], %[[N]] : tensor<64xi32>
// CHECK-NOT: scf.if
// CHECK: tile.store %{{.*}}, %{{.*}} mask %[[INSIDE]] : tensor<64x!tile.ptr<f32>>
func.func @guarded(%out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %x = tile.thread_id 0
  %inside = arith.cmpi slt, %x, %n : i32
  scf.if %inside {
    %one = arith.constant 1.0 : f32
    %place = tile.offset %out, %x : !tile.ptr<f32>, i32
    tile.store %place, %one : !tile.ptr<f32>
  }
  return
}

// What is the same for all threads stays scalar, and so do branches on it.
// CHECK-LABEL: func.func @uniform
// CHECK: %[[PID:.*]] = tile.program_id 0
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[PID]], %{{.*}} : i32
// CHECK: scf.if %[[IS]] {
// CHECK: tile.store %{{.*}}, %{{.*}} : !tile.ptr<i32>
func.func @uniform(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.block = array<i64: 7, 5, 3>} {
  %pid = tile.program_id 0
  %is = arith.cmpi eq, %pid, %n : i32
  scf.if %is {
    tile.store %out, %pid : !tile.ptr<i32>
  }
  return
}

// Arms that threads part for are both run, and merged.
// CHECK-LABEL: func.func @merged
// CHECK: tile.range 0 to 3
// CHECK: tile.expand_dims
// CHECK: %[[ODD:.*]] = arith.cmpi ne
// CHECK: %[[A:.*]] = tile.load %{{.*}} mask %[[ODD]] : tensor<3x4x!tile.ptr<i32>>
// CHECK: arith.select %[[ODD]], %[[A]], %{{.*}} : tensor<3x4xi1>, tensor<3x4xi32>
func.func @merged(%in: !tile.ptr<i32>, %out: !tile.ptr<i32>) attributes {tile.kernel, tile.block = array<i64: 4, 3, 1>} {
  %x = tile.thread_id 0
  %y = tile.thread_id 1
  %odd = arith.cmpi ne, %x, %y : i32
  %place = tile.offset %in, %y : !tile.ptr<i32>, i32
  %value = scf.if %odd -> i32 {
    %loaded = tile.load %place : !tile.ptr<i32>
    scf.yield %loaded : i32
  } else {
    scf.yield %x : i32
  }
  %to = tile.offset %out, %x : !tile.ptr<i32>, i32
  tile.store %to, %value : !tile.ptr<i32>
  return
}

// A loop of its own length for each thread goes on while any does.
// CHECK-LABEL: func.func @lengths
// CHECK: scf.while
// CHECK: tile.reduce
// CHECK: scf.condition
// CHECK: arith.select
func.func @lengths(%out: !tile.ptr<i32>) attributes {tile.kernel, tile.block = array<i64: 8, 1, 1>} {
  %x = tile.thread_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %x step %one iter_args(%s = %zero) -> i32 : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  %place = tile.offset %out, %x : !tile.ptr<i32>, i32
  tile.store %place, %sum : !tile.ptr<i32>
  return
}

// Memory of each thread lies side by side; barriers go; an exchange without a mask has a place to go.
// CHECK-LABEL: func.func @memory
// CHECK: tile.shared 32 : <i32>
// CHECK-NOT: tile.sync_threads
// CHECK: tile.shared 1 : <i32>
// CHECK: tile.atomic_cas %{{.*}} : tensor<8x!tile.ptr<i32>>
func.func @memory(%lock: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.block = array<i64: 8, 1, 1>} {
  %x = tile.thread_id 0
  %zero = arith.constant 0 : i32
  %stack = tile.local 4 : !tile.ptr<i32>
  tile.store %stack, %x : !tile.ptr<i32>
  tile.sync_threads
  %first = arith.cmpi slt, %x, %n : i32
  scf.if %first {
    %mine = tile.load %stack : !tile.ptr<i32>
    %old = tile.atomic_cas %lock, %zero, %mine order relaxed scope gpu : !tile.ptr<i32>
  }
  return
}
