// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-decide-masks | FileCheck %s

// CHECK-LABEL: func.func @below
func.func @below() -> (tensor<128xi1>, tensor<128xi1>, tensor<128xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant dense<true> : tensor<128xi1>
  // CHECK-DAG: %[[LEFT:.*]] = arith.cmpi slt
  // CHECK: return %[[TRUE]], %[[LEFT]], %{{.*}}
  %range = tile.range 0 to 128 : tensor<128xi32>
  %size = arith.constant dense<128> : tensor<128xi32>
  %last = arith.constant dense<127> : tensor<128xi32>
  %whole = arith.cmpi slt, %range, %size : tensor<128xi32>
  %part = arith.cmpi slt, %range, %last : tensor<128xi32>
  %none = arith.cmpi sgt, %range, %last : tensor<128xi32>
  return %whole, %part, %none : tensor<128xi1>, tensor<128xi1>, tensor<128xi1>
}

// CHECK-LABEL: func.func @never
func.func @never() -> tensor<8xi1> {
  // CHECK: arith.constant dense<false> : tensor<8xi1>
  // CHECK-NOT: arith.cmpi
  %range = tile.range 8 to 16 : tensor<8xi32>
  %few = arith.constant dense<8> : tensor<8xi32>
  %below = arith.cmpi ult, %range, %few : tensor<8xi32>
  return %below : tensor<8xi1>
}

// Through sums, products and quotients of what is known, and other shapes.
// CHECK-LABEL: func.func @arithmetic
func.func @arithmetic() -> (tensor<1x64xi1>, tensor<64xi1>) {
  // CHECK-NOT: arith.cmpi
  // CHECK: return
  %range = tile.range 0 to 64 : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %half = arith.divsi %range, %two : tensor<64xi32>
  %wide = tile.expand_dims %half axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %limit = arith.constant dense<32> : tensor<1x64xi32>
  %a = arith.cmpi slt, %wide, %limit : tensor<1x64xi32>
  %rest = arith.remsi %range, %two : tensor<64xi32>
  %b = arith.cmpi ne, %rest, %two : tensor<64xi32>
  return %a, %b : tensor<1x64xi1>, tensor<64xi1>
}

// What may wrap, what nobody knows, and unsigned comparisons below zero are left.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%n: i32) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
  // CHECK-COUNT-3: arith.cmpi
  %range = tile.range 0 to 64 : tensor<64xi32>
  %most = arith.constant dense<2147483647> : tensor<64xi32>
  %sum = arith.addi %range, %most : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %a = arith.cmpi sge, %sum, %zero : tensor<64xi32>
  %splat = tile.splat %n : i32 -> tensor<64xi32>
  %b = arith.cmpi slt, %range, %splat : tensor<64xi32>
  %c2 = arith.constant dense<2> : tensor<64xi32>
  %negative = arith.subi %range, %c2 : tensor<64xi32>
  %c = arith.cmpi ult, %negative, %most : tensor<64xi32>
  return %a, %b, %c : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}

// Ranges may begin below zero; what meets is left.
// CHECK-LABEL: func.func @below_zero
func.func @below_zero() -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = arith.constant dense<true> : tensor<8xi1>
  // CHECK-DAG: %[[FALSE:.*]] = arith.constant dense<false> : tensor<8xi1>
  // CHECK-DAG: %[[LEFT:.*]] = arith.cmpi sgt
  // CHECK: return %[[LEFT]], %[[TRUE]], %[[FALSE]]
  %low = tile.range -3 to 5 : tensor<8xi32>
  %high = tile.range 2 to 10 : tensor<8xi32>
  %lowest = tile.range -12 to -4 : tensor<8xi32>
  %0 = arith.cmpi sgt, %low, %high : tensor<8xi32>
  %1 = arith.cmpi slt, %lowest, %high : tensor<8xi32>
  %2 = arith.cmpi sge, %lowest, %low : tensor<8xi32>
  return %0, %1, %2 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// What all rounds come to is theirs, and what none comes to is nobody's. The third says nothing.
