// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Findings.h"

#include <cstddef>

namespace nereid {
namespace {

struct FindingRow {
  std::string_view name;
  Severity severity;
  const char *format;
};

constexpr FindingRow findingRows[] = {
#define FINDING(id, severity, text) {#id, Severity::severity, text},
#include "support/findings.def"
};

const FindingRow &rowOf(FindingId id) { return findingRows[static_cast<size_t>(id)]; }

} // namespace

const char *formatOf(FindingId id) { return rowOf(id).format; }
std::string_view nameOf(FindingId id) { return rowOf(id).name; }
Severity severityOf(FindingId id) { return rowOf(id).severity; }

} // namespace nereid
