// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/control/Retrace.h"

#include "frontend/emit/threads/Recursion.h"

namespace nereid::emit {
namespace {

/// More mistakes than a reader wants, more traces than such a kernel needs, and how much tracing is
/// worth it, in the steps of Emitter::countStep.
constexpr size_t mostFurther = 9;
constexpr unsigned mostTraces = 100;
constexpr uint64_t mostRetracedSteps = 200'000;

/// After some mistakes the rest of the text is not what its author expects to be compiled.
bool endsSearch(DiagnosticId id) {
  switch (id) {
  case DiagnosticId::raised:
  case DiagnosticId::static_assert_failed:
  case DiagnosticId::kernel_too_large:
  case DiagnosticId::nested_too_deeply:
  case DiagnosticId::recursion_too_deep:
    return true;
  default:
    return false;
  }
}

bool isSame(const Diagnostic &lhs, const Diagnostic &rhs) {
  return lhs.id == rhs.id && lhs.range.file == rhs.range.file && lhs.range.begin == rhs.range.begin;
}

/// `self.x = mistake`
bool assignsField(const ast::Stmt &stmt) {
  const auto *assignment = llvm::dyn_cast<ast::Assign>(&stmt);
  return assignment && llvm::any_of(assignment->targets, [](const ast::ExprPtr &target) {
           return llvm::isa<ast::Attribute>(target.get());
         });
}

} // namespace

Flow Emitter::goRound(const ast::Stmt &stmt) {
  for (const std::string &name : assignedNames(stmt))
    frame->scope.lose(name, {stmt.range, "this holds a mistake", /*isMistake=*/true});
  frame->isResultUnknown |= mayReturn(stmt) || assignsField(stmt);
  if (stmt.kind != ast::StmtKind::Return)
    return Flow::Next;
  frame->scope.result = Value();
  frame->scope.exits[Flow::Return] = boolValue(true);
  return Flow::Return;
}

void Emitter::failAsConsequence(SourceRange range) {
  endedByConsequence = true;
  fail(range, DiagnosticId::undefined_after_branch, "this");
}

void findFurther(Diagnostic &first, const Emitter &ended, mlir::MLIRContext &context,
                 const sema::Environment &environment, llvm::function_ref<void(Emitter &)> trace) {
  std::set<const ast::Stmt *> mistaken;
  const ast::Stmt *at = ended.current;
  DiagnosticId latest = first.id;
  uint64_t steps = ended.steps();
  // A launch answers the wish for a constant; what else is wrong shows then.
  if (!ended.wantedConstants.empty())
    return;
  for (unsigned i = 0; i < mostTraces && first.further.size() < mostFurther; ++i) {
    if (!at || endsSearch(latest) || steps > mostRetracedSteps || !mistaken.insert(at).second)
      return;
    Emitter again(&context, environment, nullptr);
    again.mistaken = &mistaken;
    again.recursions = ended.recursions;
    try {
      return trace(again);
    } catch (const threads::FoundRecursion &) {
      return;
    } catch (const SourceError &error) {
      at = again.current;
      steps += again.steps();
      const Diagnostic &next = error.diagnostic;
      bool isKnown = isSame(next, first) || llvm::any_of(first.further, [&](const auto &known) {
                       return isSame(known, next);
                     });
      // Round a part that was gone round, a loop has no end and branches do not agree.
      bool mayFollow = again.endedByConsequence || (at && holdsAny(*at, mistaken));
      if (isKnown || mayFollow || !again.wantedConstants.empty())
        continue;
      latest = next.id;
      first.further.push_back(next);
    }
  }
}

} // namespace nereid::emit
