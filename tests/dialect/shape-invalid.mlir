// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @rangeLength() {
  // expected-error @below {{result must be a 1-D tile of end - start = 8 elements}}
  %0 = tile.range 0 to 8 : tensor<4xi32>
  return
}

// -----

func.func @rangeEmpty() {
  // expected-error @below {{result must be a 1-D tile of end - start = 0 elements}}
  %0 = tile.range 4 to 4 : tensor<0xi32>
  return
}

// -----

func.func @rangeRank() {
  // expected-error @below {{result must be a 1-D tile of end - start = 8 elements}}
  %0 = tile.range 0 to 8 : tensor<8x1xi32>
  return
}

// -----

func.func @rangeElement() {
  // expected-error @below {{must be ranked tensor of 32-bit signless integer values}}
  %0 = tile.range 0 to 8 : tensor<8xi64>
  return
}

// -----

func.func @splatElement(%scalar: f32) {
  // expected-error @below {{value and result must have the same element type}}
  %0 = tile.splat %scalar : f32 -> tensor<8xf16>
  return
}

// -----

func.func @expandAxis(%tile: tensor<8xf32>) {
  // expected-error @below {{axis 2 is out of range}}
  %0 = tile.expand_dims %tile axis 2 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expandNegativeAxis(%tile: tensor<8xf32>) {
  // expected-error @below {{is out of range}}
  %0 = tile.expand_dims %tile axis -1 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expandResult(%tile: tensor<8xf32>) {
  // expected-error @below {{result must be 'tensor<1x8xf32>'}}
  %0 = tile.expand_dims %tile axis 0 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @broadcastRank(%tile: tensor<8xf32>) {
  // expected-error @below {{source and result must agree in rank and element type}}
  %0 = tile.broadcast %tile : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcastElement(%tile: tensor<1xf32>) {
  // expected-error @below {{source and result must agree in rank and element type}}
  %0 = tile.broadcast %tile : tensor<1xf32> -> tensor<8xf64>
  return
}

// -----

func.func @broadcastSize(%tile: tensor<2x1xf32>) {
  // expected-error @below {{cannot repeat a dimension of size 2 to 4}}
  %0 = tile.broadcast %tile : tensor<2x1xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @reshapeCount(%tile: tensor<2x3xf32>) {
  // expected-error @below {{source and result must agree in element type and number of elements}}
  %0 = tile.reshape %tile : tensor<2x3xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reshapeElement(%tile: tensor<2x3xf32>) {
  // expected-error @below {{source and result must agree in element type and number of elements}}
  %0 = tile.reshape %tile : tensor<2x3xf32> -> tensor<6xi32>
  return
}

// -----

func.func @permuteTwice(%tile: tensor<2x3xf32>) {
  // expected-error @below {{order must name each dimension of the source once}}
  %0 = tile.permute %tile [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @permuteOutOfRange(%tile: tensor<2x3xf32>) {
  // expected-error @below {{order must name each dimension of the source once}}
  %0 = tile.permute %tile [2, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @permuteIncomplete(%tile: tensor<2x3xf32>) {
  // expected-error @below {{result must be}}
  %0 = tile.permute %tile [1] : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @permuteResult(%tile: tensor<2x3xf32>) {
  // expected-error @below {{result must be 'tensor<3x2xf32>'}}
  %0 = tile.permute %tile [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @gatherAxis(%x: tensor<6x4xf32>, %i: tensor<6x4xi32>) {
  // expected-error @below {{axis 2 is out of range}}
  %0 = tile.gather %x at %i axis 2 : tensor<6x4xf32>, tensor<6x4xi32> -> tensor<6x4xf32>
  return
}

// -----

func.func @gatherShape(%x: tensor<6x4xf32>, %i: tensor<5x9xi32>) {
  // expected-error @below {{indices must have the source's shape, but for the axis}}
  %0 = tile.gather %x at %i axis 1 : tensor<6x4xf32>, tensor<5x9xi32> -> tensor<5x9xf32>
  return
}

// -----

func.func @gatherRank(%x: tensor<6x4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{indices must have the source's shape, but for the axis}}
  %0 = tile.gather %x at %i axis 1 : tensor<6x4xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @gatherResult(%x: tensor<6x4xf32>, %i: tensor<6x9xi32>) {
  // expected-error @below {{result must be 'tensor<6x9xf32>'}}
  %0 = tile.gather %x at %i axis 1 : tensor<6x4xf32>, tensor<6x9xi32> -> tensor<6x4xf32>
  return
}

// -----

func.func @joinResult(%a: tensor<4xf32>) {
  // expected-error @below {{result must be 'tensor<4x2xf32>'}}
  %0 = tile.join %a, %a : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @splitSource(%a: tensor<4x3xf32>) {
  // expected-error @below {{source must be 'tensor<4x2xf32>'}}
  %0, %1 = tile.split %a : tensor<4x3xf32> -> tensor<4xf32>
  return
}
