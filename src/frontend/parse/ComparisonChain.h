// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/lex/Token.h"

#include <span>

namespace nereid {

/// Refuses `i < n & i > 3`, where `&` or `|` joins what stands between two comparisons and not the
/// comparisons, and spells out what was meant. `chain` is a comparison with two operators or more.
void checkComparisonChain(std::span<const Token> chain);

} // namespace nereid
