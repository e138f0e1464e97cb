// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kernel.h"

#include <cstddef>
#include <span>
#include <string>

namespace nereid::generate {

enum class Agreement {
  /// Bits must be equal, but any NaN equals any other; approximate results may differ in the last
  /// bits of the type in which they were computed.
  Exact,
  /// Floats may differ by what fused products, approximate functions and another order of sums make
  /// of numbers of Fill::Small.
  Near,
  /// The same, where an array of float64 may hold what was computed in float32 and approximated.
  NearSingle,
};

/// Where two runs left different elements in an array, the first few written out; empty if nowhere.
std::string describeDifference(const ArrayParameter &array, std::span<const std::byte> expected,
                               std::span<const std::byte> actual,
                               Agreement agreement = Agreement::Exact);

} // namespace nereid::generate
