// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language of tiles: what arith, math and scf lack. This file and its neighbours are the
// specification; docs/reference/tile-dialect.md is generated from them.
#ifndef NEREID_TILE_DIALECT
#define NEREID_TILE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialect/tile/Interfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::nereid::tile";
  let summary = "Programs over tiles";
  let description = [{
    A kernel is a `func.func` with the attribute `tile.kernel`. It is run once for every program of a
    1-3-D grid, in parallel. Programs start in ascending order, x fastest, so that one may wait for
    another with a lower number, and for none with a higher one. Its arguments are scalars and pointers.

    What a program sees of the writes of others, and when, is in docs/memory-model.md. In short: a
    program's own accesses to one element happen in the order of its text; others see them in any
    order, but for what `tile.atomic_rmw`, a volatile `tile.load` and `tile.barrier` keep.

    A kernel may instead say what one *thread* does: `tile.block` gives the number of threads along x, y
    and z that make a block. Then the grid counts blocks, `tile.program_id` is the block's index, the
    function runs once for every thread of each block, and all its values are scalars of that thread.
    Threads of a block meet at `tile.sync_threads` and share `tile.shared`; otherwise each goes its own
    way, in any order, as programs of tiles do (docs/threads.md).

    A *tile* is a value of built-in tensor type with a static shape: `tensor<128x64xf32>`. A scalar is
    a bare `f32`, `i32` or `!tile.ptr<f32>`. Element types are `i1 i8 i16 i32 i64`,
    `f8E4M3FN f8E5M2 f16 bf16 f32 f64` and pointers; integers are signless and the operations say how
    they read them. `arith`, `math` and `scf` carry arithmetic and control flow, elementwise on tiles.
    Floats narrower than 32 bits are computed in `f32`, and rounded to nearest even after every
    operation.

    Where `arith` leaves a result undefined, every executor gives it the same value:

    | operation | case | result |
    |---|---|---|
    | `arith.divsi`, `divui`, `remsi`, `remui` | divisor 0 | 0 |
    | `arith.divsi` | minimum / -1 | minimum (wraps) |
    | `arith.remsi` | minimum % -1 | 0 |
    | `arith.shli`, `shrui` | amount >= width | 0 |
    | `arith.shrsi` | amount >= width | copies of the sign |
    | `arith.fptosi`, `fptoui` | out of range | nearest representable |
    | `arith.fptosi`, `fptoui` | NaN | 0 |
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
}

def Tile_Pointer : TypeDef<Tile_Dialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "address of an element in device memory";
  let description = [{
    The address of one element of type `pointee`, or of an array of them. Offsets count elements, not
    bytes. An `i1` in memory takes one byte: zero is false, everything else true.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
}

// Those of the table of element types.
def Tile_Number : CPred<"::nereid::tile::dtypeOf($_self)">;
def Tile_Integer : Type<And<[CPred<"::llvm::isa<::mlir::IntegerType>($_self)">, Tile_Number]>,
                        "integer">;
def Tile_Float : Type<And<[CPred<"::llvm::isa<::mlir::FloatType>($_self)">, Tile_Number]>, "float">;
def Tile_Scalar : AnyTypeOf<[Tile_Integer, Tile_Float, Tile_Pointer], "scalar">;
def Tile_Tile : RankedTensorOf<[Tile_Scalar]>;
def Tile_Value : AnyTypeOf<[Tile_Scalar, Tile_Tile], "scalar or tile">;
def Tile_PointerValue : AnyTypeOf<[Tile_Pointer, RankedTensorOf<[Tile_Pointer]>],
                                  "pointer or tile of pointers">;
def Tile_IntegerValue : AnyTypeOf<[Tile_Integer, RankedTensorOf<[Tile_Integer]>],
                                  "integer or tile of integers">;
def Tile_Mask : AnyTypeOf<[I1, RankedTensorOf<[I1]>], "i1 or tile of i1">;

/// `answers` are the questions of LaneOpInterface that the operation answers by itself.
class Tile_Op<string mnemonic, list<Trait> traits = [], list<string> answers = []>
    : Op<Tile_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<Tile_LaneOpInterface, answers>])>;

/// Touches the memory that programs share.
class Tile_MemoryOp<string mnemonic, list<Trait> traits = [], list<string> answers = []>
    : Tile_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<Tile_AccessOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]), answers> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(EffectList &effects) { addEffects(getAccess(), effects); }
  }];
}

#endif