// CHECK-LABEL: func.func @branches
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: math.exp
// CHECK-NOT: scf.if
// CHECK: arith.mulf
// CHECK-NOT: {{math.log|arith.negf}}
// CHECK: scf.if
// CHECK: math.sqrt
// CHECK: scf.yield
// CHECK-NOT: {{scf.if|math.log}}
// CHECK: return
func.func @branches(%x: tensor<64xf32>, %n: i32) -> tensor<64xf32> attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %8 = arith.constant 8 : i32
  %sums = scf.for %i = %0 to %8 step %1 iter_args(%acc = %x) -> (tensor<64xf32>) : i32 {
    %all = arith.cmpi sge, %i, %0 : i32
    %a = scf.if %all -> (tensor<64xf32>) {
      %inner = arith.cmpi slt, %i, %8 : i32
      %y = scf.if %inner -> (tensor<64xf32>) {
        %e = math.exp %acc : tensor<64xf32>
        scf.yield %e : tensor<64xf32>
      } else {
        %l = math.log %acc : tensor<64xf32>
        scf.yield %l : tensor<64xf32>
      }
      %m = arith.mulf %y, %y : tensor<64xf32>
      scf.yield %m : tensor<64xf32>
    } else {
      %g = arith.negf %acc : tensor<64xf32>
      scf.yield %g : tensor<64xf32>
    }
    %some = arith.cmpi slt, %i, %n : i32
    %b = scf.if %some -> (tensor<64xf32>) {
      %s = math.sqrt %a : tensor<64xf32>
      scf.yield %s : tensor<64xf32>
    } else {
      scf.yield %a : tensor<64xf32>
    }
    scf.yield %b : tensor<64xf32>
  }
  %none = arith.cmpi sgt, %0, %8 : i32
  %last = scf.if %none -> (tensor<64xf32>) {
    %l = math.log %sums : tensor<64xf32>
    scf.yield %l : tensor<64xf32>
  } else {
    scf.yield %sums : tensor<64xf32>
  }
  return %last : tensor<64xf32>
}

// What each round adds to a range is bounded by the last one, whole or not; of unknown rounds only the first is known.
// CHECK-LABEL: func.func @rounds
// CHECK: scf.for
// CHECK: dense<true>
// CHECK-NEXT: arith.cmpi
// CHECK-NOT: arith.cmpi
// CHECK: scf.for
// CHECK: dense<false>
// CHECK-NEXT: arith.cmpi
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @rounds(%x: tensor<8xf32>, %n: i32) -> tensor<8xf32> attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %8 = arith.constant 8 : i32
  %128 = arith.constant 128 : i32
  %range = tile.range 0 to 8 : tensor<8xi32>
  %all = arith.constant dense<128> : tensor<8xi32>
  %last = arith.constant dense<127> : tensor<8xi32>
  %none = arith.constant dense<0> : tensor<8xi32>
  %many = scf.for %i = %0 to %128 step %8 iter_args(%acc = %x) -> (tensor<8xf32>) : i32 {
    %base = tile.splat %i : i32 -> tensor<8xi32>
    %at = arith.addi %base, %range : tensor<8xi32>
    %whole = arith.cmpi slt, %at, %all : tensor<8xi32>
    %part = arith.cmpi slt, %at, %last : tensor<8xi32>
    %a = arith.select %whole, %acc, %x : tensor<8xi1>, tensor<8xf32>
    %b = arith.select %part, %a, %x : tensor<8xi1>, tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  %some = scf.for %i = %0 to %n step %8 iter_args(%acc = %many) -> (tensor<8xf32>) : i32 {
    %base = tile.splat %i : i32 -> tensor<8xi32>
    %below = arith.cmpi slt, %base, %none : tensor<8xi32>
    %unknown = arith.cmpi slt, %base, %all : tensor<8xi32>
    %a = arith.select %below, %acc, %x : tensor<8xi1>, tensor<8xf32>
    %b = arith.select %unknown, %a, %x : tensor<8xi1>, tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %some : tensor<8xf32>
}
