// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a card bounds the rate of a launch: the roofs of its units, and of what moves bytes.
#pragma once

#include "analyze/KernelCosts.h"
#include "nereid/analyze.h"
#include "target/Card.h"

namespace nereid::analyzer {

/// Says the ceilings, the intensity, and how long products take at least. The bytes that each level
/// moves are there.
void addRoofline(Analysis &analysis, const target::Card &card, const KernelCosts &costs);

} // namespace nereid::analyzer
