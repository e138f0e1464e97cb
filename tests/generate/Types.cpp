// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Types.h"

#include "support/FloatFormat.h"

#include <algorithm>
#include <cmath>

namespace nereid::generate {

/// Not those that have no NaN but keep its sign, which no operation promises: float8e4b15.
const std::vector<DType> &allTypes() {
  static const std::vector<DType> types = [] {
    std::vector<DType> result;
    for (DType type : allDTypes())
      if (type != DType::Float8E4M3B15)
        result.push_back(type);
    return result;
  }();
  return types;
}

int64_t elements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string text(const Shape &shape) {
  std::string result = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + (shape.size() == 1 ? ",)" : ")");
}

std::string text(DType type) { return "tl." + std::string(name(type)); }

static std::optional<DType> promoteFloats(DType lhs, DType rhs, bool isDivision) {
  for (DType wide : {DType::Float64, DType::Float32})
    if (lhs == wide || rhs == wide)
      return wide;
  for (DType half : {DType::Float16, DType::BFloat16})
    if (lhs == half || rhs == half) {
      bool isKept = lhs == rhs || half == DType::Float16;
      return isKept && !isDivision ? half : DType::Float32;
    }
  if (isFloat8(lhs) && isFloat8(rhs))
    return lhs == rhs ? lhs : DType::Float16;
  return std::nullopt;
}

static DType promoteIntegers(DType lhs, DType rhs) {
  if (bitWidth(lhs) != bitWidth(rhs))
    return bitWidth(lhs) > bitWidth(rhs) ? lhs : rhs;
  return isSigned(lhs) ? rhs : lhs;
}

std::optional<DType> promote(DType lhs, DType rhs, Promotion promotion) {
  bool isDivision = promotion == Promotion::Division;
  if (promotion == Promotion::Extremum)
    for (DType *type : {&lhs, &rhs})
      if (*type == DType::BFloat16)
        *type = DType::Float32;
  if (isFloat(lhs) || isFloat(rhs))
    return promoteFloats(lhs, rhs, isDivision);
  if (isDivision && isSigned(lhs) != isSigned(rhs))
    return std::nullopt;
  return promoteIntegers(lhs, rhs);
}

std::vector<std::pair<DType, DType>> pairsFor(DType result, Promotion promotion) {
  std::vector<std::pair<DType, DType>> pairs;
  for (DType lhs : allTypes())
    for (DType rhs : allTypes())
      if (promote(lhs, rhs, promotion) == result)
        pairs.emplace_back(lhs, rhs);
  return pairs;
}

static int digits(DType type) {
  if (isFloat(type))
    return static_cast<int>(precision(type));
  return isSigned(type) ? std::min(static_cast<int>(bitWidth(type)) - 1, 53) : 0;
}

Accuracy Accuracy::in(DType type) const {
  bool fits = std::ldexp(bound, fraction) <= std::ldexp(1.0, digits(type)) - 1;
  Accuracy unknown;
  unknown.mayBeProduct = mayBeProduct;
  if (!onGrid || !fits || (!isFloat(type) && fraction != 0))
    return unknown;
  // Neither among float16's subnormal numbers, nor among those of the type, nor near its end.
  if (isFloat(type) && (fraction > std::min(14, formatOf(type).bias - 1) ||
                        bound >= std::min(60000.0, largest(type))))
    return unknown;
  return *this;
}

Accuracy join(const Accuracy &lhs, const Accuracy &rhs) {
  return {lhs.onGrid && rhs.onGrid, std::max(lhs.bound, rhs.bound),
          std::max(lhs.fraction, rhs.fraction), lhs.mayBeProduct || rhs.mayBeProduct};
}

Accuracy sumOf(const Accuracy &lhs, const Accuracy &rhs) {
  Accuracy sum = join(lhs, rhs);
  sum.bound = lhs.bound + rhs.bound;
  return sum;
}

Accuracy productOf(const Accuracy &lhs, const Accuracy &rhs) {
  return {lhs.onGrid && rhs.onGrid, lhs.bound * rhs.bound, lhs.fraction + rhs.fraction};
}

Accuracy times(const Accuracy &value, int64_t count) {
  return {value.onGrid, value.bound * static_cast<double>(count), value.fraction};
}

} // namespace nereid::generate
