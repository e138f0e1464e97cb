// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/parse/TokenCursor.h"

#include <optional>
#include <vector>

namespace nereid {

/// What an assignment outside functions binds.
struct ModuleAssignment {
  /// One for each name, in the order of the text; none for a name that is only declared.
  std::vector<ast::Binding> bindings;
  /// It assigns to an attribute or an element, too, which may raise.
  bool hasOtherTargets = false;
};

/// Reads the assignment ahead: `A = 1`, `A: int = 1`, `A = B = 1`, `A, (B, C) = 1, PAIR`, `A += 1`.
/// Moves to its end; nothing, and no move, if there is none whose value could be a constant.
std::optional<ModuleAssignment> parseModuleAssignment(TokenCursor &cursor, ast::Place place);

} // namespace nereid
