// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

#a = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 64}">
func.func @noLayout(%x: tensor<64xf32>) {
  // expected-error @below {{goes between tiles with layouts (nvptx-assign-layouts gives them)}}
  %0 = nv.convert %x : tensor<64xf32> -> tensor<64xf32, #a>
  return
}

// -----

#a = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 64}">
func.func @otherSize(%x: tensor<64xf32, #a>, %y: tensor<128xf32, #a>) {
  // expected-error @below {{each element of 'tensor<128xf32, }}
  %0 = nv.convert %y : tensor<128xf32, #a> -> tensor<128xf32, #a>
  return
}

// -----

#a = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 64}">
#few = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [0]} -> {dim0: 64}">
func.func @notAll(%x: tensor<64xf32, #a>) {
  // expected-error @below {{must be with some thread}}
  %0 = nv.convert %x : tensor<64xf32, #a> -> tensor<64xf32, #few>
  return
}

// -----

#a = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 64}">
#four = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32, 0]} -> {dim0: 64}">
func.func @otherWarps(%x: tensor<64xf32, #a>) {
  // expected-error @below {{both layouts must be over the same lanes and warps}}
  %0 = nv.convert %x : tensor<64xf32, #a> -> tensor<64xf32, #four>
  return
}

// -----

#a = #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32]} -> {dim0: 64}">
func.func @otherShape(%x: tensor<64xf32, #a>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = nv.convert %x : tensor<64xf32, #a> -> tensor<32xf32, #a>
  return
}

// -----

func.func @effect(%x: i32) {
  // expected-error @below {{requires zero operands}}
  "nv.sync"(%x) : (i32) -> ()
  return
}

// -----

// expected-error @below {{the layout must give each element of the tile, its sizes counted as the next powers of two, one offset}}
func.func @small(%x: !nv.shared<8xf32, "{offset: [1, 2]} -> {dim0: 4}">) {
  return
}

// -----

// expected-error @below {{the layout must give each element of the tile}}
func.func @twice(%x: !nv.shared<4xf32, "{offset: [1, 1]} -> {dim0: 4}">) {
  return
}

// -----

// expected-error @below {{a layout of shared memory goes from one input, offset}}
func.func @threads(%x: !nv.shared<4xf32, "{register: [1], lane: [2]} -> {dim0: 4}">) {
  return
}

// -----

// expected-error @below {{shared memory holds numbers, not '!nv.box'}}
func.func @numbers(%x: !nv.shared<4x!nv.box, "{offset: [1, 2]} -> {dim0: 4}">) {
  return
}

// -----

// expected-error @below {{3 warps are no power of two up to 32}}
func.func @warps() attributes {nv.configuration = #nv.configuration<sm = "sm_90a", warps = 3>} {
  return
}

// -----

// expected-error @below {{there is no attribute "nv.fast"}}
func.func @unknown() attributes {nv.fast} {
  return
}

// -----

// expected-error @below {{nv.sent (the copy engine will do the store, or add: rings leave room for what it copies) is no attribute of func.func}}
func.func @elsewhere() attributes {nv.sent} {
  return
}

// -----

// expected-error @below {{nv.producer_warps is an attribute of another kind}}
func.func @kind() attributes {nv.producer_warps} {
  return
}
