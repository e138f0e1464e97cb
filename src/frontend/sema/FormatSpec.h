// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands after the colon of a field of an f-string.
#pragma once

#include "frontend/sema/Constant.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::sema {

/// format(value, spec) of Python, of None, bools, integers, floats, text and types. Nothing where
/// Python would raise an error.
std::optional<std::string> format(const ConstantValue &value, std::string_view spec);

} // namespace nereid::sema
