// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/WarpClock.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace nereid::analyzer {
namespace {

/// After how many cycles the result of an instruction that a counter tells of is there, and how
/// long the unit takes no other.
struct UnitTime {
  unsigned result = 0, busy = 1;
};

UnitTime timeOf(InstructionUnit unit) {
  switch (unit) {
#define TIME(unit, result, busy)                                                                   \
  case InstructionUnit::unit:                                                                      \
    return {result, busy};
#define MACHINE(...)
#define PTX(...)
#include "analyze/instructions.def"
  default:
    return {};
  }
}

} // namespace

IssueControl IssueControl::of(uint64_t word) {
  auto bits = [&](unsigned first, unsigned count) {
    return unsigned(word >> first & ((uint64_t(1) << count) - 1));
  };
  return {bits(41, 4), bits(46, 3), bits(49, 3), bits(52, counters)};
}

std::optional<uint64_t> upperWordIn(llvm::StringRef line) {
  uint64_t word = 0;
  line = line.trim();
  if (!line.consume_front("/* 0x") || !line.consume_back(" */") || line.getAsInteger(16, word))
    return std::nullopt;
  return word;
}

unsigned WarpClock::give(InstructionUnit unit, const IssueControl &control) {
  const UnitTime time = timeOf(unit);
  const uint64_t before = now;
  uint64_t &unitIsFree = isFree[size_t(unit)];
  now = std::max(now, unitIsFree);
  for (unsigned counter = 0; counter < IssueControl::counters; ++counter)
    if (control.awaited >> counter & 1)
      now = std::max(now, down[counter]);
  unitIsFree = now + time.busy;
  if (control.result < IssueControl::counters)
    down[control.result] = std::max(down[control.result], now + time.result);
  now += std::max(1u, control.stall);
  return unsigned(now - before);
}

} // namespace nereid::analyzer
