// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @texts(%x: i32) {
  // expected-error @below {{needs one text more than values}}
  tile.print inline ["x = "] (%x : i32) signed [true]
  return
}

// -----

func.func @signs(%x: i32) {
  // expected-error @below {{needs one `signed` entry for each value}}
  tile.print inline ["x = ", ""] (%x : i32) signed [true, true]
  return
}

// -----

func.func @assertNumber(%x: i32) {
  // expected-error @below {{must be i1 or tile of i1}}
  tile.assert %x, "message" : i32
  return
}
