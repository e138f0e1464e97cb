// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kernel.h"

#include <cstddef>
#include <span>
#include <string>

namespace nereid::generate {

/// Where two runs left different elements in an array, the first few written out; empty if nowhere.
/// Bits must be equal, but any NaN equals any other; approximate results may differ in the last
/// bits of the type in which they were computed.
std::string describeDifference(const ArrayParameter &array, std::span<const std::byte> expected,
                               std::span<const std::byte> actual);

} // namespace nereid::generate
