// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @stages() {
  // expected-error @below {{attribute 'stages' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %ring = nv.ring stages 0 : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @inBranch(%c: i1) {
  scf.if %c {
    // expected-error @below {{stands in the kernel's body}}
    %ring = nv.ring stages 2 : !small
  }
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @late(%a: !tile.ptr<f32>, %x: f32) {
  tile.store %a, %x : !tile.ptr<f32>
  // expected-error @below {{stands at the beginning of a kernel, not behind tile.store}}
  %ring = nv.ring stages 2 : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @freedTwice() {
  // expected-error @below {{is freed more than once}}
  %ring = nv.ring stages 2 : !small
  nv.free %ring : !small
  nv.free %ring : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @fetchOfSlot(%a: !tile.ptr<f32>, %n: i64, %at: i32, %x: !small) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [2, 4] : !tile.ptr<f32> -> !nv.box
  // expected-error @below {{is of a ring, as nv.ring made it}}
  nv.fetch %box[%at, %at] -> %x : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @fetchOfBox(%box: !nv.box, %at: i32) {
  %ring = nv.ring stages 2 : !small
  // expected-error @below {{is of a box, as nv.box describes it}}
  nv.fetch %box[%at, %at] -> %ring : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @coordinates(%a: !tile.ptr<f32>, %n: i64, %at: i32) {
  %ring = nv.ring stages 2 : !small
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [2, 4] : !tile.ptr<f32> -> !nv.box
  // expected-error @below {{has 1 coordinates for a box of 2 dimensions}}
  nv.fetch %box[%at] -> %ring : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @element(%a: !tile.ptr<i32>, %n: i64, %at: i32) {
  %ring = nv.ring stages 2 : !small
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [2, 4] : !tile.ptr<i32> -> !nv.box
  // expected-error @below {{moves 'i32' of the array through room for 'f32'}}
  nv.fetch %box[%at, %at] -> %ring : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @whole(%a: !tile.ptr<f32>, %n: i64, %at: i32) {
  %ring = nv.ring stages 2 : !small
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [2, 8] : !tile.ptr<f32> -> !nv.box
  // expected-error @below {{must move a tile as a number of whole copies of the box's shape}}
  nv.fetch %box[%at, %at] -> %ring : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @turnedWords(%a: !tile.ptr<f32>, %n: i64, %at: i32) {
  %ring = nv.ring stages 2 : !small
  %along = nv.ring stages 2 : !small
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [2, 4] : !tile.ptr<f32> -> !nv.box
  // expected-error @below {{turns bytes}}
  nv.fetch %box[%at, %at] -> %ring turned %along : !small, !small
  return
}

// -----

!small = !nv.shared<4x2xi8, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
!turned = !nv.shared<2x4xi8, "{offset: [[1, 0], [0, 1], [0, 2]]} -> {dim0: 2, dim1: 4}">
func.func @turnedShape(%a: !tile.ptr<i8>, %n: i64, %at: i32) {
  %ring = nv.ring stages 2 : !small
  %along = nv.ring stages 2 : !turned
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [2, 4] : !tile.ptr<i8> -> !nv.box
  // expected-error @below {{what is fetched}}
  nv.fetch %box[%at, %at] -> %ring turned %along : !small, !turned
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @await(%x: !small) {
  // expected-error @below {{is of a ring, as nv.ring made it}}
  %i = nv.await_slot %x : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @release(%x: !small) {
  // expected-error @below {{is of a ring, as nv.ring made it}}
  nv.release %x pending 0 : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @pending() {
  %ring = nv.ring stages 2 : !small
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  nv.release %ring pending -1 : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @allPending() {
  %ring = nv.ring stages 2 : !small
  // expected-error @below {{leaves 2 slots to be read of a ring of 2, so none would be free}}
  nv.release %ring pending 2 : !small
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1, %x: !row) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{is of a ring, as nv.ring made it}}
  nv.fetch_row %a count %n -> %x slots 4 : !tile.ptr<f32>, !row
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1) {
  %ring = nv.ring stages 5 : !small
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{is of a ring whose slots are pieces of rows, of one dimension}}
  nv.fetch_row %a count %n -> %ring slots 4 : !tile.ptr<f32>, !small
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{wants a row in 6 slots of a ring that has 5}}
  nv.fetch_row %a count %n -> %ring slots 6 : !tile.ptr<f32>, !row
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{copies 'f16' to slots of 'f32'}}
  nv.fetch_row %h count %n -> %ring slots 4 : !tile.ptr<f16>, !row
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{6 elements of 'f32' are no multiple of 16 bytes}}
  nv.fetch_row %a count %six -> %ring slots 4 : !tile.ptr<f32>, !row
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{-4 elements of 'f32' are no multiple of 16 bytes}}
  nv.prefetch_row %a count %less if %c : !tile.ptr<f32>
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1, %x: !row) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{is of a ring, as nv.ring made it}}
  %0 = nv.read_row %x slots 4 count %n : !row -> tensor<16xf32>
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{wants a row in 8 slots of a ring that has 5}}
  %0 = nv.read_row %ring slots 8 count %n : !row -> tensor<32xf32>
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{the row of these slots is 16x'f32' and the result 32x'f32', but they are one tile}}
  %0 = nv.read_row %ring slots 4 count %n : !row -> tensor<32xf32>
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @row(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %c: i1, %o: tensor<4xf32>) {
  %ring = nv.ring stages 5 : !row
  %six = arith.constant 6 : i32
  %less = arith.constant -4 : i32
  // expected-error @below {{other values must have the result's type}}
  %0 = nv.read_row %ring slots 4 count %n other %o : tensor<4xf32> : !row -> tensor<16xf32>
  return
}

