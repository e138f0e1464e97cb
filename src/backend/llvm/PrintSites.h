// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "runtime/PrintSite.h"

namespace nereid::backend {

/// What is the same each time the statement runs.
runtime::PrintSite printSiteOf(tile::PrintOp print);
/// Its one text is why the launch failed (PrintSite::isFailure).
void markAsFailure(tile::PrintOp print);
/// Of an assertion that fails: "add.py:8:5: assertion failed: x is positive".
std::string failureText(tile::AssertOp check);
/// The same as a print statement that is a failure.
runtime::PrintSite failureSiteOf(tile::AssertOp check);

} // namespace nereid::backend
