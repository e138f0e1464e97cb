// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of libdevice are of numbers, and how far results may be off.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nereid::test {

using Real = long double; // holds every number of every type
using Reals = std::vector<Real>;

struct Reference {
  std::function<Real(const Reals &)> function;
  /// Steps of the result's type that it may be off, as float32 and as float64.
  Real steps32 = 0, steps64 = 0;
  /// Where given: steps are those of the result's type at this size, if the result is smaller.
  std::function<Real(const Reals &)> scale = {};
  /// Where given: the first operand, an integer, is kept below it. It is a number of rounds.
  int32_t orders = 0;
};

/// By name ("sin"), or by name and types where those matter ("clz i:i"): C's functions in long
/// double, or exact integers, or the processor's own rounding modes.
const std::map<std::string, Reference> &libdeviceReferences();

} // namespace nereid::test
