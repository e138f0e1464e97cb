// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tiles become on NVIDIA GPUs (docs/gpu.md).
#ifndef NEREID_NV_DIALECT
#define NEREID_NV_DIALECT

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/tile/Interfaces.td"

def Nv_Dialect : Dialect {
  let name = "nv";
  let cppNamespace = "::nereid::nv";
  let summary = "Tiles in the registers and the shared memory of a thread block";
  let description = [{
    Here a tile's type says which thread's register holds which element:
    `tensor<128x64xf32, #nv.layout<"...">>`. The operations of `tile`, `arith`, `math` and `scf` mean
    what they always mean; all tiles of one elementwise operation have one layout.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::nereid::tile::TileDialect"];
  let hasOperationAttrVerify = 1;
}

def Nv_Layout : AttrDef<Nv_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "who holds which element of a tile";
  let description = [{
    A linear map over bits from (register, lane, warp) to the tile's coordinates, given by what each
    bit of the three adds (docs/layouts.md). It covers the tile, whose dimensions count as the next
    power of two; elements beyond the tile's end are ghosts. Where a bit adds nothing, several hold
    one element.

    ```mlir
    tensor<64x32xf32, #nv.layout<"register: (0,1) (0,2) | lane: (0,4) (0,8) (0,16) (1,0) (2,0) | warp: (4,0) (8,0)">>
    ```
  }];
  let parameters = (ins AttrParameter<"::nereid::layout::LinearLayout", "who holds what",
                                       "const ::nereid::layout::LinearLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Nv_Configuration : AttrDef<Nv_Dialect, "Configuration"> {
  let mnemonic = "configuration";
  let summary = "what a kernel is compiled for";
  let description = [{
    The GPU, by its name in `sm.def`; how many warps compute a program, a power of two; how many rounds
    of a loop the author wants in shared memory at once, and how many registers a thread may take (0:
    nobody said); whether launches can make tensor maps; numbers of `policy.def` that are others than there.

    ```mlir
    #nv.configuration<sm = "sm_90a", warps = 8, stages = 3>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$sm, "unsigned":$warps, DefaultValuedParameter<"unsigned", "0">:$stages,
                        DefaultValuedParameter<"unsigned", "0">:$registers,
                        DefaultValuedParameter<"bool", "true">:$boxes, OptionalParameter<"::mlir::DictionaryAttr">:$policy);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Nv_Multiplier : I32EnumAttr<"Multiplier", "who computes a product", [
    I32EnumAttrCase<"Warpgroups", 0, "warpgroups">, I32EnumAttrCase<"Warps", 1, "warps">,
    I32EnumAttrCase<"Threads", 2, "threads">]> {
  let cppNamespace = "::nereid::nv";
  let genSpecializedAttr = 0;
}

def Nv_Overlap : I32EnumAttr<"Overlap", "how a product of one round overlaps with the next", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"InFlight", 1, "in_flight">,
    I32EnumAttrCase<"Delayed", 2, "delayed">]> {
  let cppNamespace = "::nereid::nv";
  let genSpecializedAttr = 0;
}

def Nv_OverlapAttr : EnumAttr<Nv_Dialect, Nv_Overlap, "overlap">;

def Nv_Turned : I32EnumAttr<"Turned", "which factor of a product warps turn on its way from shared memory", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Left", 1, "left">,
    I32EnumAttrCase<"Right", 2, "right">]> {
  let cppNamespace = "::nereid::nv";
  let genSpecializedAttr = 0;
}

def Nv_TurnedAttr : EnumAttr<Nv_Dialect, Nv_Turned, "turned">;

def Nv_Product : AttrDef<Nv_Dialect, "Product"> {
  let mnemonic = "product";
  let summary = "who computes a tile.dot, and how it depends on other products";
  let description = [{
    - `by = warpgroups`: `wgmma`, m64 n`columns` k32 bytes, by `below` x `beside` warpgroups.
    - `by = warps`: `mma.sync`, `depth` elements along k at a time.
    - `by = threads`: multiply-adds.

    `overlap` says how it may overlap with the next round's, where its factors stay in shared memory that
    long. In flight: the loop does nothing with it but add it up, so one round's goes on while the next
    begins. Delayed: its left factor is made in the round, from another product whose sums the next
    round only scales, or for the round's only product; it is computed while the next round's
    arithmetic goes on. `leftOfRound`: the left factor is made, in its round, from a product of
    warpgroups by arithmetic of lanes. `chained`: after arithmetic of its lanes it is a factor of another
    product or is added to one, or is made from one in this way. `turned`: as nv.multiply's.
    `evenColumnsFirst`: its sums become, in registers, a left factor of bytes, of which an instruction wants
    four neighbours of a thread; they are where they are wanted if the right factor's even columns lie
    before its odd ones, so that is how it should lie in shared memory.

    ```mlir
    tile.dot %a, %b, %sums {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 256, overlap = in_flight>}
    ```
  }];
  let parameters = (ins EnumParameter<Nv_Multiplier>:$by, DefaultValuedParameter<"unsigned", "0">:$below,
                        DefaultValuedParameter<"unsigned", "0">:$beside,
                        DefaultValuedParameter<"unsigned", "0">:$columns,
                        DefaultValuedParameter<"unsigned", "0">:$depth,
                        DefaultValuedParameter<"::nereid::nv::Overlap", "::nereid::nv::Overlap::None">:$overlap,
                        DefaultValuedParameter<"bool", "false">:$leftOfRound,
                        DefaultValuedParameter<"bool", "false">:$chained,
                        DefaultValuedParameter<"::nereid::nv::Turned", "::nereid::nv::Turned::None">:$turned,
                        DefaultValuedParameter<"bool", "false">:$evenColumnsFirst);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Nv_Shared : TypeDef<Nv_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "a tile in shared memory";
  let description = [{
    The layout is a linear map from an offset, counted in elements, to the tile's coordinates, whose
    dimensions count as the next power of two. A value of this type is an address.

    ```mlir
    !nv.shared<8x16xf16, "{offset: [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]} -> {dim0: 8, dim1: 16}">
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "sizes">:$shape, "::mlir::Type":$elementType,
                        TypeParameter<"::nereid::layout::LinearLayout", "what lies where",
                                      "const ::nereid::layout::LinearLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The bytes of one tile.
    uint64_t getBytes();
    /// The bytes of one tile of several: each lies at a multiple of what swizzles and descriptors
    /// want.
    uint64_t getSlotBytes();
  }];
}

def Nv_Box : TypeDef<Nv_Dialect, "Box"> {
  let mnemonic = "box";
  let summary = "an array as the copy engine sees it (nv.box)";
}

#endif
