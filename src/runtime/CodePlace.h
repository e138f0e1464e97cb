// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace nereid::runtime {

/// Lines `line` to `lastLine` of a file; 0 and an empty name: none of the author's.
struct CodePlace {
  std::string file = {};
  unsigned line = 0, column = 0, lastLine = 0;

  bool operator==(const CodePlace &) const = default;
};

} // namespace nereid::runtime
