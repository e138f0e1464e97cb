// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread holds which element of a tile, and tiles that change hands: between threads, or
// between threads and shared memory.
#pragma once

#include "analyze/CountLaunch.h"
#include "layout/LinearLayout.h"
#include "nereid/analyze.h"

namespace nereid::analyzer {

/// "128x64 f16"; nothing for a scalar.
std::string tileText(mlir::Type type);
/// What each bit of an input's number adds to an element's coordinates.
std::vector<std::vector<int64_t>> coordinatesOf(const layout::LinearLayout &layout,
                                                std::string_view input);
/// Who holds which element of a tile of pointers that threads access; nothing of other operations.
Analysis::Access::Layout layoutOfAccess(mlir::Operation *op);

std::vector<Analysis::Exchange> exchangesOf(const backend::nvptx::EmittedKernel &kernel,
                                            const LaunchCounts &counts);

} // namespace nereid::analyzer
