// Runs of neighbours (c), runs of equals (k) and divisors (d) along each dimension.
// RUN: %nereid-opt %s -print-axes | FileCheck %s

// CHECK: %arg0 argument: c1 k1 d16
// CHECK: %arg1 argument: c1 k1 d16
// CHECK: %arg2 argument: c1 k1 d1
func.func @add(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %m: i32)
    attributes {tile.kernel} {
  %pid = tile.program_id 0
  %block = arith.constant 1024 : i32
  // CHECK: arith.muli: c1 k1 d1024
  %start = arith.muli %pid, %block : i32
  // CHECK: tile.range: c1024 k1 d1099511627776
  %lanes = tile.range 0 to 1024 : tensor<1024xi32>
  // CHECK: tile.splat: c1 k1024 d1024
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  // CHECK: arith.addi: c1024 k1 d1024
  %offsets = arith.addi %starts, %lanes : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  // Sixteen neighbours lie on one side of a bound that is a multiple of 16,
  // CHECK: arith.cmpi: c1 k16 d1
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  // and on one side of `<=` only where they are alone.
  // CHECK: arith.cmpi: c1 k1 d1
  %closed = arith.cmpi sle, %offsets, %ns : tensor<1024xi32>
  // CHECK: arith.cmpi: c1 k16 d1
  %turned = arith.cmpi sgt, %ns, %offsets : tensor<1024xi32>
  %ms = tile.splat %m : i32 -> tensor<1024xi32>
  // CHECK: arith.cmpi: c1 k1 d1
  %ragged = arith.cmpi slt, %offsets, %ms : tensor<1024xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  // CHECK: tile.offset: c1024 k1 d16
  %ptrs = tile.offset %base, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // An offset that nothing is known of leaves runs, with an element's own alignment.
  // CHECK: arith.addi: c1024 k1 d1
  %moved = arith.addi %ms, %lanes : tensor<1024xi32>
  // CHECK: tile.offset: c1024 k1 d4
  %loose = tile.offset %base, %moved : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // Rounded down, and what is left, of numbers from zero up.
  %w = arith.constant dense<8> : tensor<1024xi32>
  // CHECK: arith.divsi: c1 k8 d1
  %rows = arith.divsi %lanes, %w : tensor<1024xi32>
  // CHECK: arith.remsi: c8 k1 d8
  %columns = arith.remsi %lanes, %w : tensor<1024xi32>
  // The wrap of a matrix multiplication: n is a multiple of 16.
  // CHECK: arith.remsi: c16 k1 d16
  %wrapped = arith.remsi %lanes, %ns : tensor<1024xi32>
  // CHECK: arith.divsi: c1 k16 d1
  %channels = arith.divsi %lanes, %ns : tensor<1024xi32>
  // Below zero, rounding towards zero breaks runs.
  %shifted = tile.range -512 to 512 : tensor<1024xi32>
  // CHECK: arith.divsi: c1 k1 d1
  %signed = arith.divsi %shifted, %w : tensor<1024xi32>
  func.return
}

// CHECK: %arg1 argument: c1 k1 d1
func.func @rows(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}, %k: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  // CHECK: tile.expand_dims: c64 k1 d1099511627776 c1 k1 d1
  %column = tile.expand_dims %rows axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
  // CHECK: arith.muli: c1 k1 d16 c1 k1 d16
  %down = arith.muli %column, %strides : tensor<64x1xi32>
  // CHECK: tile.broadcast: c1 k1 d16 c1 k32 d16
  %wide = tile.broadcast %down : tensor<64x1xi32> -> tensor<64x32xi32>
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %lanes axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  // CHECK: tile.broadcast: c1 k64 d1 c32 k1 d1099511627776
  %across = tile.broadcast %row : tensor<1x32xi32> -> tensor<64x32xi32>
  // CHECK: arith.addi: c1 k1 d1 c32 k1 d16
  %at = arith.addi %wide, %across : tensor<64x32xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  // CHECK: tile.offset: c1 k1 d2 c32 k1 d16
  %ptrs = tile.offset %base, %at : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  // A loop keeps what each of its rounds keeps: 32 elements of 2 bytes.
  // CHECK: %{{.*}} argument: c1 k1 d32
  // CHECK: %{{.*}} argument: c1 k1 d2 c32 k1 d16
  %end = scf.for %i = %c0 to %k step %c32 iter_args(%at2 = %ptrs) -> tensor<64x32x!tile.ptr<f16>> : i32 {
    %step = tile.splat %c32 : i32 -> tensor<64x32xi32>
    %next = tile.offset %at2, %step : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    scf.yield %next : tensor<64x32x!tile.ptr<f16>>
  }
  func.return
}

