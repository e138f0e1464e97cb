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

// A thread that has left keeps what it passed out of the test.
// CHECK-LABEL: func.func @collatz
// CHECK: %[[ALL:.*]] = arith.constant dense<true> : tensor<8xi1>
// CHECK: scf.while (%[[LIVE:.*]] = %[[ALL]]
// CHECK: %[[MORE:.*]] = arith.cmpi sgt
// CHECK: %[[ON:.*]] = arith.andi %[[LIVE]], %[[MORE]] : tensor<8xi1>
// CHECK: arith.select %[[LIVE]]
// CHECK: %[[ANY:.*]] = tile.reduce(%[[ON]])
// CHECK: scf.condition(%[[ANY]]) %[[ON]]
func.func @collatz(%out: !tile.ptr<i32>) attributes {tile.kernel, tile.block = array<i64: 8, 1, 1>} {
  %x = tile.thread_id 0
  %one = arith.constant 1 : i32
  %last = scf.while (%a = %x) : (i32) -> i32 {
    %more = arith.cmpi sgt, %a, %one : i32
    scf.condition(%more) %a : i32
  } do {
  ^bb0(%a: i32):
    %half = arith.shrui %a, %one : i32
    scf.yield %half : i32
  }
  %place = tile.offset %out, %x : !tile.ptr<i32>, i32
  tile.store %place, %last : !tile.ptr<i32>
  return
}

// The turns of a loop that are the same for all are no tile, and the barrier in it goes.
// CHECK-LABEL: func.func @tree
// CHECK: tile.shared 64 : <f32>
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32
// CHECK: %[[TAKES:.*]] = arith.cmpi slt, %{{.*}} : tensor<64xi32>
// CHECK: tile.load %{{.*}} mask %[[TAKES]]
// CHECK: tile.store %{{.*}} mask %[[TAKES]]
// CHECK-NOT: tile.sync_threads
func.func @tree(%out: !tile.ptr<f32>) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %x = tile.thread_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant 32 : i32
  %cache = tile.shared 64 : !tile.ptr<f32>
  %mine = tile.offset %cache, %x : !tile.ptr<f32>, i32
  %end = scf.while (%half = %first) : (i32) -> i32 {
    %more = arith.cmpi sgt, %half, %zero : i32
    scf.condition(%more) %half : i32
  } do {
  ^bb0(%half: i32):
    %takes = arith.cmpi slt, %x, %half : i32
    scf.if %takes {
      %other = tile.offset %mine, %half : !tile.ptr<f32>, i32
      %a = tile.load %mine : !tile.ptr<f32>
      %b = tile.load %other : !tile.ptr<f32>
      %c = arith.addf %a, %b : f32
      tile.store %mine, %c : !tile.ptr<f32>
    }
    tile.sync_threads
    %next = arith.shrui %half, %one : i32
    scf.yield %next : i32
  }
  return
}

// What stands behind a loop that some left by a flag; a loop for nobody is not begun.
// CHECK-LABEL: func.func @flag
// CHECK: %[[ON:.*]] = arith.cmpi slt, %{{.*}} : tensor<8xi32>
// CHECK: %[[ANY:.*]] = tile.reduce(%[[ON]])
// CHECK: scf.if %[[ANY]] -> (tensor<8xi32>) {
// CHECK: scf.while (%{{.*}} = %[[ON]]
func.func @flag(%in: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.block = array<i64: 8, 1, 1>} {
  %x = tile.thread_id 0
  %true = arith.constant true
  %one = arith.constant 1 : i32
  %on = arith.cmpi slt, %x, %n : i32
  %r = scf.if %on -> i32 {
    %i, %go = scf.while (%i = %x, %go = %true) : (i32, i1) -> (i32, i1) {
      scf.condition(%go) %i, %go : i32, i1
    } do {
    ^bb0(%i: i32, %go: i1):
      %p = tile.offset %in, %i : !tile.ptr<i32>, i32
      %v = tile.load %p : !tile.ptr<i32>
      %stays = arith.cmpi ne, %v, %n : i32
      %i1 = arith.addi %i, %one : i32
      scf.yield %i1, %stays : i32, i1
    }
    scf.yield %i : i32
  } else {
    scf.yield %x : i32
  }
  %q = tile.offset %in, %r : !tile.ptr<i32>, i32
  tile.store %q, %n : !tile.ptr<i32>
  return
}

// All threads store the same at one place: once. All add at one place: each does.
// CHECK-LABEL: func.func @everyone
// CHECK: tile.store %{{.*}}, %{{.*}} : !tile.ptr<i32>
// CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} order relaxed scope gpu : tensor<8x!tile.ptr<i32>>
func.func @everyone(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.block = array<i64: 8, 1, 1>} {
  tile.store %out, %n : !tile.ptr<i32>
  %old = tile.atomic_rmw add %out, %n order relaxed scope gpu : !tile.ptr<i32>
  return
}

