// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read-modify-write that other programs cannot interrupt, and order among programs.
#ifndef NEREID_TILE_ATOMIC_OPS
#define NEREID_TILE_ATOMIC_OPS

include "dialect/tile/TileDialect.td"

def Tile_AtomicKind : I32EnumAttr<"AtomicKind", "what an atomic does to the element", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">,
    I32EnumAttrCase<"SignedMax", 2, "smax">, I32EnumAttrCase<"SignedMin", 3, "smin">,
    I32EnumAttrCase<"UnsignedMax", 4, "umax">, I32EnumAttrCase<"UnsignedMin", 5, "umin">,
    I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">,
    I32EnumAttrCase<"Xor", 8, "xor">, I32EnumAttrCase<"Exchange", 9, "xchg">,
    I32EnumAttrCase<"CountUp", 10, "inc">, I32EnumAttrCase<"CountDown", 11, "dec">]> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic">;

def Tile_MemoryOrder : I32EnumAttr<"MemoryOrder", "order against the other accesses of the program", [
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

def Tile_AtomicRmwOp : Tile_MemoryOp<"atomic_rmw", [
    TypesMatchWith<"the value is what the pointers point at", "pointer", "value",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the result is what the pointers point at", "pointer", "result",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the mask has the shape of the pointers", "pointer", "mask",
                   "::nereid::tile::maskOf($_self)", "$_op.getNumOperands() < 3 || std::equal_to<>()">], ["isLanewise"]> {
  let summary = "atomically combines a value into memory and returns the old one";
  let description = [{
    Each lane whose mask is true replaces the element at its pointer by `kind(element, value)` in one
    step and returns what was there before; every other lane returns zero. Lanes act in some order, and
    operands are evaluated whole before any does. `xchg` takes any number, `fadd` floats of 16 bits and
    more, and every other kind integers; none takes `i1`, whose byte in memory may hold more than a bit.
    `inc` and `dec` count without a sign from zero to the value and round again: `inc` adds 1 to an element
    below the value and makes any other zero; `dec` subtracts 1 from an element between 1 and the value and
    makes any other the value.

    `acquire`: what stands after the operation in the program is done after it. `release`: what stands
    before it is done before it. `acq_rel`: both. `relaxed`: neither. What a program did before it
    released is seen by a program that acquires at the same element and finds what the first one put
    there, or what others have made of that by atomics since (docs/memory-model.md).

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

def Tile_AtomicCasOp : Tile_MemoryOp<"atomic_cas", [
    TypesMatchWith<"the expected value is what the pointers point at", "pointer", "expected",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the value is what the pointers point at", "pointer", "value",
                   "::nereid::tile::pointeeOf($_self)">,
    TypesMatchWith<"the result is what the pointers point at", "pointer", "result",
                   "::nereid::tile::pointeeOf($_self)">], ["isLanewise"]> {
  let summary = "atomically replaces what memory holds where it is what was expected";
  let description = [{
    Each lane compares the element at its pointer with `expected`, bit by bit, replaces it by `value` if
    they are equal, all in one step, and returns what was there before. Order and scope are those of
    `tile.atomic_rmw`, whether an element is replaced or not. Elements are integers and floats of 16 bits
    and more.

    ```mlir
    %old = tile.atomic_cas %lock, %free, %taken order acquire scope gpu : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_PointerValue:$pointer, Tile_Value:$expected, Tile_Value:$value,
                       Tile_MemoryOrderAttr:$order, Tile_MemoryScopeAttr:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $pointer `,` $expected `,` $value `order` $order `scope` $scope attr-dict `:` type($pointer)
  }];
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_MemoryOp<"barrier"> {
  let summary = "a line that no access of the program crosses";
  let description = [{
    Acquires and releases, without an access of its own: what stands before it in the program is done
    before what stands after it. It waits for nothing and hands nothing to other programs by itself.

    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
