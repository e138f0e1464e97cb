// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles are given to threads: accesses along addresses, products as their instruction has them,
// everything else as what it is made from.
// RUN: %nereid-opt %s -nvptx-configure="warps=4 sm=sm_80" -nvptx-choose-products -nvptx-assign-layouts -split-input-file | FileCheck %s

// Four neighbours of 4 bytes a thread; the mask and the addresses are computed where they are used.
// CHECK-LABEL: func.func @add
// CHECK: tile.range 0 to 1024 : tensor<1024xi32, #nv.layout<"{register: [1, 2, 512], lane: [4, 8, 16, 32, 64], warp: [128, 256]} -> {dim0: 1024}">>
// CHECK-NOT: nv.convert
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
               %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp mask %m : tensor<1024x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.offset %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %w mask %m : tensor<1024x!tile.ptr<f32>>
  func.return
}

// -----

// The sums start as constants and lie as the products do; the factors are converted once each.
// CHECK-LABEL: func.func @dot
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<64x64xf32, #nv.layout<"{register: {{\[\[}}0, 1], [8, 0]
// CHECK-COUNT-2: nv.convert
// CHECK-NOT: nv.convert
// CHECK: tile.dot
func.func @dot(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %k: i32)
    attributes {tile.kernel, tile.noalias} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.range 0 to 64 : tensor<64xi32>
  %rows = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %down = arith.muli %rows, %c64 : tensor<64x1xi32>
  %wide = tile.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %row = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %across = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %wide, %across : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %start = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %r = %zero to %k step %one iter_args(%acc = %start) -> tensor<64x64xf32> : i32 {
    %v = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %v, %v, %acc precision tf32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.offset %cs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  func.return
}

// -----

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
  %i = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %two = tile.reshape %v : tensor<256xf32> -> tensor<128x2xf32>
  %even, %odd = tile.split %two : tensor<128x2xf32> -> tensor<128xf32>
  %turned = tile.join %odd, %even : tensor<128xf32> -> tensor<128x2xf32>
  %a, %b = tile.split %turned : tensor<128x2xf32> -> tensor<128xf32>
  %d = arith.subf %a, %b : tensor<128xf32>
  %j = tile.range 0 to 128 : tensor<128xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %yp = tile.offset %ys, %j : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %yp, %d : tensor<128x!tile.ptr<f32>>
  func.return
}

// -----

