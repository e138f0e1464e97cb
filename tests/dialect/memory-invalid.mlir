// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @offsetShape(%p: tensor<8x!tile.ptr<f32>>, %n: i32) {
  // expected-error @below {{pointer and offset must have the same shape}}
  %0 = tile.offset %p, %n : tensor<8x!tile.ptr<f32>>, i32
  return
}

// -----

func.func @offsetByFloat(%p: !tile.ptr<f32>, %n: f32) {
  // expected-error @below {{must be integer or tile of integers}}
  %0 = tile.offset %p, %n : !tile.ptr<f32>, f32
  return
}

// -----

func.func @offsetOfNumber(%p: i64, %n: i32) {
  // expected-error @below {{must be pointer or tile of pointers}}
  %0 = tile.offset %p, %n : i64, i32
  return
}

// -----

func.func @addressWidth(%p: !tile.ptr<f32>) {
  // expected-error @below {{result must be i64 in the shape of the source}}
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> i32
  return
}

// -----

func.func @addressShape(%p: !tile.ptr<f32>) {
  // expected-error @below {{result must be i64 in the shape of the source}}
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> tensor<4xi64>
  return
}

// -----

func.func @fromNarrowAddress(%address: i32) {
  // expected-error @below {{source must be i64 in the shape of the result}}
  %0 = tile.int_to_ptr %address : i32 -> !tile.ptr<f32>
  return
}

// -----

func.func @castShape(%p: tensor<4x!tile.ptr<f32>>) {
  // expected-error @below {{source and result must have the same shape}}
  %0 = tile.ptr_cast %p : tensor<4x!tile.ptr<f32>> -> tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @otherWithoutMask(%p: tensor<4x!tile.ptr<i1>>, %other: tensor<4xi1>) {
  // expected-error @below {{`other` needs a mask}}
  %0 = tile.load %p other %other : tensor<4x!tile.ptr<i1>>
  return
}

// -----

// expected-note @below {{prior use here}}
func.func @loadMaskShape(%p: tensor<4x!tile.ptr<f32>>, %mask: tensor<8xi1>) {
  // expected-error @below {{use of value '%mask' expects different type}}
  %0 = tile.load %p mask %mask : tensor<4x!tile.ptr<f32>>
  return
}

// -----

func.func @genericLoadMask(%p: tensor<4x!tile.ptr<f32>>, %mask: tensor<8xi1>) {
  // expected-error @below {{the mask has the shape of the pointers}}
  %0 = "tile.load"(%p, %mask) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
      : (tensor<4x!tile.ptr<f32>>, tensor<8xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @genericLoadOther(%p: !tile.ptr<f32>, %mask: i1, %other: f64) {
  // expected-error @below {{`other` has the type of the result}}
  %0 = "tile.load"(%p, %mask, %other) <{operandSegmentSizes = array<i32: 1, 1, 1>}>
      : (!tile.ptr<f32>, i1, f64) -> f32
  return
}

// -----

func.func @genericLoadResult(%p: !tile.ptr<f32>) {
  // expected-error @below {{the result holds what the pointers point at}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tile.ptr<f32>) -> i32
  return
}

// -----

func.func @genericStoreValue(%p: !tile.ptr<f32>, %value: f16) {
  // expected-error @below {{the value is what the pointers point at}}
  "tile.store"(%p, %value) : (!tile.ptr<f32>, f16) -> ()
  return
}

// -----

func.func @genericStoreMask(%p: !tile.ptr<f32>, %value: f32, %mask: tensor<1xi1>) {
  // expected-error @below {{the mask has the shape of the pointers}}
  "tile.store"(%p, %value, %mask) : (!tile.ptr<f32>, f32, tensor<1xi1>) -> ()
  return
}

// -----

func.func @unknownCache(%p: !tile.ptr<f32>) {
  // expected-error @+2 {{expected ::nereid::tile::CacheModifier to be one of: ca, cg, cs, cv, wb, wt}}
  // expected-error @+1 {{failed to parse}}
  %0 = tile.load %p {cache = #tile<cache l9>} : !tile.ptr<f32>
  return
}
