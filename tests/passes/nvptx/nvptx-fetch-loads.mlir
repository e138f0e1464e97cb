// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops multiply and is a box of an array is fetched into rings.
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-choose-products -nvptx-fetch-loads -split-input-file | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=8 stages=2" -nvptx-choose-products -nvptx-fetch-loads -split-input-file | FileCheck %s --check-prefix=TWO

// Other GPUs have no products of warpgroups; one stage is no ring; a limit on registers leaves none for a
// warp that fetches; where launches make no tensor maps, there are no boxes.
// RUN: %nereid-opt %s -nvptx-configure="warps=8 sm=sm_100a" -nvptx-choose-products -nvptx-fetch-loads -split-input-file | FileCheck %s --check-prefix=NONE
// RUN: %nereid-opt %s -nvptx-configure="warps=8 stages=1" -nvptx-choose-products -nvptx-fetch-loads -split-input-file | FileCheck %s --check-prefix=NONE
// RUN: %nereid-opt %s -nvptx-configure="warps=8 registers=128" -nvptx-choose-products -nvptx-fetch-loads -split-input-file | FileCheck %s --check-prefix=NONE
// RUN: %nereid-opt %s -nvptx-configure="warps=8 boxes=false" -nvptx-choose-products -nvptx-fetch-loads -split-input-file | FileCheck %s --check-prefix=NONE

// NONE-NOT: nv.{{box|ring|fetch|await|sent|room|read|slot}}
// TWO-COUNT-2: nv.ring stages 2

// The first coordinate runs along rows: 64 columns of 128 bytes, as many rows as the copy engine takes. The
// rows' start modulo m is that of the whole tile if 128 divides m; the mask is the extent along k. The batch
// is a dimension of its own.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: nv.room_for_programs
// CHECK: %[[RA:.*]] = nv.ring stages 4 : <128x64xf16,
// What the block is believed to take stands on the last ring of the loop.
// CHECK: %[[RB:.*]] = nv.ring stages 4 {reserved = {{[0-9]+}} : i64} : <64x256xf16,
// CHECK: %[[A:.*]] = nv.box %arg0 offset %{{.*}} extents %{{.*}}, %{{.*}}, %{{.*}} strides %{{.*}}, %{{.*}} multiples %arg3 : i32 of [128] shape [64, 128, 1]
// CHECK: %[[B:.*]] = nv.box %arg1 offset %{{.*}} extents %{{.*}}, %{{.*}} strides %{{.*}} of [] shape [64, 64]
// CHECK: scf.for
// CHECK: nv.fetch %[[A]][%{{.*}}, %{{.*}}, %{{.*}}] -> %[[RA]]
// CHECK: %[[I:.*]] = nv.await_slot %[[RA]]
// CHECK-NEXT: %[[SLOT:.*]] = nv.slot %[[RA]][%[[I]]]
// CHECK-NEXT: nv.read %[[SLOT]]
// CHECK: nv.fetch %[[B]]
// CHECK: nv.await_slot %[[RB]]
// The product may stay in flight, and the sums are for nvptx-send-stores.
// CHECK: tile.dot {{.*}} {nv.overlap = #nv<overlap in_flight>, nv.product
// CHECK: tile.store {{.*}} {nv.sent}
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

// -----

// A loop from the end of the array to its beginning: coordinates would be below zero.
// CHECK-LABEL: func.func @backwards
// CHECK-NOT: nv.{{box|ring|fetch|await|sent|room}}
func.func @backwards(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                     %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %f = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %w = arith.constant dense<64> : tensor<64x1xi32>
  %fw = arith.muli %f, %w : tensor<64x1xi32>
  %eb = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %fb = tile.broadcast %fw : tensor<64x1xi32> -> tensor<64x64xi32>
  %o = arith.addi %eb, %fb : tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %sums = scf.for %i = %0 to %n step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %back = arith.subi %n, %i : i32
    %far = arith.muli %back, %64 : i32
    %fs = tile.splat %far : i32 -> tensor<64x64xi32>
    %ao = arith.addi %o, %fs : tensor<64x64xi32>
    %ap = tile.offset %as, %ao : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %x, %x, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.offset %cs, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  func.return
}

// -----

// What the kernel has written before, its other threads may still be writing when the fetching warp reads it.
// CHECK-LABEL: func.func @written
// CHECK-NOT: nv.{{box|ring|fetch|await|sent|room}}
func.func @written(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                   %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %0 = arith.constant 0 : i32
  %64 = arith.constant 64 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %f = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %w = arith.constant dense<64> : tensor<64x1xi32>
  %fw = arith.muli %f, %w : tensor<64x1xi32>
  %eb = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %fb = tile.broadcast %fw : tensor<64x1xi32> -> tensor<64x64xi32>
  %o = arith.addi %eb, %fb : tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %ones = arith.constant dense<1.0> : tensor<64x64xf16>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  tile.store %ap, %ones : tensor<64x64x!tile.ptr<f16>>
  %sums = scf.for %i = %0 to %n step %64 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %x, %x, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.offset %cs, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  func.return
}
