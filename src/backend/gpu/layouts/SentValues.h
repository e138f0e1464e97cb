// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What need not be sent to other threads, since it follows there from what is sent as well, or from
// less.
#pragma once

#include "backend/gpu/Target.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

namespace nereid::backend::gpu {

/// Whether a tile lies somewhere for good; others are computed wherever they are wanted.
using IsSettled = llvm::function_ref<bool(mlir::Value tile)>;

/// The tile as it was sent before `user` to lie like that; null if it was not.
mlir::Value sentBefore(mlir::Operation *user, mlir::Value tile, const layout::LinearLayout &layout);

/// Whether a mask follows, by a comparison or two, from what was sent before `user` to lie like
/// that, and from what needs no sending.
bool followsFromSent(mlir::Value mask, const layout::LinearLayout &layout, mlir::Operation *user,
                     IsSettled isSettled);

/// The tile of which this one was sent, if that lies like that.
mlir::Value lyingBefore(mlir::Value sent, const layout::LinearLayout &layout);

/// Whether a tile follows by a few steps of cheap arithmetic from what lies where it is wanted, of
/// which some was sent away for those steps.
bool followsFromLying(mlir::Value tile, const layout::LinearLayout &layout, IsSettled isSettled,
                      unsigned steps = 4);

/// What a value is made of by one operation and what is sent for less: of what was widened, what it
/// was before; of addresses behind one that needs no sending, the places. Null if there is none.
mlir::Value shorterSource(mlir::Value value, const layout::LinearLayout &layout,
                          const Target &target, IsSettled isSettled);

} // namespace nereid::backend::gpu