// Masks of the text and of branches meet; one address for all is a tile where threads differ in the rest.
// CHECK-LABEL: func.func @masks
// CHECK: %[[OWN:.*]] = arith.cmpi slt
// CHECK: tile.load %{{.*}} mask %[[OWN]] other %{{.*}} : tensor<8x!tile.ptr<i32>>
// CHECK: %[[INNER:.*]] = arith.cmpi sgt
// CHECK: %[[BOTH:.*]] = arith.andi %[[INNER]], %[[OWN]]
// CHECK: tile.store %{{.*}}, %{{.*}} mask %[[BOTH]] : tensor<8x!tile.ptr<i32>>
func.func @masks(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.block = array<i64: 8, 1, 1>} {
  %x = tile.thread_id 0
  %own = arith.cmpi slt, %x, %n : i32
  %v = tile.load %out mask %own other %n : !tile.ptr<i32>
  %inner = arith.cmpi sgt, %v, %x : i32
  scf.if %inner {
    %p = tile.offset %out, %x : !tile.ptr<i32>, i32
    tile.store %p, %v mask %own : !tile.ptr<i32>
  }
  return
}

// A thread's promises go, be the block of two dimensions; so do differences that turn out to be none.
// CHECK-LABEL: func.func @promises
// CHECK-NOT: tile.hint
// CHECK-NOT: tile.assume
// CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<2x8x!tile.ptr<i32>>
func.func @promises(%out: !tile.ptr<i32>, %n: i32, %u: i1) attributes {tile.kernel, tile.block = array<i64: 8, 2, 1>} {
  %x = tile.thread_id 0
  %h = tile.hint divisibility %x [1] : i32
  %m = arith.cmpi slt, %h, %n : i32
  tile.assume %m
  %same = scf.if %m -> i1 {
    scf.yield %u : i1
  } else {
    scf.yield %u : i1
  }
  scf.if %same {
    %p = tile.offset %out, %h : !tile.ptr<i32>, i32
    tile.store %p, %n : !tile.ptr<i32>
  }
  return
}

// Threads of other blocks are not here: their barrier stays.
// CHECK-LABEL: func.func @whole_grid
// CHECK: tile.sync_threads whole_grid
// CHECK: tile.store
func.func @whole_grid(%out: !tile.ptr<i32>) attributes {tile.kernel, tile.block = array<i64: 8, 1, 1>} {
  %x = tile.thread_id 0
  tile.sync_threads
  tile.sync_threads whole_grid
  %at = tile.offset %out, %x : !tile.ptr<i32>, i32
  tile.store %at, %x : !tile.ptr<i32>
  return
}

// Threads that begin side by side and go on by one step: turns in which all are have a counter that is a number and a
// range, and no mask; the rest goes on while any thread does.
// CHECK-LABEL: func.func @strides
// CHECK: %[[X:.*]] = arith.extsi %{{.*}} : tensor<64xi32> to tensor<64xi64>
// CHECK: scf.for %[[TURN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[FAR:.*]] = arith.muli %[[TURN]], %{{.*}} : i64
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[FAR]] : i64
// CHECK: %[[TILE:.*]] = tile.splat %[[AT]]
// CHECK: %[[I:.*]] = arith.addi %[[TILE]], %[[X]]
// CHECK: %[[PLACE:.*]] = tile.offset %{{.*}}, %[[I]]
// CHECK: tile.store %[[PLACE]], %{{[^ ]*}} : tensor
// CHECK: scf.while
// CHECK: tile.store %{{.*}} mask
func.func @strides(%out: !tile.ptr<i64>, %n: i64, %by: i64) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %c64 = arith.constant 64 : i64
  %id = tile.thread_id 0
  %pid = tile.program_id 0
  %t = arith.extsi %id : i32 to i64
  %p = arith.extsi %pid : i32 to i64
  %first = arith.muli %p, %c64 : i64
  %i = arith.addi %first, %t : i64
  scf.for %at = %i to %n step %by : i64 {
    %place = tile.offset %out, %at : !tile.ptr<i64>, i64
    tile.store %place, %n : !tile.ptr<i64>
  }
  return
}

// Where threads begin far from one another each has its own counter from the start.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: scf.for
// CHECK: scf.while
func.func @apart(%out: !tile.ptr<i64>, %n: i64, %by: i64) attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  %id = tile.thread_id 0
  %t = arith.extsi %id : i32 to i64
  %first = arith.muli %t, %by : i64
  scf.for %at = %first to %n step %by : i64 {
    %place = tile.offset %out, %at : !tile.ptr<i64>, i64
    tile.store %place, %n : !tile.ptr<i64>
  }
  return
}
