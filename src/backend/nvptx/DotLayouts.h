// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/nv/Nv.h"
#include "target/NvidiaTarget.h"

namespace nereid::backend::nvptx {

/// How a product is computed, and how its tiles lie for that.
struct DotLayouts {
  /// By mma.sync with this many elements along k, or, if 0, by multiply-adds of single threads.
  unsigned mmaDepth = 0;
  layout::LinearLayout lhs, rhs, result;
};

/// Of a factor, for the threads that hold the sums: for each element of the result that a thread
/// has, the row (or column) of it, whole along k. `kept` is the dimension of the result that the
/// factor has too.
layout::LinearLayout factorLayout(const layout::LinearLayout &result, const layout::Shape &factor,
                                  unsigned kept);

DotLayouts dotLayouts(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
