// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers and places as reports show them.
#pragma once

#include "nereid/error.h"

#include <string>

namespace nereid::analyzer {

/// "12.3 us"
std::string timeText(double seconds);
/// "33.6 MB", of 1000 kB each.
std::string bytesText(double bytes);
/// "17.2 GFLOP"
std::string flopText(double flops);
/// "12", "helper.py:12" where that is not a line of the kernel's own file, or "-" for no place.
std::string lineText(const Place &place, const std::string &file);
/// "line 12" or "helper.py:12".
std::string placeText(const Place &place, const std::string &file);

} // namespace nereid::analyzer
