// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @tooWide(%x: f32) {
  // expected-error @+1 {{makes floats of 8 bits from wider ones}}
  %0 = tile.narrow %x : f32 -> f16
  return
}

// -----

func.func @fromInteger(%x: i32) {
  // expected-error @+1 {{makes floats of 8 bits from wider ones}}
  %0 = tile.narrow %x : i32 -> f8E5M2
  return
}

// -----

func.func @shapes(%x: tensor<4xf32>) {
  // expected-error @+1 {{result must have the shape of the source}}
  %0 = tile.narrow %x : tensor<4xf32> -> tensor<8xf8E5M2>
  return
}
