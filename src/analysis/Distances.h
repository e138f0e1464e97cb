// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/AxisInfo.h"

namespace nereid::analysis {

/// The bytes between two addresses of a tile are multiples of this power of two; of tiles whose
/// elements are all the same it is `most`, than which it is never more.
int64_t unitOfDistances(const AxisAnalysis &analysis, mlir::Value pointer, int64_t most);

} // namespace nereid::analysis
