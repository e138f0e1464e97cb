// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What profiled kernels note: one row of clocks.def each.
#pragma once

#include <optional>
#include <string_view>

namespace nereid {

enum class ClockName {
#define CLOCK(name, Kind, text) name,
#include "support/clocks.def"
};
enum class ClockKind { Work, Wait, Mark };

std::string_view toString(ClockName name);
ClockKind kindOf(ClockName name);
/// For people: "waits for the tensor cores".
std::string_view meaningOf(ClockName name);
std::optional<ClockName> parseClock(std::string_view name);

} // namespace nereid
