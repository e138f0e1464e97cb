// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "interpret/events/Instrument.h"
#include "interpret/events/Listener.h"

#include <deque>

namespace nereid::interpret {

/// Tells listeners of each access before it is made.
class AccessEvents final : public Instrument {
public:
  /// Whoever listens must outlive the plan.
  explicit AccessEvents(std::span<Listener *const> listeners) : listeners(listeners) {}

  Step before(Planner &planner, mlir::Operation &op) override;
  /// To be called when the plan is made.
  void begin(mlir::func::FuncOp kernel, const AddressSpace &memory, GridExtent grid) const;

private:
  std::span<Listener *const> listeners;
  std::vector<AccessSite> sites;
};

} // namespace nereid::interpret
