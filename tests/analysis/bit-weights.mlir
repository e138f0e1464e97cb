// By how much addresses grow with each bit of a place, where that is one number.
// RUN: %nereid-opt %s -print-bit-weights | FileCheck %s

func.func @k(%p: !tile.ptr<f32>, %n: i32, %q: tensor<8xi32>) attributes {tile.kernel} {
  // CHECK: tile.range: 1 2 4
  %i = tile.range 0 to 8 : tensor<8xi32>
  // CHECK: tile.range: 1 2 4
  %from3 = tile.range 3 to 11 : tensor<8xi32>
  %c1 = arith.constant dense<1> : tensor<8xi32>
  %c2 = arith.constant dense<2> : tensor<8xi32>
  %c3 = arith.constant dense<3> : tensor<8xi32>
  %c4 = arith.constant dense<4> : tensor<8xi32>
  // CHECK: arith.andi: 1 0 0
  %low = arith.andi %i, %c1 : tensor<8xi32>
  // CHECK: arith.shli: 4 0 0
  %high = arith.shli %low, %c2 : tensor<8xi32>
  // CHECK: arith.shrsi: 0 0 1
  %last = arith.shrsi %i, %c2 : tensor<8xi32>
  // CHECK: arith.andi: 0 2 0
  %middle = arith.andi %i, %c2 : tensor<8xi32>
  // CHECK: arith.ori: 4 0 1
  %ends = arith.ori %high, %last : tensor<8xi32>
  // CHECK: arith.ori: 4 2 1
  %turned = arith.ori %ends, %middle : tensor<8xi32>
  // Bits of two: their sum is not their union.
  // CHECK: arith.ori: ?
  %met = arith.ori %turned, %i : tensor<8xi32>
  // CHECK: arith.addi: 5 4 5
  %sum = arith.addi %turned, %i : tensor<8xi32>
  // CHECK: arith.andi: ?
  %carried = arith.andi %sum, %c1 : tensor<8xi32>
  // Not from a multiple on.
  // CHECK: arith.andi: ?
  %shifted = arith.andi %from3, %c1 : tensor<8xi32>
  // CHECK: arith.muli: 12 6 3
  %times = arith.muli %turned, %c3 : tensor<8xi32>
  // CHECK: arith.divsi: 1 0 0
  %quotient = arith.divsi %turned, %c4 : tensor<8xi32>
  // CHECK: arith.remsi: 0 2 1
  %rest = arith.remsi %turned, %c4 : tensor<8xi32>
  // CHECK: tile.splat: 0 0 0
  %all = tile.splat %n : i32 -> tensor<8xi32>
  // CHECK: arith.subi: -1 -2 -4
  %down = arith.subi %all, %i : tensor<8xi32>
  // What is the same everywhere is so, whatever becomes of it.
  // CHECK: arith.muli: 0 0 0
  %square = arith.muli %all, %all : tensor<8xi32>
  // What only the launch knows is far.
  // CHECK: arith.muli: 17179869184 34359738368 68719476736
  %product = arith.muli %all, %i : tensor<8xi32>
  // CHECK: arith.muli: 17179869184 0 0
  %some = arith.muli %low, %all : tensor<8xi32>
  // CHECK: arith.addi: 17179869188 2 1
  %both = arith.addi %some, %turned : tensor<8xi32>
  // CHECK: arith.andi: ?
  %masked = arith.andi %both, %c1 : tensor<8xi32>
  // CHECK: arith.addi: ?
  %unknown = arith.addi %q, %i : tensor<8xi32>
  // CHECK: tile.expand_dims: 4 2 1
  %column = tile.expand_dims %turned axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  // CHECK: tile.broadcast: 0 0 4 2 1
  %tile = tile.broadcast %column : tensor<8x1xi32> -> tensor<8x4xi32>
  // CHECK: tile.splat: 0 0 0 0 0
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<8x4x!tile.ptr<f32>>
  // CHECK: tile.offset: 0 0 4 2 1
  %at = tile.offset %base, %tile : tensor<8x4x!tile.ptr<f32>>, tensor<8x4xi32>
  return
}
