// Which tiles the CPU stores, and why.
// RUN: %nereid-opt %s -split-input-file -print-cpu-storage | FileCheck %s

// A tile that is used once, lane by lane, is read where it is used: an acquire is no reason not to,
// and neither is an atomic elsewhere that orders nothing.
// CHECK-LABEL: read_late: 0 bytes
// CHECK: %[[V:[0-9]+]] tile.load tensor<64xf32> virtual
func.func @read_late(%buf: !tile.ptr<f32>, %flag: !tile.ptr<i32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.noalias} {
  %one = arith.constant 1 : i32
  %i = tile.range 0 to 64 : tensor<64xi32>
  %b = tile.splat %buf : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.offset %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.offset %o, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  %r = tile.atomic_rmw add %flag, %one order relaxed scope gpu : !tile.ptr<i32>
  %a = tile.atomic_rmw add %flag, %one order acquire scope gpu : !tile.ptr<i32>
  %w = tile.load %flag {isVolatile} : !tile.ptr<i32>
  tile.store %q, %v : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// Once the program has released, another may write there, whatever `noalias` says.
// CHECK-LABEL: released: 256 bytes
// CHECK: tile.load tensor<64xf32> stored at 0, 256 bytes
func.func @released(%buf: !tile.ptr<f32>, %flag: !tile.ptr<i32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.noalias} {
  %one = arith.constant 1 : i32
  %i = tile.range 0 to 64 : tensor<64xi32>
  %b = tile.splat %buf : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.offset %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.offset %o, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  %r = tile.atomic_rmw add %flag, %one order release scope gpu : !tile.ptr<i32>
  tile.store %q, %v : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// The same, where the release stands in a loop on the way.
// CHECK-LABEL: released_inside: 256 bytes
// CHECK: tile.load tensor<64xf32> stored at 0
func.func @released_inside(%buf: !tile.ptr<f32>, %flag: !tile.ptr<i32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.noalias} {
  %one = arith.constant 1 : i32
  %b = tile.splat %buf : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %v = tile.load %b : tensor<64x!tile.ptr<f32>>
  scf.for %k = %one to %one step %one : i32 {
    tile.barrier
  }
  tile.store %o, %v : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// A tile of atomics that releases acts only when its operands are there; with one lane they are.
// CHECK-LABEL: released_by_lanes:
// CHECK: tile.load tensor<64xi32> stored at 0
// CHECK: tile.load tensor<1xi32> virtual
// CHECK: tile.load tensor<64xi32> virtual
func.func @released_by_lanes(%buf: !tile.ptr<i32>, %flag: !tile.ptr<i32>)
    attributes {tile.kernel, tile.noalias} {
  %b = tile.splat %buf : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %f = tile.splat %flag : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %v = tile.load %b : tensor<64x!tile.ptr<i32>>
  %r = tile.atomic_rmw add %f, %v order release scope gpu : tensor<64x!tile.ptr<i32>>
  %b1 = tile.splat %buf : !tile.ptr<i32> -> tensor<1x!tile.ptr<i32>>
  %f1 = tile.splat %flag : !tile.ptr<i32> -> tensor<1x!tile.ptr<i32>>
  %v1 = tile.load %b1 : tensor<1x!tile.ptr<i32>>
  %r1 = tile.atomic_rmw add %f1, %v1 order release scope gpu : tensor<1x!tile.ptr<i32>>
  %v2 = tile.load %b : tensor<64x!tile.ptr<i32>>
  %r2 = tile.atomic_rmw add %f, %v2 order relaxed scope gpu : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// A volatile load is made at its place.
// CHECK-LABEL: volatile: 256 bytes
// CHECK: tile.load tensor<64xi32> stored at 0
func.func @volatile(%buf: !tile.ptr<i32>, %out: !tile.ptr<i32>)
    attributes {tile.kernel, tile.noalias} {
  %b = tile.splat %buf : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %o = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %v = tile.load %b {isVolatile} : tensor<64x!tile.ptr<i32>>
  tile.store %o, %v : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// The program's own writes: to another argument they are none without `noalias`.
// CHECK-LABEL: own_writes: 256 bytes
// CHECK: tile.load tensor<64xi32> stored at 0
func.func @own_writes(%buf: !tile.ptr<i32>, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %i = tile.range 0 to 64 : tensor<64xi32>
  %b = tile.splat %buf : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %p = tile.offset %b, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %o = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %q = tile.offset %o, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<i32>>
  tile.store %q, %zero : tensor<64x!tile.ptr<i32>>
  tile.store %p, %v : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// In one nest, each lane reads before it writes: that is enough where no lane writes what another reads.
// CHECK-LABEL: in_place: 0 bytes
// CHECK: tile.load tensor<64xi32> virtual
func.func @in_place(%buf: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  %b = tile.splat %buf : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %p = tile.offset %b, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<i32>>
  %w = arith.addi %v, %v : tensor<64xi32>
  tile.store %p, %w : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// What is computed and then repeated is stored; what is only moved is not. A reshape that moves lanes
// reads its source's memory, and so does a print.
// CHECK-LABEL: shapes: {{[0-9]+}} bytes
// CHECK: %[[E:[0-9]+]] math.exp tensor<8xf32> stored at [[AT:[0-9]+]], 32 bytes
// CHECK: tile.expand_dims tensor<8x1xf32> virtual
// CHECK: tile.broadcast tensor<8x4xf32> virtual
// CHECK: tile.permute tensor<4x8xf32> stored at [[FLAT:[0-9]+]], 128 bytes
// CHECK: tile.reshape tensor<32xf32> stored at [[FLAT]], 128 bytes
func.func @shapes(%buf: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %b = tile.splat %buf : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %v = tile.load %b : tensor<8x!tile.ptr<f32>>
  %e = math.exp %v : tensor<8xf32>
  %c = tile.expand_dims %e axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %m = tile.broadcast %c : tensor<8x1xf32> -> tensor<8x4xf32>
  %t = tile.permute %m [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %f = tile.reshape %t : tensor<4x8xf32> -> tensor<32xf32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  tile.store %o, %f : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// A tile that a loop carries has one buffer, in which its new value is computed.
// CHECK-LABEL: carried: 256 bytes
// CHECK: scf.for tensor<64xf32> stored at 0
// CHECK: carried tensor<64xf32> stored at 0
// CHECK: arith.addf tensor<64xf32> virtual
func.func @carried(%out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<64xf32>
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %init) -> (tensor<64xf32>) : i32 {
    %t = arith.addf %s, %s : tensor<64xf32>
    scf.yield %t : tensor<64xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// A loop in a loop carries the tile where the outer one does, and leaves it there.
// CHECK-LABEL: nested: 256 bytes
// CHECK-COUNT-2: tensor<64xf32> stored at 0
// CHECK-COUNT-2: tensor<64xf32> stored at 0
func.func @nested(%out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<64xf32>
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %init) -> (tensor<64xf32>) : i32 {
    %inner = scf.for %l = %zero to %n step %one iter_args(%t = %s) -> (tensor<64xf32>) : i32 {
      %u = arith.addf %t, %t : tensor<64xf32>
      scf.yield %u : tensor<64xf32>
    }
    scf.yield %inner : tensor<64xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// Not where the inner loop reads what it began with in each round,
// CHECK-LABEL: nested_read_inside: 512 bytes
func.func @nested_read_inside(%out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<64xf32>
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %init) -> (tensor<64xf32>) : i32 {
    %inner = scf.for %l = %zero to %n step %one iter_args(%t = %s) -> (tensor<64xf32>) : i32 {
      %u = arith.addf %t, %s : tensor<64xf32>
      scf.yield %u : tensor<64xf32>
    }
    scf.yield %inner : tensor<64xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// nor where it is read behind it, or a second tile begins with it.
// CHECK-LABEL: nested_read_behind: 512 bytes
func.func @nested_read_behind(%out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<64xf32>
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %init) -> (tensor<64xf32>) : i32 {
    %inner = scf.for %l = %zero to %n step %one iter_args(%t = %s) -> (tensor<64xf32>) : i32 {
      %u = arith.addf %t, %t : tensor<64xf32>
      scf.yield %u : tensor<64xf32>
    }
    %v = arith.subf %inner, %s : tensor<64xf32>
    scf.yield %v : tensor<64xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// CHECK-LABEL: nested_twice: 768 bytes
func.func @nested_twice(%out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<64xf32>
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %init) -> (tensor<64xf32>) : i32 {
    %a, %b = scf.for %l = %zero to %n step %one iter_args(%t = %s, %r = %s) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
      %u = arith.addf %t, %t : tensor<64xf32>
      %w = arith.mulf %r, %r : tensor<64xf32>
      scf.yield %u, %w : tensor<64xf32>, tensor<64xf32>
    }
    %v = arith.subf %a, %b : tensor<64xf32>
    scf.yield %v : tensor<64xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// What is joined is computed once, on its way into memory; of what is split, only the pairs lie there.
// CHECK-LABEL: pairs: 1024 bytes
// CHECK: arith.mulf tensor<64xf32> virtual
// CHECK: tile.join tensor<64x2xf32> stored at 0, 512 bytes
// CHECK: tile.reshape tensor<2x64xf32> stored at 0, 512 bytes
// CHECK: tile.permute tensor<64x2xf32> stored at 512, 512 bytes
// CHECK: tile.split tensor<64xf32> virtual
// CHECK: tile.split tensor<64xf32> virtual
func.func @pairs(%buf: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  %b = tile.splat %buf : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.offset %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.offset %o, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  %m = arith.mulf %v, %v : tensor<64xf32>
  %j = tile.join %m, %v : tensor<64xf32> -> tensor<64x2xf32>
  %r = tile.reshape %j : tensor<64x2xf32> -> tensor<2x64xf32>
  %t = tile.permute %r [1, 0] : tensor<2x64xf32> -> tensor<64x2xf32>
  %f, %s = tile.split %t : tensor<64x2xf32> -> tensor<64xf32>
  %d = arith.subf %s, %f : tensor<64xf32>
  tile.store %q, %d : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// A tile that is kept beside its sum is written by the nest that sums it up.
// CHECK-LABEL: summed:
// CHECK: tile.load tensor<64xf32> stored at {{[0-9]+}}, 256 bytes, by the next reduction
func.func @summed(%buf: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  %b = tile.splat %buf : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.offset %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.offset %o, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  %sum = tile.reduce (%v) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    tile.yield %s : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<64xf32>
  %w = arith.subf %v, %sums : tensor<64xf32>
  tile.store %q, %w : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// Not so a tile that a mask needs, which is looked at before anything is computed.
// CHECK-LABEL: summed_under_a_mask:
// CHECK: tile.load tensor<64xi1> stored at {{[0-9]+}}, 64 bytes{{$}}
// CHECK: tile.load tensor<64xf32> stored at {{[0-9]+}}, 256 bytes, by the next reduction
func.func @summed_under_a_mask(%buf: !tile.ptr<f32>, %flags: !tile.ptr<i1>, %out: !tile.ptr<f32>, %flagsOut: !tile.ptr<i1>)
    attributes {tile.kernel, tile.noalias} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  %b = tile.splat %buf : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.offset %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %f = tile.splat %flags : !tile.ptr<i1> -> tensor<64x!tile.ptr<i1>>
  %g = tile.offset %f, %i : tensor<64x!tile.ptr<i1>>, tensor<64xi32>
  %h = tile.splat %flagsOut : !tile.ptr<i1> -> tensor<64x!tile.ptr<i1>>
  %k = tile.offset %h, %i : tensor<64x!tile.ptr<i1>>, tensor<64xi32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.offset %o, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %m = tile.load %g : tensor<64x!tile.ptr<i1>>
  %v = tile.load %p mask %m : tensor<64x!tile.ptr<f32>>
  %sum = tile.reduce (%v) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %c: f32):
    %s = arith.addf %a, %c : f32
    tile.yield %s : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<64xf32>
  %w = arith.subf %v, %sums : tensor<64xf32>
  tile.store %q, %w : tensor<64x!tile.ptr<f32>>
  tile.store %k, %m : tensor<64x!tile.ptr<i1>>
  return
}
