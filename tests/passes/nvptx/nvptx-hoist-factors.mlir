// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-hoist-factors | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: %nereid-opt %s -nvptx-configure="warps=4 policy=kept_factor_registers=4" -nvptx-hoist-factors | FileCheck %s --check-prefixes=CHECK,LARGE

!half = tensor<64x64xf16>
!addresses = tensor<64x64x!tile.ptr<f16>>
!sums = tensor<64x64xf32>

// What each round scales alike is scaled once; the other factor is another in each round.
// CHECK-LABEL: func.func @scaled
// KEPT: %[[SCALED:.*]] = arith.mulf
// KEPT: scf.for
// KEPT-NOT: arith.mulf
// KEPT: tile.load
// KEPT: tile.dot %[[SCALED]],
// LARGE: scf.for
// LARGE: arith.mulf
func.func @scaled(%q: !half, %p: !addresses, %rounds: i32) -> !sums attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %half = arith.constant dense<0.5> : !half
  %zero = arith.constant dense<0.0> : !sums
  %s = scf.for %r = %c0 to %rounds step %c1 iter_args(%sum = %zero) -> (!sums) : i32 {
    %scaled = arith.mulf %q, %half : !half
    %rs = tile.splat %r : i32 -> tensor<64x64xi32>
    %at = tile.offset %p, %rs : !addresses, tensor<64x64xi32>
    %k = tile.load %at : !addresses
    %next = tile.dot %scaled, %k, %sum precision ieee : !half, !half -> !sums
    scf.yield %next : !sums
  }
  return %s : !sums
}

// A load leaves a loop that has a round for certain and writes nothing there.
// CHECK-LABEL: func.func @loaded
// KEPT: tile.load
// KEPT: scf.for
// KEPT-NOT: tile.load
// KEPT: tile.dot
func.func @loaded(%p: !tile.ptr<f16>, %b: !half) -> !sums attributes {tile.kernel, tile.noalias} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !sums
  %s = scf.for %r = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (!sums) : i32 {
    %at = tile.splat %p : !tile.ptr<f16> -> !addresses
    %a = tile.load %at : !addresses
    %next = tile.dot %a, %b, %sum precision ieee : !half, !half -> !sums
    scf.yield %next : !sums
  }
  return %s : !sums
}

// It stays where there may be no round, or where rounds write what it reads.
// CHECK-LABEL: func.func @perhaps
// CHECK: scf.for
// CHECK: tile.load
// CHECK: scf.for
// CHECK: tile.load
func.func @perhaps(%p: !tile.ptr<f16>, %b: !half, %rounds: i32) -> (!sums, !sums) attributes {tile.kernel, tile.noalias} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !sums
  %at = tile.splat %p : !tile.ptr<f16> -> !addresses
  %s = scf.for %r = %c0 to %rounds step %c1 iter_args(%sum = %zero) -> (!sums) : i32 {
    %a = tile.load %at : !addresses
    %next = tile.dot %a, %b, %sum precision ieee : !half, !half -> !sums
    scf.yield %next : !sums
  }
  %t = scf.for %r = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (!sums) : i32 {
    %a = tile.load %at : !addresses
    %next = tile.dot %a, %b, %sum precision ieee : !half, !half -> !sums
    tile.store %at, %a : !addresses
    scf.yield %next : !sums
  }
  return %s, %t : !sums, !sums
}
