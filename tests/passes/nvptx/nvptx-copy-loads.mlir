// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-choose-products -nvptx-copy-loads | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=1 sm=sm_80" -nvptx-choose-products -nvptx-copy-loads | FileCheck %s --check-prefix=NARROW

// A twelfth of an SM's shared memory is less than what programs of one warp exchange.
// NARROW-NOT: nv.{{alloc|copy}}

// Both are on their way before anything is awaited, the third with its address, too; each is awaited where it is
// read first. Rooms are free behind the last product.
// CHECK-LABEL: func.func @three
// CHECK: %[[A:.*]] = nv.alloc stages 1
// CHECK-NEXT: %[[B:.*]] = nv.alloc stages 1
// CHECK-NEXT: %[[C:.*]] = nv.alloc stages 1
// CHECK: nv.copy %{{.*}} -> %[[A]]
// CHECK-NEXT: nv.commit_copies
// CHECK: nv.copy %{{.*}} -> %[[B]]
// CHECK-NEXT: nv.commit_copies
// CHECK-NEXT: tile.splat %arg2
// CHECK-NEXT: tile.offset
// CHECK: nv.copy %{{.*}} -> %[[C]]
// CHECK-NEXT: nv.commit_copies
// CHECK: nv.await_copies pending 1
// CHECK: %[[RIGHT:.*]] = nv.read %[[B]]
// CHECK: %[[TURNED:.*]] = tile.permute %[[RIGHT]]
// CHECK: tile.dot %{{.*}}, %[[TURNED]],
// CHECK: nv.await_copies pending 0
// CHECK-NEXT: %[[LAST:.*]] = nv.read %[[C]]
// CHECK: tile.dot %{{.*}}, %[[LAST]],
// CHECK-NEXT: nv.free %[[C]]
// CHECK-NEXT: nv.free %[[B]]
// CHECK-NEXT: nv.free %[[A]]
// CHECK-NOT: tile.load
func.func @three(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>)
    -> tensor<64x64xf32> attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %o = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.offset %bs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %y = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
  %turned = tile.permute %y [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %0 = tile.dot %x, %turned, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cp = tile.offset %cs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %z = tile.load %cp : tensor<64x64x!tile.ptr<f16>>
  %1 = tile.dot %x, %z, %0 precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// What is stored before the tile is read may be what it reads; a value where the mask is false is no zero; and
// tiles of one row want no room.
// CHECK-LABEL: func.func @none
// CHECK-NOT: nv.copy
func.func @none(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                %acc: tensor<64x64xf32>, %mask: tensor<64x64xi1>) -> tensor<64x64xf32> attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %e = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %o = tile.broadcast %e : tensor<1x64xi32> -> tensor<64x64xi32>
  %ones = arith.constant dense<1.0> : tensor<64x64xf16>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  tile.store %ap, %ones : tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.offset %bs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %y = tile.load %bp mask %mask other %ones : tensor<64x64x!tile.ptr<f16>>
  %0 = tile.dot %x, %y, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Two rooms of 32 kB are what a third of an SM has beside a few exchanges: in rounds the second does not wait for the first.
// CHECK-LABEL: func.func @both
// CHECK: scf.for
// CHECK: nv.copy
// CHECK: nv.copy
// CHECK: nv.await_copies pending 1
// CHECK: tile.dot
// CHECK: nv.await_copies pending 0
// CHECK: tile.dot
func.func @both(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                %left: tensor<16x128xf16>, %acc: tensor<16x128xf32>, %n: i32) -> tensor<16x128xf32> attributes {tile.kernel} {
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tile.range 0 to 128 : tensor<128xi32>
  %e = tile.expand_dims %r axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %o = tile.broadcast %e : tensor<1x128xi32> -> tensor<128x128xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %ap = tile.offset %as, %o : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %bp = tile.offset %bs, %o : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %sum = scf.for %i = %none to %n step %one iter_args(%before = %acc) -> (tensor<16x128xf32>) : i32 {
    %x = tile.load %ap : tensor<128x128x!tile.ptr<f16>>
    %0 = tile.dot %left, %x, %before precision tf32 : tensor<16x128xf16>, tensor<128x128xf16> -> tensor<16x128xf32>
    %y = tile.load %bp : tensor<128x128x!tile.ptr<f16>>
    %h = arith.truncf %0 : tensor<16x128xf32> to tensor<16x128xf16>
    %1 = tile.dot %h, %y, %acc precision tf32 : tensor<16x128xf16>, tensor<128x128xf16> -> tensor<16x128xf32>
    scf.yield %1 : tensor<16x128xf32>
  }
  return %sum : tensor<16x128xf32>
}
