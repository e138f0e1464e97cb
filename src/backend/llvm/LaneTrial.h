// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneBuilder.h"

#include <map>

namespace nereid::backend {

/// Whether an operation's operands and results are lanes that LaneBuilder knows, or tiles of them,
/// and its regions are single blocks: what back ends ask before anything else.
bool hasKnownLanes(mlir::Operation *op);

/// Finds out whether there is code for an operation by emitting it into a function that is thrown
/// away: one lane, on arguments that nothing is known of.
class LaneTrial {
public:
  LaneTrial(llvm::LLVMContext &context, const LaneTarget &target)
      : module("trial", context), b(context), lanes(b, target) {}

  /// For an operation with results, on lanes that LaneBuilder knows.
  bool hasCode(mlir::Operation *op);

private:
  bool emits(mlir::Operation *op);

  // Name, attributes, and the elements of first result and first operand: those of the others
  // follow.
  using Kind = std::tuple<const void *, const void *, const void *, const void *>;
  std::map<Kind, bool> answers;
  llvm::Module module;
  Builder b;
  LaneBuilder lanes;
};

} // namespace nereid::backend
