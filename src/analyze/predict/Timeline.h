// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one program does and waits for over time, as the prediction has it.
#pragma once

#include "nereid/analyze.h"
#include "target/Card.h"

namespace nereid::analyzer {

/// Of an analysis that has its flow, counts and products' times. `barrierSeconds`: what a barrier
/// of the block costs, as the prediction counts it.
Analysis::Timeline timelineOf(const Analysis &analysis, const target::Card &card,
                              double barrierSeconds);

} // namespace nereid::analyzer
