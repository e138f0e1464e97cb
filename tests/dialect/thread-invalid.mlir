// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s -split-input-file -verify-diagnostics

func.func @tiles() attributes {tile.kernel} {
  // expected-error @below {{stands in a kernel of threads, which says tile.block}}
  %x = tile.thread_id 0
  return
}

// -----

func.func @empty() attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  // expected-error @below {{attribute 'count' failed to satisfy constraint}}
  %x = tile.shared 0 : !tile.ptr<f32>
  return
}

// -----

func.func @other_elements() attributes {tile.kernel, tile.block = array<i64: 64, 1, 1>} {
  // expected-error @below {{has elements of another type than memory has, 'i8'}}
  %flags = tile.table dense<true> : tensor<4xi1> : !tile.ptr<i1>
  return
}
