// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-choose-products -nvptx-align-stores | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=spared_stores=16" -nvptx-choose-products -nvptx-align-stores | FileCheck %s --check-prefix=NEVER

// Where rows begin stands in memory: the address and the stride, in bytes, are looked at together.
// NEVER-NOT: scf.if
// CHECK-LABEL: func.func @loaded
// CHECK: %[[STRIDE:.*]] = tile.load %arg2 : !tile.ptr<i32>
// CHECK: %[[BASE:.*]] = tile.ptr_to_int %arg0
// CHECK: %[[ALL:.*]] = arith.ori
// CHECK: %[[REST:.*]] = arith.andi %[[ALL]], %c15_i64
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0_i64
// CHECK: scf.if %[[ALIGNED]]
// CHECK-NEXT: %[[HINT:.*]] = tile.hint divisibility %[[AT:.*]] [1, 16]
// CHECK-NEXT: tile.store %[[HINT]], %[[SUM:.*]] :
// CHECK-NEXT: else
// CHECK-NEXT: tile.store %[[AT]], %[[SUM]] :
// CHECK-NEXT: }
func.func @loaded(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %a: tensor<64x64xf16>, %n: !tile.ptr<i32>) attributes {tile.kernel, tile.noalias} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  %stride = tile.load %n : !tile.ptr<i32>
  %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
  %across = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ab = tile.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  %down = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %far = arith.muli %down, %strides : tensor<64x1xi32>
  %db = tile.broadcast %far : tensor<64x1xi32> -> tensor<64x64xi32>
  %at = arith.addi %ab, %db : tensor<64x64xi32>
  %cs = tile.splat %c : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cp = tile.offset %cs, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %d = tile.dot %a, %a, %zeros precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %cp, %h : tensor<64x64x!tile.ptr<f16>>
  return
}

// What a parameter is a multiple of, launches say.
// CHECK-LABEL: func.func @said
// CHECK-NOT: scf.if
// CHECK: return
func.func @said(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %a: tensor<64x64xf16>, %stride: i32) attributes {tile.kernel, tile.noalias} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.range 0 to 64 : tensor<64xi32>
  %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
  %across = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ab = tile.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  %down = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %far = arith.muli %down, %strides : tensor<64x1xi32>
  %db = tile.broadcast %far : tensor<64x1xi32> -> tensor<64x64xi32>
  %at = arith.addi %ab, %db : tensor<64x64xi32>
  %cs = tile.splat %c : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cp = tile.offset %cs, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %d = tile.dot %a, %a, %zeros precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %h = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %cp, %h : tensor<64x64x!tile.ptr<f16>>
  return
}
