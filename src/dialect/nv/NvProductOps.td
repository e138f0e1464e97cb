// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of single threads

def Nv_MultiplyAddOp : Nv_SharedOp<"multiply_add", [
    MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "lhs * rhs, added to a tile";
  let description = [{
    As `tile.dot`, exact in all digits of f32; each thread reads rows and columns of the factors out of
    shared memory, some steps along the depth at a time. `warps` share the sums.

    ```mlir
    %sums = nv.multiply_add %a, %b, %acc warps 8 : !nv.shared<...>, !nv.shared<...> -> tensor<128x128xf32>
    ```
  }];
  let arguments = (ins Nv_Shared:$lhs, Nv_Shared:$rhs, Nv_Tile:$accumulator,
                       ConfinedAttr<I32Attr, [IntPositive]>:$warps);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator `warps` $warps attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Who has which sums.
    ::nereid::layout::LinearLayout resultLayout();
  }];
  let hasVerifier = 1;
}

// Products of warpgroups (wgmma), which go on by themselves

def Nv_MultiplyOp : Nv_SharedOp<"multiply", [
    MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "begins to add lhs * rhs to a tile";
  let description = [{
    The result is in flight: nothing but another product may take it before `nv.finish`, and what was
    read must stay until the product is done. `lhs` lies in shared memory or in registers. `grid` says
    how many warpgroups stand below and beside one another, `columns` how many an instruction computes.

    `turned` names a factor of bytes that lies in shared memory along m or n, which no instruction reads:
    warps read it by themselves, turned, as the instruction's left factor in registers. With the right one
    turned, instructions compute the transposed product, and their columns are the result's rows.

    ```mlir
    %sums = nv.multiply %a, %b, %acc grid [2, 1] columns 256
        : !nv.shared<...>, !nv.shared<...> -> tensor<128x256xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Nv_Shared, Nv_Tile]>:$lhs, Nv_Shared:$rhs, Nv_Tile:$accumulator,
                       DenseI32ArrayAttr:$grid, I32Attr:$columns,
                       DefaultValuedAttr<Nv_TurnedAttr, "::nereid::nv::Turned::None">:$turned);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator `grid` $grid `columns` $columns (`turned` $turned^)? attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Where the instructions have the sums; and a left factor that is in registers.
    ::nereid::layout::LinearLayout resultLayout();
    ::nereid::layout::LinearLayout lhsLayout();
  }];
  let hasVerifier = 1;
}

def Nv_AwaitProductsOp : Nv_SharedOp<"await_products", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until all but the newest products of this warpgroup are done";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

def Nv_FinishOp : Nv_SharedOp<"finish", [
    MemoryEffects<[MemRead, MemWrite]>, SameOperandsAndResultType]> {
  let summary = "waits until a product is done";
  let description = [{
    Of the products begun after it, `pending` may go on. `mayBeDelayed` says that what the product
    reads is still there in the next round of the loop.

    ```mlir
    %done = nv.finish %sums pending 1 : tensor<128x256xf32>
    ```
  }];
  let arguments = (ins Nv_Tile:$products, DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$pending,
                       UnitAttr:$mayBeDelayed);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = "$products (`pending` $pending^)? attr-dict `:` type($products)";
  let builders = [OpBuilder<(ins "::mlir::Value":$products), [{
    build($_builder, $_state, products.getType(), products, 0, false);
  }]>];
  let hasVerifier = 1;
}
