// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GridScope.h"

namespace nereid::command {

GridScope::GridScope(const Scope &arguments, const Kernel &kernel, const Constants &constants)
    : arguments(arguments) {
  auto add = [&](const std::string &name) {
    if (arguments.find(name))
      return;
    try {
      defaults.emplace(name, constants[name]);
    } catch (const Error &) {
      // A default that is no integer has no place in a grid, and kernels of tiles have no block.
    }
  };
  for (const Parameter &parameter : kernel.parameters())
    if (parameter.isConstexpr)
      add(parameter.name);
  for (const char *name : blockExtentNames)
    add(name);
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
