// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/lex/Token.h"

#include <span>
#include <vector>

namespace nereid {

/// The names that one logical line of host code binds, which is not read otherwise: by assignment,
/// import, for, with, except or del. Reads tokens only, so that any Python goes through.
std::vector<Token> boundNames(std::span<const Token> line);

} // namespace nereid
