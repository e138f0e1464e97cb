// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a function that calls itself, cut at those calls.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace nereid::emit::threads {

/// Operations that follow one another, and what comes after them. What other states need of a value
/// is kept in a variable that has the value's name.
struct State {
  enum class End { Goes, Branches, Calls, Returns };

  std::vector<mlir::Value> received; // the results of the call that this state goes on behind
  std::vector<mlir::Operation *> ops;
  std::vector<std::pair<mlir::Value, mlir::Value>> moves; // (to, from), all at once, at its end
  End end = End::Goes;
  mlir::Value condition;
  unsigned next = 0, otherwise = 0;
  std::vector<mlir::Value> handed;        // to the call, or back
  llvm::SetVector<mlir::Value> live = {}; // what it needs of other states
};

/// The first state begins the function.
std::vector<State> statesOf(mlir::Region &region);

/// Whether a value is made inside of the region and is none that can be made anew anywhere.
bool isKept(mlir::Value value, const mlir::Region &region);

} // namespace nereid::emit::threads
