// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @noOperand() -> i32 {
  // expected-error @below {{needs an operand}}
  %0 = tile.assembly "rdtsc" "={ax}" [i32] 0 pack 1 () : () -> i32
  return %0 : i32
}

// -----

func.func @otherShape(%x: tensor<8xi32>) -> tensor<16xi32> {
  // expected-error @below {{needs operands of the result's shape, not 'tensor<8xi32>'}}
  %0 = tile.assembly "bswap $0" "=r,0" [i32] 0 pack 1 (%x) : (tensor<8xi32>) -> tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

func.func @pack(%x: tensor<8xi8>) -> tensor<8xi8> {
  // expected-error @below {{packs a power of two, not 3}}
  %0 = tile.assembly "notl $0" "=r,0" [i8] 0 pack 3 (%x) : (tensor<8xi8>) -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// -----

func.func @index(%x: i32) -> i32 {
  // expected-error @below {{has 1 outputs, and none with the number 1}}
  %0 = tile.assembly "notl $0" "=r,0" [i32] 1 pack 1 (%x) : (i32) -> i32
  return %0 : i32
}

// -----

func.func @otherType(%x: i32) -> i64 {
  // expected-error @below {{gives 'i32', not 'i64'}}
  %0 = tile.assembly "notl $0" "=r,0" [i32] 0 pack 1 (%x) : (i32) -> i64
  return %0 : i64
}
