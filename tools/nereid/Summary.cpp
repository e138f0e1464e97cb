// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Summary.h"

#include "jit/Convert.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace nereid::command {
namespace {

constexpr size_t shownFirst = 4, shownLast = 2;

std::string formatNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
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

std::string formatStatistics(const std::vector<double> &values) {
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
    text = "  min " + formatNumber(lowest) + " max " + formatNumber(highest) + " mean " +
           formatNumber(sum / static_cast<double>(numbers));
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
  if (isFloat(type))
    return formatNumber(jit::loadElement(type, element));
  uint64_t bits = 0;
  std::memcpy(&bits, element, byteSize(type));
  if (!isSigned(type))
    return std::to_string(bits);
  unsigned unused = 64 - bitWidth(type);
  return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

std::string summarize(const std::string &name, const Array &array) {
  std::vector<char> elements(array.bytes());
  array.copyTo(elements.data());
  return name + "  " + describeType(array) + "  " + formatElements(array, elements) +
         formatStatistics(array.toDoubles());
}

} // namespace nereid::command
