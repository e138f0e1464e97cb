// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kernel.h"

#include <cstddef>
#include <vector>

namespace nereid::generate {

/// What is known of every element of an array that is filled so.
Accuracy accuracyOf(Fill fill, DType type);

/// The bytes of the array before the launch; always the same for one seed and name.
std::vector<std::byte> contents(const ArrayParameter &array, uint64_t seed);

} // namespace nereid::generate
