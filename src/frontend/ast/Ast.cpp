// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ast/Ast.h"

#include <algorithm>

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

const Function *Module::function(std::string_view name) const {
  auto found = std::find_if(functions.rbegin(), functions.rend(),
                            [&](const auto &function) { return function->name == name; });
  return found == functions.rend() ? nullptr : found->get();
}

const ModuleConstant *Module::constant(std::string_view name, uint32_t before) const {
  auto found = std::find_if(constants.rbegin(), constants.rend(), [&](const auto &constant) {
    return constant.name == name && constant.range.begin < before;
  });
  return found == constants.rend() ? nullptr : &*found;
}

const Rebinding *Module::rebinding(std::string_view name, uint32_t after, uint32_t before) const {
  auto found = std::find_if(rebindings.rbegin(), rebindings.rend(), [&](const auto &rebinding) {
    return rebinding.name == name && rebinding.range.begin >= after &&
           rebinding.range.begin < before;
  });
  return found == rebindings.rend() ? nullptr : &*found;
}

} // namespace nereid::ast
