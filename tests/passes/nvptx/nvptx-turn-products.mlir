// Which factor of bytes warps turn, and how warpgroups share the product then.
// RUN: %nereid-opt %s -nvptx-configure="warps=8" -nvptx-choose-products -nvptx-turn-products | FileCheck %s

// The right one along n: each warpgroup has some of its columns, which are rows of the instruction.
// CHECK-LABEL: func.func @right
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 1, beside = 2, columns = 128, overlap = in_flight, turned = right>}
func.func @right(%a: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %zero: tensor<128x256xi32>, %n: i32) attributes {tile.kernel} {
  %ar = tile.range 0 to 128 : tensor<128xi32>
  %ac = tile.range 0 to 64 : tensor<64xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %arb = tile.broadcast %are : tensor<128x1xi32> -> tensor<128x64xi32>
  %acb = tile.broadcast %ace : tensor<1x64xi32> -> tensor<128x64xi32>
  %afar = arith.constant dense<64> : tensor<128x64xi32>
  %am = arith.muli %arb, %afar : tensor<128x64xi32>
  %aat = arith.addi %am, %acb : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<i8> -> tensor<128x64x!tile.ptr<i8>>
  %ap = tile.offset %as, %aat : tensor<128x64x!tile.ptr<i8>>, tensor<128x64xi32>
  %br = tile.range 0 to 64 : tensor<64xi32>
  %bc = tile.range 0 to 256 : tensor<256xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %brb = tile.broadcast %bre : tensor<64x1xi32> -> tensor<64x256xi32>
  %bcb = tile.broadcast %bce : tensor<1x256xi32> -> tensor<64x256xi32>
  %bfar = arith.constant dense<256> : tensor<64x256xi32>
  %bm = arith.muli %brb, %bfar : tensor<64x256xi32>
  %bat = arith.addi %bm, %bcb : tensor<64x256xi32>
  %bs = tile.splat %b : !tile.ptr<i8> -> tensor<64x256x!tile.ptr<i8>>
  %bp = tile.offset %bs, %bat : tensor<64x256x!tile.ptr<i8>>, tensor<64x256xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x256xi32>) : i32 {
    %a1 = tile.load %ap : tensor<128x64x!tile.ptr<i8>>
    %b1 = tile.load %bp : tensor<64x256x!tile.ptr<i8>>
    %next = tile.dot %a1, %b1, %s precision tf32 : tensor<128x64xi8>, tensor<64x256xi8> -> tensor<128x256xi32>
    scf.yield %next : tensor<128x256xi32>
  }
  return
}

// The left one along m, with one warpgroup's rows: two share the columns.
// CHECK-LABEL: func.func @left
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 1, beside = 2, columns = 64, overlap = in_flight, turned = left>}
func.func @left(%a: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64},
                  %zero: tensor<64x128xf32>, %n: i32) attributes {tile.kernel} {
  %ar = tile.range 0 to 64 : tensor<64xi32>
  %ac = tile.range 0 to 32 : tensor<32xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %arb = tile.broadcast %are : tensor<64x1xi32> -> tensor<64x32xi32>
  %acb = tile.broadcast %ace : tensor<1x32xi32> -> tensor<64x32xi32>
  %afar = arith.constant dense<64> : tensor<64x32xi32>
  %am = arith.muli %acb, %afar : tensor<64x32xi32>
  %aat = arith.addi %am, %arb : tensor<64x32xi32>
  %as = tile.splat %a : !tile.ptr<f8E4M3FN> -> tensor<64x32x!tile.ptr<f8E4M3FN>>
  %ap = tile.offset %as, %aat : tensor<64x32x!tile.ptr<f8E4M3FN>>, tensor<64x32xi32>
  %br = tile.range 0 to 32 : tensor<32xi32>
  %bc = tile.range 0 to 128 : tensor<128xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %brb = tile.broadcast %bre : tensor<32x1xi32> -> tensor<32x128xi32>
  %bcb = tile.broadcast %bce : tensor<1x128xi32> -> tensor<32x128xi32>
  %bfar = arith.constant dense<32> : tensor<32x128xi32>
  %bm = arith.muli %bcb, %bfar : tensor<32x128xi32>
  %bat = arith.addi %bm, %brb : tensor<32x128xi32>
  %bs = tile.splat %b : !tile.ptr<f8E4M3FN> -> tensor<32x128x!tile.ptr<f8E4M3FN>>
  %bp = tile.offset %bs, %bat : tensor<32x128x!tile.ptr<f8E4M3FN>>, tensor<32x128xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x128xf32>) : i32 {
    %a1 = tile.load %ap : tensor<64x32x!tile.ptr<f8E4M3FN>>
    %b1 = tile.load %bp : tensor<32x128x!tile.ptr<f8E4M3FN>>
    %next = tile.dot %a1, %b1, %s precision tf32 : tensor<64x32xf8E4M3FN>, tensor<32x128xf8E4M3FN> -> tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  return
}

