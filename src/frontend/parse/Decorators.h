// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/parse/TokenCursor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid {

/// What decorators make of the function or class below them.
struct Decorators {
  bool isKernel = false, isConstexpr = false, isExtern = false, isAggregate = false;
  bool isOfThreads = false;
  bool floorsDivision = false;
  std::optional<std::string> resultMatters; // why, as must_use_result says
  ast::ExprList notSpecialized, notAligned; // parameters: names, or numbers from 0 on

  void applyTo(ast::Function &function) const;
};

/// Whose a decorator is, by its dotted name: other packages have some of the same names.
enum class Language { Tiles, Threads, None };

/// Reads those ahead; what only Python can read says nothing.
Decorators parseDecorators(TokenCursor &cursor,
                           llvm::function_ref<Language(std::string_view)> languageOf);

} // namespace nereid
