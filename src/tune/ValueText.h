// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <string>

namespace nereid::tuning {

/// A constant as kernels write it: equal text, equal constant. Throws Error(Usage) for arrays.
std::string valueText(const Argument &value);

} // namespace nereid::tuning
