// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of generated values, the language's promotion rules written a second time, and what is
// known of a value's size.
#pragma once

#include "nereid/DType.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid::generate {

/// Sizes along each dimension; empty for a scalar.
using Shape = std::vector<int64_t>;

struct ValueType {
  DType dtype;
  Shape shape;
  bool operator==(const ValueType &) const = default;
};

const std::vector<DType> &allTypes();
int64_t elements(const Shape &shape);
/// "(3, 7)"
std::string text(const Shape &shape);
/// "tl.float32"
std::string text(DType type);

/// How an operator finds the type in which it works.
enum class Promotion { Usual, Division, Extremum };
/// Nothing if the language refuses the pair.
std::optional<DType> promote(DType lhs, DType rhs, Promotion promotion);
/// All pairs that promote to `result`.
std::vector<std::pair<DType, DType>> pairsFor(DType result, Promotion promotion);

/// On the grid: a multiple of 2^-fraction, at most `bound` in size, so that sums stay exact. Off
/// the grid nothing is known, except that both executors must get the same bits.
struct Accuracy {
  bool onGrid = false;
  double bound = 1;
  int fraction = 0;
  /// Perhaps a product of tiles, which adds to its other summand as it goes: whether that comes
  /// first or last is nobody's promise.
  bool mayBeProduct = false;

  static Accuracy grid(double bound, int fraction) {
    return {true, bound < 1 ? 1 : bound, fraction};
  }
  /// Off the grid unless `type` holds every such value exactly.
  Accuracy in(DType type) const;
};
/// What holds for a value that is one of the two.
Accuracy join(const Accuracy &lhs, const Accuracy &rhs);
Accuracy sumOf(const Accuracy &lhs, const Accuracy &rhs);
Accuracy productOf(const Accuracy &lhs, const Accuracy &rhs);
Accuracy times(const Accuracy &value, int64_t count);

} // namespace nereid::generate
