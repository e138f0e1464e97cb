// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/names/Meanings.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::names {

std::optional<bool> Meanings::isTrue(const ast::Module &module, const ast::Choice &choice,
                                     size_t index) {
  auto [entry, isNew] = truths.try_emplace({&choice, index}, std::nullopt);
  const ast::Expr *condition = choice.conditions[index].get();
  if (isNew && condition)
    entry->second = facts.holds(module, choice, *condition);
  return entry->second;
}

/// Whether the body of a `try` runs to its end: its imports are carried out and its constants are
/// computed.
std::optional<bool> Meanings::survives(const ast::Module &module, const ast::Choice &attempt) {
  auto [entry, isNew] = truths.try_emplace({&attempt, 0}, std::nullopt);
  if (!isNew)
    return entry->second;
  std::optional<bool> result = true;
  if (attempt.holdsUnread)
    result = std::nullopt;
  for (const ast::Binding &binding : module.bindings) {
    if (!ast::Place{&attempt, 0}.encloses(binding.place))
      continue;
    std::optional<bool> works = true;
    if (binding.kind == ast::Binding::Kind::Import)
      works = facts.isImportable(module, binding);
    if (binding.kind == ast::Binding::Kind::Constant && !facts.isComputable(module, binding))
      works = std::nullopt;
    if (works == false)
      return entry->second = false;
    if (!works)
      result = std::nullopt;
  }
  return entry->second = result;
}

Meanings::Reach Meanings::armRuns(const ast::Module &module, const ast::Choice &choice,
                                  unsigned arm) {
  auto toReach = [](std::optional<bool> runs) {
    return !runs ? Reach::Open : *runs ? Reach::Yes : Reach::No;
  };
  if (choice.kind == ast::Choice::Kind::Try) {
    std::optional<bool> isFine = survives(module, choice);
    // Which of several handlers it is depends on the kind of the failure.
    return toReach(isFine ? std::optional(*isFine == (arm == 0)) : std::nullopt);
  }
  Reach result = Reach::Yes;
  for (size_t i = 0; i <= arm && i < choice.conditions.size(); ++i) {
    std::optional<bool> holds = isTrue(module, choice, i);
    if (holds && *holds != (i == arm))
      return Reach::No;
    if (!holds)
      result = Reach::Open;
  }
  return result;
}

Meanings::Reach Meanings::reach(const ast::Module &module, ast::Place place) {
  Reach result = Reach::Yes;
  for (; place.choice; place = place.choice->place) {
    Reach arm = armRuns(module, *place.choice, place.arm);
    if (arm == Reach::No)
      return arm;
    if (arm == Reach::Open)
      result = arm;
  }
  return result;
}

Meanings::Bindings Meanings::of(const ast::Module &module, const std::string &name,
                                uint32_t before) {
  Bindings found;
  for (const ast::Binding &binding : llvm::reverse(module.bindings)) {
    if (binding.range.begin >= before)
      continue;
    bool isStar = binding.name == "*";
    if (!isStar && binding.name != name)
      continue;
    bool isReplaced = llvm::any_of(
        found, [&](const ast::Binding *later) { return later->place.encloses(binding.place); });
    Reach how = isReplaced ? Reach::No : reach(module, binding.place);
    if (how == Reach::No || (isStar && !facts.mayProvide(module, binding, name)))
      continue;
    found.push_back(&binding);
    if (how == Reach::Yes)
      break;
  }
  return found;
}

} // namespace nereid::names
