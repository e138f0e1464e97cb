// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops multiply is copied some rounds ahead, into rings of shared memory.
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-choose-products -nvptx-ring-loads -split-input-file | FileCheck %s --check-prefixes=CHECK,RING
// RUN: %nereid-opt %s -nvptx-configure="warps=8 sm=sm_80 stages=2" -nvptx-choose-products -nvptx-ring-loads -split-input-file | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: %nereid-opt %s -nvptx-configure="warps=8 stages=1" -nvptx-choose-products -nvptx-ring-loads -split-input-file | FileCheck %s --check-prefix=ONE

// One stage leaves loops as they are.
// ONE-NOT: nv.{{alloc|copy|commit|await|read|slot}}

// Four slots, two rounds before the loop: one product is still reading when the next copy begins.
// CHECK-LABEL: func.func @matmul
// RING: %[[A:.*]] = nv.alloc stages 4 : <128x64xf16,
// What the block is believed to take stands on the last room of the loop: 4 x (16384 + 32768) bytes for rounds, 16384 besides.
// RING: %[[B:.*]] = nv.alloc stages 4 {reserved = 212992 : i64} : <64x256xf16,
// TWO-COUNT-2: nv.alloc stages 2
// RING-COUNT-2: nv.commit_copies
// TWO-COUNT-1: nv.commit_copies
// CHECK: scf.for
// RING-NEXT: nv.await_copies pending 1
// TWO-NEXT: nv.await_copies pending 0
// CHECK: nv.copy
// CHECK: nv.copy
// CHECK: nv.commit_copies
// CHECK: nv.read
// CHECK: nv.read
// RING: tile.dot {{.*}} {nv.overlap = #nv<overlap in_flight>, nv.product
// TWO: tile.dot
// TWO-NOT: nv.overlap
// CHECK: nv.await_copies pending 0
// RING-NEXT: nv.free %[[B]]
// RING-NEXT: nv.free %[[A]]
func.func @matmul(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.noalias} {
  %ra = tile.range 0 to 64 : tensor<64xi32>
  %ea = tile.expand_dims %ra axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %oa = tile.broadcast %ea : tensor<1x64xi32> -> tensor<128x64xi32>
  %rb = tile.range 0 to 256 : tensor<256xi32>
  %eb = tile.expand_dims %rb axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %ob = tile.broadcast %eb : tensor<1x256xi32> -> tensor<64x256xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x256x!tile.ptr<f16>>
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %k = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<128x256xf32>) : i32 {
    %shift = arith.constant 64 : i32
    %by = arith.muli %k, %shift : i32
    %moved = tile.splat %by : i32 -> tensor<128x64xi32>
    %ia = arith.addi %oa, %moved : tensor<128x64xi32>
    %ap = tile.offset %as, %ia : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %bp = tile.offset %bs, %ob : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
    %x = tile.load %ap : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<64x256x!tile.ptr<f16>>
    %next = tile.dot %x, %y, %acc precision tf32 : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %rc = tile.range 0 to 256 : tensor<256xi32>
  %ec = tile.expand_dims %rc axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %oc = tile.broadcast %ec : tensor<1x256xi32> -> tensor<128x256xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>>
  %cp = tile.offset %cs, %oc : tensor<128x256x!tile.ptr<f32>>, tensor<128x256xi32>
  tile.store %cp, %sums : tensor<128x256x!tile.ptr<f32>>
  func.return
}

// -----

// What the loop may have written is not read early; what is not zero where it is masked goes through
// registers.
// CHECK-LABEL: func.func @stores
// CHECK-NOT: nv.{{alloc|copy|commit|await|read|slot}}
func.func @stores(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %o = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ap = tile.offset %as, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bp = tile.offset %bs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %cp = tile.offset %cs, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %ones = arith.constant dense<1.0> : tensor<64x64xf16>
  %mask = arith.constant dense<true> : tensor<64x64xi1>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  scf.for %k = %0 to %n step %1 : i32 {
    %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %bp mask %mask other %ones : tensor<64x64x!tile.ptr<f16>>
    %p = tile.dot %x, %y, %zeros precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    tile.store %cp, %p : tensor<64x64x!tile.ptr<f32>>
  }
  func.return
}

// -----

// A product made from another (attention's P V) may be delayed by a round: its right factor's ring has one
// slot more.
// CHECK-LABEL: func.func @attention
// RING: nv.alloc stages 3
// RING: nv.alloc stages 4
// RING: tile.dot
// RING-NOT: nv.overlap
// RING: tile.dot {{.*}} {nv.overlap = #nv<overlap delayed>, nv.product
func.func @attention(%q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                     %v: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                     %n: i32) attributes {tile.kernel, tile.noalias} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %o = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %qs = tile.splat %q : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ks = tile.splat %k : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %vs = tile.splat %v : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %qp = tile.offset %qs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %kp = tile.offset %ks, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %vp = tile.offset %vs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %cp = tile.offset %cs, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %x = tile.load %qp : tensor<64x64x!tile.ptr<f16>>
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %y = tile.load %kp : tensor<64x64x!tile.ptr<f16>>
    %s = tile.dot %x, %y, %zeros precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %scaled = arith.mulf %acc, %half : tensor<64x64xf32>
    %z = tile.load %vp : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %p, %z, %scaled precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  func.return
}
