// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The small expressions of the command line: grids, shapes and scalar values.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Constant.h"
#include "nereid/nereid.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nereid::command {

/// Where an expression finds the arguments that it names.
class Scope {
public:
  virtual ~Scope() = default;
  /// Null if there is none of that name.
  virtual const Argument *find(const std::string &name) const = 0;
  /// For suggestions.
  virtual std::vector<std::string> names() const = 0;
};

class NoArguments final : public Scope {
public:
  const Argument *find(const std::string &) const override { return nullptr; }
  std::vector<std::string> names() const override { return {}; }
};

/// What a module may compute outside kernels, with the arguments' names, of arrays NAME.shape[i]
/// and NAME.stride[i], and with cdiv and next_power_of_2. Mistakes are Errors with a caret under
/// the text.
class GridExpression {
public:
  /// `label` says in messages where the text stands.
  GridExpression(std::string label, std::string text);

  const std::string &text() const { return source; }
  /// The name that this is and nothing besides; null if it is anything else.
  const std::string *name() const;
  sema::ConstantValue evaluate(const Scope &scope) const;
  /// The elements of a tuple or list, or the one integer that there is.
  std::vector<int64_t> evaluateIntegers(const Scope &scope) const;

private:
  std::string source;
  std::shared_ptr<const SourceFile> file;
  std::shared_ptr<const ast::Expr> tree;
};

/// A grid of one to three extents.
Grid evaluateGrid(const GridExpression &expression, const Scope &scope);

/// What the language holds a constant to be, as an argument.
Argument toArgument(const sema::ConstantValue &value);

} // namespace nereid::command
