// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace nereid::test {

/// Has an environment variable for as long as it lives, or has none of that name.
class Variable {
public:
  Variable(const char *name, const std::optional<std::string> &value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    set(value);
  }
  ~Variable() { set(before); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  void set(const std::optional<std::string> &value) const {
    value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }

  const char *name;
  std::optional<std::string> before;
};

} // namespace nereid::test
