// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/PolicyRow.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::backend {

std::string whyNoChoice(llvm::ArrayRef<PolicyRow> rows, std::string_view name, unsigned number) {
  const auto *row = llvm::find_if(rows, [&](const PolicyRow &each) { return each.name == name; });
  if (row == rows.end()) {
    std::string known;
    for (const PolicyRow &each : rows)
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    return "there is no choice '" + std::string(name) + "'; there are: " + known;
  }
  if (number >= row->least && number <= row->most)
    return {};
  return "'" + std::string(name) + "' cannot be " + std::to_string(number) + ": " +
         std::to_string(row->least) + " to " + std::to_string(row->most) + " (" +
         std::string(row->unit) + ") are accepted";
}

} // namespace nereid::backend