// Both as instructions read them; neither; and halves, which are read either way.
// CHECK-LABEL: func.func @as_read
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 64, overlap = in_flight>}
func.func @as_read(%a: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %zero: tensor<128x64xi32>, %n: i32) attributes {tile.kernel} {
  %ar = tile.range 0 to 128 : tensor<128xi32>
  %ac = tile.range 0 to 64 : tensor<64xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %arb = tile.broadcast %are : tensor<128x1xi32> -> tensor<128x64xi32>
  %acb = tile.broadcast %ace : tensor<1x64xi32> -> tensor<128x64xi32>
  %afar = arith.constant dense<64> : tensor<128x64xi32>
  %am = arith.muli %arb, %afar : tensor<128x64xi32>
  %aat = arith.addi %am, %acb : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<i8> -> tensor<128x64x!tile.ptr<i8>>
  %ap = tile.offset %as, %aat : tensor<128x64x!tile.ptr<i8>>, tensor<128x64xi32>
  %br = tile.range 0 to 64 : tensor<64xi32>
  %bc = tile.range 0 to 64 : tensor<64xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %brb = tile.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tile.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bfar = arith.constant dense<64> : tensor<64x64xi32>
  %bm = arith.muli %bcb, %bfar : tensor<64x64xi32>
  %bat = arith.addi %bm, %brb : tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>>
  %bp = tile.offset %bs, %bat : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x64xi32>) : i32 {
    %a1 = tile.load %ap : tensor<128x64x!tile.ptr<i8>>
    %b1 = tile.load %bp : tensor<64x64x!tile.ptr<i8>>
    %next = tile.dot %a1, %b1, %s precision tf32 : tensor<128x64xi8>, tensor<64x64xi8> -> tensor<128x64xi32>
    scf.yield %next : tensor<128x64xi32>
  }
  return
}
// CHECK-LABEL: func.func @neither
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 64, overlap = in_flight, turned = left>}
func.func @neither(%a: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %zero: tensor<128x64xi32>, %n: i32) attributes {tile.kernel} {
  %ar = tile.range 0 to 128 : tensor<128xi32>
  %ac = tile.range 0 to 64 : tensor<64xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %arb = tile.broadcast %are : tensor<128x1xi32> -> tensor<128x64xi32>
  %acb = tile.broadcast %ace : tensor<1x64xi32> -> tensor<128x64xi32>
  %afar = arith.constant dense<128> : tensor<128x64xi32>
  %am = arith.muli %acb, %afar : tensor<128x64xi32>
  %aat = arith.addi %am, %arb : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<i8> -> tensor<128x64x!tile.ptr<i8>>
  %ap = tile.offset %as, %aat : tensor<128x64x!tile.ptr<i8>>, tensor<128x64xi32>
  %br = tile.range 0 to 64 : tensor<64xi32>
  %bc = tile.range 0 to 64 : tensor<64xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %brb = tile.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tile.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bfar = arith.constant dense<64> : tensor<64x64xi32>
  %bm = arith.muli %brb, %bfar : tensor<64x64xi32>
  %bat = arith.addi %bm, %bcb : tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>>
  %bp = tile.offset %bs, %bat : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x64xi32>) : i32 {
    %a1 = tile.load %ap : tensor<128x64x!tile.ptr<i8>>
    %b1 = tile.load %bp : tensor<64x64x!tile.ptr<i8>>
    %next = tile.dot %a1, %b1, %s precision tf32 : tensor<128x64xi8>, tensor<64x64xi8> -> tensor<128x64xi32>
    scf.yield %next : tensor<128x64xi32>
  }
  return
}
// CHECK-LABEL: func.func @halves
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 64, overlap = in_flight>}
func.func @halves(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                  %zero: tensor<128x64xf32>, %n: i32) attributes {tile.kernel} {
  %ar = tile.range 0 to 128 : tensor<128xi32>
  %ac = tile.range 0 to 64 : tensor<64xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %arb = tile.broadcast %are : tensor<128x1xi32> -> tensor<128x64xi32>
  %acb = tile.broadcast %ace : tensor<1x64xi32> -> tensor<128x64xi32>
  %afar = arith.constant dense<64> : tensor<128x64xi32>
  %am = arith.muli %arb, %afar : tensor<128x64xi32>
  %aat = arith.addi %am, %acb : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %ap = tile.offset %as, %aat : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %br = tile.range 0 to 64 : tensor<64xi32>
  %bc = tile.range 0 to 64 : tensor<64xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %brb = tile.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tile.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bfar = arith.constant dense<64> : tensor<64x64xi32>
  %bm = arith.muli %brb, %bfar : tensor<64x64xi32>
  %bat = arith.addi %bm, %bcb : tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.offset %bs, %bat : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x64xf32>) : i32 {
    %a1 = tile.load %ap : tensor<128x64x!tile.ptr<f16>>
    %b1 = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %a1, %b1, %s precision tf32 : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  return
}

