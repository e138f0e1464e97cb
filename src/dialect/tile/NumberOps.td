// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic that `arith` lacks.
#ifndef NEREID_TILE_NUMBER_OPS
#define NEREID_TILE_NUMBER_OPS

include "dialect/tile/TileDialect.td"

def Tile_NarrowOp : Tile_Op<"narrow", [Pure]> {
  let summary = "rounds floats to 8 bits";
  let description = [{
    To nearest even. What is beyond the largest number, infinity too, becomes the largest, with its sign; NaN
    becomes the bits 0x7f. (`arith.truncf` is not used for this: MLIR takes it for the inverse of `arith.extf`,
    which it is not where there are infinities.)

    ```mlir
    %small = tile.narrow %x : tensor<16xf32> -> tensor<16xf8E5M2>
    ```
  }];
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
