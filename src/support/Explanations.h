// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each diagnostic means, with an example (explanations.def).
#pragma once

#include "support/Diagnostics.h"

#include <span>
#include <string>

namespace nereid {

struct DiagnosticExplanation {
  DiagnosticId id;
  const char *meaning;
  /// Lines of a kernel (isBody), whole files, or null.
  const char *mistake, *mended;
  bool isBody;

  /// One of the two as a whole file.
  std::string file(const char *part) const;
};

std::span<const DiagnosticExplanation> diagnosticExplanations();

} // namespace nereid
