// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GridScope.h"

namespace nereid::command {

GridScope::GridScope(const Scope &arguments, const Kernel &kernel, const Constants &constants)
    : arguments(arguments) {
  for (const Parameter &parameter : kernel.parameters()) {
    if (!parameter.isConstexpr || arguments.find(parameter.name))
      continue;
    try {
      defaults.emplace(parameter.name, constants[parameter.name]);
    } catch (const Error &) {
      // A default that is no integer has no place in a grid.
    }
  }
}

const Argument *GridScope::find(const std::string &name) const {
  if (const Argument *argument = arguments.find(name))
    return argument;
  auto entry = defaults.find(name);
  return entry == defaults.end() ? nullptr : &entry->second;
}

std::vector<std::string> GridScope::names() const {
  std::vector<std::string> names = arguments.names();
  for (const auto &[name, value] : defaults)
    names.push_back(name);
  return names;
}

} // namespace nereid::command
