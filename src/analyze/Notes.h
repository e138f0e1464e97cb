// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analyze/CountLaunch.h"

namespace nereid::analyzer {

/// Adds what of the counts is not known or not as it seems, a sentence each.
void addNotes(Analysis &analysis, const LaunchCounts &counts);

} // namespace nereid::analyzer
