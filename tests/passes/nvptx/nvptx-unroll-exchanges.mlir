// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -nvptx-configure="warps=4" -nvptx-unroll-exchanges | FileCheck %s

// A merge of runs of eight: each step knows its partner.
// CHECK-LABEL: func.func @merged
// CHECK-NOT: scf.for
// CHECK-DAG: %[[FOUR:.*]] = arith.constant dense<4>
// CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1>
// CHECK-DAG: arith.xori %{{.*}}, %[[FOUR]]
// CHECK-DAG: arith.xori %{{.*}}, %[[TWO]]
// CHECK-DAG: arith.xori %{{.*}}, %[[ONE]]
func.func @merged(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %place = tile.range 0 to 64 : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.offset %base, %place : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %at : tensor<64x!tile.ptr<f32>>
  %r = scf.for %step = %zero to %three step %one iter_args(%a = %v) -> (tensor<64xf32>) : i32 {
    %mask = arith.shrui %four, %step : i32
    %masks = tile.splat %mask : i32 -> tensor<64xi32>
    %partner = arith.xori %place, %masks : tensor<64xi32>
    %other = tile.gather %a at %partner axis 0 : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
    %max = arith.maxnumf %a, %other : tensor<64xf32>
    scf.yield %max : tensor<64xf32>
  }
  tile.store %at, %r : tensor<64x!tile.ptr<f32>>
  return
}

// Indices from memory are no partners.
// CHECK-LABEL: func.func @chased
// CHECK: scf.for
func.func @chased(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %place = tile.range 0 to 64 : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %at = tile.offset %base, %place : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.load %at : tensor<64x!tile.ptr<i32>>
  %r = scf.for %step = %zero to %three step %one iter_args(%a = %v) -> (tensor<64xi32>) : i32 {
    %next = tile.gather %v at %a axis 0 : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  tile.store %at, %r : tensor<64x!tile.ptr<i32>>
  return
}

// So many rounds would be too long a text: 32768 places have 120, each of 256 registers.
// CHECK-LABEL: func.func @long
// CHECK: scf.for
func.func @long(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %place = tile.range 0 to 32768 : tensor<32768xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %at = tile.offset %base, %place : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %v = tile.load %at : tensor<32768x!tile.ptr<f32>>
  %r = scf.for %step = %zero to %three step %one iter_args(%a = %v) -> (tensor<32768xf32>) : i32 {
    %mask = arith.shrui %four, %step : i32
    %masks = tile.splat %mask : i32 -> tensor<32768xi32>
    %partner = arith.xori %place, %masks : tensor<32768xi32>
    %other = tile.gather %a at %partner axis 0 : tensor<32768xf32>, tensor<32768xi32> -> tensor<32768xf32>
    %max = arith.maxnumf %a, %other : tensor<32768xf32>
    scf.yield %max : tensor<32768xf32>
  }
  tile.store %at, %r : tensor<32768x!tile.ptr<f32>>
  return
}
