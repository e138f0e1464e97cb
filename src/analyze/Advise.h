// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analyze/predict/Predict.h"

namespace nereid::analyzer {

/// What is known of a launch that advice rests on.
struct Situation {
  const target::Card &card;
  Demand demand;
  bool isFloat32Product = false; // some product of f32 is computed by threads
};

/// Losses of more than 3 % of the predicted time, each with what would be accepted: what gains most
/// first. Reads the counts and the prediction that the analysis holds; sets what its entries lose.
void advise(Analysis &analysis, const Situation &situation);

} // namespace nereid::analyzer
