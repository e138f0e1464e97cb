// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counts are made of.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nereid::analyzer {

/// What a request of global memory is served in.
inline constexpr unsigned sectorShift = 5;
inline constexpr uint64_t sectorBytes = uint64_t(1) << sectorShift;

/// A count that was weighed, to the nearest; none is below zero.
inline uint64_t rounded(double number) { return uint64_t(std::max(0.0, number) + 0.5); }

} // namespace nereid::analyzer
