// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/explain.h"

#include "jit/Suggest.h"
#include "nereid/error.h"
#include "support/Explanations.h"

namespace nereid {

static Explanation toPublic(const DiagnosticExplanation &row) {
  return {std::string(row.name()), row.format(), row.meaning, row.file(row.mistake),
          row.file(row.mended)};
}

std::vector<Explanation> explanations() {
  std::vector<Explanation> all;
  for (const DiagnosticExplanation &row : diagnosticExplanations())
    all.push_back(toPublic(row));
  return all;
}

Explanation explain(std::string_view id) {
  std::vector<std::string> ids;
  for (const DiagnosticExplanation &row : diagnosticExplanations()) {
    if (row.name() == id)
      return toPublic(row);
    ids.emplace_back(row.name());
  }
  std::string closest = closestName(id, ids);
  throw Error(Error::Kind::Usage, "no diagnostic '" + std::string(id) + "'" +
                                      (closest.empty() ? "; nereid explain lists them"
                                                       : "; did you mean '" + closest + "'?"));
}

} // namespace nereid
