// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each diagnostic and each finding of a checked run means, with an example (explanations.def).
#pragma once

#include "support/Diagnostics.h"
#include "support/Findings.h"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace nereid {

struct DiagnosticExplanation {
  std::variant<DiagnosticId, FindingId> id;
  const char *meaning;
  /// Lines of a kernel (isBody), whole files, or null. Those of findings begin with the command
  /// that runs them.
  const char *mistake, *mended;
  bool isBody, isOfThreads = false;

  /// As printed in brackets.
  std::string_view name() const;
  /// The text, with {0}, {1} ... for what it names.
  const char *format() const;
  /// One of the two as a whole file.
  std::string file(const char *part) const;
};

std::span<const DiagnosticExplanation> diagnosticExplanations();

} // namespace nereid
