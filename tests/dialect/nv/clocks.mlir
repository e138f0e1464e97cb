// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @read
func.func @read(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  // CHECK: nv.clock "load"
  nv.clock "load"
  // CHECK: nv.clock "await_load" %arg0, %arg1 : tensor<8xf32>, tensor<8xi32>
  nv.clock "await_load" %x, %y : tensor<8xf32>, tensor<8xi32>
  return
}
