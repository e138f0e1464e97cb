// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers, and reading and writing through them.
#ifndef NEREID_TILE_MEMORY_OPS
#define NEREID_TILE_MEMORY_OPS

include "dialect/tile/TileDialect.td"

def Tile_OffsetOp : Tile_Op<"offset", [Pure, AllTypesMatch<["pointer", "result"]>],
                            ["isCheap", "getPointerSource"]> {
  let summary = "pointer plus a number of elements";
  let description = [{
    `result = pointer + offset * sizeof(pointee)`, elementwise. The offset is read as signed and
    extended to 64 bits before it is scaled. Shapes agree.

    ```mlir
    %next = tile.offset %ptr, %n : !tile.ptr<f32>, i32
    ```
  }];
  let arguments = (ins Tile_PointerValue:$pointer, Tile_IntegerValue:$offset);
  let results = (outs Tile_PointerValue:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PointerToIntOp : Tile_Op<"ptr_to_int", [Pure]> {
  let summary = "the address as a 64-bit integer, in bytes";
  let description = [{
    ```mlir
    %address = tile.ptr_to_int %ptr : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PointerValue:$source);
  let results = (outs Tile_IntegerValue:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IntToPointerOp : Tile_Op<"int_to_ptr", [Pure]> {
  let summary = "a pointer from an address in bytes";
  let description = [{
    ```mlir
    %ptr = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_IntegerValue:$source);
  let results = (outs Tile_PointerValue:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PointerCastOp : Tile_Op<"ptr_cast", [Pure], ["getPointerSource"]> {
  let summary = "the same address, pointing at another type";
  let description = [{
    ```mlir
    %bytes = tile.ptr_cast %ptr : !tile.ptr<f32> -> !tile.ptr<i8>
    ```
  }];
  let arguments = (ins Tile_PointerValue:$source);
  let results = (outs Tile_PointerValue:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_CacheModifier : I32EnumAttr<"CacheModifier", "which caches keep the data", [
    I32EnumAttrCase<"CacheAll", 0, "ca">, I32EnumAttrCase<"CacheGlobal", 1, "cg">,
    I32EnumAttrCase<"CacheStreaming", 2, "cs">, I32EnumAttrCase<"DontCache", 3, "cv">,
    I32EnumAttrCase<"WriteBack", 4, "wb">, I32EnumAttrCase<"WriteThrough", 5, "wt">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_CacheModifierAttr : EnumAttr<Tile_Dialect, Tile_CacheModifier, "cache">;

def Tile_EvictionPolicy : I32EnumAttr<"EvictionPolicy", "how soon a cache line may go", [
    I32EnumAttrCase<"EvictFirst", 0, "evict_first">,
    I32EnumAttrCase<"EvictLast", 1, "evict_last">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_EvictionPolicyAttr : EnumAttr<Tile_Dialect, Tile_EvictionPolicy, "eviction">;

def Tile_LoadOp : Tile_MemoryOp<"load", [
    AttrSizedOperandSegments,
    TypesMatchWith<"the result holds what the pointers point at", "pointer", "result",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the mask has the shape of the pointers", "pointer", "mask",
                   "::nereid::tile::maskOf($_self)", "$_op.getNumOperands() < 2 || std::equal_to<>()">,
    TypesMatchWith<"`other` has the type of the result", "pointer", "other",
                   "::nereid::tile::pointeeOf($_self)", "$_op.getNumOperands() < 3 || std::equal_to<>()">]> {
  let summary = "reads memory where the mask is true";
  let description = [{
    Each lane whose mask is true (all, without a mask) reads the element its pointer names; every
    other lane is `other`, or zero without one. Masked-off lanes touch no memory. Cache modifier and
    eviction policy are hints without meaning of their own. A volatile load is made where it stands,
    every time that it runs, and acquires: what stands after it in the program is done after it. So a
    program can wait for a flag with it (docs/memory-model.md).

    ```mlir
    %x = tile.load %ptrs mask %inside other %zeros : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PointerValue:$pointer, Optional<Tile_Mask>:$mask,
                       Optional<Tile_Value>:$other,
                       OptionalAttr<Tile_CacheModifierAttr>:$cache,
                       OptionalAttr<Tile_EvictionPolicyAttr>:$eviction, UnitAttr:$isVolatile);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $pointer (`mask` $mask^)? (`other` $other^)? attr-dict `:` type($pointer)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$pointer, CArg<"::mlir::Value", "{}">:$mask,
                                 CArg<"::mlir::Value", "{}">:$other), [{
    build($_builder, $_state, pointeeOf(pointer.getType()), pointer, mask, other, {}, {}, false);
  }]>];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_MemoryOp<"store", [
    TypesMatchWith<"the value is what the pointers point at", "pointer", "value",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the mask has the shape of the pointers", "pointer", "mask",
                   "::nereid::tile::maskOf($_self)", "$_op.getNumOperands() < 3 || std::equal_to<>()">]> {
  let summary = "writes memory where the mask is true";
  let description = [{
    Operands are evaluated whole before anything is written. When two lanes write one element, one of
    their values is left.

    ```mlir
    tile.store %ptrs, %x mask %inside : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PointerValue:$pointer, Tile_Value:$value, Optional<Tile_Mask>:$mask,
                       OptionalAttr<Tile_CacheModifierAttr>:$cache,
                       OptionalAttr<Tile_EvictionPolicyAttr>:$eviction);
  let assemblyFormat = "$pointer `,` $value (`mask` $mask^)? attr-dict `:` type($pointer)";
  let builders = [OpBuilder<(ins "::mlir::Value":$pointer, "::mlir::Value":$value,
                                 CArg<"::mlir::Value", "{}">:$mask), [{
    build($_builder, $_state, pointer, value, mask, {}, {});
  }]>];
}

#endif
