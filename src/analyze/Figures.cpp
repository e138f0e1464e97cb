// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/Figures.h"

#include "llvm/Support/FormatVariadic.h"

namespace nereid::analyzer {

std::string timeText(double seconds) {
  const char *units[] = {"s", "ms", "us", "ns"};
  unsigned unit = 0;
  for (; seconds < 1 && unit < 3; ++unit)
    seconds *= 1000;
  return llvm::formatv("{0:f1} {1}", seconds, units[unit]);
}

std::string bytesText(double bytes) {
  const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  unsigned unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit)
    bytes /= 1000;
  return llvm::formatv("{0:f1} {1}", bytes, units[unit]);
}

} // namespace nereid::analyzer
