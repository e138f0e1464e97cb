// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!row = !nv.shared<4xf32, "{offset: [1, 2]} -> {dim0: 4}">
func.func @product(%a: !floats, %r: !row, %acc: tensor<64x64xf32>) {
  // expected-error @below {{factors and sums must all have two dimensions, or all three}}
  %p = nv.multiply_add %r, %a, %acc warps 4 : !row, !floats -> tensor<64x64xf32>
  return
}

// -----

!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!small = !nv.shared<4x2xf32, "{offset: [[0, 1], [1, 0], [2, 0]]} -> {dim0: 4, dim1: 2}">
func.func @product(%a: !floats, %r: !small, %acc: tensor<64x64xf32>) {
  // expected-error @below {{is not m x k times k x n into m x n}}
  %p = nv.multiply_add %a, %r, %acc warps 4 : !floats, !small -> tensor<64x64xf32>
  return
}

// -----

!cube = !nv.shared<2x2x2xf32, "{offset: [[0, 0, 1], [0, 1, 0], [1, 0, 0]]} -> {dim0: 2, dim1: 2, dim2: 2}">
!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%c: !cube, %sums: tensor<4x2x2xf32>) {
  // expected-error @below {{is not m x k times k x n into m x n}}
  %p = nv.multiply_add %c, %c, %sums warps 4 : !cube, !cube -> tensor<4x2x2xf32>
  return
}

// -----

!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !floats, %b: !room, %acc: tensor<64x64xf32>) {
  // expected-error @below {{both factors must have the same element type, or be floats of 8 bits}}
  %p = nv.multiply_add %a, %b, %acc warps 4 : !floats, !room -> tensor<64x64xf32>
  return
}

// -----

!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !floats, %acc: tensor<64x64xf32>) {
  // expected-error @below {{is of a power of two of warps, not of 3}}
  %p = nv.multiply_add %a, %a, %acc warps 3 : !floats, !floats -> tensor<64x64xf32>
  return
}

// -----

!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !floats, %acc: tensor<64x64xf32>) {
  // expected-error @below {{attribute 'warps' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %p = nv.multiply_add %a, %a, %acc warps 0 : !floats, !floats -> tensor<64x64xf32>
  return
}

// -----

!floats = !nv.shared<64x64xf32, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
#rows = #nv.layout<"{register: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane: [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !floats, %acc: tensor<64x64xf32, #rows>) {
  // expected-error @below {{has its sums where its warps add them up, and its type says elsewhere}}
  %p = nv.multiply_add %a, %a, %acc warps 4 : !floats, !floats -> tensor<64x64xf32, #rows>
  return
}

// -----

!cube = !nv.shared<2x2x2xf32, "{offset: [[0, 0, 1], [0, 1, 0], [1, 0, 0]]} -> {dim0: 2, dim1: 2, dim2: 2}">
func.func @product(%c: !cube, %sums: tensor<2x2x2xf32>) {
  // expected-error @below {{factors and sums must all have two dimensions}}
  %p = nv.multiply %c, %c, %sums grid [1, 1] columns 64 : !cube, !cube -> tensor<2x2x2xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %left: tensor<64x32xf16>, %acc: tensor<64x64xf32>) {
  // expected-error @below {{is not m x k times k x n into m x n}}
  %p = nv.multiply %left, %a, %acc grid [1, 1] columns 64 : tensor<64x32xf16>, !room -> tensor<64x64xf32>
  %done = nv.finish %p : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
!e4 = !nv.shared<64x64xf8E4M3FN, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %x: !e4, %acc: tensor<64x64xf32>) {
  // expected-error @below {{both factors must have the same element type, or be floats of 8 bits}}
  %p = nv.multiply %x, %a, %acc grid [1, 1] columns 64 : !e4, !room -> tensor<64x64xf32>
  %done = nv.finish %p : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %acc: tensor<64x64xf32>) {
  // expected-error @below {{grid must be two powers of two: warpgroups below and beside one another}}
  %p = nv.multiply %a, %a, %acc grid [0, 1] columns 64 : !room, !room -> tensor<64x64xf32>
  %done = nv.finish %p : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %acc: tensor<64x64xf32>) {
  // expected-error @below {{grid must be two powers of two}}
  %p = nv.multiply %a, %a, %acc grid [1, 1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
  %done = nv.finish %p : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %acc: tensor<64x64xf32>) {
  // expected-error @below {{an instruction computes a power of two of columns, 8 to 256, not 4}}
  %p = nv.multiply %a, %a, %acc grid [1, 1] columns 4 : !room, !room -> tensor<64x64xf32>
  %done = nv.finish %p : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %acc: tensor<64x64xf32>) {
  // expected-error @below {{a tile of 64 x 64 is no multiple of what its warpgroups compute at once, 64 x 128}}
  %p = nv.multiply %a, %a, %acc grid [1, 2] columns 64 : !room, !room -> tensor<64x64xf32>
  %done = nv.finish %p : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %acc: tensor<64x64xf32>) {
  // expected-error @below {{is in flight: arith.addf may take its sums behind nv.finish}}
  %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
  %x = arith.addf %p, %p : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
#rows = #nv.layout<"{register: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane: [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %acc: tensor<64x64xf32, #rows>) {
  // expected-error @below {{has its sums where its instructions leave them, and its type says elsewhere}}
  %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32, #rows>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
#rows = #nv.layout<"{register: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane: [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], warp: [[16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @product(%a: !room, %x: tensor<64x64xf16, #rows>, %acc: tensor<64x64xf32>) {
  // expected-error @below {{takes its left factor as instructions read it, and it lies elsewhere}}
  %p = nv.multiply %x, %a, %acc grid [1, 1] columns 64 : tensor<64x64xf16, #rows>, !room -> tensor<64x64xf32>
  return
}

// -----

func.func @product() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  nv.await_products pending -1
  return
}

// -----

func.func @product(%acc: tensor<64x64xf32>) {
  // expected-error @below {{waits for sums of nv.multiply, or for what a loop carries of them}}
  %p = nv.finish %acc : tensor<64x64xf32>
  return
}

// -----

func.func @product(%acc: tensor<64x64xf32>, %n: i32) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %sums = scf.for %i = %0 to %n step %1 iter_args(%x = %acc) -> (tensor<64x64xf32>) : i32 {
    %y = arith.addf %x, %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  // expected-error @below {{waits for sums of nv.multiply, or for what a loop carries of them}}
  %p = nv.finish %sums : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @pending(%a: !room, %acc: tensor<64x64xf32>) {
  %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
  // expected-error @below {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %done = nv.finish %p pending -1 : tensor<64x64xf32>
  return
}

// -----

!room = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
// As a left factor, too.
func.func @asFactor(%a: !room, %acc: tensor<64x64xf32>) {
  // expected-error @below {{is in flight: nv.multiply may take its sums behind nv.finish}}
  %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 : !room, !room -> tensor<64x64xf32>
  %q = "nv.multiply"(%p, %a, %acc) <{columns = 64 : i32, grid = array<i32: 1, 1>}> : (tensor<64x64xf32>, !room, tensor<64x64xf32>) -> tensor<64x64xf32>
  return
}

// -----

!halves = !nv.shared<64x64xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]} -> {dim0: 64, dim1: 64}">
func.func @turnedHalves(%a: !halves, %acc: tensor<64x64xf32>) {
  // expected-error @below {{turns a factor of bytes, of two that lie in shared memory}}
  %p = nv.multiply %a, %a, %acc grid [1, 1] columns 64 turned right : !halves, !halves -> tensor<64x64xf32>
  %s = nv.finish %p : tensor<64x64xf32>
  return
}
