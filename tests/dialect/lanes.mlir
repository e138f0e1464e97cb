// What operations answer about their lanes and about memory, those of other dialects too.
// RUN: %nereid-opt %s -allow-unregistered-dialect -print-lanes | FileCheck %s

func.func @k(%p: tensor<8x1x!tile.ptr<f32>>, %q: !tile.ptr<i32>, %s: f32, %n: i32, %b: i1)
    attributes {tile.kernel} {
  // CHECK: tile.load: lanewise [0, none] reads{{$}}
  %v = tile.load %p : tensor<8x1x!tile.ptr<f32>>
  // CHECK: tile.load: lanewise reads acquires{{$}}
  %u = tile.load %q {isVolatile} : !tile.ptr<i32>
  // CHECK: tile.store: [0, none] [0, none] writes{{$}}
  tile.store %p, %v : tensor<8x1x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw: reads writes{{$}}
  %a = tile.atomic_rmw add %q, %n order relaxed scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw: reads writes acquires{{$}}
  %c = tile.atomic_rmw add %q, %n order acquire scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw: reads writes releases{{$}}
  %d = tile.atomic_rmw add %q, %n order release scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw: reads writes acquires releases{{$}}
  %e = tile.atomic_rmw add %q, %n order acq_rel scope gpu : !tile.ptr<i32>
  // CHECK: tile.atomic_cas: reads writes acquires{{$}}
  %cas = tile.atomic_cas %q, %n, %n order acquire scope gpu : !tile.ptr<i32>
  // CHECK: tile.barrier: acquires releases{{$}}
  tile.barrier
  // CHECK: arith.addf: lanewise [0, none] [0, none]{{$}}
  %f = arith.addf %v, %v : tensor<8x1xf32>
  // CHECK: math.exp: lanewise [0, none]{{$}}
  %g = math.exp %f : tensor<8x1xf32>
  // CHECK: tile.broadcast: moves lanes [0, none]{{$}}
  %h = tile.broadcast %g : tensor<8x1xf32> -> tensor<8x4xf32>
  // CHECK: tile.permute: moves lanes [1, 0]{{$}}
  %i = tile.permute %h [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: tile.expand_dims: moves lanes [0, 2]{{$}}
  %j = tile.expand_dims %i axis 1 : tensor<4x8xf32> -> tensor<4x1x8xf32>
  // CHECK: tile.reshape: moves lanes [0, none, 2]{{$}}
  %k = tile.reshape %j : tensor<4x1x8xf32> -> tensor<4x1x8x1xf32>
  // A reshape that moves lanes has no map; it reads an array.
  // CHECK: tile.reshape: whole{{$}}
  %l = tile.reshape %i : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: tile.join: lanewise [0, none] [0, none]{{$}}
  %pairs = tile.join %g, %g : tensor<8x1xf32> -> tensor<8x1x2xf32>
  // Which half is wanted is in no map.
  // CHECK: tile.split: lanewise whole{{$}}
  %first, %second = tile.split %pairs : tensor<8x1x2xf32> -> tensor<8x1xf32>
  // CHECK: tile.splat: moves lanes{{$}}
  %m = tile.splat %s : f32 -> tensor<4x4xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  // CHECK: tile.dot: [0, 1] [0, 1] [0, 1]{{$}}
  %o = tile.dot %h, %i, %zero precision ieee : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %order = tile.range 0 to 32 : tensor<32xi32>
  // Any lane of the source may be asked for.
  // CHECK: tile.gather: whole [0]{{$}}
  %gathered = tile.gather %l at %order axis 0 : tensor<32xf32>, tensor<32xi32> -> tensor<32xf32>
  // CHECK: tile.histogram: [0]{{$}}
  %counts = tile.histogram %order : tensor<32xi32> -> tensor<8xi32>
  // CHECK: tile.scan: [0]{{$}}
  %scanned = tile.scan (%l) axis 0 : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%before: f32, %lane: f32):
    tile.yield %lane : f32
  }
  // CHECK: tile.print: whole{{$}}
  tile.print inline ["x = ", ""] (%l : tensor<32xf32>) signed [true]
  // CHECK: scf.if:{{$}}
  // CHECK: scf.yield: [0]{{$}}
  %r = scf.if %b -> (tensor<32xf32>) {
    scf.yield %l : tensor<32xf32>
  } else {
    scf.yield %l : tensor<32xf32>
  }
  // Of what is not known, everything is expected.
  // CHECK: made.up: whole reads writes acquires releases{{$}}
  %t = "made.up"(%l) : (tensor<32xf32>) -> tensor<32xf32>
  return
}
