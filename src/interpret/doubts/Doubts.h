// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows lanes that cannot be relied on from where their doubt began to where it matters: what
// memory, a branch or an address is given. Until then a doubt is nobody's mistake: masked-off lanes
// compute too.
#pragma once

#include "interpret/doubts/DoubtAnalysis.h"
#include "interpret/events/Instrument.h"

#include "llvm/ADT/StringRef.h"

namespace nereid::interpret {

/// A shadow: the number of each lane's doubt, or zero; and then a byte that is zero where all lanes
/// are, which then need not say so themselves.
struct Shadow {
  uint8_t *lanes = nullptr;
  int64_t count = 0;

  Shadow() = default;
  explicit Shadow(Slot slot) : lanes(slot.as<uint8_t>()), count(slot.capacity - 1) {}
  bool exists() const { return lanes; }
  bool isAny() const { return lanes && lanes[count]; }
  uint8_t at(int64_t lane) const { return isAny() ? lanes[lane] : 0; }
  void clear() const { lanes[count] = 0; }
  /// To be called when the lanes are written.
  void settle() const;
  /// Makes the lanes say zero if only the last byte does.
  void spellOut() const;
};

class Doubts final : public Instrument {
public:
  Doubts(mlir::func::FuncOp kernel, bool findsNonFinite)
      : findsNonFinite(findsNonFinite), analysis(kernel, findsNonFinite) {}

  bool hasShadow(mlir::Value value) const override { return analysis.kindsOf(value) != 0; }
  bool entersCombining(mlir::Operation &combiner) const override {
    return analysis.raisesInside(&combiner);
  }
  Step before(Planner &planner, mlir::Operation &op) override;
  Step after(Planner &planner, mlir::Operation &op) override;

private:
  // Where doubts matter (DoubtUses.cpp).
  Step useOf(Planner &planner, mlir::Operation &op, mlir::Value value, DoubtUse use,
             DoubtKinds kinds, mlir::Value mask = {});
  Step usesByAccess(Planner &planner, mlir::Operation &op);
  /// Of sums that are born infinite in memory.
  Step findsOverflow(Planner &planner, mlir::Operation &op);

  // Where they begin (DoubtSources.cpp): steps that run when those of the operands are passed on.
  Step raise(Planner &planner, mlir::Operation &op, DoubtKinds kinds);
  Step raisedOrPassedBy(Planner &planner, mlir::Operation &op);

  bool findsNonFinite;
  DoubtAnalysis analysis;
  DoubtSites sites;
};

/// Passes the doubts of an operation's operands on to its results (DoubtFlow.cpp). Empty if none
/// can have any.
Step planDoubtFlow(Planner &planner, mlir::Operation &op, const DoubtSites &sites);

} // namespace nereid::interpret
