// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ConfigurationList.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::command {

/// What a command tries of a kernel: the configurations of --configs or, without it, those of
/// @triton.autotune above the kernel, and in each what @triton.heuristics computes.
class ConfigurationSource {
public:
  /// Says on standard error what is left out of the file's. Throws Error that says what is
  /// accepted.
  ConfigurationSource(const Kernel &kernel, const std::vector<std::string> &texts);

  /// Whether there are neither: evaluate() gives one configuration then, in which nothing is
  /// chosen.
  bool isEmpty() const;
  /// Values may name what `scope` knows, and heuristics what a configuration gives besides. What
  /// `scope` has a value for is no heuristic's.
  std::vector<Configuration> evaluate(const Scope &scope) const;

  /// The arguments that matter, as the file says; nothing if it does not.
  const std::optional<std::vector<std::string>> &key() const { return written.key; }
  /// The arrays that get back what they held.
  const std::vector<std::string> &restored() const { return written.restored; }

private:
  WrittenTuning written;
  ConfigurationList list;
};

} // namespace nereid::command
