// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <string>

namespace nereid::command {

/// "f32[1823, 781]"
std::string describeType(const Array &array);
/// One element as text: integers exactly, floats with six digits, or more if they are whole.
std::string formatElement(DType type, const void *element);
/// "out  f32[1000]  [0.5, 1.25, ... 3]  min 0.5 max 3 mean 1.5"
std::string summarize(const std::string &name, const Array &array);

} // namespace nereid::command
