// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=1 policy=held_registers=256" -nvptx-add-warps | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=1 registers=128" -nvptx-add-warps | FileCheck %s --check-prefix=ASKED
// RUN: %nereid-opt %s -nvptx-configure="warps=1 policy=held_registers=512" -nvptx-add-warps | FileCheck %s --check-prefix=ASKED
// ASKED-COUNT-4: {{warps = 1[,>]}}

// A sum of 128 registers a thread that a loop carries, and two tiles of as many that wait for what is made of both: two
// warps' threads hold 192.
// CHECK-LABEL: func.func @waits_for_sum
// CHECK-SAME: warps = 2, policy
func.func @waits_for_sum(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %op = tile.offset %os, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %sums = scf.for %row = %0 to %n step %1 iter_args(%sum = %zeros) -> (tensor<4096xf32>) : i32 {
    %a = tile.load %xp : tensor<4096x!tile.ptr<f32>>
    %b = tile.load %yp : tensor<4096x!tile.ptr<f32>>
    %product = arith.mulf %a, %b : tensor<4096xf32>
    %next = arith.addf %sum, %product : tensor<4096xf32>
    %all = tile.reduce(%product) axis 0 : (tensor<4096xf32>) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    }
    %every = tile.splat %all : f32 -> tensor<4096xf32>
    %scaled = arith.mulf %a, %every : tensor<4096xf32>
    %less = arith.subf %b, %scaled : tensor<4096xf32>
    tile.store %op, %less : tensor<4096x!tile.ptr<f32>>
    scf.yield %next : tensor<4096xf32>
  }
  tile.store %op, %sums : tensor<4096x!tile.ptr<f32>>
  return
}

// Half as many stay in one warp.
// CHECK-LABEL: func.func @fits
// CHECK-SAME: warps = 1, policy
func.func @fits(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<2048xf32>
  %i = tile.range 0 to 2048 : tensor<2048xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  %yp = tile.offset %ys, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  %op = tile.offset %os, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  %sums = scf.for %row = %0 to %n step %1 iter_args(%sum = %zeros) -> (tensor<2048xf32>) : i32 {
    %a = tile.load %xp : tensor<2048x!tile.ptr<f32>>
    %b = tile.load %yp : tensor<2048x!tile.ptr<f32>>
    %product = arith.mulf %a, %b : tensor<2048xf32>
    %next = arith.addf %sum, %product : tensor<2048xf32>
    %all = tile.reduce(%product) axis 0 : (tensor<2048xf32>) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    }
    %every = tile.splat %all : f32 -> tensor<2048xf32>
    %scaled = arith.mulf %a, %every : tensor<2048xf32>
    %less = arith.subf %b, %scaled : tensor<2048xf32>
    tile.store %op, %less : tensor<2048x!tile.ptr<f32>>
    scf.yield %next : tensor<2048xf32>
  }
  tile.store %op, %sums : tensor<2048x!tile.ptr<f32>>
  return
}

// Who asks how many warps there are has as many as it was told.
// CHECK-LABEL: func.func @counted
// CHECK-SAME: warps = 1, policy
func.func @counted(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias, tile.warps = 1 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %op = tile.offset %os, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %sums = scf.for %row = %0 to %n step %1 iter_args(%sum = %zeros) -> (tensor<4096xf32>) : i32 {
    %a = tile.load %xp : tensor<4096x!tile.ptr<f32>>
    %b = tile.load %yp : tensor<4096x!tile.ptr<f32>>
    %product = arith.mulf %a, %b : tensor<4096xf32>
    %next = arith.addf %sum, %product : tensor<4096xf32>
    %all = tile.reduce(%product) axis 0 : (tensor<4096xf32>) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    }
    %every = tile.splat %all : f32 -> tensor<4096xf32>
    %scaled = arith.mulf %a, %every : tensor<4096xf32>
    %less = arith.subf %b, %scaled : tensor<4096xf32>
    tile.store %op, %less : tensor<4096x!tile.ptr<f32>>
    scf.yield %next : tensor<4096xf32>
  }
  tile.store %op, %sums : tensor<4096x!tile.ptr<f32>>
  return
}

// What is widened waits as it was loaded, two elements in a register: 256 for 384.
// CHECK-LABEL: func.func @as_loaded
// CHECK-SAME: warps = 1, policy
func.func @as_loaded(%x: !tile.ptr<bf16>, %y: !tile.ptr<bf16>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %i = tile.range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<4096x!tile.ptr<bf16>>
  %ys = tile.splat %y : !tile.ptr<bf16> -> tensor<4096x!tile.ptr<bf16>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<4096x!tile.ptr<bf16>>, tensor<4096xi32>
  %yp = tile.offset %ys, %i : tensor<4096x!tile.ptr<bf16>>, tensor<4096xi32>
  %op = tile.offset %os, %i : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %sums = scf.for %row = %0 to %n step %1 iter_args(%sum = %zeros) -> (tensor<4096xf32>) : i32 {
    %a16 = tile.load %xp : tensor<4096x!tile.ptr<bf16>>
    %a = arith.extf %a16 : tensor<4096xbf16> to tensor<4096xf32>
    %b16 = tile.load %yp : tensor<4096x!tile.ptr<bf16>>
    %b = arith.extf %b16 : tensor<4096xbf16> to tensor<4096xf32>
    %product = arith.mulf %a, %b : tensor<4096xf32>
    %next = arith.addf %sum, %product : tensor<4096xf32>
    %all = tile.reduce(%product) axis 0 : (tensor<4096xf32>) -> f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    }
    %every = tile.splat %all : f32 -> tensor<4096xf32>
    %scaled = arith.mulf %a, %every : tensor<4096xf32>
    %less = arith.subf %b, %scaled : tensor<4096xf32>
    tile.store %op, %less : tensor<4096x!tile.ptr<f32>>
    scf.yield %next : tensor<4096xf32>
  }
  tile.store %op, %sums : tensor<4096x!tile.ptr<f32>>
  return
}
