// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tile goes to other threads, or between threads and a room of shared memory: asked by who
// emits it, prints it, notes its time and draws it.
#pragma once

#include "dialect/nv/Nv.h"
#include "layout/Conversion.h"

namespace nereid::backend::gpu {

layout::Conversion conversionOf(nv::ConvertOp op, layout::MatrixInstructions matrices);
layout::SharedAccess readAccess(mlir::Type tile, nv::SharedType room,
                                layout::MatrixInstructions matrices);
layout::SharedAccess writeAccess(mlir::Type tile, nv::SharedType room,
                                 layout::MatrixInstructions matrices);
/// Where the whole tile would lie that is sent part by part, as parts behind one another; and how
/// threads write it, once they have exchanged registers of theirs.
layout::LinearLayout sentLayout(nv::SendOp op);
struct SendAccess {
  std::optional<layout::LaneSwap> swap;
  layout::SharedAccess access;
};
SendAccess sendAccess(nv::SendOp op, layout::MatrixInstructions matrices);

} // namespace nereid::backend::gpu
