// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-narrow-comparisons -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func.func @narrow
// CHECK-SAME: %[[N:.*]]: i64
// CHECK: %[[T:.*]] = tile.thread_id 0
// CHECK: arith.cmpi slt, %[[T]], %{{.*}} : i32
// CHECK: arith.cmpi eq, %{{.*}}, %[[T]] : i32
// CHECK: arith.cmpi sgt, %[[T]], %{{.*}} : i32
func.func @narrow(%n: i64, %out: !tile.ptr<i1>) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c100 = arith.constant 100 : i64
  %c15 = arith.constant 15 : i64
  %id = tile.thread_id 0
  %pid = tile.program_id 0
  %t = arith.extsi %id : i32 to i64
  %p = arith.extsi %pid : i32 to i64
  %few = arith.andi %n, %c15 : i64
  %a = arith.cmpi slt, %t, %c100 : i64
  tile.store %out, %a : !tile.ptr<i1>
  %b = arith.cmpi eq, %few, %t : i64
  tile.store %out, %b : !tile.ptr<i1>
  %c = arith.cmpi sgt, %t, %p : i64
  tile.store %out, %c : !tile.ptr<i1>
  return
}

// What may be more than 32 bits, and what is compared without signs, is compared as it is.
// CHECK-LABEL: func.func @wide
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i64
func.func @wide(%n: i64, %out: !tile.ptr<i1>) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c15 = arith.constant 15 : i64
  %id = tile.thread_id 0
  %t = arith.extsi %id : i32 to i64
  %few = arith.andi %n, %c15 : i64
  %a = arith.cmpi slt, %t, %n : i64
  tile.store %out, %a : !tile.ptr<i1>
  %b = arith.cmpi ult, %t, %few : i64
  tile.store %out, %b : !tile.ptr<i1>
  return
}
