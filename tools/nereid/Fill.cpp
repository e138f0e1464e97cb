// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fill.h"

#include "Random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nereid::command {
namespace {

struct FillRow {
  std::string_view name, meaning;
};

constexpr std::array rows = {
#define FILL(enumerator, name, meaning) FillRow{name, meaning},
#include "fills.def"
};

constexpr int64_t integersBelow = 100;
/// Elements made at a time, so that the doubles in between stay in the cache.
constexpr int64_t batch = 4096;

/// The largest whole number that fits `type` and int64.
int64_t largestWhole(DType type) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  if (isFloat(type)) {
    return largest(type) < static_cast<double>(most) ? static_cast<int64_t>(largest(type)) : most;
  }
  unsigned bits = bitWidth(type) - isSigned(type);
  return bits >= 63 ? most : (int64_t(1) << bits) - 1;
}

void requireMeaning(Fill fill, DType type, int64_t size) {
  std::string dtype(shortName(type));
  if (fill == Fill::Randn && !isFloat(type))
    throw Error(Error::Kind::Usage, "randn makes floats, not " + dtype + "; use rand for integers");
  if (int64_t largest = largestWhole(type); fill == Fill::Arange && size - 1 > largest)
    throw Error(Error::Kind::Usage, "arange of " + std::to_string(size) +
                                        " elements does not fit " + dtype + ", which ends at " +
                                        std::to_string(largest));
}

class Sequence {
public:
  Sequence(Fill fill, DType type, Random random) : fill(fill), type(type), random(random) {}

  double next() {
    switch (fill) {
    case Fill::Zeros:
      return 0;
    case Fill::Ones:
      return 1;
    case Fill::Empty:
      return std::numeric_limits<double>::quiet_NaN();
    case Fill::Arange:
      return static_cast<double>(index++);
    case Fill::Rand:
      return uniform();
    case Fill::Randn:
      return random.normal();
    }
    return 0;
  }

private:
  double uniform() {
    if (isFloat(type))
      return largestBelowOne(random.uniform());
    return static_cast<double>(random.bits() % (isBool(type) ? 2 : integersBelow));
  }

  /// Keeps narrow types from rounding up to 1.
  double largestBelowOne(double value) const {
    double steps = std::ldexp(1.0, static_cast<int>(precision(type)));
    return bitWidth(type) <= 16 ? std::floor(value * steps) / steps : value;
  }

  Fill fill;
  DType type;
  Random random;
  int64_t index = 0;
};

/// Integers have no NaN; a pattern stands out instead.
void poison(const Array &array) {
  std::vector<char> pattern(array.bytes(), static_cast<char>(isBool(array.dtype()) ? 1 : 0xCD));
  array.copyFrom(pattern.data());
}

void fillBatches(const Array &array, Sequence sequence) {
  std::vector<char> elements(array.bytes());
  std::vector<double> values;
  for (int64_t begin = 0; begin < array.size(); begin += batch) {
    values.resize(static_cast<size_t>(std::min(batch, array.size() - begin)));
    std::generate(values.begin(), values.end(), [&] { return sequence.next(); });
    char *elementsHere = elements.data() + begin * byteSize(array.dtype());
    convertElements(DType::Float64, values.data(), array.dtype(), elementsHere, values.size());
  }
  array.copyFrom(elements.data());
}

} // namespace

std::optional<Fill> parseFill(std::string_view name) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == name)
      return static_cast<Fill>(i);
  return std::nullopt;
}

std::string fillNames() {
  std::string names;
  for (const FillRow &row : rows)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::string describeFills() {
  std::string text;
  for (const FillRow &row : rows) {
    std::string example = std::string(row.name) + ":DTYPE[...]";
    example.resize(20, ' ');
    text += "    " + example + "  " + std::string(row.meaning) + "\n";
  }
  return text;
}

Array makeFilled(const Device &device, Fill fill, DType type, std::vector<int64_t> shape,
                 std::string_view name, uint64_t seed) {
  Array array = device.zeros(type, std::move(shape));
  requireMeaning(fill, type, array.size());
  if (fill == Fill::Empty && !isFloat(type))
    poison(array);
  else if (fill != Fill::Zeros)
    fillBatches(array, Sequence(fill, type, Random(name, seed)));
  if (fill == Fill::Empty)
    array.countAsUnwritten();
  return array;
}

} // namespace nereid::command