// A row of which no thread has more than one element is loaded by all that want it: nothing changes hands.
// CHECK-LABEL: func.func @short_row
// CHECK-NOT: nv.convert
// CHECK: tile.load
// CHECK-NOT: nv.convert
// CHECK: return
func.func @short_row(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 32 : tensor<32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %xp : tensor<32x!tile.ptr<f32>>
  %row = tile.expand_dims %v axis 0 : tensor<32xf32> -> tensor<1x32xf32>
  %rows = tile.broadcast %row : tensor<1x32xf32> -> tensor<128x32xf32>
  %k = tile.range 0 to 128 : tensor<128xi32>
  %kc = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %width = arith.constant dense<32> : tensor<128x1xi32>
  %first = arith.muli %kc, %width : tensor<128x1xi32>
  %firsts = tile.broadcast %first : tensor<128x1xi32> -> tensor<128x32xi32>
  %ic = tile.expand_dims %i axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %is = tile.broadcast %ic : tensor<1x32xi32> -> tensor<128x32xi32>
  %at = arith.addi %firsts, %is : tensor<128x32xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
  %yp = tile.offset %ys, %at : tensor<128x32x!tile.ptr<f32>>, tensor<128x32xi32>
  %old = tile.load %yp : tensor<128x32x!tile.ptr<f32>>
  %sum = arith.addf %old, %rows : tensor<128x32xf32>
  tile.store %yp, %sum : tensor<128x32x!tile.ptr<f32>>
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

// -----

// Rows whose numbers are loaded are read as wide as their addresses allow. The numbers, few as they are, are read by all that want them.
// CHECK-LABEL: func.func @rows_of_a_table
// CHECK-NOT: nv.convert
// CHECK: tile.load {{.*}} : tensor<2x1x
// CHECK-NOT: nv.convert
// CHECK: tile.load {{.*}} : tensor<2x256x!tile.ptr<f32>, #nv.layout<"{register: {{\[\[}}0, 1], [0, 2]], lane
// CHECK-NOT: nv.convert
// CHECK: tile.store
func.func @rows_of_a_table(%numbers: !tile.ptr<i32>, %table: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                           %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 2 : tensor<2xi32>
  %ic = tile.expand_dims %i axis 1 : tensor<2xi32> -> tensor<2x1xi32>
  %ns = tile.splat %numbers : !tile.ptr<i32> -> tensor<2x1x!tile.ptr<i32>>
  %np = tile.offset %ns, %ic : tensor<2x1x!tile.ptr<i32>>, tensor<2x1xi32>
  %n = tile.load %np : tensor<2x1x!tile.ptr<i32>>
  %width = arith.constant dense<256> : tensor<2x1xi32>
  %first = arith.muli %n, %width : tensor<2x1xi32>
  %firsts = tile.broadcast %first : tensor<2x1xi32> -> tensor<2x256xi32>
  %k = tile.range 0 to 256 : tensor<256xi32>
  %kr = tile.expand_dims %k axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %ks = tile.broadcast %kr : tensor<1x256xi32> -> tensor<2x256xi32>
  %at = arith.addi %ks, %firsts : tensor<2x256xi32>
  %ts = tile.splat %table : !tile.ptr<f32> -> tensor<2x256x!tile.ptr<f32>>
  %tp = tile.offset %ts, %at : tensor<2x256x!tile.ptr<f32>>, tensor<2x256xi32>
  %v = tile.load %tp : tensor<2x256x!tile.ptr<f32>>
  %down = arith.muli %ic, %width : tensor<2x1xi32>
  %downs = tile.broadcast %down : tensor<2x1xi32> -> tensor<2x256xi32>
  %to = arith.addi %ks, %downs : tensor<2x256xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<2x256x!tile.ptr<f32>>
  %yp = tile.offset %ys, %to : tensor<2x256x!tile.ptr<f32>>, tensor<2x256xi32>
  tile.store %yp, %v : tensor<2x256x!tile.ptr<f32>>
  func.return
}

// -----

// More of them move, one for each row.
// CHECK-LABEL: func.func @many_rows_of_a_table
// CHECK: nv.convert {{.*}} : tensor<256x1xi32
// CHECK-NOT: nv.convert
// CHECK: tile.load {{.*}} : tensor<256x256x!tile.ptr<f32>, #nv.layout<"{register: {{\[\[}}0, 1], [0, 2], [
// CHECK-NOT: nv.convert
// CHECK: tile.store
func.func @many_rows_of_a_table(%numbers: !tile.ptr<i32>, %table: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                           %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 256 : tensor<256xi32>
  %ic = tile.expand_dims %i axis 1 : tensor<256xi32> -> tensor<256x1xi32>
  %ns = tile.splat %numbers : !tile.ptr<i32> -> tensor<256x1x!tile.ptr<i32>>
  %np = tile.offset %ns, %ic : tensor<256x1x!tile.ptr<i32>>, tensor<256x1xi32>
  %n = tile.load %np : tensor<256x1x!tile.ptr<i32>>
  %width = arith.constant dense<256> : tensor<256x1xi32>
  %first = arith.muli %n, %width : tensor<256x1xi32>
  %firsts = tile.broadcast %first : tensor<256x1xi32> -> tensor<256x256xi32>
  %k = tile.range 0 to 256 : tensor<256xi32>
  %kr = tile.expand_dims %k axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %ks = tile.broadcast %kr : tensor<1x256xi32> -> tensor<256x256xi32>
  %at = arith.addi %ks, %firsts : tensor<256x256xi32>
  %ts = tile.splat %table : !tile.ptr<f32> -> tensor<256x256x!tile.ptr<f32>>
  %tp = tile.offset %ts, %at : tensor<256x256x!tile.ptr<f32>>, tensor<256x256xi32>
  %v = tile.load %tp : tensor<256x256x!tile.ptr<f32>>
  %down = arith.muli %ic, %width : tensor<256x1xi32>
  %downs = tile.broadcast %down : tensor<256x1xi32> -> tensor<256x256xi32>
  %to = arith.addi %ks, %downs : tensor<256x256xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x256x!tile.ptr<f32>>
  %yp = tile.offset %ys, %to : tensor<256x256x!tile.ptr<f32>>, tensor<256x256xi32>
  tile.store %yp, %v : tensor<256x256x!tile.ptr<f32>>
  func.return
}

// -----

// Elements that share no sector are loaded, and stored, where their neighbours in other arrays are.
// CHECK-LABEL: func.func @far_apart
// CHECK-NOT: nv.convert
// CHECK: tile.store
// CHECK-NOT: nv.convert
// CHECK: tile.store
func.func @far_apart(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %far: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %xp : tensor<512x!tile.ptr<f32>>
  %eight = arith.constant dense<8> : tensor<512xi32>
  %apart = arith.muli %i, %eight : tensor<512xi32>
  %odd = tile.splat %n : i32 -> tensor<512xi32>
  %at = arith.addi %odd, %apart : tensor<512xi32>
  %fs = tile.splat %far : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %fp = tile.offset %fs, %at : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %w = tile.load %fp : tensor<512x!tile.ptr<f32>>
  %e = math.exp %w : tensor<512xf32>
  %sum = arith.addf %v, %e : tensor<512xf32>
  tile.store %xp, %sum : tensor<512x!tile.ptr<f32>>
  tile.store %fp, %sum : tensor<512x!tile.ptr<f32>>
  func.return
}

// -----

// Those that do share some are not: lanes go along them.
// CHECK-LABEL: func.func @half_a_sector_apart
// CHECK: nv.convert
// CHECK: return
func.func @half_a_sector_apart(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %near: !tile.ptr<f32>)
    attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.offset %xs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %xp : tensor<512x!tile.ptr<f32>>
  %four = arith.constant dense<4> : tensor<512xi32>
  %at = arith.muli %i, %four : tensor<512xi32>
  %fs = tile.splat %near : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %fp = tile.offset %fs, %at : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %w = tile.load %fp : tensor<512x!tile.ptr<f32>>
  %sum = arith.addf %v, %w : tensor<512xf32>
  tile.store %xp, %sum : tensor<512x!tile.ptr<f32>>
  func.return
}
