// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Value.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::command {

/// The NAME=VALUE arguments of a run. Values are made when first asked for, so that they may refer
/// to each other in any order; a circle is diagnosed.
class RunArguments final : public Scope {
public:
  RunArguments(Device device, uint64_t seed, const std::vector<std::string> &texts);

  const Argument *find(const std::string &name) const override;
  std::vector<std::string> names() const override;
  /// All of them, made.
  Arguments evaluate() const;

private:
  struct Entry {
    std::string name;
    Value value;
    bool isBeingMade = false;
    std::optional<Argument> made;
  };
  Argument make(const std::string &name, const Value &value) const;
  [[noreturn]] void failCircle(const std::string &name) const;

  Device device;
  uint64_t seed;
  // Lazily made, hence mutable behind the const interface of Scope.
  mutable std::vector<Entry> entries;
  mutable std::vector<std::string> path;
};

} // namespace nereid::command
