// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @axis() {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint}}
  %pid = tile.program_id 3
  return
}

// -----

func.func @amountOfEachDimension(%tile: tensor<8x4xi32>) {
  // expected-error @below {{needs one amount for each of 2 dimensions, not 1}}
  %0 = tile.hint divisibility %tile [16] : tensor<8x4xi32>
  return
}

// -----

func.func @amountOfScalar(%scalar: i32) {
  // expected-error @below {{needs one amount for each of 1 dimensions, not 2}}
  %0 = tile.hint divisibility %scalar [16, 16] : i32
  return
}

// -----

func.func @positiveAmount(%tile: tensor<8xi32>) {
  // expected-error @below {{needs positive amounts, not 0}}
  %0 = tile.hint contiguity %tile [0] : tensor<8xi32>
  return
}

// -----

func.func @unknownHint(%tile: tensor<8xi32>) {
  // expected-error @+2 {{expected ::nereid::tile::HintKind to be one of: divisibility, contiguity, constancy}}
  // expected-error @+1 {{failed to parse}}
  %0 = tile.hint sparsity %tile [2] : tensor<8xi32>
  return
}
