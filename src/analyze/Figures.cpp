// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/Figures.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace nereid::analyzer {

std::string timeText(double seconds) {
  const char *units[] = {"s", "ms", "us", "ns"};
  unsigned unit = 0;
  for (; seconds < 1 && unit < 3; ++unit)
    seconds *= 1000;
  return llvm::formatv("{0:f1} {1}", seconds, units[unit]);
}

/// In the largest of the units that leaves a whole number; the first of them counts what is whole.
static std::string scaledText(double number, const char *const (&units)[5]) {
  unsigned unit = 0;
  for (; number >= 1000 && unit < 4; ++unit)
    number /= 1000;
  return unit ? llvm::formatv("{0:f1} {1}", number, units[unit])
              : llvm::formatv("{0:f0} {1}", number, units[unit]);
}

std::string bytesText(double bytes) { return scaledText(bytes, {"B", "kB", "MB", "GB", "TB"}); }

std::string flopText(double flops) {
  return scaledText(flops, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"});
}

std::string lineText(const Place &place, const std::string &file) {
  if (!place.line)
    return "-";
  return place.file == file
             ? llvm::utostr(place.line)
             : llvm::formatv("{0}:{1}", llvm::sys::path::filename(place.file), place.line).str();
}

std::string placeText(const Place &place, const std::string &file) {
  return (place.file == file ? "line " : "") + lineText(place, file);
}

} // namespace nereid::analyzer
