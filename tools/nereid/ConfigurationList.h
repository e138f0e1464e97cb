// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/expression.h"
#include "nereid/tune.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid::command {

/// The --configs of a command, "BLOCK=64,128 num_warps=4,8" each: every combination of the values,
/// for all of the texts.
class ConfigurationList {
public:
  /// Throws Error(Usage) that says what is accepted.
  explicit ConfigurationList(const std::vector<std::string> &texts);

  bool isEmpty() const { return products.empty(); }
  /// Values may name what `scope` knows. Equal configurations are there once.
  std::vector<Configuration> evaluate(const Scope &scope) const;

private:
  struct Choice {
    std::string name;
    std::vector<Expression> values;
  };
  using Product = std::vector<Choice>;
  std::vector<Product> products;
};

/// The parts of a text between separators that stand in no brackets or quotes; none is empty.
std::vector<std::string> splitOutsideBrackets(const std::string &text, char separator);

} // namespace nereid::command
