// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that lie in arrays themselves: of gathers, scatters and histograms.
#pragma once

#include "mlir/IR/Value.h"

namespace nereid::analyzer {

/// Whether the pointers of a tile follow a tile that was loaded, each lane's from what it has
/// found: no layout says how near lanes are then. What one number says, that was loaded for all of
/// them (where a row begins), is no such thing.
bool isFound(mlir::Value pointers);

} // namespace nereid::analyzer
