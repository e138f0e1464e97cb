// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as reports show them.
#pragma once

#include <string>

namespace nereid::analyzer {

/// "12.3 us"
std::string timeText(double seconds);
/// "33.6 MB", of 1000 kB each.
std::string bytesText(double bytes);
/// "17.2 GFLOP"
std::string flopText(double flops);

} // namespace nereid::analyzer
