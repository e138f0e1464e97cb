// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Summary.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace nereid::command {
namespace {

constexpr size_t shownFirst = 4, shownLast = 2;

/// Up to here a value of `type` that is whole is not merely rounded to be.
double largestExactWhole(DType type) {
  return isFloat(type) && byteSize(type) < 8 ? 0x1p24 : 0x1p53;
}

/// A number among elements of `type`: whole ones in full, others with six digits.
std::string formatNumber(DType type, double value) {
  if (std::isnan(value))
    return "nan"; // whose sign means nothing
  bool isWhole = std::trunc(value) == value && std::fabs(value) <= largestExactWhole(type);
  char text[32];
  std::snprintf(text, sizeof(text), isWhole ? "%.0f" : "%.6g", value);
  return text;
}

/// The value of an integer element; 128 bits hold both 64-bit types.
__int128 wholeNumber(DType type, const void *element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, byteSize(type));
  if (!isSigned(type))
    return bits;
  unsigned unused = 64 - bitWidth(type);
  return static_cast<int64_t>(bits << unused) >> unused;
}

std::string formatElements(const Array &array, const std::vector<char> &elements) {
  auto size = static_cast<size_t>(array.size());
  unsigned bytes = byteSize(array.dtype());
  std::string text = "[";
  for (size_t i = 0; i < size; ++i) {
    if (size > shownFirst + shownLast && i == shownFirst) {
      text += ", ...";
      i = size - shownLast;
    }
    text += (i ? ", " : "") + formatElement(array.dtype(), elements.data() + i * bytes);
  }
  return text + "]";
}

/// Minimum and maximum of integers, in full.
std::string formatRange(DType type, const std::vector<char> &elements) {
  const char *lowest = elements.data(), *highest = lowest;
  for (const char *next = lowest; next != elements.data() + elements.size();
       next += byteSize(type)) {
    if (wholeNumber(type, next) < wholeNumber(type, lowest))
      lowest = next;
    if (wholeNumber(type, next) > wholeNumber(type, highest))
      highest = next;
  }
  return "  min " + formatElement(type, lowest) + " max " + formatElement(type, highest);
}

std::string formatRange(DType type, double lowest, double highest) {
  return "  min " + formatNumber(type, lowest) + " max " + formatNumber(type, highest);
}

std::string formatStatistics(const Array &array, const std::vector<char> &elements) {
  std::vector<double> values = array.toDoubles();
  double lowest = INFINITY, highest = -INFINITY, sum = 0;
  size_t notNumbers = 0;
  for (double value : values) {
    if (std::isnan(value)) {
      ++notNumbers;
      continue;
    }
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    sum += value;
  }
  size_t numbers = values.size() - notNumbers;
  std::string text;
  if (numbers)
    text = (isFloat(array.dtype()) ? formatRange(array.dtype(), lowest, highest)
                                   : formatRange(array.dtype(), elements)) +
           " mean " + formatNumber(array.dtype(), sum / static_cast<double>(numbers));
  return notNumbers ? text + "  " + std::to_string(notNumbers) + " NaN" : text;
}

} // namespace

std::string describeType(const Array &array) {
  std::string text(shortName(array.dtype()));
  text += "[";
  for (size_t i = 0; i < array.shape().size(); ++i)
    text += (i ? ", " : "") + std::to_string(array.shape()[i]);
  return text + "]";
}

std::string formatElement(DType type, const void *element) {
  if (isFloat(type)) {
    double value;
    convertElements(type, element, DType::Float64, &value, 1);
    return formatNumber(type, value);
  }
  __int128 value = wholeNumber(type, element);
  return value < 0 ? std::to_string(static_cast<int64_t>(value))
                   : std::to_string(static_cast<uint64_t>(value));
}

std::string summarize(const std::string &name, const Array &array) {
  std::vector<char> elements(array.bytes());
  array.copyTo(elements.data());
  return name + "  " + describeType(array) + "  " + formatElements(array, elements) +
         formatStatistics(array, elements);
}

} // namespace nereid::command
