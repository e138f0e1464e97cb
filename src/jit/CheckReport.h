// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"
#include "interpret/Interpreter.h"
#include "runtime/Executable.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace nereid::jit {

/// Collects what a checked run finds, one diagnostic for each place in the source and kind of
/// mistake, and prints the kernel's own output as it comes.
class CheckReport final : public interpret::Observer {
public:
  /// What the kernel prints goes to `sink`, or to standard output if that is null.
  CheckReport(const driver::SourceModule &source, const runtime::PrintSink *sink)
      : source(source), sink(sink) {}

  void outOfBounds(const interpret::OutOfBounds &access) override;
  void assertionFailed(mlir::Location location, interpret::ProgramId program,
                       llvm::StringRef message) override;
  void assumptionFailed(mlir::Location location, interpret::ProgramId program) override;
  void stepNotPositive(mlir::Location location, interpret::ProgramId program,
                       int64_t step) override;
  void waitNeverEnds(mlir::Location location, interpret::ProgramId program) override;
  void print(llvm::StringRef line) override;

  bool isEmpty() const { return findings.empty(); }
  /// The diagnostics in the order of their first occurrence, without a final line end.
  std::string render() const;
  std::vector<Diagnostic> diagnostics() const;

private:
  struct Counted {
    Diagnostic diagnostic;
    uint64_t count = 0, written = 1;
  };
  /// The finding of this kind at this place, new or old, with one more counted.
  Counted &count(mlir::Location location, DiagnosticId id);

  const driver::SourceModule &source;
  const runtime::PrintSink *sink;
  std::vector<Counted> findings;
  llvm::DenseMap<std::pair<const void *, unsigned>, size_t> findingOf;
};

} // namespace nereid::jit
