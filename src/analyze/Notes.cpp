// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/Notes.h"

#include "analyze/KernelCosts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::analyzer {
namespace {

class NoteWriter {
public:
  NoteWriter(Analysis &analysis, const LaunchCounts &counts) : analysis(analysis), counts(counts) {}

  void run() {
    ofSample();
    if (counts.isGuessed)
      note("addresses depend on what the kernel computes and exchanges between threads: that "
           "counts as zero");
    for (const auto &[op, access] : counts.accesses)
      ofAccess(op, access);
    const bool hasAtomics = llvm::any_of(counts.accesses, [](const auto &entry) {
      return entry.second.plan.mover == Mover::Atomic;
    });
    if (const auto &dropped = counts.dropped)
      note(llvm::formatv(
          "line {0}: this loop does not end in program ({1}, {2}, {3}), since "
          "nothing is written while programs are counted: its rounds are as many as were "
          "tried, and what comes after it is not counted",
          dropped->loop.line, dropped->program.x, dropped->program.y, dropped->program.z));
    if (hasAtomics)
      note("atomics give what the array holds before the launch; waiting for other programs is not "
           "counted");
  }

private:
  void ofSample() {
    if (!counts.isSample())
      return;
    constexpr double leastError = 1e-4;
    const std::string error =
        counts.error > leastError
            ? llvm::formatv("the sectors may be off by {0:f2} %", 100 * counts.error).str()
            : std::string("the sectors may be off by less than 0.01 %");
    note(llvm::formatv("{0} of {1} programs were run; the others are taken to be like them ({2}), "
                       "and how much of an array they share is a bound",
                       counts.programsRun, counts.programs, error));
  }

  void ofAccess(Operation *op, const AccessCounts &access) {
    auto array = counts.arrays.find(access.array);
    if (access.decides && array != counts.arrays.end())
      ofDeciding(placeOf(op).line, array->second);
    if (!access.array && access.requests > 0)
      note(llvm::formatv("line {0}: where the {1} goes are integers that were loaded, and no "
                         "argument's array is there: what lies at those addresses counts as an "
                         "array of its own (\"{2}\"); pass the addresses that the launch has",
                         placeOf(op).line, nameOf(access.plan.mover), unownedName));
    if (analysis.instructionSource == "PTX" && access.plan.mover == Mover::Load &&
        op->getParentOfType<scf::ForOp>())
      note("rounds of loops are taken to wait for their loads one after the other: PATH has no "
           "ptxas or no nvdisasm, to say how many the assembler writes together");
    if (access.outside > 0)
      note(llvm::formatv("line {0}: the {1} goes beyond {2}, which takes its time and touches none "
                         "of its bytes; the checked device says which program does, and where",
                         placeOf(op).line, nameOf(access.plan.mover),
                         array != counts.arrays.end() ? array->second.name : "the array"));
  }

  /// What the counts are, an array's elements say.
  void ofDeciding(unsigned line, const ArrayCounts &array) {
    if (array.written > 0)
      return note("addresses, masks or rounds depend on what the kernel reads from " + array.name +
                  ", which it writes as well: what was there before counts");
    note(llvm::formatv("line {0}: addresses, masks or rounds depend on what {1} holds: they are "
                       "counted for what it holds now{2}",
                       line, array.name,
                       array.isAllAlike ? ", which is the same in each element: pass what the "
                                          "launch has, or a sample of it"
                                        : ""));
  }

  void note(const std::string &text) {
    if (!llvm::is_contained(analysis.notes, text))
      analysis.notes.push_back(text);
  }

  Analysis &analysis;
  const LaunchCounts &counts;
};

} // namespace

void addNotes(Analysis &analysis, const LaunchCounts &counts) {
  NoteWriter(analysis, counts).run();
}

} // namespace nereid::analyzer
