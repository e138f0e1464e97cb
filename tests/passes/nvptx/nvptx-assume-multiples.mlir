// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -nvptx-configure -nvptx-assume-multiples | FileCheck %s
// RUN: %nereid-opt %s -split-input-file -nvptx-configure="policy=assumed_bytes=8" -nvptx-assume-multiples | FileCheck %s --check-prefix=EIGHT
// RUN: %nereid-opt %s -split-input-file -nvptx-configure="policy=assumed_bytes=16" -nvptx-assume-multiples | FileCheck %s --check-prefix=SIXTEEN

// The stride of the left factor decides; how many rounds there are does not.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %arg3: i32, %arg4: i32)
// CHECK-SAME: nv.wanted_multiples = array<i64: 0, 0, 0, 0, 8>
// EIGHT-LABEL: func.func @product
// EIGHT-SAME: %arg3: i32, %arg4: i32 {tile.divisibility = 4 : i64})
// EIGHT-SAME: nv.assumed_multiples = array<i64: 0, 0, 0, 0, 4>
// SIXTEEN-LABEL: func.func @product
// SIXTEEN-SAME: nv.assumed_multiples = array<i64: 0, 0, 0, 0, 8>
func.func @product(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                   %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %stride: i32)
    attributes {tile.kernel, tile.noalias} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %o = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %column = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
  %starts = arith.muli %column, %strides : tensor<64x1xi32>
  %begins = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %oa = arith.addi %begins, %o : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ap = tile.offset %as, %oa : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bp = tile.offset %bs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %cp = tile.offset %cs, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %k = %0 to %n step %1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %x, %y, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %cp, %sums : tensor<64x64x!tile.ptr<f32>>
  func.return
}

// -----

// Without products nothing is wanted.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: nv.wanted_multiples
func.func @sum(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32)
    attributes {tile.kernel, tile.noalias} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %o = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %strides = tile.splat %stride : i32 -> tensor<64x64xi32>
  %oa = arith.addi %o, %strides : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %oa : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %cp = tile.offset %cs, %oa : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  tile.store %cp, %x : tensor<64x64x!tile.ptr<f16>>
  func.return
}