// What no round makes is turned once, in shared memory.
// CHECK-LABEL: func.func @kept
// CHECK: tile.dot {{.*}} {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 64, overlap = in_flight>}
func.func @kept(%a: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i64},
                  %zero: tensor<128x64xi32>, %n: i32) attributes {tile.kernel} {
  %ar = tile.range 0 to 128 : tensor<128xi32>
  %ac = tile.range 0 to 64 : tensor<64xi32>
  %are = tile.expand_dims %ar axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ace = tile.expand_dims %ac axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %arb = tile.broadcast %are : tensor<128x1xi32> -> tensor<128x64xi32>
  %acb = tile.broadcast %ace : tensor<1x64xi32> -> tensor<128x64xi32>
  %afar = arith.constant dense<64> : tensor<128x64xi32>
  %am = arith.muli %arb, %afar : tensor<128x64xi32>
  %aat = arith.addi %am, %acb : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<i8> -> tensor<128x64x!tile.ptr<i8>>
  %ap = tile.offset %as, %aat : tensor<128x64x!tile.ptr<i8>>, tensor<128x64xi32>
  %br = tile.range 0 to 64 : tensor<64xi32>
  %bc = tile.range 0 to 64 : tensor<64xi32>
  %bre = tile.expand_dims %br axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bce = tile.expand_dims %bc axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %brb = tile.broadcast %bre : tensor<64x1xi32> -> tensor<64x64xi32>
  %bcb = tile.broadcast %bce : tensor<1x64xi32> -> tensor<64x64xi32>
  %bfar = arith.constant dense<64> : tensor<64x64xi32>
  %bm = arith.muli %brb, %bfar : tensor<64x64xi32>
  %bat = arith.addi %bm, %bcb : tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>>
  %bp = tile.offset %bs, %bat : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  %b1 = tile.load %bp : tensor<64x64x!tile.ptr<i8>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x64xi32>) : i32 {
    %a1 = tile.load %ap : tensor<128x64x!tile.ptr<i8>>
    %next = tile.dot %a1, %b1, %s precision tf32 : tensor<128x64xi8>, tensor<64x64xi8> -> tensor<128x64xi32>
    scf.yield %next : tensor<128x64xi32>
  }
  return
}
