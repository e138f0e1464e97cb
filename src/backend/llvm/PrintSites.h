// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "runtime/PrintSite.h"

namespace nereid::backend {

/// What is the same each time the statement runs.
runtime::PrintSite printSiteOf(tile::PrintOp print);
/// Its one text is why the launch failed (PrintSite::isFailure): where the assertion stands, and
/// its message.
void markAsFailure(tile::PrintOp print, llvm::StringRef message);
/// The message of one that is marked.
llvm::StringRef failureOf(tile::PrintOp print);

} // namespace nereid::backend
