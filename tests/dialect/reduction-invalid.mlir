// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @axis(%x: tensor<6x4xf32>) {
  // expected-error @below {{axis 2 is out of range}}
  %0 = tile.reduce (%x) axis 2 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result(%x: tensor<6x4xf32>) {
  // expected-error @below {{result must be 'tensor<4xf32>', not 'tensor<6xf32>'}}
  %0 = tile.reduce (%x) axis 0 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scalarResult(%x: tensor<4xf32>) {
  // expected-error @below {{result must be 'f32', not 'tensor<1xf32>'}}
  %0 = tile.reduce (%x) axis 0 : (tensor<4xf32>) -> tensor<1xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @resultCount(%x: tensor<6x4xf32>) {
  // expected-error @below {{needs as many results as sources, and at least one}}
  %0:2 = tile.reduce (%x) axis 0 : (tensor<6x4xf32>) -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @sourceShapes(%x: tensor<6xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{sources must have the same shape}}
  %0:2 = tile.reduce (%x, %y) axis 0 : (tensor<6xf32>, tensor<4xf32>) -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @argumentCount(%x: tensor<6x4xf32>) {
  // expected-error @below {{region must take 2 scalars}}
  %0 = tile.reduce (%x) axis 1 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @argumentType(%x: tensor<6x4xf32>) {
  // expected-error @below {{region arguments must be elements of the sources}}
  %0 = tile.reduce (%x) axis 1 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32, %b: f64):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yieldCount(%x: tensor<6x4xf32>) {
  // expected-error @below {{region must yield 1 scalars}}
  %0 = tile.reduce (%x) axis 1 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @yieldType(%x: tensor<6x4xf32>) {
  // expected-error @below {{region must yield elements of the sources}}
  %0 = tile.reduce (%x) axis 1 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.truncf %a : f32 to f16
    tile.yield %c : f16
  }
  return
}

// -----

func.func @noSources() {
  // expected-error @below {{needs as many results as sources, and at least one}}
  "tile.reduce"() <{axis = 0 : i32}> ({
    "tile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @yieldOutside(%x: f32) {
  // expected-error @below {{expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield %x : f32
}

// -----

func.func @loop(%x: tensor<6x4xi32>, %n: i32) {
  %one = arith.constant 1 : i32
  // expected-error @below {{region cannot hold scf.for}}
  %0 = tile.reduce (%x) axis 1 : (tensor<6x4xi32>) -> tensor<6xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = scf.for %i = %one to %n step %one iter_args(%sum = %a) -> (i32) : i32 {
      %next = arith.addi %sum, %b : i32
      scf.yield %next : i32
    }
    tile.yield %c : i32
  }
  return
}

// -----

func.func @scanAxis(%x: tensor<6x4xf32>) {
  // expected-error @below {{axis 2 is out of range}}
  %0 = tile.scan (%x) axis 2 : (tensor<6x4xf32>) -> tensor<6x4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scanResult(%x: tensor<6x4xf32>) {
  // expected-error @below {{result must be 'tensor<6x4xf32>', not 'tensor<6xf32>'}}
  %0 = tile.scan (%x) axis 0 : (tensor<6x4xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scanResultCount(%x: tensor<4xf32>) {
  // expected-error @below {{needs as many results as sources, and at least one}}
  %0:2 = tile.scan (%x) axis 0 : (tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scanShapes(%x: tensor<6xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{sources must have the same shape}}
  %0:2 = tile.scan (%x, %y) axis 0 : (tensor<6xf32>, tensor<4xf32>) -> tensor<6xf32>, tensor<4xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @scanRegion(%x: tensor<6xf32>) {
  // expected-error @below {{region must take 2 scalars}}
  %0 = tile.scan (%x) axis 0 : (tensor<6xf32>) -> tensor<6xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @histogramMask(%x: tensor<6xi32>, %m: tensor<4xi1>) {
  // expected-error @below {{the mask has the shape of the source}}
  %0 = "tile.histogram"(%x, %m) : (tensor<6xi32>, tensor<4xi1>) -> tensor<3xi32>
  return
}

// -----

func.func @histogramOfFloats(%x: tensor<6xf32>) {
  // expected-error @below {{must be 1D tensor of 32-bit signless integer or 64-bit signless integer values}}
  %0 = tile.histogram %x : tensor<6xf32> -> tensor<3xi32>
  return
}
