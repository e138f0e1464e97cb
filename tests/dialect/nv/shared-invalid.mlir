// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @stages() {
  // expected-error @below {{attribute 'stages' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %room = nv.alloc stages 0 : !small
  nv.free %room : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @kept() {
  // expected-error @below {{must be freed once, by nv.free}}
  %room = nv.alloc stages 1 : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @freedTwice() {
  // expected-error @below {{must be freed once, by nv.free}}
  %room = nv.alloc stages 1 : !small
  nv.free %room : !small
  nv.free %room : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @part(%i: i32) {
  %room = nv.alloc stages 1 : !small
  %slot = nv.slot %room[%i] : !small
  // expected-error @below {{frees what nv.alloc or nv.ring has made, not a part of it}}
  nv.free %slot : !small
  nv.free %room : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @elsewhere(%c: i1) {
  %room = nv.alloc stages 1 : !small
  scf.if %c {
    // expected-error @below {{must stand in the block that its room is made in}}
    nv.free %room : !small
  }
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @order() {
  %first = nv.alloc stages 1 : !small
  %second = nv.alloc stages 1 : !small
  // expected-error @below {{frees a room before one that was made after it: the last one goes first}}
  nv.free %first : !small
  nv.free %second : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @slotOfSlot(%x: !small, %i: i32) {
  // expected-error @below {{is one of the tiles of nv.alloc or nv.ring}}
  %slot = nv.slot %x[%i] : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @behind() {
  %room = nv.alloc stages 2 : !small
  %2 = arith.constant 2 : i32
  // expected-error @below {{number 2 of a room for 2}}
  %slot = nv.slot %room[%2] : !small
  nv.free %room : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
!turned = !nv.shared<2x4xf32, "{offset: [[1, 0], [0, 1], [0, 2]]} -> {dim0: 2, dim1: 4}">
func.func @noOrder(%x: !small) {
  // expected-error @below {{order must name each of the 2 dimensions once}}
  %0 = nv.view %x order [1, 1] : !small -> !turned
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
!turned = !nv.shared<2x4xf32, "{offset: [[1, 0], [0, 1], [0, 2]]} -> {dim0: 2, dim1: 4}">
func.func @short(%x: !small) {
  // expected-error @below {{order must name each of the 2 dimensions once}}
  %0 = nv.view %x order [0] : !small -> !turned
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @otherView(%x: !small) {
  // expected-error @below {{of this order is a '!nv.shared<2x4xf32, }}
  %0 = nv.view %x order [1, 0] : !small -> !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @readShape(%x: !small) {
  // expected-error @below {{what is read is 4x2x'f32' and the result 2x4x'f32', but they are one tile}}
  %0 = nv.read %x : !small -> tensor<2x4xf32>
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @writtenType(%x: !small, %tile: tensor<4x2xf16>) {
  // expected-error @below {{what is written is 4x2x'f16' and its room 4x2x'f32', but they are one tile}}
  nv.write %tile -> %x : tensor<4x2xf16> -> !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @mask(%x: !small, %p: tensor<4x2x!tile.ptr<f32>>, %m: tensor<4x1xi1>) {
  // expected-error @below {{pointers and mask must have one shape and one layout}}
  nv.copy %p mask %m -> %x : tensor<4x2x!tile.ptr<f32>>, tensor<4x1xi1> -> !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
#pairs = #nv.layout<"{register: [[0, 1]], lane: [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0]], warp: []} -> {dim0: 4, dim1: 2}">
func.func @maskLayout(%x: !small, %p: tensor<4x2x!tile.ptr<f32>, #pairs>, %m: tensor<4x2xi1>) {
  // expected-error @below {{pointers and mask must have one shape and one layout}}
  nv.copy %p mask %m -> %x : tensor<4x2x!tile.ptr<f32>, #pairs>, tensor<4x2xi1> -> !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @pointee(%x: !small, %p: tensor<4x2x!tile.ptr<f16>>, %m: tensor<4x2xi1>) {
  // expected-error @below {{what is copied is 4x2x'f16' and its room 4x2x'f32', but they are one tile}}
  nv.copy %p mask %m -> %x : tensor<4x2x!tile.ptr<f16>>, tensor<4x2xi1> -> !small
  return
}

// -----

func.func @operand(%x: i32) {
  // expected-error @below {{requires zero operands}}
  "nv.commit_copies"(%x) : (i32) -> ()
  return
}

// -----

func.func @pending() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  nv.await_copies pending -1
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @reserved() {
  // expected-error @below {{attribute 'reserved' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %room = nv.alloc stages 1 {reserved = 0 : i64} : !small
  nv.free %room : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @turnedWords(%x: !small) {
  // expected-error @below {{turns bytes, and others are written by threads that have read them}}
  nv.turn %x -> %x : !small -> !small
  return
}

// -----

func.func @gather(%a: f32) {
  %block = nv.block_of_program
  // expected-error @below {{gives of each number what each block has}}
  %b = nv.gather_blocks %a blocks 2 : (f32) -> f32
  return
}

// -----

func.func @gather(%a: f32, %b: i32) {
  // expected-error @below {{gives numbers of the types that it takes}}
  %c:4 = nv.gather_blocks %a, %b blocks 2 : (f32, i32) -> (f32, i32, f32, i32)
  return
}
