// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the diagnostics of the compiler and the checked device, and the compiler's remarks, mean:
// each has an id, which messages show in brackets.
#pragma once

#include "nereid/Export.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid {

struct Explanation {
  std::string id;      ///< "unknown_name"
  std::string message; ///< with {0}, {1} ... for what differs
  std::string meaning;
  /// A file with the mistake, and the same file without; empty where no kernel's text shows it. Of
  /// a remark, a kernel that gets it and a better one.
  std::string mistake, mended;
};

/// All, in the order of the stages that find them; remarks last.
NEREID_API std::vector<Explanation> explanations();
/// Throws Error(Usage) that suggests another if there is none of that id.
NEREID_API Explanation explain(std::string_view id);

} // namespace nereid
