// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which program this is, and what its author promises.
#ifndef NEREID_TILE_PROGRAM_OPS
#define NEREID_TILE_PROGRAM_OPS

include "dialect/tile/TileDialect.td"

class Tile_GridOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_ProgramIdOp : Tile_GridOp<"program_id"> {
  let summary = "index of this program along a grid axis";
  let description = [{
    A value in `[0, num_programs)`; the axis is 0, 1 or 2.

    ```mlir
    %pid = tile.program_id 0
    ```
  }];
}

def Tile_NumProgramsOp : Tile_GridOp<"num_programs"> {
  let summary = "number of programs along a grid axis";
  let description = [{
    ```mlir
    %count = tile.num_programs 1
    ```
  }];
}

def Tile_HintKind : I32EnumAttr<"HintKind", "what a hint promises", [
    I32EnumAttrCase<"Divisibility", 0, "divisibility">,
    I32EnumAttrCase<"Contiguity", 1, "contiguity">,
    I32EnumAttrCase<"Constancy", 2, "constancy">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_HintKindAttr : EnumAttr<Tile_Dialect, Tile_HintKind, "hint">;

def Tile_HintOp : Tile_Op<"hint", [Pure, SameOperandsAndResultType], ["movesLanes"]> {
  let summary = "the author's promise about a value";
  let description = [{
    Returns its operand. One number per dimension (one for a scalar): the values of each run of
    `contiguity` lanes are consecutive, of each run of `constancy` lanes equal, and the first value of
    each run is a multiple of `divisibility`. A false promise is undefined; the checked mode reports it.

    ```mlir
    %aligned = tile.hint divisibility %offsets [16] : tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_HintKindAttr:$kind, Tile_Value:$value, DenseI64ArrayAttr:$amounts);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$kind $value $amounts attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>], ["isCheck"]> {
  let summary = "the author's promise that a condition holds";
  let description = [{
    No effect where the condition is true; undefined where it is false. The checked mode reports it.

    ```mlir
    tile.assume %positive
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

#endif
