// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel says about itself while it runs.
#ifndef NEREID_TILE_DEBUG_OPS
#define NEREID_TILE_DEBUG_OPS

include "dialect/tile/TileDialect.td"

def Tile_PrintStyle : I32EnumAttr<"PrintStyle", "how values are laid out in the output", [
    I32EnumAttrCase<"PerElement", 0, "per_element">, I32EnumAttrCase<"Inline", 1, "inline">,
    I32EnumAttrCase<"Plain", 2, "plain">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_PrintStyleAttr : EnumAttr<Tile_Dialect, Tile_PrintStyle, "style">;

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>], ["getNeed", "isCheck"]> {
  let summary = "writes values to standard output";
  let description = [{
    `texts` has one entry more than there are operands. `per_element` writes a line for each element of
    each operand: `pid (x, y, z) idx (i, j)`, the operand's text and the value. `inline` writes one line:
    the texts with the operands between them, in brackets; `plain` is the same for scalars, without. `isSigned` says how integers are
    read, one entry per operand. `debug` marks output that only the checked mode gives.

    ```mlir
    tile.print inline ["x = ", ""] (%x : tensor<4xi32>) signed [true]
    ```
  }];
  let arguments = (ins Tile_PrintStyleAttr:$style, StrArrayAttr:$texts, Variadic<Tile_Value>:$values,
                       DenseBoolArrayAttr:$isSigned, UnitAttr:$hex, UnitAttr:$debug);
  let assemblyFormat = [{
    $style $texts (`(` $values^ `:` type($values) `)`)? `signed` $isSigned attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite]>], ["isCheck"]> {
  let summary = "a condition that must hold where the mask is true";
  let description = [{
    The checked mode reports each program in which it does not hold; other executors may ignore it.

    ```mlir
    tile.assert %fits, "num_cols <= BLOCK_SIZE" : i1
    ```
  }];
  let arguments = (ins Tile_Mask:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def Tile_CheckIndexOp : Tile_Op<"check_index", [MemoryEffects<[MemWrite]>], ["isCheck"]> {
  let summary = "an index that must lie within a dimension";
  let description = [{
    From 0 up to `extent`, which it may not reach. The checked mode reports a program where it does not, although the
    index leads to memory of the array, as the column behind a row's last one does: what leads out of the array is
    reported by who goes there. Other executors may ignore it. `part` is where the index has led to, `dimension` that
    of the array, counted from 0.

    ```mlir
    tile.check_index %column of %columns dimension 1 leading to %element : !tile.ptr<f32>
    ```
  }];
  let arguments = (ins I64:$index, I64:$extent, I64Attr:$dimension, Tile_Pointer:$part);
  let assemblyFormat = [{
    $index `of` $extent `dimension` $dimension `leading` `to` $part attr-dict `:` type($part)
  }];
}

def Tile_VariableOp : Tile_Op<"variable", [MemoryEffects<[MemWrite]>], ["isCheck"]> {
  let summary = "a name of the author's gets a value";
  let description = [{
    For debuggers, and there only if one is there. Without a value the name has `constant`, as the language
    writes it; without either, something that is not shown. `statement` says that it stands in the source as an
    assignment, and not as a parameter.

    ```mlir
    tile.variable "offs" = %offs : tensor<16xi32> statement
    tile.variable "BLOCK" constant "16"
    ```
  }];
  let arguments = (ins StrAttr:$name, Optional<Tile_Value>:$value, OptionalAttr<StrAttr>:$constant,
                       UnitAttr:$statement);
  let assemblyFormat = [{
    $name (`=` $value^ `:` type($value))? (`constant` $constant^)? (`statement` $statement^)? attr-dict
  }];
}

#endif
