// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace nereid::command {

/// As printf writes it, as a string.
__attribute__((format(printf, 1, 2))) std::string formatText(const char *format, ...);

} // namespace nereid::command
