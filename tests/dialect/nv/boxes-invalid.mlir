// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  %b = tile.offset %a, %m : !tile.ptr<f32>, i32
  // expected-error @below {{is of an array that is a parameter of the kernel}}
  %box = nv.box %b offset %n extents %n of [] shape [16] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{has 2 multiples and 1 divisors: there is one for each}}
  %box = nv.box %a offset %n extents %n multiples %m, %m : i32, i32 of [8] shape [16] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{divisors must be positive}}
  %box = nv.box %a offset %n extents %n multiples %m : i32 of [0] shape [16] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{has 6 dimensions: 1 to 5 are possible}}
  %box = nv.box %a offset %n extents %n, %n, %n, %n, %n, %n strides %n, %n, %n, %n, %n of [] shape [16, 1, 1, 1, 1, 1] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{has 0 strides for 2 extents: there is one for each dimension but the first}}
  %box = nv.box %a offset %n extents %n, %n of [] shape [16, 1] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{copies 1 dimensions of 2}}
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [16] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{copies 1 to 256 elements along each dimension}}
  %box = nv.box %a offset %n extents %n of [] shape [512] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{passes over rows of at most 256, a step of 1 to 8 at a time}}
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 256] step 2 : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{passes over rows of at most 256, a step of 1 to 8 at a time}}
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 8] step 9 : !tile.ptr<f32> -> !nv.box
  return
}

// -----

func.func @box(%a: !tile.ptr<f32>, %n: i64, %m: i32) {
  // expected-error @below {{copies 1 to 256 elements along each dimension}}
  %box = nv.box %a offset %n extents %n of [] shape [0] : !tile.ptr<f32> -> !nv.box
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf32>, %x: !piece) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  // expected-error @below {{goes through room of nv.alloc, whose tiles take turns}}
  nv.send %tile through %x -> %box[%at, %at] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf32>, %other: !nv.box) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{is of a box, as nv.box describes it}}
  nv.send %tile through %room -> %other[%at, %at] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{has 1 coordinates for a box of 2 dimensions}}
  nv.send %tile through %room -> %box[%at] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{moves 'f16' of the array through room for 'f32'}}
  nv.send %tile through %room -> %half[%at, %at] grid [1, 1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf16>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{moves a tile of 'f16' through room for 'f32'}}
  nv.send %tile through %room -> %box[%at, %at] grid [1, 1] columns 64 : tensor<64x64xf16>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<128x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{moves a tile of two dimensions through room for some of its columns}}
  nv.send %tile through %room -> %box[%at, %at] grid [1, 1] columns 64 : tensor<128x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{grid must be two powers of two: warpgroups below and beside one another}}
  nv.send %tile through %room -> %box[%at, %at] grid [1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{an instruction computes a power of two of columns, 8 to 256, not 48}}
  nv.send %tile through %room -> %box[%at, %at] grid [1, 1] columns 48 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{a tile of 64 x 64 is no multiple of what its warpgroups compute at once, 128 x 64}}
  nv.send %tile through %room -> %box[%at, %at] grid [2, 1] columns 64 : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
#rows = #nv.layout<"{register: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane: [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @lies(%a: !tile.ptr<f32>, %n: i64, %at: i32, %tile: tensor<64x64xf32, #rows>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{takes the tile as a product leaves it, and it lies elsewhere}}
  nv.send %tile through %room -> %box[%at, %at] grid [1, 1] columns 64 : tensor<64x64xf32, #rows>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%h: !tile.ptr<f16>, %n: i64, %at: i32, %tile: tensor<64x64xf16>) {
  %half = nv.box %h offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f16> -> !nv.box
  %room = nv.alloc stages 2 : !piece
  // expected-error @below {{adds f32, and the tile is of 'f16'}}
  nv.send %tile through %room -> %half[%at, %at] grid [1, 1] columns 64 adds : tensor<64x64xf16>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @send(%a: !tile.ptr<f32>, %n: i64, %at: i32, %tile: tensor<64x64xf32>) {
  %box = nv.box %a offset %n extents %n, %n strides %n of [] shape [32, 64] : !tile.ptr<f32> -> !nv.box
  %room = nv.alloc stages 1 : !piece
  // expected-error @below {{adds a tile that is whole in its room}}
  nv.send %tile through %room -> %box[%at, %at] grid [1, 1] columns 64 adds : tensor<64x64xf32>, !piece
  nv.free %room : !piece
  return
}

// -----

!piece = !nv.shared<64x32xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 32}">
func.func @await_sent(%room: !piece) {
  // expected-error @below {{awaits what goes through room of nv.alloc}}
  nv.await_sent %room : !piece
  return
}
