// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEREID_TILE_MATRIX_OPS
#define NEREID_TILE_MATRIX_OPS

include "dialect/tile/TileDialect.td"

def Tile_DotPrecision : I32EnumAttr<"DotPrecision", "how exactly f32 operands are multiplied", [
    I32EnumAttrCase<"Ieee", 0, "ieee">, I32EnumAttrCase<"Tf32", 1, "tf32">,
    I32EnumAttrCase<"Tf32x3", 2, "tf32x3">, I32EnumAttrCase<"Bf16x3", 3, "bf16x3">,
    I32EnumAttrCase<"Bf16x6", 4, "bf16x6">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_DotPrecisionAttr : EnumAttr<Tile_Dialect, Tile_DotPrecision, "precision">;

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["accumulator", "result"]>], ["isLanewise"]> {
  let summary = "matrix product, added to an accumulator";
  let description = [{
    `result[m, n] = accumulator[m, n] + sum over k of lhs[m, k] * rhs[k, n]`, with an optional leading
    batch dimension shared by all. Products of floats are exact and summed in the accumulator's type
    or wider, in any order, and factors of 8 bits may be of two float types; products of integers are taken in the accumulator's type, signed.
    Unless `precision` is `ieee`, a target may take bf16 numbers below 2^-126, and sums as small, for zero.
    `precision` is the least a target must keep of f32 operands; it may always keep more. `tf32` rounds
    each factor to 11 digits. With `bf16x3` a factor counts as the sum of two bf16, and with `tf32x3`
    of two tf32, where the product of the two smaller parts may be left out; with `bf16x6` as the sum of
    three bf16, where products of a weight below 2^-16 may be. Of factors of 8 bits all but `ieee` lets
    a target keep 14 digits of a sum, as tensor cores do.

    ```mlir
    %c = tile.dot %a, %b, %acc precision ieee
        : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$accumulator,
                       Tile_DotPrecisionAttr:$precision);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator `precision` $precision attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($accumulator)
  }];
  let hasVerifier = 1;
}

#endif
