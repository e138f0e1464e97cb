// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bindings of a module a name may stand for. Nothing is executed: the last binding that its
// conditions let through counts, and several do where a condition is open. What takes an evaluator
// is asked of ModuleFacts, so that this is the text's matter alone.
#pragma once

#include "frontend/ast/Ast.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace nereid::names {

/// What is known of a module's statements without running it.
class ModuleFacts {
public:
  virtual ~ModuleFacts() = default;

  /// Whether a condition of an `if` holds when the module comes to it; nothing where only a running
  /// Python would know.
  virtual std::optional<bool> holds(const ast::Module &module, const ast::Choice &choice,
                                    const ast::Expr &condition) = 0;
  /// Whether an import would be carried out; nothing where that is open.
  virtual std::optional<bool> isImportable(const ast::Module &module,
                                           const ast::Binding &import) = 0;
  /// Whether the constant can be computed.
  virtual bool isComputable(const ast::Module &module, const ast::Binding &constant) = 0;
  /// Whether `from ... import *` may bring the name.
  virtual bool mayProvide(const ast::Module &module, const ast::Binding &star,
                          const std::string &name) = 0;
};

class Meanings {
public:
  /// `facts` are asked once about each condition and each `try`.
  explicit Meanings(ModuleFacts &facts) : facts(facts) {}

  using Bindings = llvm::SmallVector<const ast::Binding *, 2>;
  /// The bindings that may be what the name stands for at the offset `before`, the last first:
  /// several where a condition is open.
  Bindings of(const ast::Module &module, const std::string &name, uint32_t before);

private:
  enum class Reach { Yes, No, Open };
  Reach reach(const ast::Module &module, ast::Place place);
  Reach armRuns(const ast::Module &module, const ast::Choice &choice, unsigned arm);
  std::optional<bool> isTrue(const ast::Module &module, const ast::Choice &choice, size_t index);
  std::optional<bool> survives(const ast::Module &module, const ast::Choice &attempt);

  ModuleFacts &facts;
  /// By choice and condition; that of a `try` is number 0. Open while it is being found.
  std::map<std::pair<const ast::Choice *, size_t>, std::optional<bool>> truths;
};

} // namespace nereid::names
