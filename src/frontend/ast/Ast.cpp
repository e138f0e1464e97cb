// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ast/Ast.h"

#include <algorithm>
#include <set>

namespace nereid::ast {

std::string_view spelling(UnaryOp op) {
  constexpr std::string_view spellings[] = {"+", "-", "not", "~"};
  return spellings[static_cast<size_t>(op)];
}

std::string_view spelling(BinaryOp op) {
  constexpr std::string_view spellings[] = {"+",  "-",  "*", "/", "//", "%", "**",
                                            "<<", ">>", "&", "|", "^",  "@"};
  return spellings[static_cast<size_t>(op)];
}

std::string_view spelling(BoolOp op) { return op == BoolOp::And ? "and" : "or"; }

std::string_view spelling(CompareOp op) {
  constexpr std::string_view spellings[] = {"==", "!=", "<",      "<=", ">",
                                            ">=", "is", "is not", "in", "not in"};
  return spellings[static_cast<size_t>(op)];
}

bool Place::encloses(Place inner) const {
  while (choice && inner.choice && (inner.choice != choice || inner.arm != arm))
    inner = inner.choice->place;
  return !choice || inner.choice;
}

std::string Import::path() const {
  if (!member.empty())
    return module + (module.ends_with('.') ? "" : ".") + member;
  return hasAlias ? module : module.substr(0, module.find('.'));
}

std::vector<std::string> Module::functionNames() const {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const Binding &binding : bindings)
    if (binding.function && binding.function->isKernel() && seen.insert(binding.name).second)
      names.push_back(binding.name);
  return names;
}

std::vector<std::string> Module::localFunctionNames() const {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto &local : locals)
    for (const auto &found : {local->functionNames(), local->localFunctionNames()})
      for (const std::string &name : found)
        if (seen.insert(local->holder + "." + name).second)
          names.push_back(local->holder + "." + name);
  return names;
}

Module &Module::operator=(Module &&other) noexcept {
  ModuleContents::operator=(std::move(other));
  adoptLocals();
  return *this;
}

void Module::adoptLocals() {
  for (const auto &local : locals)
    local->outer = this;
}

const Module *Module::find(const Function &function) const {
  for (const Binding &binding : bindings)
    if (binding.function.get() == &function)
      return this;
  for (const auto &local : locals)
    if (const Module *found = local->find(function))
      return found;
  return nullptr;
}

const Module &Module::moduleOf(const Function &function) const {
  const Module *found = locals.empty() ? this : find(function);
  return found ? *found : *this;
}

const Function *Module::function(std::string_view name) const {
  auto found = std::find_if(bindings.rbegin(), bindings.rend(), [&](const Binding &binding) {
    return binding.function && binding.function->isKernel() && binding.name == name;
  });
  return found == bindings.rend() ? nullptr : found->function.get();
}

const Function *Record::method(std::string_view name) const {
  for (const auto &function : methods)
    if (function->name == name)
      return function.get();
  return nullptr;
}

bool Module::binds(std::string_view name, Binding::Kind kind) const {
  return std::ranges::any_of(bindings, [&](const Binding &binding) {
    return binding.kind == kind && binding.name == name;
  });
}

} // namespace nereid::ast