// The smaller or larger of two numbers is one of them, where both are the same for a run of elements.
func.func @extremes(%begin: i32 {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %m: i32)
    attributes {tile.kernel} {
  // CHECK: arith.minsi: c1 k1 d16
  %end = arith.minsi %begin, %n : i32
  // CHECK: arith.maxsi: c1 k1 d1
  %ragged = arith.maxsi %begin, %m : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %ends = tile.splat %end : i32 -> tensor<64xi32>
  // Elements on both sides of the bound come of different ones.
  // CHECK: arith.minsi: c1 k1 d1
  %clamped = arith.minsi %lanes, %ends : tensor<64xi32>
  %others = tile.splat %n : i32 -> tensor<64xi32>
  // CHECK: arith.minui: c1 k64 d16
  %bounds = arith.minui %ends, %others : tensor<64xi32>
  // CHECK: arith.cmpi: c1 k16 d1
  %mask = arith.cmpi slt, %lanes, %bounds : tensor<64xi32>
  return
}

// Bits that no element of a run has of its own change for all of it, whatever stands above and below.
func.func @flipped(%stride: i32 {tile.divisibility = 16 : i32}, %n: i32, %tile: tensor<64xi32>) attributes {tile.kernel} {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  // CHECK: arith.xori: c4 k1 d4
  %0 = arith.xori %lanes, %four : tensor<64xi32>
  // CHECK: arith.xori: c4 k1 d4
  %1 = arith.xori %four, %lanes : tensor<64xi32>
  %64 = arith.constant dense<64> : tensor<64xi32>
  // CHECK: arith.ori: c64 k1 d64
  %2 = arith.ori %lanes, %64 : tensor<64xi32>
  %six = arith.constant dense<6> : tensor<64xi32>
  // CHECK: arith.ori: c2 k1 d2
  %3 = arith.ori %lanes, %six : tensor<64xi32>
  %strides = tile.splat %stride : i32 -> tensor<64xi32>
  // CHECK: arith.xori: c16 k1 d16
  %4 = arith.xori %lanes, %strides : tensor<64xi32>
  // Runs that begin anywhere, and numbers that nothing is known of.
  %odd = tile.range 3 to 67 : tensor<64xi32>
  // CHECK: arith.xori: c1 k1 d1
  %5 = arith.xori %odd, %64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  // CHECK: arith.xori: c1 k1 d1
  %6 = arith.xori %lanes, %ns : tensor<64xi32>
  // CHECK: arith.ori: c1 k1 d1
  %7 = arith.ori %lanes, %tile : tensor<64xi32>
  // CHECK: arith.xori: c1 k1 d1
  %8 = arith.xori %tile, %four : tensor<64xi32>
  // CHECK: arith.xori: c1 k1
  %9 = arith.xori %lanes, %lanes : tensor<64xi32>
  // Equals stay equals.
  // CHECK: arith.xori: c1 k64 d4
  %10 = arith.xori %strides, %four : tensor<64xi32>
  // What is added moves runs, and their beginnings by what divides both.
  // CHECK: arith.addi: c4 k1 d4
  %11 = arith.addi %0, %strides : tensor<64xi32>
  // CHECK: arith.addi: c16 k1 d16
  %12 = arith.addi %4, %strides : tensor<64xi32>
  // CHECK: arith.addi: c4 k1 d1
  %13 = arith.addi %0, %ns : tensor<64xi32>
  // Below zero as above it.
  %below = tile.range -64 to 0 : tensor<64xi32>
  // CHECK: arith.xori: c4 k1 d4
  %14 = arith.xori %below, %four : tensor<64xi32>
  return
}
