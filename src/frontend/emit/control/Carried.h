// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run-time loop carries from turn to turn: the names that its body assigns, and, where paths
// leave it, how they did.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// A value of the same types, for where nobody reads it.
Value placeholder(Emitter &emitter, const Value &like, SourceRange range);
/// The value with its block pointers whole, so that other arrays may take their places.
Value unpinned(const Value &value);

/// The names that a loop carries, and their values on entry.
struct Carried {
  std::vector<std::string> names;
  std::vector<Value> initial;
  std::vector<mlir::Value> parts;

  std::vector<mlir::Type> types() const;
};

/// The names that a loop's body may give other values. An array of a kernel of threads stays the
/// same when its elements change; a tile does not.
std::set<std::string> namesChangedBy(const Emitter &emitter, const ast::StmtList &body);

/// Names that exist before the loop and that its body may assign.
Carried carriedBy(Emitter &emitter, const std::set<std::string> &assigned,
                  const ast::StmtList &body, SourceRange range);
/// Gives the names new values, one for each part.
void rebind(Emitter &emitter, const Carried &carried, mlir::ValueRange values);
/// The carried values at the end of a turn, which must have kept their types.
std::vector<mlir::Value> finalParts(Emitter &emitter, const Carried &carried, SourceRange range);
/// After the loop its carried names have the results, and names that it made are gone.
void leaveLoop(Emitter &emitter, Scope before, const Carried &carried,
               const std::set<std::string> &assigned, mlir::ValueRange results, SourceRange range,
               const ast::Stmt &loop);

/// Makes a loop, anew where a variable that it carries turns out to need a wider type
/// (Emitter::WidensVariable).
Flow retryWider(Emitter &emitter, SourceRange range, llvm::function_ref<Flow()> makeLoop);

/// Says what a break or continue hands on while a loop's body is traced.
class LoopBody {
public:
  LoopBody(Emitter &emitter, const Carried &carried, SourceRange range);
  ~LoopBody();

private:
  Emitter &emitter;
  std::set<std::string> names;
  const std::set<std::string> *outer;
};

/// How a turn ended.
struct TurnEnd {
  std::vector<mlir::Value> parts; // of the carried names
  std::map<Flow, Value> exits;    // Return and Break, if some path took them
  std::optional<Value> result;    // of the function, if some path returned
};

/// Ends a turn that began with the carried names as the values `begun`.
TurnEnd endOfTurn(Emitter &emitter, const Carried &carried, Flow flow, mlir::ValueRange begun,
                  SourceRange range, const ast::Stmt &loop);

/// What a loop that paths leave carries besides: whether it stops before its next turn, whether the
/// function has returned, and what it returned.
class CarriedExits {
public:
  /// `mayStopOtherwise` if the loop has another reason to stop than an exit.
  CarriedExits(Emitter &emitter, const TurnEnd &end, bool mayStopOtherwise, SourceRange range);

  /// At the end of a turn. The first says whether to stop.
  std::vector<mlir::Value> final;
  /// For the start of the loop; to be made outside of it.
  std::vector<mlir::Value> initial() const;
  /// Continues after the loop. Gives Open if the function may have returned.
  Flow leave(mlir::ValueRange results) const;

private:
  Emitter &emitter;
  std::optional<Value> result;
  bool returns = false, hasOwnFlag = false;
  SourceRange range;
};

} // namespace nereid::emit
