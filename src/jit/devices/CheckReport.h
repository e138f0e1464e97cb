// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/tile/Tile.h"
#include "driver/Compiler.h"
#include "interpret/Interpreter.h"
#include "nereid/nereid.h"
#include "runtime/Executable.h"
#include "support/Diagnostics.h"
#include "support/Findings.h"

#include "llvm/ADT/DenseMap.h"

#include <span>
#include <string>
#include <vector>

namespace nereid::jit {

/// Collects what a checked run finds, one finding for each place in the source and kind of mistake,
/// and prints the kernel's own output as it comes.
class CheckReport final : public interpret::Observer {
public:
  /// What the kernel prints goes to `sink`, or to standard output if that is null; what it gives to
  /// functions of the host, to `receivers`.
  CheckReport(const driver::SourceModule &source, const CheckOptions &options,
              const runtime::PrintSink *sink, std::span<const tile::Receiver> receivers = {},
              std::optional<tile::BlockShape> block = {})
      : source(source), options(options), sink(sink), receivers(receivers), block(block) {}

  void outOfBounds(const interpret::OutOfBounds &access) override;
  void indexBeyond(const interpret::IndexBeyond &found) override;
  void raced(const interpret::Race &race) override;
  void readUnwritten(const interpret::ElementAccess &access) override;
  void doubtMatters(const interpret::DoubtfulLane &lane) override;
  void promiseBroken(mlir::Location location, interpret::ProgramId program) override;
  void assertionFailed(mlir::Location location, interpret::ProgramId program,
                       llvm::StringRef message, int64_t lane) override;
  void assumptionFailed(mlir::Location location, interpret::ProgramId program) override;
  void warpMissed(mlir::Location location, interpret::ProgramId program, unsigned lane,
                  interpret::WarpGap gap, std::optional<mlir::Location> place) override;
  void barrierMissed(mlir::Location location, interpret::ProgramId program,
                     interpret::ProgramId other, std::optional<mlir::Location> otherPlace) override;
  void stepNotPositive(mlir::Location location, interpret::ProgramId program,
                       int64_t step) override;
  void waitsForLater(mlir::Location location, interpret::ProgramId program) override;
  void waitNeverEnds(mlir::Location location, interpret::ProgramId program) override;
  void loopNeverEnds(mlir::Location location, interpret::ProgramId program) override;
  void print(llvm::StringRef line) override;
  void receive(size_t receiver, std::span<const PrintedOperand> values) override;

  /// An element of an array that depends on the order of programs, and how many do.
  struct OrderDependence {
    std::string array;
    int64_t index;
    std::string inOrder, shuffled;
    int64_t differing, size;
  };
  void dependsOnOrder(mlir::Location kernel, const OrderDependence &found);

  /// Whether anything fails the run.
  bool hasErrors() const;
  /// In the order of their first occurrence.
  std::vector<Finding> findings() const;
  /// The same as text, without a final line end; of warnings alone if `onlyWarnings`.
  std::string render(bool onlyWarnings = false) const;

private:
  struct Entry {
    FindingId id;
    SourceRange range;
    Finding finding; // but for places and notes
    std::vector<DiagnosticNote> notes;
    uint64_t written = 1; // of the occurrences that are counted
  };
  /// "program (1, 0, 0)", "thread (3, 0, 0) of block (1, 0, 0)"
  std::string programText(interpret::ProgramId program) const;
  /// A place in the text that is the same for several operations.
  Entry *count(mlir::Location origin, FindingId id);
  template <typename... Args>
  void describe(Entry &entry, interpret::ProgramId program, Args &&...args);
  void note(Entry &entry, mlir::Location location, std::string text, bool isCall = false) const;
  mlir::Location ownPlaceOf(mlir::Location location) const;
  SourceRange rangeOf(mlir::Location location) const;
  bool isWarning(const Entry &entry) const;
  std::vector<DiagnosticNote> notesOf(const Entry &entry) const;

  const driver::SourceModule &source;
  const CheckOptions &options;
  const runtime::PrintSink *sink;
  std::span<const tile::Receiver> receivers;
  std::optional<tile::BlockShape> block; // of a kernel of threads, whose programs are threads
  std::vector<Entry> entries;
  uint64_t omitted = 0;
  llvm::DenseMap<std::pair<const void *, unsigned>, size_t> entryOf;
};

} // namespace nereid::jit
