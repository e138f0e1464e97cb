// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %nereid-opt %s | %nereid-opt | FileCheck %s

// Every element type, and the attributes that the launcher puts on a kernel.
// CHECK: func.func @kernel(%{{.*}}: !tile.ptr<i1> {tile.divisibility = 16 : i64, tile.name = "x_ptr"}, %{{.*}}: i32 {tile.name = "n"}) attributes {tile.kernel, tile.noalias}
func.func @kernel(%x: !tile.ptr<i1> {tile.name = "x_ptr", tile.divisibility = 16 : i64},
                  %n: i32 {tile.name = "n"}) attributes {tile.kernel, tile.noalias} {
  return
}

// CHECK: func.func @elements(%{{.*}}: !tile.ptr<i8>, %{{.*}}: !tile.ptr<i16>, %{{.*}}: !tile.ptr<i32>, %{{.*}}: !tile.ptr<i64>, %{{.*}}: !tile.ptr<f16>, %{{.*}}: !tile.ptr<bf16>, %{{.*}}: !tile.ptr<f32>, %{{.*}}: !tile.ptr<f64>, %{{.*}}: !tile.ptr<f8E4M3FN>, %{{.*}}: !tile.ptr<f8E5M2>)
func.func @elements(%0: !tile.ptr<i8>, %1: !tile.ptr<i16>, %2: !tile.ptr<i32>, %3: !tile.ptr<i64>,
                    %4: !tile.ptr<f16>, %5: !tile.ptr<bf16>, %6: !tile.ptr<f32>, %7: !tile.ptr<f64>,
                    %8: !tile.ptr<f8E4M3FN>, %9: !tile.ptr<f8E5M2>) {
  return
}
