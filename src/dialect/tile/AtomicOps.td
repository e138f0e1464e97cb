// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read-modify-write that other programs cannot interrupt.
#ifndef NEREID_TILE_ATOMIC_OPS
#define NEREID_TILE_ATOMIC_OPS

include "dialect/tile/TileDialect.td"

def Tile_AtomicKind : I32EnumAttr<"AtomicKind", "what an atomic does to the element", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic">;

def Tile_MemoryOrder : I32EnumAttr<"MemoryOrder", "order against other accesses", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcquireRelease", 3, "acq_rel">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_MemoryOrderAttr : EnumAttr<Tile_Dialect, Tile_MemoryOrder, "order">;

def Tile_MemoryScope : I32EnumAttr<"MemoryScope", "whom the order concerns", [
    I32EnumAttrCase<"Program", 0, "cta">, I32EnumAttrCase<"Device", 1, "gpu">,
    I32EnumAttrCase<"System", 2, "sys">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_MemoryScopeAttr : EnumAttr<Tile_Dialect, Tile_MemoryScope, "scope">;

def Tile_AtomicRmwOp : Tile_Op<"atomic_rmw", [
    MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"the value is what the pointers point at", "pointer", "value",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the result is what the pointers point at", "pointer", "result",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the mask has the shape of the pointers", "pointer", "mask",
                   "::nereid::tile::maskOf($_self)", "$_op.getNumOperands() < 3 || std::equal_to<>()">]> {
  let summary = "atomically combines a value into memory and returns the old one";
  let description = [{
    Each lane whose mask is true replaces the element at its pointer by `kind(element, value)` in one
    step and returns what was there before; every other lane returns zero. Lanes act in some order.

    ```mlir
    %old = tile.atomic_rmw fadd %ptr, %sum order acq_rel scope gpu : !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_PointerValue:$pointer, Tile_Value:$value,
                       Optional<Tile_Mask>:$mask, Tile_MemoryOrderAttr:$order,
                       Tile_MemoryScopeAttr:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $kind $pointer `,` $value (`mask` $mask^)? `order` $order `scope` $scope attr-dict
    `:` type($pointer)
  }];
  let hasVerifier = 1;
}

#endif
