// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @noOperand() -> i32 {
  // expected-error @below {{needs an operand}}
  %0 = tile.assembly "rdtsc" "={ax}" pack 1 () : () -> i32
  return %0 : i32
}

// -----

func.func @noOutput(%x: i32) {
  // expected-error @below {{needs an output}}
  tile.assembly "nop" "r" pack 1 effects (%x) : (i32) -> ()
  return
}

// -----

func.func @otherShape(%x: tensor<8xi32>) -> tensor<16xi32> {
  // expected-error @below {{has operands and outputs of one shape, and 'tensor<16xi32>' has another}}
  %0 = tile.assembly "bswap $0" "=r,0" pack 1 (%x) : (tensor<8xi32>) -> tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

func.func @pack(%x: tensor<8xi8>) -> tensor<8xi8> {
  // expected-error @below {{packs a power of two, not 3}}
  %0 = tile.assembly "notl $0" "=r,0" pack 3 (%x) : (tensor<8xi8>) -> tensor<8xi8>
  return %0 : tensor<8xi8>
}
