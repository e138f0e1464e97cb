// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference executor: evaluates a kernel in the tile dialect operation by operation over typed
// arrays, one program after the other. Slow, obvious, observable: it is the oracle that the other
// executors are compared with.
#pragma once

#include "support/KernelArguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <span>
#include <string>

namespace nereid::interpret {

struct ProgramId {
  uint32_t x, y, z;
};

/// One load, store or atomic of one lane that does not lie inside the array its pointer came from.
struct OutOfBounds {
  mlir::Location location;
  ProgramId program;
  enum class Access { Read, Write, Atomic } access;
  /// The kernel parameter that the pointer was derived from; empty if it came from none.
  std::string array;
  /// Where it leaves the array, as an element's index relative to the array's start (may be
  /// negative), and the array's element count. Both count elements of the parameter's type, however
  /// wide the access is; without a parameter, they count what was accessed.
  int64_t index, size;
};

/// Sees what the interpreter does. The default does nothing; bounds are checked in any case.
class Observer {
public:
  virtual ~Observer() = default;
  /// The access is skipped: a read gives zero, a write is dropped.
  virtual void outOfBounds(const OutOfBounds &) {}
  virtual void assertionFailed(mlir::Location, ProgramId, llvm::StringRef message) {}
  virtual void assumptionFailed(mlir::Location, ProgramId) {}
  /// A loop's step is zero or less: the loop runs no rounds.
  virtual void stepNotPositive(mlir::Location, ProgramId, int64_t step) {}
  /// The program waits in this loop for what no other does.
  virtual void waitNeverEnds(mlir::Location, ProgramId) {}
  /// One complete line, without its line end.
  virtual void print(llvm::StringRef line) {}
};

/// Runs every program of the grid, x fastest, one after the other; where one waits for another, that
/// one has its turn. `kernel` is a verified function with tile.kernel
/// whose arguments match `arguments` one to one.
void run(mlir::func::FuncOp kernel, std::span<const ArgumentSlot> arguments, GridExtent grid,
         Observer &observer);

} // namespace nereid::interpret
