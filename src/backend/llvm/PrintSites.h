// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "runtime/PrintSite.h"

namespace nereid::backend {

/// What is the same each time the statement runs.
runtime::PrintSite printSiteOf(tile::PrintOp print);
/// Its one text is why the launch failed (PrintSite::isFailure).
void markAsFailure(tile::PrintOp print);

} // namespace nereid::backend
