// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a warp that has its scheduler for itself gives its instructions, as machine code says.
#pragma once

#include "analyze/CodeListing.h"

#include <array>
#include <optional>

namespace nereid::analyzer {

/// What the assembler writes beside each instruction for the scheduler.
struct IssueControl {
  static constexpr unsigned counters = 6, none = 7;
  unsigned stall = 1;       // cycles to the warp's next instruction
  unsigned result = none;   // the counter that goes down when the result is there
  unsigned operands = none; // and when the operands have been read
  unsigned awaited = 0;     // by bit: counters that must be down before
  static IssueControl of(uint64_t word);
};

/// The upper 64 bits of an instruction, of a line of its own in what `nvdisasm -hex` prints.
std::optional<uint64_t> upperWordIn(llvm::StringRef line);

/// Goes through code in the order of its text. What global memory and barriers take is no part of
/// it: that is counted apart.
class WarpClock {
public:
  /// The cycles that the instruction is later than the one before lets it be, and those that it
  /// keeps the next one from being given.
  unsigned give(InstructionUnit unit, const IssueControl &control);

private:
  static constexpr unsigned units = 0
#define UNIT(member, name, meaning) +1
#include "nereid/units.def"
      ;
  uint64_t now = 0;
  std::array<uint64_t, IssueControl::counters> down = {};
  std::array<uint64_t, units> isFree = {}; // when each unit takes the next instruction
};

} // namespace nereid::analyzer
