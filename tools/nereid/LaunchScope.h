// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/expression.h"

#include <algorithm>

namespace nereid::command {

/// What a launch is given comes before what else the command line names. Both must stay.
class LaunchScope final : public Scope {
public:
  LaunchScope(const Arguments &given, const Scope &others) : given(given), others(others) {}

  const Argument *find(const std::string &name) const override {
    auto own = std::ranges::find(given, name, &NamedArgument::name);
    return own != given.end() ? &own->value : others.find(name);
  }
  std::vector<std::string> names() const override { return others.names(); }

private:
  const Arguments &given;
  const Scope &others;
};

} // namespace nereid::command
