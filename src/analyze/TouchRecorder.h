// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes down where some programs access arrays, one execution after the other, for pictures.
#pragma once

#include "analyze/AccessPlan.h"
#include "analyze/AddressSlice.h"
#include "interpret/events/Listener.h"
#include "nereid/analyze.h"

#include "llvm/ADT/MapVector.h"

namespace nereid::analyzer {

/// Programs that stand for the others: the first ones, some on the way, the last; by number.
std::vector<uint64_t> programsToShow(GridExtent grid);

class TouchRecorder final : public interpret::Listener {
public:
  struct Event {
    mlir::Operation *access;
    Analysis::Touches::Event touch; // without the access's number
  };
  struct Program {
    std::vector<Event> events;
    bool isCut = false;
  };

  TouchRecorder(const AddressSlice &slice,
                const llvm::MapVector<mlir::Operation *, AccessPlan> &plans)
      : slice(slice), plans(plans) {}

  void begins(const interpret::RunEvent &event) override;
  void accesses(const interpret::AccessEvent &event) override;
  void ends(interpret::ProgramId) override;

  /// In the order in which they ran.
  std::vector<Program> programs;
  std::vector<Analysis::Touches::Pattern> patterns;

private:
  void addRegular(const interpret::AccessEvent &event, const AccessPlan &plan,
                  Analysis::Touches::Event &touch, std::vector<int64_t> shape);
  int numberOf(Analysis::Touches::Pattern pattern);

  const AddressSlice &slice;
  const llvm::MapVector<mlir::Operation *, AccessPlan> &plans;
  std::vector<mlir::Operation *> sites; // the access of each; null for others
  Program now;
};

} // namespace nereid::analyzer
