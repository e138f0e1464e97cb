// Who computes a product, how it may overlap with the next round's, and whether it stands in a chain.
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-choose-products | FileCheck %s
// RUN: %nereid-opt %s -nvptx-configure="warps=8 sm=sm_80" -nvptx-choose-products | FileCheck %s --check-prefix=OLD
// RUN: %nereid-opt %s -nvptx-configure="warps=2" -nvptx-choose-products | FileCheck %s --check-prefix=OLD

// Two warpgroups, one below the other; sums that a loop only adds up stay in flight.
// CHECK-LABEL: func.func @matmul
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 256, overlap = in_flight>}
// OLD-LABEL: func.func @matmul
// OLD: tile.dot {{.*}} {nv.product = #nv.product<by = warps, depth = 16>}
func.func @matmul(%a: tensor<128x64xf16>, %b: tensor<64x256xf16>, %zero: tensor<128x256xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) : i32 {
    %next = tile.dot %a, %b, %s precision ieee : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  return
}

// Attention: the second product's left factor is made from the first in the same round, and its sums are scaled.
// CHECK-LABEL: func.func @chain
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 64, chained = true>}
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 64, overlap = delayed, leftOfRound = true, chained = true>}
func.func @chain(%q: tensor<128x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>, %zero: tensor<128x64xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x64xf32>) : i32 {
    %scores = tile.dot %q, %k, %zero precision ieee : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    %p = math.exp %scores : tensor<128x64xf32>
    %left = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %scaled = arith.mulf %s, %p : tensor<128x64xf32>
    %next = tile.dot %left, %v, %scaled precision ieee : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  return
}

// Exact in all digits of f32: multiply-adds of threads. Too few rows for warpgroups: mma.sync, of
// a batch as well. Not a whole step deep: threads again.
// CHECK-LABEL: func.func @others
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = threads>}
// CHECK-COUNT-3: tile.dot {{.*}} {nv.product = #nv.product<by = warps, depth = 16>}
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = threads>}
func.func @others(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<16x64xf16>, %d: tensor<64x64xf16>,
                  %e: tensor<8x64xf16>, %s: tensor<64x64xf32>, %t: tensor<16x64xf32>, %u: tensor<8x64xf32>,
                  %f: tensor<2x64x64xf16>, %v: tensor<2x64x64xf32>, %g: tensor<64x8xf16>) attributes {tile.kernel} {
  %0 = tile.dot %a, %b, %s precision ieee : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = tile.dot %c, %d, %t precision ieee : tensor<16x64xf16>, tensor<64x64xf16> -> tensor<16x64xf32>
  %2 = tile.dot %e, %d, %u precision ieee : tensor<8x64xf16>, tensor<64x64xf16> -> tensor<8x64xf32>
  %3 = tile.dot %f, %f, %v precision ieee : tensor<2x64x64xf16>, tensor<2x64x64xf16> -> tensor<2x64x64xf32>
  %4 = tile.dot %g, %e, %s precision ieee : tensor<64x8xf16>, tensor<8x64xf16> -> tensor<64x64xf32>
  return
}
