// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -tile-relax-atomics | FileCheck %s

// CHECK-LABEL: func.func @adds
func.func @adds(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.noalias} {
  %v = tile.load %x : !tile.ptr<f32>
  // CHECK: order relaxed
  %old = tile.atomic_rmw fadd %out, %v order acq_rel scope gpu : !tile.ptr<f32>
  return
}

// What is loaded may be what others add to.
// CHECK-LABEL: func.func @mayOverlap
func.func @mayOverlap(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) {
  %v = tile.load %x : !tile.ptr<f32>
  // CHECK: order acq_rel
  %old = tile.atomic_rmw fadd %out, %v order acq_rel scope gpu : !tile.ptr<f32>
  return
}

// A store that the atomic may tell of.
// CHECK-LABEL: func.func @tells
func.func @tells(%x: !tile.ptr<f32>, %flag: !tile.ptr<i32>, %v: f32, %one: i32) attributes {tile.noalias} {
  tile.store %x, %v : !tile.ptr<f32>
  // CHECK: order acq_rel
  %old = tile.atomic_rmw add %flag, %one order acq_rel scope gpu : !tile.ptr<i32>
  return
}

// One atomic may tell of the other.
// CHECK-LABEL: func.func @two
func.func @two(%x: !tile.ptr<f32>, %flag: !tile.ptr<i32>, %v: f32, %one: i32) attributes {tile.noalias} {
  // CHECK: order acq_rel
  %sum = tile.atomic_rmw fadd %x, %v order acq_rel scope gpu : !tile.ptr<f32>
  // CHECK: order release
  %old = tile.atomic_rmw add %flag, %one order release scope gpu : !tile.ptr<i32>
  return
}

// The same is left in memory whoever begins.
// CHECK-LABEL: func.func @alike
func.func @alike(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %one: i32) attributes {tile.noalias} {
  // CHECK: order relaxed
  %a = tile.atomic_rmw add %x, %one order acq_rel scope gpu : !tile.ptr<i32>
  // CHECK: order relaxed
  %b = tile.atomic_rmw add %y, %one order acq_rel scope gpu : !tile.ptr<i32>
  return
}

// What is left says who came last, at each of two elements; at one it says so as well, and that has an order anyway.
// CHECK-LABEL: func.func @last
func.func @last(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %one: i32) attributes {tile.noalias} {
  // CHECK: order acq_rel
  %a = tile.atomic_rmw xchg %x, %one order acq_rel scope gpu : !tile.ptr<i32>
  // CHECK: order acq_rel
  %b = tile.atomic_rmw xchg %y, %one order acq_rel scope gpu : !tile.ptr<i32>
  return
}

// CHECK-LABEL: func.func @oneElement
func.func @oneElement(%x: !tile.ptr<i32>, %v: i32, %is: i1, %not: i1) attributes {tile.noalias} {
  // CHECK: order relaxed
  %a = tile.atomic_rmw smax %x, %v mask %is order acq_rel scope gpu : !tile.ptr<i32>
  // CHECK: order relaxed
  %b = tile.atomic_rmw umin %x, %v mask %not order acq_rel scope gpu : !tile.ptr<i32>
  return
}

// Elements of a tile are several.
// CHECK-LABEL: func.func @oneTile
func.func @oneTile(%x: tensor<4x!tile.ptr<i32>>, %v: tensor<4xi32>) attributes {tile.noalias} {
  // CHECK: order acq_rel
  %a = tile.atomic_rmw smax %x, %v order acq_rel scope gpu : tensor<4x!tile.ptr<i32>>
  // CHECK: order acq_rel
  %b = tile.atomic_rmw umin %x, %v order acq_rel scope gpu : tensor<4x!tile.ptr<i32>>
  return
}

// Who comes first may go on.
// CHECK-LABEL: func.func @asks
func.func @asks(%out: !tile.ptr<i32>, %one: i32) -> i32 attributes {tile.noalias} {
  // CHECK: order acq_rel
  %old = tile.atomic_rmw add %out, %one order acq_rel scope gpu : !tile.ptr<i32>
  return %old : i32
}

// Other launches, and the host.
// CHECK-LABEL: func.func @ofTheSystem
func.func @ofTheSystem(%out: !tile.ptr<i32>, %one: i32) attributes {tile.noalias} {
  // CHECK: order acq_rel
  %old = tile.atomic_rmw add %out, %one order acq_rel scope sys : !tile.ptr<i32>
  return
}

// What rounds have added does not tell which was first; what they have put there does, and so might who says that each of them
// hands over.
// CHECK-LABEL: func.func @rounds
func.func @rounds(%out: !tile.ptr<i32>, %one: i32, %from: index, %to: index) attributes {tile.noalias} {
  scf.for %i = %from to %to step %from {
    // CHECK: order relaxed
    %old = tile.atomic_rmw add %out, %one order acq_rel scope gpu : !tile.ptr<i32>
  }
  return
}
// CHECK-LABEL: func.func @lastRound
func.func @lastRound(%out: !tile.ptr<i32>, %one: i32, %from: index, %to: index) attributes {tile.noalias} {
  scf.for %i = %from to %to step %from {
    // CHECK: order acq_rel
    %old = tile.atomic_rmw xchg %out, %one order acq_rel scope gpu : !tile.ptr<i32>
  }
  return
}
// CHECK-LABEL: func.func @releasedRounds
func.func @releasedRounds(%out: !tile.ptr<i32>, %one: i32, %from: index, %to: index) attributes {tile.noalias} {
  scf.for %i = %from to %to step %from {
    // CHECK: order release
    %old = tile.atomic_rmw add %out, %one order release scope gpu : !tile.ptr<i32>
  }
  return
}

// Each two of three commute with the first, and not with one another.
// CHECK-LABEL: func.func @three
func.func @three(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %v: i32) attributes {tile.noalias} {
  // CHECK-COUNT-3: order acq_rel
  %a = tile.atomic_rmw smax %x, %v order acq_rel scope gpu : !tile.ptr<i32>
  %b = tile.atomic_rmw umin %x, %v order acq_rel scope gpu : !tile.ptr<i32>
  %c = tile.atomic_rmw smax %y, %v order acq_rel scope gpu : !tile.ptr<i32>
  return
}

// Who says which one hands over means to be seen by another launch.
// CHECK-LABEL: func.func @published
func.func @published(%x: !tile.ptr<i32>, %flag: !tile.ptr<i32>, %v: i32) attributes {tile.noalias} {
  // CHECK: order relaxed
  %a = tile.atomic_rmw add %x, %v order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: order release
  %b = tile.atomic_rmw add %flag, %v order release scope gpu : !tile.ptr<i32>
  return
}
