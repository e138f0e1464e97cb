// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What arithmetic is told that keeps a unit busy longer than anything else takes.
#pragma once

#include "analyze/Advise.h"

#include <optional>

namespace nereid::analyzer {

struct UnitAdvice {
  Place place; // the line that gives the unit most of its instructions
  std::string cause, accept;
  Demand better; // what the launch asks for without the loss
};

/// Nothing where no unit is what bounds the launch.
std::optional<UnitAdvice> adviseBusyUnit(const Analysis &analysis, const Situation &situation);

} // namespace nereid::analyzer
