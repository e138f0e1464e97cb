// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-decide-comparisons -canonicalize -cse | FileCheck %s

// An index that its guard keeps from being negative: the distance is 1 and is doubled while it is under 64.
// CHECK-LABEL: func.func @guarded
// CHECK: scf.while (%[[D:.*]] = %{{.*}}) : (i64) -> i64 {
// CHECK: } do {
// CHECK: ^bb0(%[[D:.*]]: i64):
// CHECK: scf.if
// CHECK-NEXT: %[[AT:.*]] = arith.subi %{{.*}}, %[[D]] : i64
// CHECK-NEXT: %[[PLACE:.*]] = tile.offset %{{.*}}, %[[AT]]
// CHECK-NEXT: tile.store %[[PLACE]]
func.func @guarded(%out: !tile.ptr<i64>) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %id = tile.thread_id 0
  %t = arith.extsi %id : i32 to i64
  %end = scf.while (%d = %c1) : (i64) -> i64 {
    %more = arith.cmpi slt, %d, %c64 : i64
    scf.condition(%more) %d : i64
  } do {
  ^bb0(%d: i64):
    %inside = arith.cmpi sge, %t, %d : i64
    scf.if %inside {
      %at = arith.subi %t, %d : i64
      %wraps = arith.cmpi slt, %at, %c0 : i64
      %behind = arith.addi %at, %c64 : i64
      %index = arith.select %wraps, %behind, %at : i64
      %place = tile.offset %out, %index : !tile.ptr<i64>, i64
      tile.store %place, %d : !tile.ptr<i64>
    }
    %next = arith.addi %d, %d : i64
    scf.yield %next : i64
  }
  return
}

// The guard of a distance of which nothing is known does not say so: the difference may wrap.
// CHECK-LABEL: func.func @may_wrap
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK: arith.select
func.func @may_wrap(%out: !tile.ptr<i64>, %d: i64) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %id = tile.thread_id 0
  %t = arith.extsi %id : i32 to i64
  %inside = arith.cmpi sge, %t, %d : i64
  scf.if %inside {
    %at = arith.subi %t, %d : i64
    %wraps = arith.cmpi slt, %at, %c0 : i64
    %behind = arith.addi %at, %c64 : i64
    %index = arith.select %wraps, %behind, %at : i64
    %place = tile.offset %out, %index : !tile.ptr<i64>, i64
    tile.store %place, %d : !tile.ptr<i64>
  }
  return
}

// A loop whose counter is doubled without a bound gets negative, and nothing is said of it.
// CHECK-LABEL: func.func @without_bound
// CHECK: arith.cmpi slt
func.func @without_bound(%out: !tile.ptr<i1>, %n: i64) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%d = %c1) -> (i64) : i64 {
    %is = arith.cmpi slt, %d, %c0 : i64
    tile.store %out, %is : !tile.ptr<i1>
    %next = arith.addi %d, %d : i64
    scf.yield %next : i64
  }
  return
}

// `a and b` is a branch that gives the second condition: both hold behind it, and their opposites where
// `a or b` does not.
// CHECK-LABEL: func.func @both
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NEXT: tile.store %{{.*}}, %true
// CHECK: } else {
// CHECK-NEXT: arith.cmpi sgt
func.func @both(%out: !tile.ptr<i1>, %a: i64, %b: i64) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c3 = arith.constant 3 : i64
  %c7 = arith.constant 7 : i64
  %false = arith.constant false
  %first = arith.cmpi sgt, %a, %c7 : i64
  %and = scf.if %first -> (i1) {
    %second = arith.cmpi slt, %b, %a : i64
    tile.store %out, %second : !tile.ptr<i1>
    scf.yield %second : i1
  } else {
    scf.yield %false : i1
  }
  scf.if %and {
    %more = arith.cmpi sgt, %a, %c3 : i64
    tile.store %out, %more : !tile.ptr<i1>
  } else {
    %more = arith.cmpi sgt, %a, %c3 : i64
    tile.store %out, %more : !tile.ptr<i1>
  }
  return
}

// Quotients by zero and shifts beyond the bits have results too.
// CHECK-LABEL: func.func @defined
// CHECK: arith.divsi
// CHECK-NEXT: arith.cmpi sge
// CHECK: arith.shrui
// CHECK-NEXT: arith.cmpi sge
func.func @defined(%out: !tile.ptr<i1>, %n: i32) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c0 = arith.constant 0 : i32
  %t = tile.thread_id 0
  %quotient = arith.divsi %t, %n : i32
  %is = arith.cmpi sge, %quotient, %c0 : i32
  tile.store %out, %is : !tile.ptr<i1>
  %shifted = arith.shrui %n, %t : i32
  %is2 = arith.cmpi sge, %shifted, %c0 : i32
  tile.store %out, %is2 : !tile.ptr<i1>
  return
}

// Kernels of tiles are left as they are.
// CHECK-LABEL: func.func @tiles
// CHECK: arith.cmpi sge
func.func @tiles(%out: !tile.ptr<i1>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %pid = tile.program_id 0
  %is = arith.cmpi sge, %pid, %c0 : i32
  tile.store %out, %is : !tile.ptr<i1>
  return
}
