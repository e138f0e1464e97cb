// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Source.h"

#include <string>

namespace nereid {

/// What the inside of a string literal stands for: Python's escapes resolved, unless it is raw, and
/// line ends made '\n'. An escape that Python does not know stays as written.
std::string decodeString(SourceRange content, bool isRaw);

} // namespace nereid
