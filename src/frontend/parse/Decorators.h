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
  bool isKernel = false, isConstexpr = false, isAggregate = false;
  bool floorsDivision = false;
  std::optional<std::string> resultMatters; // why, as must_use_result says
  ast::ExprList notSpecialized, notAligned; // parameters: names, or numbers from 0 on

  void applyTo(ast::Function &function) const;
};

/// Reads those ahead; what only Python can read says nothing. `isForeign` is asked of the name that
/// one begins with: other packages have decorators of the same names.
Decorators parseDecorators(TokenCursor &cursor,
                           llvm::function_ref<bool(std::string_view)> isForeign);

} // namespace nereid
