// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEREID_TILE_REDUCTION_OPS
#define NEREID_TILE_REDUCTION_OPS

include "dialect/tile/TileDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tile_ReduceOp : Tile_Op<"reduce", [RecursiveMemoryEffects, RecursivelySpeculatable,
                                       SingleBlockImplicitTerminator<"YieldOp">],
                            ["isLanewise"]> {
  let summary = "combines the elements along one axis";
  let description = [{
    Reduces n tiles of one shape together. The region takes n accumulated and n new scalars and yields
    n combined ones; it must be associative and commutative, since elements meet in any order, and
    holds arithmetic, checks and scf.if only. The axis disappears from the shape; reducing a 1-D tile gives scalars.

    ```mlir
    %sum = tile.reduce (%x) axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, I32Attr:$axis);
  let results = (outs Variadic<Tile_Value>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $sources `)` `axis` $axis attr-dict `:` `(` type($sources) `)` `->` type($results) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ReduceOp">]> {
  let summary = "the combined scalars of a reduction";
  let description = [{
    ```mlir
    tile.yield %c : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif
