// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids, shapes and values that come as text, from a configuration file or a command line:
//
//   nereid::Grid grid = nereid::Expression("cdiv(x.shape[0], BLOCK)").evaluateGrid(arguments);
#pragma once

#include "nereid/nereid.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid {

namespace detail {
struct ExpressionState;
}

/// Where an expression finds the arguments that it names.
class NEREID_API Scope {
public:
  virtual ~Scope() = default;
  /// Null if there is none of that name.
  virtual const Argument *find(const std::string &name) const = 0;
  /// For suggestions.
  virtual std::vector<std::string> names() const = 0;
};

/// An expression of the kernel language that is evaluated on the host, by the rules of Python: with
/// names of arguments, of arrays NAME.shape[i] and NAME.stride[i], and with cdiv, next_power_of_2,
/// tl and triton. Mistakes are Errors(Usage) with a caret under the text.
class NEREID_API Expression {
public:
  /// `label` says in messages where the text stands.
  explicit Expression(std::string text, std::string label = "<expression>");

  const std::string &text() const;
  /// The name of an array stands for that very array. Integers have up to 64 bits.
  Argument evaluate(const Scope &scope) const;
  Argument evaluate(const Arguments &arguments = {}) const;
  /// The elements of a tuple or list, or the one integer that there is.
  std::vector<int64_t> evaluateIntegers(const Scope &scope) const;
  std::vector<int64_t> evaluateIntegers(const Arguments &arguments = {}) const;
  /// One to three extents.
  Grid evaluateGrid(const Scope &scope) const;
  Grid evaluateGrid(const Arguments &arguments = {}) const;

private:
  std::shared_ptr<const detail::ExpressionState> state;
};

/// Reads "torch.version.hip is not None=True", as ModuleOptions::definitions takes it.
NEREID_API NamedArgument parseDefinition(std::string_view text,
                                         const std::string &label = "definition");

} // namespace nereid
