// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nv dialect: what tiles become on NVIDIA GPUs. NvDialect.td says what things mean.
#pragma once

#include "dialect/tile/Tile.h"
#include "layout/Fragment.h"
#include "layout/TileLayout.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialect/nv/NvDialect.h.inc"
#include "dialect/nv/NvEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/nv/NvAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/nv/NvTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/nv/NvOps.h.inc"

namespace nereid::nv {

// What passes tell those behind them, as attributes of operations: attributes.def says what each
// means.
#define NV_ATTRIBUTE(name, text, Where, Attribute, meaning)                                        \
  inline constexpr llvm::StringLiteral name = "nv." text;
#include "dialect/nv/attributes.def"

/// What every tile in shared memory starts on a multiple of: the widest swizzle's pattern.
inline constexpr uint64_t roomAlignment = 1024;
/// A row among others in a room begins at a multiple of this: no swizzle, and no access is wider.
inline constexpr uint64_t rowAlignment = 128;

/// A tile's dimensions as layouts count them: each the next power of two.
layout::Shape paddedShape(mlir::Type tile);
/// Whether some dimension is no power of two, so that layouts have elements beyond the tile.
bool hasGhosts(mlir::Type tile);

/// How instructions leave the sums of a product that warpgroups share in this way.
layout::LinearLayout sumsLayout(Turned turned, mlir::Type sums, unsigned columns,
                                layout::WarpGrid grid);

/// The layout of a tile's type, if it has one.
const layout::LinearLayout *findLayout(mlir::Type tile);
/// The same, of a tile that has one.
const layout::LinearLayout &layoutOf(mlir::Type tile);
inline const layout::LinearLayout &layoutOf(mlir::Value tile) { return layoutOf(tile.getType()); }
/// Registers of 32 bits that a thread has of a tile, which has a layout, or of a scalar.
uint64_t registersOf(mlir::Type type);
/// The type with this layout, in place of any that it has.
mlir::RankedTensorType withLayout(mlir::Type tile, const layout::LinearLayout &layout);

} // namespace nereid::nv
