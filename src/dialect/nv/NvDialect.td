// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tiles become on NVIDIA GPUs (docs/gpu.md).
#ifndef NEREID_NV_DIALECT
#define NEREID_NV_DIALECT

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
    nobody said); whether launches can make tensor maps.

    ```mlir
    #nv.configuration<sm = "sm_90a", warps = 8, stages = 3>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$sm, "unsigned":$warps, DefaultValuedParameter<"unsigned", "0">:$stages,
                        DefaultValuedParameter<"unsigned", "0">:$registers,
                        DefaultValuedParameter<"bool", "true">:$boxes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
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
    /// Of one tile.
    uint64_t getBytes();
    /// Of one tile of several: each lies at a multiple of what swizzles and descriptors want.
    uint64_t getSlotBytes();
  }];
}

def Nv_Box : TypeDef<Nv_Dialect, "Box"> {
  let mnemonic = "box";
  let summary = "an array as the copy engine sees it (nv.box)";
}

#endif
