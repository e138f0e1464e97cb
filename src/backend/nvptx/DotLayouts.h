// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/nv/Nv.h"
#include "target/NvidiaTarget.h"

namespace nereid::backend::nvptx {

/// How many elements along k an mma.sync for this product takes; 0 if single threads multiply and
/// add.
unsigned mmaDepth(tile::DotOp dot, const target::NvidiaTarget &target);

/// Elements along k of the widest mma.sync for these element types, 0 if there is none with an exact
/// enough sum.
unsigned widestDepth(tile::DotOp dot, const target::NvidiaTarget &target);

/// How a product's tiles lie for that.
struct DotLayouts {
  layout::LinearLayout lhs, rhs, result;
};

/// Of a factor, for the threads that hold the sums: for each element of the result that a thread
/// has, the row (or column) of it, whole along k. `kept` is the dimension of the result that the
/// factor has too.
layout::LinearLayout factorLayout(const layout::LinearLayout &result, const layout::Shape &factor,
                                  unsigned kept);

/// A question for those who choose layouts: the answer depends on the products around it. Later the
/// types of its tiles say how they lie.
DotLayouts dotLayouts(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
