// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the text of a module does not say itself: the modules that it imports, and values that only
// its caller knows.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Constant.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nereid::sema {

/// What an expression outside kernels may ask of an array.
struct ArrayFacts {
  std::vector<int64_t> shape, strides;
};

/// The modules and values that names may lead to. This one has none.
class Environment {
public:
  /// What a caller says a name stands for.
  using Definition = std::variant<ConstantValue, ArrayFacts>;

  virtual ~Environment() = default;

  /// The module that `importer` means by `path` ("a.b", "..a"); null if there is none.
  virtual const ast::Module *findModule(const ast::Module & /*importer*/,
                                        std::string_view /*path*/) const {
    return nullptr;
  }
  /// Where findModule looks, for messages.
  virtual std::vector<std::string> searchPath(const ast::Module & /*importer*/) const { return {}; }

  /// The value given for a name of a module, or for an expression as ast::print writes it. It
  /// counts for more than what the modules say.
  virtual std::optional<Definition> definition(std::string_view /*text*/) const { return {}; }
  /// What an environment variable holds; nothing where it is not set.
  virtual std::optional<std::string> environmentVariable(const std::string & /*name*/) const {
    return {};
  }
  /// For suggestions, and to know whether there are any.
  virtual std::vector<std::string> definedNames() const { return {}; }

  static const Environment &none();
};

} // namespace nereid::sema
