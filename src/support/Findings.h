// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of mistakes that a checked run reports. Unlike the mistakes of a kernel's text
// (Diagnostics.h), a run finds many, and some are warnings.
#pragma once

#include <string_view>

namespace nereid {

enum class FindingId {
#define FINDING(id, severity, text) id,
#include "support/findings.def"
};

enum class Severity { Error, Warning };

/// The format string, with {0}, {1} ... for its arguments.
const char *formatOf(FindingId id);
/// The id as printed in brackets.
std::string_view nameOf(FindingId id);
Severity severityOf(FindingId id);

} // namespace nereid
