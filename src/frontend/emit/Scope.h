// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of one function while it is traced.
#pragma once

#include "frontend/emit/Value.h"

#include <map>
#include <set>

namespace nereid::emit {

/// Ordered by name, so that whatever is made from it comes out the same each time.
struct Scope {
  std::map<std::string, Value> values;
  /// Names annotated tl.constexpr, with the statement that says so: they stay constants, and only
  /// that statement, in the next turn of a static loop, may assign them again.
  std::map<std::string, const ast::Stmt *> constexprs;
  /// Names that some path here leaves undefined, with the statement to blame.
  std::map<std::string, SourceRange> lost;

  void define(const std::string &name, Value value) {
    values[name] = std::move(value);
    lost.erase(name);
  }
  void lose(const std::string &name, SourceRange because) {
    values.erase(name);
    lost[name] = because;
  }
};

/// Whether every assignment to `name` in the statements has the form `name = tl.advance(name, ...)`
/// or `name = name.advance(...)`.
bool isOnlyAdvanced(const std::string &name, const ast::StmtList &body);

/// The names that a list of statements may assign, nested statements and := included.
std::set<std::string> assignedNames(const ast::StmtList &body);
std::set<std::string> assignedNames(llvm::ArrayRef<ast::If::Arm> arms);
std::set<std::string> assignedNames(const ast::Expr &expr);

} // namespace nereid::emit