// -----

func.func @produceInBranch(%c: i1) {
  scf.if %c {
    // expected-error @below {{stands in the kernel's body}}
    nv.produce {
    }
  }
  return
}

// -----

func.func @twoProducers() {
  nv.produce {
  }
  // expected-error @below {{is the second of a kernel: one warp fetches}}
  nv.produce {
  }
  return
}

// -----

func.func @tilesOfProducer(%x: tensor<4xf32>) {
  // expected-error @below {{is of one thread, which has no tiles: arith.addf is not for it}}
  nv.produce {
    %0 = arith.addf %x, %x : tensor<4xf32>
  }
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @readingProducer() {
  %ring = nv.ring stages 2 : !small
  // expected-error @below {{only fetches, and computes for that: nv.await_slot is of the other warps}}
  nv.produce {
    %i = nv.await_slot %ring : !small
  }
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @fetchesOfOthers(%a: !tile.ptr<f32>, %n: i64, %at: i32) {
  %ring = nv.ring stages 2 : !small
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [2, 4] : !tile.ptr<f32> -> !nv.box
  // expected-error @below {{is one of two places that fetch: the other warps only await slots}}
  nv.produce {
  }
  nv.fetch %box[%at, %at] -> %ring : !small
  return
}

// -----

func.func @programsInBranch(%c: i1) {
  scf.if %c {
    // expected-error @below {{stands in the kernel's body, or in nv.produce}}
    nv.programs {
    }
  }
  return
}

// -----

func.func @programsTwice() {
  nv.programs {
  }
  // expected-error @below {{is the second of its role: a block runs each of its programs once}}
  nv.programs {
  }
  return
}

// -----

func.func @endsElsewhere() {
  // expected-error @below {{expects parent op 'nv.programs'}}
  nv.end_program
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @reserved() {
  // expected-error @below {{attribute 'reserved' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %ring = nv.ring stages 1 {reserved = 0 : i64} : !small
  return
}

// -----

!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @kept(%a: !tile.ptr<f32>, %n: i32) {
  // expected-error @below {{keeps pieces of rows, of one dimension}}
  %0 = nv.keep_row %a count %n slots 4 : !tile.ptr<f32> -> !small
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @kept(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %o: f16, %x: !row) {
  // expected-error @below {{copies 'f16' to slots of 'f32'}}
  %0 = nv.keep_row %h count %n slots 4 : !tile.ptr<f16> -> !row
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @kept(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %o: f16, %x: !row) {
  // expected-error @below {{fills 'f32' with 'f16'}}
  %0 = nv.keep_row %a count %n other %o : f16 slots 4 : !tile.ptr<f32> -> !row
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @kept(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %o: f16, %x: !row) {
  %six = arith.constant 6 : i32
  // expected-error @below {{6 elements of 'f32' are no multiple of 16 bytes}}
  %0 = nv.keep_row %a count %six slots 4 : !tile.ptr<f32> -> !row
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @kept(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %o: f16, %x: !row) {
  %c = arith.constant true
  scf.if %c {
  // expected-error @below {{stands in the kernel's body}}
    %0 = nv.keep_row %a count %n slots 4 : !tile.ptr<f32> -> !row
  }
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @kept(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %o: f16, %x: !row) {
  // expected-error @below {{reads a room that nv.keep_row did not make}}
  %0 = nv.read_kept %x[%n] : !row -> tensor<4xf32>
  return
}

// -----

!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @kept(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i32, %o: f16, %x: !row) {
  %0 = nv.keep_row %a count %n slots 4 : !tile.ptr<f32> -> !row
  // expected-error @below {{what a slot holds is 4x'f32' and the result 8x'f32', but they are one tile}}
  %1 = nv.read_kept %0[%n] : !row -> tensor<8xf32>
  return
}
