// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/lex/Token.h"

#include <vector>

namespace nereid::jit {

/// Where the tokens of one kind begin that are in no brackets and no string, in order.
std::vector<uint32_t> findOutsideBrackets(TokenKind kind, const SourceFile &text);

} // namespace nereid::jit
