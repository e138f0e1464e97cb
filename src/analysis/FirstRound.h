// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What whoever takes first rounds out of a loop says of where the others begin.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::analysis {

/// Attribute of a choice: between where a loop's first round is and, where there is none, its end.
inline constexpr llvm::StringLiteral firstRoundAttr = "tile.first_round";

} // namespace nereid::analysis
