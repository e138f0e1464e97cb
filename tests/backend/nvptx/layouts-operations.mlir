// Where operations leave their results that are not computed element by element.
// RUN: %nereid-opt %s -nvptx-assign-layouts="warps=4" -split-input-file | FileCheck %s

// A scan lies as its source does.
// CHECK-LABEL: func.func @scan
// CHECK-NOT: nv.convert
// CHECK: tile.scan
// CHECK-SAME: -> tensor<1024xf32, #nv.layout<"{register: [1, 2, 512], lane: [4, 8, 16, 32, 64], warp: [128, 256]}
// CHECK-NOT: nv.convert
// CHECK: return
func.func @scan(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %s = tile.scan (%v) axis 0 : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %xp, %s : tensor<1024x!tile.ptr<f32>>
  func.return
}

// -----

// Pairs that lie in two lanes are brought together before they are split; those of a join need not move.
// CHECK-LABEL: func.func @pairs
// CHECK: tile.load
// CHECK: nv.convert
// CHECK: tile.split
// CHECK: tile.join
// CHECK-NOT: nv.convert
// CHECK: tile.split
func.func @pairs(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %xp : tensor<128x!tile.ptr<f32>>
  %two = tile.reshape %v : tensor<128xf32> -> tensor<64x2xf32>
  %even, %odd = tile.split %two : tensor<64x2xf32> -> tensor<64xf32>
  %turned = tile.join %odd, %even : tensor<64xf32> -> tensor<64x2xf32>
  %a, %b = tile.split %turned : tensor<64x2xf32> -> tensor<64xf32>
  %d = arith.subf %a, %b : tensor<64xf32>
  %j = tile.range 0 to 64 : tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.offset %ys, %j : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %yp, %d : tensor<64x!tile.ptr<f32>>
  func.return
}

// -----

// A gather lies as its indices do, wherever what it takes from is.
// CHECK-LABEL: func.func @gather
// CHECK: tile.gather
// CHECK-SAME: tensor<64xf32, #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32, 0]}
// CHECK-SAME: tensor<64xi32, #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32, 0]}
// CHECK-SAME: -> tensor<64xf32, #nv.layout<"{register: [], lane: [1, 2, 4, 8, 16], warp: [32, 0]}
func.func @gather(%x: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  %last = arith.constant dense<63> : tensor<64xi32>
  %j = arith.subi %last, %i : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  %g = tile.gather %v at %j axis 0 : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
  tile.store %xp, %g : tensor<64x!tile.ptr<f32>>
  func.return
}
