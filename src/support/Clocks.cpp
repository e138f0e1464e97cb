// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Clocks.h"

#include <iterator>

namespace nereid {
namespace {

struct ClockRow {
  std::string_view name;
  ClockKind kind;
  std::string_view meaning;
};
constexpr ClockRow clockRows[] = {
#define CLOCK(name, Kind, text) {#name, ClockKind::Kind, text},
#include "support/clocks.def"
};

} // namespace

std::string_view toString(ClockName name) { return clockRows[static_cast<size_t>(name)].name; }
ClockKind kindOf(ClockName name) { return clockRows[static_cast<size_t>(name)].kind; }
std::string_view meaningOf(ClockName name) { return clockRows[static_cast<size_t>(name)].meaning; }

std::optional<ClockName> parseClock(std::string_view name) {
  for (size_t i = 0; i < std::size(clockRows); ++i)
    if (clockRows[i].name == name)
      return static_cast<ClockName>(i);
  return std::nullopt;
}

} // namespace nereid
