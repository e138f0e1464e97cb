// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: its types, attributes and operations. TileDialect.td says what they mean.
#pragma once

#include "dialect/tile/Access.h"
#include "dialect/tile/Elements.h"
#include "dialect/tile/Lanes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace nereid::tile {

/// The attribute that marks a function as a kernel.
inline constexpr llvm::StringLiteral kernelAttr = "tile.kernel";
/// Argument attribute: the parameter's name in the source, for reports.
inline constexpr llvm::StringLiteral nameAttr = "tile.name";
/// Argument attribute: how the value divides (16: pointer or integer is a multiple of 16).
inline constexpr llvm::StringLiteral divisibilityAttr = "tile.divisibility";
/// Function attribute: how many warps of a GPU the kernel's text takes a program to have, where its
/// launch chooses none.
inline constexpr llvm::StringLiteral warpsAttr = "tile.warps";
/// Function attribute: no two pointer arguments reach the same memory.
inline constexpr llvm::StringLiteral noAliasAttr = "tile.noalias";

/// Loop attribute: of how many rounds its author wants the loads on their way at once
/// (`tl.range(num_stages=)`).
inline constexpr llvm::StringLiteral stagesAttr = "tile.num_stages";

/// Function attribute: the kernel is one of threads, and this many of them along x, y and z are a
/// block (TileDialect.td). An array of three int64.
inline constexpr llvm::StringLiteral blockAttr = "tile.block";

struct BlockShape {
  int64_t x = 1, y = 1, z = 1;
  int64_t threads() const { return x * y * z; }
};
/// Nothing for a kernel of tiles.
std::optional<BlockShape> blockOf(mlir::Operation *kernel);
/// Whether its blocks wait for one another, so that all of them must run at once.
bool meetsWholeGrid(mlir::Operation *kernel);

/// The first operation in a combine region that is neither arithmetic, a check nor an if: a
/// reduction combines whole vectors of elements at once, so nothing else has a meaning there. Null
/// if none is.
mlir::Operation *findForeignTo(mlir::Region &combine);

/// The shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
/// The element type of a tile; the type itself for a scalar.
mlir::Type elementOf(mlir::Type type);
/// A type of `type`'s shape, and layout if it has one, with another element.
mlir::Type withElement(mlir::Type type, mlir::Type element);
/// A tile of the given shape, or the bare element for an empty shape.
mlir::Type tileOf(llvm::ArrayRef<int64_t> shape, mlir::Type element);
/// Whether `type` is that, whatever its layout.
bool isTileOf(mlir::Type type, llvm::ArrayRef<int64_t> shape, mlir::Type element);
/// i1 in the shape of `type`.
mlir::Type maskOf(mlir::Type type);
/// What a pointer, or each of a tile of pointers, points at. Null if `type` is not one.
mlir::Type pointeeOf(mlir::Type type);
int64_t elementCount(mlir::Type type);
inline bool isTile(mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); }
/// Whether the value is an argument of the kernel.
bool isParameter(mlir::Value value);
/// Bytes that one element of this scalar type takes in memory.
unsigned byteSizeOf(mlir::Type scalar);

} // namespace nereid::tile

#include "dialect/tile/TileInterfaces.h.inc"

#include "dialect/tile/TileDialect.h.inc"
#include "dialect/tile/TileEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tile/TileTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/tile/TileAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialect/tile/TileOps.h.inc"

namespace nereid::tile {

/// What combines with any element to that element, if the reduction has one source and its function
/// is one operation that has such a value; null otherwise.
mlir::TypedAttr identityOf(ReduceOp op);

} // namespace nereid::tile
