// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/nv/Nv.h"

namespace nereid::backend::gpu {

/// How a product's tiles lie for who computes it.
struct DotLayouts {
  layout::LinearLayout lhs, rhs, result;
};

/// A factor's layout for the threads that hold the sums: for each element of the result that a
/// thread has, the row (or column) of it, whole along k. `kept` is the dimension of the result that
/// the factor has too.
layout::LinearLayout factorLayout(const layout::LinearLayout &result, const layout::Shape &factor,
                                  unsigned kept);

/// The layouts of a product that warps or threads compute. Later the types of its tiles say how
/// they lie.
DotLayouts dotLayouts(tile::DotOp dot, unsigned warps);

} // namespace nereid::backend::gpu
