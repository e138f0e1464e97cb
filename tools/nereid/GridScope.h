// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/expression.h"

#include <map>
#include <string>
#include <vector>

namespace nereid::command {

/// What a grid may name: the arguments, then the constexpr integers that have their defaults, then
/// the extents of the block.
class GridScope final : public Scope {
public:
  /// `arguments` must stay.
  GridScope(const Scope &arguments, const Kernel &kernel, const Constants &constants);

  const Argument *find(const std::string &name) const override;
  std::vector<std::string> names() const override;

private:
  const Scope &arguments;
  std::map<std::string, Argument> defaults;
};

} // namespace nereid::command
