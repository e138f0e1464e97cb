// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns text into Python's tokens. Never fails: see Token::error.
#pragma once

#include "frontend/lex/Token.h"

#include <vector>

namespace nereid {

/// All tokens of `file` with its lines and blocks marked, ending in one End token. An open bracket
/// ends where a line starts with `def`, `class`, `import`, `from` or `@`, so that a slip in host
/// code does not hide the kernels after it.
std::vector<Token> tokenize(const SourceFile &file);

/// The tokens of one expression that fills `file`: line ends and indentation mean nothing.
std::vector<Token> tokenizeExpression(const SourceFile &file);

/// The tokens of an f-string's replacement field that starts at `begin`, after the brace. Stops
/// before the '}', ':' or '!' that ends the expression, or at `end`; the End token says where.
std::vector<Token> tokenizeField(const SourceFile &file, uint32_t begin, uint32_t end);

} // namespace nereid
