// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where operations leave their results that are not computed element by element: scans, gathers,
// histograms, tiles put together and taken apart.
#pragma once

#include "backend/gpu/layouts/HomeLayouts.h"

namespace nereid::backend::gpu {

/// Whether rootLayout() answers for the operation.
bool hasRootLayout(mlir::Operation *op);
/// The layout of all results; nothing in a loop while that of an operand on which it depends is not
/// known.
std::optional<layout::LinearLayout> rootLayout(mlir::Operation *op, HomeLayouts &homes);
/// The room out of which a tile of this shape is read that it is made of lane by lane; null if
/// there is none.
nv::SharedType roomBehind(mlir::Value tile);
/// Whether the operation unpacks what is read out of a room, of which each of so many threads has
/// a share: it shall read its words once, and have all that is in them.
bool unpacksRoom(mlir::Operation *op, unsigned threads);
/// Whether a tile of moved lanes repeats what another of fewer elements is: those take less to be
/// sent than all that is made of them. Not of integers, which are indices: those of a table lie as
/// they came.
bool repeats(mlir::Value moved, mlir::Value made);
/// Whether any layout of the operand will do, since its elements go through shared memory.
bool isTakenAnywhere(mlir::OpOperand &operand);
/// Whether the operand lies as the first one, whose mask it is.
bool liesAsFirst(mlir::OpOperand &operand);

} // namespace nereid::backend::gpu
