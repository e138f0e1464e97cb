// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making tiles and changing their shape. All pure.
#ifndef NEREID_TILE_SHAPE_OPS
#define NEREID_TILE_SHAPE_OPS

include "dialect/tile/TileDialect.td"

/// As I32Attr, whose accessor takes what is below zero for large.
def Tile_SignedI32Attr : TypedSignlessIntegerAttrBase<I32, "int32_t", "signed 32-bit integer">;

def Tile_RangeOp : Tile_Op<"range", [Pure], ["isCheap"]> {
  let summary = "the integers from start to end";
  let description = [{
    The tile `[start, start + 1, ..., end - 1]`; `end > start`, and the length is that of the result.

    ```mlir
    %lanes = tile.range 0 to 128 : tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_SignedI32Attr:$start, Tile_SignedI32Attr:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure], ["movesLanes"]> {
  let summary = "a tile with one value everywhere";
  let description = [{
    ```mlir
    %tile = tile.splat %scalar : f32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure], ["movesLanes", "getLaneMap"]> {
  let summary = "inserts a dimension of size 1";
  let description = [{
    The result has size 1 at `axis`, which counts dimensions of the result.

    ```mlir
    %column = tile.expand_dims %vector axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure], ["movesLanes"]> {
  let summary = "repeats a tile along its dimensions of size 1";
  let description = [{
    Same rank; each source dimension equals the result's or is 1.

    ```mlir
    %matrix = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure], ["movesLanes", "isLanewise", "isCheap", "getNeed",
                                                "getLaneMap"]> {
  let summary = "the same elements in another shape";
  let description = [{
    Elements keep their row-major order; the counts agree. A scalar and a tile of one element convert
    into each other too.

    ```mlir
    %flat = tile.reshape %matrix : tensor<64x32xf32> -> tensor<2048xf32>
    ```
  }];
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PermuteOp : Tile_Op<"permute", [Pure], ["movesLanes", "getLaneMap"]> {
  let summary = "reorders dimensions";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the source.

    ```mlir
    %transposed = tile.permute %matrix [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure], ["isLanewise", "getNeed"]> {
  let summary = "takes elements along one axis by their index";
  let description = [{
    Each lane of the result is the source's lane at the same place, but for the axis, along which it is
    the index at that place of `indices`. Result and indices have one shape, which may differ from the
    source's along the axis. An index outside the source, a negative one too, gives zero.

    ```mlir
    %turned = tile.gather %x at %order axis 0 : tensor<64x32xf32>, tensor<16x32xi32>
        -> tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, RankedTensorOf<[I32, I64]>:$indices, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $source `at` $indices `axis` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["first", "second"]>], ["getLaneMap"]> {
  let summary = "two tiles side by side in a new last dimension";
  let description = [{
    `result[..., 0]` is `first`, and `result[..., 1]` is `second`. Both have the type of each other.

    ```mlir
    %pairs = tile.join %first, %second : tensor<64xf32> -> tensor<64x2xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$first, Tile_Tile:$second);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["first", "second"]>], ["getNeed", "getLaneMap"]> {
  let summary = "the two halves of a last dimension of size 2";
  let description = [{
    The reverse of `tile.join`: `first` is `source[..., 0]`, and `second` is `source[..., 1]`. The source
    has two dimensions or more.

    ```mlir
    %first, %second = tile.split %pairs : tensor<64x2xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$first, Tile_Tile:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
