// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @integerKindOfFloat(%p: !tile.ptr<f32>, %value: f32) {
  // expected-error @below {{kind add does not fit 'f32'}}
  %0 = tile.atomic_rmw add %p, %value order relaxed scope gpu : !tile.ptr<f32>
  return
}

// -----

func.func @floatOfEightBits(%p: !tile.ptr<f8E5M2>, %value: f8E5M2) {
  // expected-error @below {{kind fadd does not fit 'f8E5M2'}}
  %0 = tile.atomic_rmw fadd %p, %value order relaxed scope gpu : !tile.ptr<f8E5M2>
  return
}

// -----

func.func @floatKindOfInteger(%p: tensor<4x!tile.ptr<i32>>, %value: tensor<4xi32>) {
  // expected-error @below {{kind fadd does not fit 'i32'}}
  %0 = tile.atomic_rmw fadd %p, %value order relaxed scope gpu : tensor<4x!tile.ptr<i32>>
  return
}

// -----

func.func @genericValue(%p: !tile.ptr<i32>, %value: i64) {
  // expected-error @below {{the value is what the pointers point at}}
  %0 = "tile.atomic_rmw"(%p, %value)
      <{kind = #tile<atomic add>, order = #tile<order relaxed>, scope = #tile<scope gpu>}>
      : (!tile.ptr<i32>, i64) -> i32
  return
}

// -----

func.func @genericResult(%p: !tile.ptr<i32>, %value: i32) {
  // expected-error @below {{the result is what the pointers point at}}
  %0 = "tile.atomic_rmw"(%p, %value)
      <{kind = #tile<atomic add>, order = #tile<order relaxed>, scope = #tile<scope gpu>}>
      : (!tile.ptr<i32>, i32) -> i64
  return
}

// -----

func.func @genericMask(%p: !tile.ptr<i32>, %value: i32, %mask: tensor<2xi1>) {
  // expected-error @below {{the mask has the shape of the pointers}}
  %0 = "tile.atomic_rmw"(%p, %value, %mask)
      <{kind = #tile<atomic add>, order = #tile<order relaxed>, scope = #tile<scope gpu>}>
      : (!tile.ptr<i32>, i32, tensor<2xi1>) -> i32
  return
}
