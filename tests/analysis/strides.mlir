// By how much addresses grow along each dimension, where that is known.
// RUN: %nereid-opt %s -print-strides | FileCheck %s

func.func @k(%p: !tile.ptr<f32>, %n: i32, %m: i8) attributes {tile.kernel} {
  // CHECK: %[[I:.*]] tile.range: 1
  %i = tile.range 0 to 16 : tensor<16xi32>
  // CHECK: tile.expand_dims: 1 0
  %column = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  // CHECK: tile.expand_dims: 0 1
  %row = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  // CHECK: arith.constant: 0 0
  %c64 = arith.constant dense<64> : tensor<16x1xi32>
  // CHECK: arith.muli: 64 0
  %rows = arith.muli %column, %c64 : tensor<16x1xi32>
  // CHECK: tile.broadcast: 64 0
  %a = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  // CHECK: tile.broadcast: 0 1
  %b = tile.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  // CHECK: arith.addi: 64 1
  %at = arith.addi %a, %b : tensor<16x16xi32>
  // CHECK: tile.permute: 1 64
  %turned = tile.permute %at [1, 0] : tensor<16x16xi32> -> tensor<16x16xi32>
  // CHECK: tile.hint: 1 64
  %hinted = tile.hint divisibility %turned [1, 1] : tensor<16x16xi32>
  // CHECK: tile.splat: 0 0
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  // CHECK: tile.offset: 1 64
  %ptrs = tile.offset %base, %hinted : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  // Dimensions of size 1 come and go.
  // CHECK: tile.reshape: 0 1 64
  %unit = tile.reshape %turned : tensor<16x16xi32> -> tensor<1x16x16xi32>
  // CHECK: tile.reshape: ?
  %flat = tile.reshape %turned : tensor<16x16xi32> -> tensor<256xi32>
  // A factor that is only known at run time.
  // CHECK: tile.splat: 0
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  // CHECK: arith.muli: ?
  %scaled = arith.muli %i, %ns : tensor<16xi32>
  // Narrow numbers may wrap, so that neighbours do not stay neighbours when they are widened.
  // CHECK: arith.trunci: ?
  %narrow = arith.trunci %i : tensor<16xi32> to tensor<16xi8>
  // CHECK: arith.extsi: 1
  %wide = arith.extsi %i : tensor<16xi32> to tensor<16xi64>
  return
}
