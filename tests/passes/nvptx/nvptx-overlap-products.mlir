// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-overlap-products | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=sum_registers=79" -nvptx-overlap-products | FileCheck %s --check-prefix=FEW
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=sum_registers=112" -nvptx-overlap-products | FileCheck %s --check-prefix=PLACE

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!row = !nv.shared<64xf32, "{offset: [1, 2, 4, 8, 16, 32]} -> {dim0: 64}">

// Both products of a round begin before the first is waited for, which is where its sums are used; copies of
// later rounds begin behind the first product.
// CHECK-LABEL: func.func @two
// CHECK: scf.for
// CHECK-NEXT: nv.await_copies pending 0
// CHECK: %[[P:.*]] = nv.multiply
// CHECK-NEXT: nv.copy
// CHECK-NEXT: nv.commit_copies
// CHECK: %[[Q:.*]] = nv.multiply
// CHECK: %[[PS:.*]] = nv.finish %[[P]] pending 1
// CHECK-NEXT: math.exp %[[PS]]
// CHECK-NEXT: %[[QS:.*]] = nv.finish %[[Q]] :
// CHECK-NEXT: arith.mulf {{.*}}, %[[QS]]
func.func @two(%ptrs: tensor<64x64x!tile.ptr<f16>>, %mask: tensor<64x64xi1>, %zeros: tensor<64x64xf32>, %n: i32)
    -> tensor<64x64xf32> attributes {tile.kernel} {
  %a = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    nv.await_copies pending 0
    %k = nv.slot %a[%i] : !room
    nv.copy %ptrs mask %mask -> %k : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi1> -> !room
    nv.commit_copies
    %p = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    %e = math.exp %ps : tensor<64x64xf32>
    %v = nv.slot %a[%i] : !room
    %q = nv.multiply %v, %v, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %qs = nv.finish %q : tensor<64x64xf32>
    %f = arith.mulf %e, %qs : tensor<64x64xf32>
    %next = arith.addf %acc, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// A factor that is made of the first product's sums cannot be multiplied before it is there.
// CHECK-LABEL: func.func @chained
// CHECK: nv.multiply
// CHECK-NEXT: nv.finish %{{.*}} :
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: nv.multiply
func.func @chained(%zeros: tensor<64x64xf32>, %i: i32, %n: i32) -> tensor<64x64xf32> attributes {tile.kernel} {
  %a = nv.ring stages 2 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %k = nv.slot %a[%i] : !room
  %sums = scf.for %j = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    %left = arith.truncf %ps : tensor<64x64xf32> to tensor<64x64xf16>
    %q = nv.multiply %left, %k, %acc grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %qs = nv.finish %q : tensor<64x64xf32>
    scf.yield %qs : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// Of what the copy engine fetches it is the same, with the wait for a slot; a row lies in its slot until it is wanted.
// CHECK-LABEL: func.func @fetched
// CHECK: nv.fetch
// CHECK: %[[P:.*]] = nv.multiply
// CHECK-NEXT: nv.await_slot
// CHECK-NEXT: nv.slot
// CHECK-NEXT: %[[Q:.*]] = nv.multiply
// CHECK: %[[PS:.*]] = nv.finish %[[P]] pending 1
// CHECK-NEXT: math.exp %[[PS]]
// CHECK: nv.finish %[[Q]] :
// CHECK-NEXT: nv.read
// CHECK-NEXT: tile.expand_dims
// CHECK-NEXT: tile.broadcast
// CHECK-NEXT: arith.subf
func.func @fetched(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %m: i64, %at: i32, %first: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32>
    attributes {tile.kernel} {
  %a = nv.ring stages 2 : !room
  %b = nv.ring stages 2 : !row
  %box = nv.box %x offset %m extents %m, %m strides %m of [] shape [64, 64] : !tile.ptr<f16> -> !nv.box
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %64 = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = nv.slot %a[%at] : !room
  %sums = scf.for %j = %0 to %n step %1 iter_args(%acc = %first) -> (tensor<64x64xf32>) : i32 {
    nv.fetch %box[%at, %j] -> %a : !room
    nv.fetch_row %y count %64 -> %b slots 1 : !tile.ptr<f32>, !row
    %p = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    %e = math.exp %ps : tensor<64x64xf32>
    %i = nv.await_slot %a : !room
    %l = nv.slot %a[%i] : !room
    %q = nv.multiply %l, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ir = nv.await_slot %b : !row
    %lr = nv.slot %b[%ir] : !row
    %r = nv.read %lr : !row -> tensor<64xf32>
    %re = tile.expand_dims %r axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %rb = tile.broadcast %re : tensor<1x64xf32> -> tensor<64x64xf32>
    %qs = nv.finish %q : tensor<64x64xf32>
    %d = arith.subf %qs, %rb : tensor<64x64xf32>
    %f = arith.mulf %e, %d : tensor<64x64xf32>
    %next = arith.addf %acc, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// What a round copies into rooms of its own is there before it multiplies.
// CHECK-LABEL: func.func @copied_in_round
// CHECK: nv.copy
// CHECK-NEXT: nv.commit_copies
// CHECK-NEXT: nv.await_copies pending 0
// CHECK-NEXT: nv.multiply
// CHECK-NOT: nv.copy
func.func @copied_in_round(%ptrs: tensor<64x64x!tile.ptr<f16>>, %mask: tensor<64x64xi1>, %zeros: tensor<64x64xf32>,
                           %n: i32) -> tensor<64x64xf32> attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %i = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %a = nv.alloc stages 1 : !room
    nv.copy %ptrs mask %mask -> %a : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi1> -> !room
    nv.commit_copies
    nv.await_copies pending 0
    %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    nv.free %a : !room
    scf.yield %ps : tensor<64x64xf32>
  }
  return %sums : tensor<64x64xf32>
}

// Left factors in registers that go on into the next round are done before that begins its first product, where the sums
// of both and they are more than the policy says (64 and 16).
// FEW-LABEL: func.func @left_in_flight
// FEW: scf.for
// FEW-NEXT: nv.await_copies pending 0
// FEW-NEXT: nv.await_products pending 0
// FEW-NEXT: nv.multiply
// FEW: nv.finish
// FEW-NOT: nv.await_products
// CHECK-LABEL: func.func @left_in_flight
// CHECK-NOT: nv.await_products
func.func @left_in_flight(%zeros: tensor<64x64xf32>, %at: i32, %n: i32) -> tensor<64x64xf32>
    attributes {tile.kernel} {
  %a = nv.ring stages 3 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %k = nv.slot %a[%at] : !room
  %sums = scf.for %j = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    nv.await_copies pending 0
    %p = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    %left = arith.truncf %ps : tensor<64x64xf32> to tensor<64x64xf16>
    %q = nv.multiply %left, %k, %acc grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    nv.await_products pending 1
    scf.yield %q : tensor<64x64xf32>
  }
  %done = nv.finish %sums : tensor<64x64xf32>
  return %done : tensor<64x64xf32>
}

// A product that is made from two others, whose sums nothing reads behind it, takes their registers: 96 at the same time, not
// 128, and 16 of a left factor. Where a sum is read behind it, all of them are there, and each product waits for the one before.
// PLACE-LABEL: func.func @in_their_place
// PLACE: scf.for
// PLACE-NEXT: nv.await_products pending 0
// PLACE-NEXT: %[[P:.*]] = nv.multiply
// PLACE-NEXT: %[[Q:.*]] = nv.multiply
// PLACE-NEXT: nv.finish %[[P]] pending 1
// PLACE: %[[R:.*]] = nv.multiply
// PLACE-NEXT: {{.*}} = nv.multiply
// PLACE-NEXT: nv.finish %[[R]] pending 1
func.func @in_their_place(%ptrs: tensor<64x64x!tile.ptr<f32>>, %first: tensor<64x64xf32>, %at: i32, %n: i32)
    -> tensor<64x64xf32> attributes {tile.kernel} {
  %a = nv.ring stages 3 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = nv.slot %a[%at] : !room
  %sums = scf.for %j = %0 to %n step %1 iter_args(%acc = %first) -> (tensor<64x64xf32>) : i32 {
    %p = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    %e = math.exp %ps : tensor<64x64xf32>
    %q = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %qs = nv.finish %q : tensor<64x64xf32>
    %f = arith.mulf %e, %qs : tensor<64x64xf32>
    %left = arith.truncf %f : tensor<64x64xf32> to tensor<64x64xf16>
    %r = nv.multiply %left, %k, %zeros grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %rs = nv.finish %r : tensor<64x64xf32>
    %next = nv.multiply %left, %k, %acc grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    tile.store %ptrs, %rs : tensor<64x64x!tile.ptr<f32>>
    scf.yield %next : tensor<64x64xf32>
  }
  %done = nv.finish %sums : tensor<64x64xf32>
  return %done : tensor<64x64xf32>
}

// PLACE-LABEL: func.func @read_behind
// PLACE: scf.for
// PLACE-NEXT: %[[P:.*]] = nv.multiply
// PLACE-NEXT: nv.finish %[[P]]
func.func @read_behind(%ptrs: tensor<64x64x!tile.ptr<f32>>, %first: tensor<64x64xf32>, %at: i32, %n: i32)
    -> tensor<64x64xf32> attributes {tile.kernel} {
  %a = nv.ring stages 3 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = nv.slot %a[%at] : !room
  %sums = scf.for %j = %0 to %n step %1 iter_args(%acc = %first) -> (tensor<64x64xf32>) : i32 {
    %p = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    %q = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %qs = nv.finish %q : tensor<64x64xf32>
    %f = arith.mulf %ps, %qs : tensor<64x64xf32>
    %left = arith.truncf %f : tensor<64x64xf32> to tensor<64x64xf16>
    %r = nv.multiply %left, %k, %zeros grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %rs = nv.finish %r : tensor<64x64xf32>
    %both = arith.addf %rs, %ps : tensor<64x64xf32>
    %next = nv.multiply %left, %k, %acc grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    tile.store %ptrs, %both : tensor<64x64x!tile.ptr<f32>>
    scf.yield %next : tensor<64x64xf32>
  }
  %done = nv.finish %sums : tensor<64x64xf32>
  return %done : tensor<64x64xf32>
}

// A product whose sums the round uses begins before one that goes on into the next round, where a third goes on meanwhile.
// CHECK-LABEL: func.func @awaited_first
// CHECK: %[[P:.*]] = nv.multiply
// CHECK-NEXT: %[[Q:.*]] = nv.multiply
// CHECK-NEXT: nv.finish %[[P]] pending 1
// CHECK: %[[V:.*]] = nv.multiply
// CHECK-NEXT: nv.finish %[[Q]] pending 1
// CHECK-NOT: nv.multiply
// CHECK: %[[R:.*]] = nv.multiply {{.*}}, %cst
// CHECK-NEXT: %[[K:.*]] = nv.multiply
// CHECK-NEXT: nv.finish %[[R]] pending 1
// CHECK: scf.yield %[[V]], %[[K]]
func.func @awaited_first(%ptrs: tensor<64x64x!tile.ptr<f32>>, %first: tensor<64x64xf32>, %at: i32, %n: i32)
    -> tensor<64x64xf32> attributes {tile.kernel} {
  %a = nv.ring stages 3 : !room
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = nv.slot %a[%at] : !room
  %sums:2 = scf.for %j = %0 to %n step %1 iter_args(%v = %first, %w = %first) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %p = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %ps = nv.finish %p : tensor<64x64xf32>
    %e = math.exp %ps : tensor<64x64xf32>
    %left = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %vs = nv.multiply %left, %k, %v grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %q = nv.multiply %k, %k, %zeros grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
    %qs = nv.finish %q : tensor<64x64xf32>
    %f = arith.mulf %e, %qs : tensor<64x64xf32>
    %change = arith.truncf %f : tensor<64x64xf32> to tensor<64x64xf16>
    %ws = nv.multiply %change, %k, %w grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %turned = tile.permute %change [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %r = nv.multiply %turned, %k, %zeros grid [1, 1] columns 64 : tensor<64x64xf16>, !room -> tensor<64x64xf32>
    %rs = nv.finish %r : tensor<64x64xf32>
    tile.store %ptrs, %rs : tensor<64x64x!tile.ptr<f32>>
    scf.yield %vs, %ws : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %done = nv.finish %sums#0 : tensor<64x64xf32>
  return %done : tensor<64x64xf32>
}
