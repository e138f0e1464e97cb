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

def Tile_ScanOp : Tile_Op<"scan", [RecursiveMemoryEffects, RecursivelySpeculatable,
                                   SingleBlockImplicitTerminator<"YieldOp">], ["isLanewise"]> {
  let summary = "at each place along one axis, the elements up to there combined";
  let description = [{
    Scans n tiles of one shape together: the first lane along the axis is the source's, every other one
    is what the region makes of the result before it and the source's lane. With `reverse` it starts at
    the other end. The region takes n accumulated and n new scalars, in this order, and yields n
    combined ones; it must be associative, since neighbours may be combined first, but need not be
    commutative. It holds what that of `tile.reduce` may.

    ```mlir
    %sums = tile.scan (%x) axis 1 : (tensor<64x32xf32>) -> tensor<64x32xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $sources `)` `axis` $axis (`reverse` $reverse^)? attr-dict
    `:` `(` type($sources) `)` `->` type($results) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure,
    TypesMatchWith<"the mask has the shape of the source", "source", "mask",
                   "::nereid::tile::maskOf($_self)", "$_op.getNumOperands() < 2 || std::equal_to<>()">],
    ["isLanewise"]> {
  let summary = "how often each value occurs";
  let description = [{
    Lane `i` of the result counts the lanes of the source that are `i`, among those whose mask is true
    (all, without a mask). Values that no lane of the result stands for are not counted; a negative one
    is none.

    ```mlir
    %counts = tile.histogram %x mask %inside : tensor<1024xi32> -> tensor<256xi32>
    ```
  }];
  let arguments = (ins 1DTensorOf<[I32, I64]>:$source, Optional<Tile_Mask>:$mask);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $source (`mask` $mask^)? attr-dict `:` type($source) `->` type($result)
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike,
                                     ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "the combined scalars of a reduction or scan";
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
