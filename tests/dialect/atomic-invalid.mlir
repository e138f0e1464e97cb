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

// -----

func.func @bitsOfFloat(%p: !tile.ptr<f32>, %value: f32) {
  // expected-error @below {{kind xor does not fit 'f32'}}
  %0 = tile.atomic_rmw xor %p, %value order relaxed scope gpu : !tile.ptr<f32>
  return
}

// -----

func.func @largestFloat(%p: !tile.ptr<f32>, %value: f32) {
  // expected-error @below {{kind smax does not fit 'f32'}}
  %0 = tile.atomic_rmw smax %p, %value order relaxed scope gpu : !tile.ptr<f32>
  return
}

// -----

func.func @countedFloat(%p: !tile.ptr<f32>, %value: f32) {
  // expected-error @below {{kind inc does not fit 'f32'}}
  %0 = tile.atomic_rmw inc %p, %value order relaxed scope gpu : !tile.ptr<f32>
  return
}

// -----

func.func @bool(%p: !tile.ptr<i1>, %value: i1) {
  // expected-error @below {{kind xchg does not fit 'i1'}}
  %0 = tile.atomic_rmw xchg %p, %value order relaxed scope gpu : !tile.ptr<i1>
  return
}

// -----

func.func @casOfByte(%p: !tile.ptr<i8>, %value: i8) {
  // expected-error @below {{does not fit 'i8'}}
  %0 = tile.atomic_cas %p, %value, %value order relaxed scope gpu : !tile.ptr<i8>
  return
}

// -----

func.func @casOfPointer(%p: !tile.ptr<!tile.ptr<i8>>, %value: !tile.ptr<i8>) {
  // expected-error @below {{does not fit '!tile.ptr<i8>'}}
  %0 = tile.atomic_cas %p, %value, %value order relaxed scope gpu : !tile.ptr<!tile.ptr<i8>>
  return
}

// -----

func.func @casExpected(%p: !tile.ptr<i32>, %expected: i64, %value: i32) {
  // expected-error @below {{the expected value is what the pointers point at}}
  %0 = "tile.atomic_cas"(%p, %expected, %value)
      <{order = #tile<order relaxed>, scope = #tile<scope gpu>}> : (!tile.ptr<i32>, i64, i32) -> i32
  return
}

// -----

func.func @casValue(%p: !tile.ptr<i32>, %expected: i32, %value: f32) {
  // expected-error @below {{the value is what the pointers point at}}
  %0 = "tile.atomic_cas"(%p, %expected, %value)
      <{order = #tile<order relaxed>, scope = #tile<scope gpu>}> : (!tile.ptr<i32>, i32, f32) -> i32
  return
}
