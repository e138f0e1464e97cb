// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/explain.h"

#include "jit/Suggest.h"
#include "nereid/error.h"
#include "support/Explanations.h"
#include "support/RemarkExamples.h"

namespace nereid {

static Explanation toPublic(const DiagnosticExplanation &row) {
  return {std::string(row.name()), row.format(), row.meaning, row.file(row.mistake),
          row.file(row.mended)};
}

static Explanation toPublic(const RemarkExample &row) {
  return {std::string(nameOf(row.id)), formatOf(row.id),
          std::string(row.meaning) + "\n\nAccepted: " + acceptedOf(row.id) + ".",
          row.remarkedFile(), row.betterFile()};
}

std::vector<Explanation> explanations() {
  std::vector<Explanation> all;
  for (const DiagnosticExplanation &row : diagnosticExplanations())
    all.push_back(toPublic(row));
  for (const RemarkExample &row : remarkExamples())
    all.push_back(toPublic(row));
  return all;
}

Explanation explain(std::string_view id) {
  std::vector<std::string> ids;
  for (Explanation &each : explanations()) {
    if (each.id == id)
      return std::move(each);
    ids.push_back(each.id);
  }
  std::string closest = closestName(id, ids);
  throw Error(Error::Kind::Usage, "no diagnostic or remark '" + std::string(id) + "'" +
                                      (closest.empty() ? "; nereid explain lists them"
                                                       : "; did you mean '" + closest + "'?"));
}

} // namespace nereid
