// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All passes in order, verified after each: no tile is left without a layout, on any GPU and whatever only makes
// kernels faster.
// RUN: %nereid-opt %s -verify-each -nvptx-pipeline | FileCheck %s --check-prefixes=CHECK,NEW --implicit-check-not='tensor<{{[0-9x]+([bif][0-9a-zA-Z]+|!tile.ptr<[^>]+>)}}>'
// RUN: %nereid-opt %s -verify-each -nvptx-pipeline="sm=sm_80 warps=8" | FileCheck %s --check-prefixes=CHECK,OLD --implicit-check-not='tensor<{{[0-9x]+([bif][0-9a-zA-Z]+|!tile.ptr<[^>]+>)}}>'
// RUN: %nereid-opt %s -verify-each -nvptx-pipeline="warps=8 policy=nvptx-fetch-loads=0,nvptx-ring-loads=0,nvptx-copy-loads=0" | FileCheck %s --check-prefixes=CHECK,WITHOUT --implicit-check-not='tensor<{{[0-9x]+([bif][0-9a-zA-Z]+|!tile.ptr<[^>]+>)}}>'

// CHECK-LABEL: func.func @matmul
// NEW: nv.produce
// NEW: nv.multiply
// NEW: nv.send
// OLD: nv.copy
// OLD: tile.dot
// WITHOUT-NOT: nv.{{fetch|copy|produce}}
// WITHOUT: nv.multiply
func.func @matmul(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i32, %k: i32,
                  %stride: i32 {tile.divisibility = 16 : i32}, %batch: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %128 = arith.constant 128 : i32
  %64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %which = tile.program_id 1
  %row = arith.muli %pid, %128 : i32
  %rows = tile.range 0 to 128 : tensor<128xi32>
  %rs = tile.splat %row : i32 -> tensor<128xi32>
  %ri = arith.addi %rs, %rows : tensor<128xi32>
  %ms = tile.splat %m : i32 -> tensor<128xi32>
  %rm = arith.remsi %ri, %ms : tensor<128xi32>
  %re = tile.expand_dims %rm axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ss = tile.splat %stride : i32 -> tensor<128x1xi32>
  %ro = arith.muli %re, %ss : tensor<128x1xi32>
  %rb = tile.broadcast %ro : tensor<128x1xi32> -> tensor<128x64xi32>
  %depth = tile.range 0 to 64 : tensor<64xi32>
  %de = tile.expand_dims %depth axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %db = tile.broadcast %de : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %rb, %db : tensor<128x64xi32>
  %far = arith.muli %which, %batch : i32
  %base = tile.offset %a, %far : !tile.ptr<f16>, i32
  %as = tile.splat %base : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %dd = tile.expand_dims %depth axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %256 = arith.constant dense<256> : tensor<64x1xi32>
  %do = arith.muli %dd, %256 : tensor<64x1xi32>
  %bb = tile.broadcast %do : tensor<64x1xi32> -> tensor<64x256xi32>
  %columns = tile.range 0 to 256 : tensor<256xi32>
  %ce = tile.expand_dims %columns axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %cb = tile.broadcast %ce : tensor<1x256xi32> -> tensor<64x256xi32>
  %bo = arith.addi %bb, %cb : tensor<64x256xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x256x!tile.ptr<f16>>
  %bp = tile.offset %bs, %bo : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf16>
  %sums:3 = scf.for %i = %0 to %k step %64 iter_args(%acc = %zeros, %p = %0, %q = %0) -> (tensor<128x256xf32>, i32, i32) : i32 {
    %ps = tile.splat %p : i32 -> tensor<128x64xi32>
    %x = tile.offset %ap, %ps : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %qs = tile.splat %q : i32 -> tensor<64x256xi32>
    %y = tile.offset %bp, %qs : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
    %left = arith.subi %k, %i : i32
    %ls = tile.splat %left : i32 -> tensor<1x64xi32>
    %inside = arith.cmpi slt, %de, %ls : tensor<1x64xi32>
    %mask = tile.broadcast %inside : tensor<1x64xi1> -> tensor<128x64xi1>
    %u = tile.load %x mask %mask other %none : tensor<128x64x!tile.ptr<f16>>
    %v = tile.load %y : tensor<64x256x!tile.ptr<f16>>
    %next = tile.dot %u, %v, %acc precision tf32 : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    %onB = arith.constant 16384 : i32
    %p1 = arith.addi %p, %64 : i32
    %q1 = arith.addi %q, %onB : i32
    scf.yield %next, %p1, %q1 : tensor<128x256xf32>, i32, i32
  }
  %oe = tile.expand_dims %rows axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %wide = arith.constant dense<256> : tensor<128x1xi32>
  %ow = arith.muli %oe, %wide : tensor<128x1xi32>
  %ob = tile.broadcast %ow : tensor<128x1xi32> -> tensor<128x256xi32>
  %oc = tile.broadcast %ce : tensor<1x256xi32> -> tensor<128x256xi32>
  %oo = arith.addi %ob, %oc : tensor<128x256xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>>
  %cp = tile.offset %cs, %oo : tensor<128x256x!tile.ptr<f32>>, tensor<128x256xi32>
  tile.store %cp, %sums#0 : tensor<128x256x!tile.ptr<f32>>
  func.return
}

// CHECK-LABEL: func.func @add
// CHECK: tile.store
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
               %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp mask %m : tensor<1024x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %w mask %m : tensor<1024x!tile.ptr<f32>>
  func.return
}

// CHECK-LABEL: func.func @sum
// OLD: scf.for
// CHECK: tile.reduce
// NEW: nv.gather_blocks
func.func @sum(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 131072 : tensor<131072xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  %v = tile.load %xp : tensor<131072x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis 0 : (tensor<131072xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  return
}
