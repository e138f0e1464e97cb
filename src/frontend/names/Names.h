// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where names of a program's modules lead: to a binding of a module, to a part of the language or
// of Python's library, to another module. Nothing is computed and no operation made; what takes an
// evaluator of expressions is asked of one.
#pragma once

#include "frontend/names/Meaning.h"
#include "frontend/names/Meanings.h"
#include "frontend/sema/Environment.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nereid::names {

/// What only computing an expression of a module tells.
class Evaluator {
public:
  virtual ~Evaluator() = default;

  /// Whether a condition holds when the module comes to it; nothing where only a running Python
  /// would know.
  virtual std::optional<bool> holds(const ast::Module &module, const ast::Choice &choice,
                                    const ast::Expr &condition) = 0;
  virtual bool isComputable(const ast::Module &module, const ast::Binding &constant) = 0;
  /// What `__all__` of a module lists; nothing if it has none, or only a running Python knows it.
  virtual std::optional<std::set<std::string>> namesExported(const ast::Module &module) = 0;
  /// Whether the text at hand may name a module of another language: "numba.cuda".
  virtual bool knowsModule(std::string_view path) = 0;
};

/// A part of the language that an import names: "triton.language.load".
struct PartOfTriton {
  std::string path;
};

/// What a module of the program has under a name.
struct Member {
  const ast::Module *from;
  std::string name;
};

/// What no module here gives a meaning, and the module it is from.
struct Foreign {
  std::string path, module;
  bool isImported = true;
};

using Imported = std::variant<PartOfTriton, Meaning, Member, Foreign>;

class Names : ModuleFacts {
public:
  Names(const sema::Environment &environment, Evaluator &evaluator)
      : environment(environment), evaluator(evaluator) {}

  /// The bindings of a module that a name may stand for, as it stands at the offset `before`:
  /// several where a condition is open.
  Meanings::Bindings of(const ast::Module &module, const std::string &name, uint32_t before) {
    return meanings.of(module, name, before);
  }

  /// What an import of `module` brings under `name`. Kernels get of Python's library what they can
  /// use; outside of kernels there is all that is known.
  Imported imported(const ast::Module &module, const ast::Binding &binding, const std::string &name,
                    bool isOutside);
  /// The module `member` of a package, as `importer` means it; null if there is none.
  const ast::Module *partOfPackage(const ast::Module &importer, const ast::Binding &binding,
                                   const std::string &member);
  /// `package.name`, where a module of that name is part of the package and some import loads it.
  std::optional<ModuleReference> submodule(const ast::Module &asking,
                                           const ModuleReference &package, const std::string &name);
  /// What a name of a module stands for that is nothing here, or looks as if it were (`np`).
  std::optional<Foreign> foreign(const ast::Module &module, const std::string &name,
                                 uint32_t before);

private:
  std::optional<bool> holds(const ast::Module &module, const ast::Choice &choice,
                            const ast::Expr &condition) override {
    return evaluator.holds(module, choice, condition);
  }
  bool isComputable(const ast::Module &module, const ast::Binding &constant) override {
    return evaluator.isComputable(module, constant);
  }
  std::optional<bool> isImportable(const ast::Module &module, const ast::Binding &import) override;
  bool mayProvide(const ast::Module &module, const ast::Binding &star,
                  const std::string &name) override;

  const sema::Environment &environment;
  Evaluator &evaluator;
  Meanings meanings{*this};
  /// Stars that are being followed, and for which name.
  std::set<std::pair<const ast::Module *, std::string>> starsUnderWay;
};

/// The path that an import stands for under `name`, which a star leaves to who asks.
std::string pathOf(const ast::Import &import, const std::string &name);

} // namespace nereid::names
