// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @unknown() {
  // expected-error @below {{clocks.def has no 'sleep'}}
  nv.clock "sleep"
  return
}
