// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/CheckReport.h"

#include "dialect/tile/SourcePlace.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>

namespace nereid::jit {
namespace {

/// Occurrences written out for each place; the rest is only counted.
constexpr uint64_t shownOccurrences = 10;

std::string describe(interpret::ProgramId program) {
  return llvm::formatv("program ({0}, {1}, {2})", program.x, program.y, program.z);
}

const char *describe(interpret::OutOfBounds::Access access) {
  switch (access) {
  case interpret::OutOfBounds::Access::Read:
    return "read";
  case interpret::OutOfBounds::Access::Write:
    return "write";
  case interpret::OutOfBounds::Access::Atomic:
    return "atomic access";
  }
  return "access";
}

std::string describeElement(const interpret::OutOfBounds &access) {
  if (access.array.empty())
    return "an address in no array";
  return llvm::formatv("{0}[{1}]", access.array, access.index);
}

} // namespace

CheckReport::Counted &CheckReport::count(mlir::Location location, DiagnosticId id) {
  auto key = std::pair(location.getAsOpaquePointer(), static_cast<unsigned>(id));
  auto [entry, isNew] = findingOf.try_emplace(key, findings.size());
  if (isNew)
    findings.push_back(
        {{id, tile::rangeOf(location, source.modules.file(tile::fileOf(location))), {}, {}}});
  Counted &finding = findings[entry->second];
  ++finding.count;
  return finding;
}

void CheckReport::outOfBounds(const interpret::OutOfBounds &access) {
  Counted &finding = count(access.location, DiagnosticId::out_of_bounds);
  if (finding.count == 1) {
    std::string size =
        access.array.empty() ? "" : llvm::formatv(" ({0} elements)", access.size).str();
    finding.diagnostic =
        diagnose(finding.diagnostic.range, DiagnosticId::out_of_bounds, describe(access.access),
                 describeElement(access), size, describe(access.program));
  } else if (finding.count <= shownOccurrences) {
    std::string text =
        llvm::formatv("also {0} in {1}", describeElement(access), describe(access.program));
    finding.diagnostic.notes.push_back({{}, text});
    ++finding.written;
  }
}

void CheckReport::assertionFailed(mlir::Location location, interpret::ProgramId program,
                                  llvm::StringRef message) {
  Counted &finding = count(location, DiagnosticId::assertion_failed);
  if (finding.count == 1)
    finding.diagnostic =
        diagnose(finding.diagnostic.range, DiagnosticId::assertion_failed, describe(program),
                 message.empty() ? std::string() : ": " + message.str());
}

void CheckReport::assumptionFailed(mlir::Location location, interpret::ProgramId program) {
  Counted &finding = count(location, DiagnosticId::assumption_failed);
  if (finding.count == 1)
    finding.diagnostic =
        diagnose(finding.diagnostic.range, DiagnosticId::assumption_failed, describe(program));
}

void CheckReport::stepNotPositive(mlir::Location location, interpret::ProgramId program,
                                  int64_t step) {
  Counted &finding = count(location, DiagnosticId::step_not_positive);
  if (finding.count > 1)
    return;
  finding.diagnostic =
      diagnose(finding.diagnostic.range, DiagnosticId::step_not_positive, step, describe(program));
  finding.diagnostic.notes.push_back(
      {{},
       step ? "a step that is known only at run time counts upwards; a negative one must be a "
              "constexpr"
            : "a step must not be zero"});
}

void CheckReport::waitNeverEnds(mlir::Location location, interpret::ProgramId program) {
  Counted &finding = count(location, DiagnosticId::endless_wait);
  if (finding.count > 1)
    return;
  finding.diagnostic =
      diagnose(finding.diagnostic.range, DiagnosticId::endless_wait, describe(program));
  finding.diagnostic.notes.push_back(
      {{}, "every program that is left waits, so the run ends here; elsewhere it would not end"});
}

void CheckReport::print(llvm::StringRef line) {
  std::string lines = line.str() + '\n';
  if (sink)
    (*sink)(lines);
  else
    std::fwrite(lines.data(), 1, lines.size(), stdout);
}

std::vector<Diagnostic> CheckReport::diagnostics() const {
  std::vector<Diagnostic> all;
  for (const Counted &finding : findings) {
    all.push_back(finding.diagnostic);
    if (finding.count > finding.written)
      all.back().notes.push_back(
          {{}, llvm::formatv("and {0} more here", finding.count - finding.written)});
  }
  return all;
}

std::string CheckReport::render() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const Diagnostic &diagnostic : diagnostics())
    diagnostic.print(out);
  return llvm::StringRef(text).rtrim('\n').str();
}

} // namespace nereid::jit
