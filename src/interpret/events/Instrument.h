// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "interpret/Planner.h"

namespace nereid::interpret {

/// Puts steps of its own into a plan, beside those of the operations: that is how a run is watched
/// that would otherwise not know of it.
class Instrument {
public:
  virtual ~Instrument() = default;
  /// Whether the plan is to keep a shadow beside a value (Planner::shadowOf).
  virtual bool hasShadow(mlir::Value) const { return false; }
  /// Whether it is to be asked about what combines the elements of that reduction or scan, too.
  /// Elements are combined one by one then, and shadows with them, all zero at first.
  virtual bool entersCombining(mlir::Operation &) const { return false; }
  /// Steps before and after those of `op`; empty where there is nothing to do. Terminators are
  /// asked about too, before the values they hand on are moved.
  virtual Step before(Planner &, mlir::Operation &) { return {}; }
  virtual Step after(Planner &, mlir::Operation &) { return {}; }
};

/// One step of several; empty if all are.
Step inOrder(Steps steps);

} // namespace nereid::interpret
