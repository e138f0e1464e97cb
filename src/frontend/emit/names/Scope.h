// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of one function while it is traced.
#pragma once

#include "frontend/emit/Value.h"

#include <functional>
#include <map>
#include <set>

namespace nereid::emit {

/// How a list of statements ended, on the paths through it that are not known to be never taken.
enum class Flow {
  Next,     // all paths come to what follows
  Open,     // some do, and some have left
  Return,   // all have left, by this
  Break,    //
  Continue, //
  Left,     // all have left, by different ways
};

/// Whether some path comes to what follows.
inline bool goesOn(Flow flow) { return flow == Flow::Next || flow == Flow::Open; }

/// Ordered by name, so that whatever is made from it comes out the same each time.
struct Scope {
  std::map<std::string, Value> values;
  /// Names annotated tl.constexpr, with the statement that says so: no other, but for that one in
  /// the next turn of a static loop, may declare them again. They are not decayed to scalars, as an
  /// ordinary assignment does it, which makes ordinary variables of them.
  std::map<std::string, const ast::Stmt *> constexprs;
  /// Names that some path here leaves undefined, with the statement to blame.
  struct Loss {
    SourceRange because;
    std::string reason = "not every path through this assigns it";
    /// What would have given it a value is a mistake that was reported (Retrace.h).
    bool isMistake = false;
    /// The loop whose turns alone assign it.
    const ast::Stmt *loop = nullptr;
  };
  std::map<std::string, Loss> lost;
  /// Variables of loops that are over: their last values are computed where they are read.
  std::map<std::string, std::function<Value()>> lastTurns;

  /// For each of Return, Break and Continue that some path took: whether this one did, true or an
  /// i1. What the paths that have left would compute is of no account.
  std::map<Flow, Value> exits;
  /// What the paths that returned give back; nothing before any has.
  std::optional<Value> result;
  /// A statement that gave it.
  SourceRange resultRange = {};

  void define(const std::string &name, Value value) {
    values[name] = std::move(value);
    forget(name);
  }
  void lose(const std::string &name, Loss loss) {
    values.erase(name);
    forget(name);
    lost[name] = std::move(loss);
  }

private:
  void forget(const std::string &name) {
    lost.erase(name);
    lastTurns.erase(name);
  }
};

/// Whether every assignment to `name` in the statements has the form `name = tl.advance(name, ...)`
/// or `name = name.advance(...)`.
bool isOnlyAdvanced(const std::string &name, const ast::StmtList &body);

/// Whether a return stands in the statements, or a break of the loop whose body they are.
bool mayEndLoop(const ast::StmtList &body);

/// Whether a return stands in the statement.
bool mayReturn(const ast::Stmt &stmt);

/// Whether one of `parts` is the statement or stands in it.
bool holdsAny(const ast::Stmt &stmt, const std::set<const ast::Stmt *> &parts);

/// The names that a statement, or a list of them, may assign, nested statements and := included.
std::set<std::string> assignedNames(const ast::Stmt &stmt);
std::set<std::string> assignedNames(const ast::StmtList &body);
std::set<std::string> assignedNames(llvm::ArrayRef<ast::If::Arm> arms);
std::set<std::string> assignedNames(const ast::Expr &expr);
/// The same without names of which only elements are assigned.
std::set<std::string> reboundNames(const ast::StmtList &body);
/// The same without the names that the statements only declare tl.constexpr.
std::set<std::string> reassignedNames(const ast::StmtList &body);

} // namespace nereid::emit
