// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEREID_NV_OPS
#define NEREID_NV_OPS

include "dialect/nv/NvDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Nv_Tile : RankedTensorOf<[AnyType]>;

def Nv_ConvertOp : Op<Nv_Dialect, "convert", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType,
    DeclareOpInterfaceMethods<Tile_LaneOpInterface, ["movesLanes"]>]> {
  let summary = "the same tile, held by other threads";
  let description = [{
    Registers change their names, lanes of a warp exchange them, or the tile goes through shared
    memory: what is left of `inverse(result's layout) . source's layout` decides.

    ```mlir
    %turned = nv.convert %x : tensor<64x64xf32, #nv.layout<...>> -> tensor<64x64xf32, #nv.layout<...>>
    ```
  }];
  let arguments = (ins Nv_Tile:$source);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Nv_SyncOp : Op<Nv_Dialect, "sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the threads of a program wait for one another";
  let description = [{
    What any of them did to memory before is seen by all of them afterwards. Stands between two
    accesses of one element by different threads.

    ```mlir
    nv.sync
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
