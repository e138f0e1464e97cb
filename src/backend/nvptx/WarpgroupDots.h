// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products warpgroups compute (wgmma), how they share the result, and how products depend on
// one another.
#pragma once

#include "dialect/nv/Nv.h"
#include "layout/Fragment.h"
#include "target/NvidiaTarget.h"

namespace nereid::backend::nvptx {

/// A product as instructions m64 n<columns> k<32 bytes>.
struct WarpgroupShape {
  layout::WarpGrid grid; // of warpgroups
  unsigned columns;
};

/// Nothing if warpgroups cannot compute the product, or not exactly enough.
std::optional<WarpgroupShape> warpgroupShape(tile::DotOp dot, const target::NvidiaTarget &target,
                                             unsigned warps);

/// Whether a loop does nothing with the product but add it up: one round's may go on while the next
/// begins.
bool staysInFlight(tile::DotOp dot);

/// Whether the product, after arithmetic of its lanes, is a factor of another or is added to one,
/// or is made from one in this way.
bool isChained(tile::DotOp dot);

} // namespace nereid::backend::nvptx
