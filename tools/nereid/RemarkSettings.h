// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether remarks of the compiler are shown, and how (docs/remarks.md).
#pragma once

#include "nereid/remarks.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nereid::command {

struct RemarkSettings {
  std::string form; // empty: none

  void addTo(CLI::App &command);
  bool isAsked() const { return !form.empty(); }
  bool isJson() const { return form == "json"; }
  /// Text to standard error; one JSON document to standard output, also where there are none.
  void print(const std::vector<Remark> &remarks) const;
};

} // namespace nereid::command
