// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference executor: evaluates a kernel in the tile dialect operation by operation over typed
// arrays, one program after the other. Slow, obvious, observable: it is the oracle that the other
// executors are compared with, and what checks of a running kernel listen to (docs/checking.md).
#pragma once

#include "interpret/operations/Program.h"
#include "support/PrintText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <span>
#include <string>

namespace nereid {
class SourceFile;
}

namespace nereid::interpret {

class LineListener;
class Listener;

enum class AccessKind : uint8_t { Read, Write, Atomic };

/// One load, store or atomic of one lane that does not lie inside the array its pointer came from.
struct OutOfBounds {
  mlir::Location location;
  ProgramId program;
  using Access = AccessKind;
  Access access;
  /// The kernel parameter that the pointer was derived from; empty if it came from none.
  std::string array;
  /// Where it leaves the array, as an element's index relative to the array's start (may be
  /// negative), and the array's element count. Both count elements of the parameter's type, however
  /// wide the access is; without a parameter, they count what was accessed.
  int64_t index, size;
  int64_t lane = 0;
};

/// An index that leaves its dimension, and leads to memory of the array all the same.
struct IndexBeyond {
  mlir::Location location;
  ProgramId program;
  std::string array; ///< empty if it has no name
  uint64_t dimension;
  int64_t index, size;
};

/// One lane's access to an element of a kernel's array.
struct ElementAccess {
  mlir::Location location;
  ProgramId program;
  int64_t lane;
  std::string array;
  int64_t index;
  AccessKind kind;
};

/// Two programs that touch one element without order.
struct Race {
  ElementAccess access;
  mlir::Location otherLocation;
  ProgramId otherProgram;
  AccessKind otherKind;
};

/// Why a lane cannot be relied on.
enum class DoubtKind : uint8_t {
  Undefined,     ///< a mask left it out of a load without `other`, or of an atomic
  Wrapped,       ///< integer arithmetic went beyond its type
  DividedByZero, ///< of integers
  BrokenPromise, ///< a multiple_of that does not hold
  NotFinite,     ///< infinite though computed from finite numbers, or no number though from numbers
};
/// What it decides, or where it goes.
enum class DoubtUse : uint8_t { Store, Branch, Mask, Address };

struct DoubtfulLane {
  DoubtKind kind;
  mlir::Location origin;
  DoubtUse use;
  mlir::Location location; // of the use
  ProgramId program;
  int64_t lane;  // where it is used
  bool isTile;   // what is used
  unsigned bits; // of an element where the doubt began
};

/// Why a lane of a thread's warp has nothing to say to it.
enum class WarpGap {
  Elsewhere, // it waits at another place, and nobody can go on
  Ended,
  Absent,   // the block has no such thread
  NotNamed, // it is none of the members
};

/// Sees what the interpreter does. The default does nothing; bounds are checked in any case.
class Observer {
public:
  virtual ~Observer() = default;
  /// The access is skipped: a read gives zero, a write is dropped.
  virtual void outOfBounds(const OutOfBounds &) {}
  virtual void indexBeyond(const IndexBeyond &) {}
  virtual void raced(const Race &) {}
  virtual void readUnwritten(const ElementAccess &) {}
  virtual void doubtMatters(const DoubtfulLane &) {}
  /// Of a hint. Compilers may rely on it.
  virtual void promiseBroken(mlir::Location, ProgramId) {}
  /// `lane` is the first for which it does not hold; -1 if it is about no tile.
  virtual void assertionFailed(mlir::Location, ProgramId, llvm::StringRef message, int64_t lane) {}
  virtual void assumptionFailed(mlir::Location, ProgramId) {}
  /// Threads of this one's block do not come to the barrier where it waits: `other` is at another
  /// one, or has ended, if that has no place.
  virtual void barrierMissed(mlir::Location, ProgramId, ProgramId /*other*/,
                             std::optional<mlir::Location> /*otherPlace*/) {}
  /// A thread needs a lane of its warp, which may be itself, and that is not there; `place`: where
  /// the other is instead.
  virtual void warpMissed(mlir::Location, ProgramId, unsigned /*lane*/, WarpGap,
                          std::optional<mlir::Location> /*place*/) {}
  /// A loop's step is zero or less: the loop runs no rounds.
  virtual void stepNotPositive(mlir::Location, ProgramId, int64_t step) {}
  /// The program has waited in this loop while all others that had started were done.
  virtual void waitsForLater(mlir::Location, ProgramId) {}
  /// The program waits in this loop for what no other does.
  virtual void waitNeverEnds(mlir::Location, ProgramId) {}
  /// A round of this loop read nothing and left all that is carried round as it was. The program
  /// is dropped there.
  virtual void loopNeverEnds(mlir::Location, ProgramId) {}
  /// One complete line, without its line end.
  virtual void print(llvm::StringRef line) {}
  /// Values for one of tile::Kernel::receivers.
  virtual void receive(size_t receiver, std::span<const PrintedOperand> values) {}
};

struct RunSettings {
  /// Those who hear of every access. Must outlive the run.
  std::span<Listener *const> listeners = {};
  /// Follows lanes that cannot be relied on, and tells the observer where one matters.
  bool followsDoubts = false;
  /// The same for floats that are born infinite or no number.
  bool findsNonFinite = false;
  /// Who hears of each line that a program comes to; null: nobody.
  LineListener *lines = nullptr;
  /// What the kernel was written in, for what is refused; null: none.
  const SourceFile *source = nullptr;
  /// Starts the programs in another order, which depends on the seed.
  std::optional<uint64_t> shuffleSeed = {};
  /// Of each argument, how many bytes of its array lie below its address; none if it is empty.
  std::span<const uint64_t> bytesBelow = {};
};

/// Runs every program of the grid, x fastest, one after the other; where one waits for another,
/// that one has its turn. `kernel` is a verified function with tile.kernel whose arguments match
/// `arguments` one to one.
void run(mlir::func::FuncOp kernel, std::span<const ArgumentSlot> arguments, GridExtent grid,
         Observer &observer, const RunSettings &settings = {});

} // namespace nereid::interpret
