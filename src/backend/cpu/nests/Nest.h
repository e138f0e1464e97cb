// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop nest over the lanes of a tile, and the computation of virtual tiles inside it.
//
// One dimension is taken `width` lanes at a time. A value is computed in the outermost loop that it
// depends on, once. Where lanes are masked, the innermost body exists several times: for vectors
// whose lanes are all active, where loads and stores are plain, for those without an active one,
// and for the others.
#pragma once

#include "backend/cpu/storage/StoragePlan.h"
#include "backend/llvm/LaneBuilder.h"
#include "dialect/tile/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace nereid::backend::cpu {

class KernelEmitter;

/// A tile's value on the lanes at hand.
struct Lanes {
  enum class Kind {
    Uniform, // `base` for every lane
    Affine,  // lane i is base + i * step: integers, or pointers with the step in bytes
    Vector,  // `base` is a vector
  } kind = Kind::Uniform;
  llvm::Value *base = nullptr;
  llvm::Value *step = nullptr;
  /// The exact lanes of an affine integer that was widened: it may wrap where its address use may
  /// not.
  llvm::Value *exact = nullptr;

  static Lanes uniform(llvm::Value *value) { return {Kind::Uniform, value}; }
  static Lanes vector(llvm::Value *value) { return {Kind::Vector, value}; }
};

/// Of the caches of all CPUs that there is code for.
constexpr unsigned lineBytes = 64;

/// The smallest register that a mask moves.
constexpr unsigned leastRegisterBytes = 16;

/// Of fewer lanes nobody asks whether they are neighbours: each for itself takes as long.
constexpr unsigned lanesWorthARun = 8;

/// For each dimension of a tile, the loop that runs over it; `none` at dimensions of size 1.
using Coordinates = tile::LaneMap;
using tile::none;

/// The usual order of loops: the dimensions as they are, the vector dimension innermost.
llvm::SmallVector<unsigned, 4> innermostLast(size_t rank, unsigned vectorDim);

class Nest {
public:
  /// Loops over `shape` in the order `loopOrder` (outermost first). `vectorDim` is taken in
  /// vectors.
  Nest(KernelEmitter &kernel, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> loopOrder,
       unsigned vectorDim, unsigned width);

  /// Lets the loop over this dimension begin at its end.
  void runBackwards(unsigned dim) { backwards = static_cast<int>(dim); }
  /// Lets the loop over this dimension, which is not the vector dimension, take `count` indices a
  /// round, of which its extent is a multiple. The body starts at the first of them and goes on
  /// with moveTo().
  void takeTogether(unsigned dim, unsigned count);
  void moveTo(unsigned which);
  /// Instead of loops: the one vector at this place, an index for each dimension. Unless it is said
  /// so, it need not begin at a multiple of the width.
  void standAt(llvm::ArrayRef<llvm::Value *> place, bool isMultiple = false);

  /// Each dimension of the nest in order: the coordinates of a tile of the nest's own shape.
  Coordinates identity() const;
  /// Lets stored tiles whose rows go across the vectors be turned in registers. Said before
  /// expect(), of nests that write no tile that they read elsewhere.
  void turnStored() { mayTurn = true; }
  /// Declares that the body evaluates this tile, so that the masks it depends on are looked at.
  void expect(mlir::Value tile, const Coordinates &at);
  /// The same for evaluateDefinition().
  void expectDefinition(mlir::Value tile, const Coordinates &at);
  void expectMask(mlir::Value mask, const Coordinates &at);
  /// Declares that the body has no effect where this mask, null for none, is false: vectors without
  /// an active lane are passed over.
  void skipWhereFalse(mlir::Value mask, const Coordinates &at);
  /// The smallest register that can pass the caches by.
  static constexpr unsigned leastStreamedBytes = 16;
  /// Where whole registers that are stored pass the caches by: where these bits of their address
  /// are zero (null: nowhere), so that it is a multiple of `unit`.
  struct Streaming {
    llvm::Value *bits = nullptr;
    unsigned unit = leastStreamedBytes;
  };
  void stream(Streaming where) { streaming = where; }
  /// The same for loads whose rows in memory go across the vectors. Of nests that write to no
  /// kernel memory: rows are read before the lanes of others are done.
  void turnLoads() { mayTurn = mayTurnLoads = true; }
  /// Lets loads and stores of short rows ask for the lines that the next program, or the next round
  /// of its loop, touches where the nest of `op` stands.
  void askAhead(mlir::Operation *op) { place = op; }
  /// Lets stored tiles be computed once more.
  void computeStored() { readsStored = false; }
  /// Gives vectors without an active lane a body of their own, where masked loads are constants:
  /// tiles are longer than the rows in them, up to twice.
  void distinguishInactive() { isInactiveApart = shape[vectorDim] > fullWidth; }

  using Body = llvm::function_ref<void()>;
  /// Emits the loops with `body` in the innermost. `body` may be called several times: for full
  /// vectors with and without masks, and for single lanes at the end of a dimension. `enter` and
  /// `leave` are called before and after the innermost loop.
  void emit(Body body, Body enter = [] {}, Body leave = [] {});

  /// The lanes of a tile at the current place; scalars are uniform.
  Lanes evaluate(mlir::Value value, const Coordinates &at);
  /// Whether evaluate() knows the operation by itself, without lane arithmetic.
  static bool knows(mlir::Operation *op);
  /// The same, computed although the tile is stored (by the nest that stores it).
  Lanes evaluateDefinition(mlir::Value value, const Coordinates &at);
  /// Computes a stored tile of the nest's shape at the current place, and writes it.
  void define(mlir::Value tile);
  /// A scalar that is loaded, or taken out of a tile of one element.
  llvm::Value *evaluateScalar(mlir::Operation *op);
  /// As a vector of `width()` lanes (a scalar if that is 1).
  llvm::Value *vector(const Lanes &lanes);

  void writeScratch(uint64_t offset, llvm::ArrayRef<int64_t> shape, mlir::Type element,
                    const Coordinates &at, llvm::Value *value);
  /// Lanes of a stored tile that lie at `index`, an integer for each lane, along `axis`, and
  /// elsewhere at the current place; zero where the index lies outside.
  llvm::Value *gather(mlir::Value stored, unsigned axis, llvm::Value *index, Coordinates at);
  /// Writes two tiles of a shape side by side, as pairs.
  void writePairs(uint64_t offset, llvm::ArrayRef<int64_t> shape, mlir::Type element,
                  const Coordinates &at, llvm::Value *first, llvm::Value *second);
  void store(mlir::Operation *store, const Coordinates &at);
  /// The index of the first lane's element in a row-major tile of this shape.
  llvm::Value *elementIndex(llvm::ArrayRef<int64_t> shape, const Coordinates &at);

  unsigned width() const { return currentWidth; }
  bool isVectorDim(unsigned dim) const { return dim == vectorDim; }
  /// The index along a dimension, i64: of the first lane, in the vector dimension.
  llvm::Value *index(unsigned dim) const { return indices[dim]; }

private:
  using Key = std::pair<void *, Coordinates>;

  struct Hooks {
    Body body, enter, leave;
  };
  void emitLoops(unsigned depth, const Hooks &hooks);
  void emitDimension(unsigned depth, const Hooks &hooks);
  void emitLoop(unsigned depth, int64_t begin, int64_t end, int64_t step, const Hooks &hooks);
  void emitInnermost(Body body);
  void emitVersions(llvm::Value *allActive, Body body);
  void emitActiveOrNot(Body body);
  llvm::Value *allActive();
  llvm::Value *anyActive();
  bool isKnownMask(mlir::Value mask, const Coordinates &at) const;
  /// Of a stored tile that was loaded under a mask, the load, if the mask can be computed once more
  /// and lanes that it leaves out hold a constant; or null.
  mlir::Operation *maskedLoadOf(mlir::Value stored) const;
  void collectStored(mlir::Value stored, const Coordinates &at);
  /// A stored or loaded tile whose rows lie along the loop around the vectors': `side` of these
  /// rows' lanes at a time lie in `lines`, each as long as the dimension of the vectors. What is
  /// loaded may be about to be stored: where it will lie nothing has been written yet.
  struct Turned {
    mlir::Value tile;
    Coordinates at;
    int64_t side;
    llvm::Value *lines;
    bool isLoaded;
  };
  void planTurned(mlir::Value stored, const Coordinates &at);
  void planTurnedLoad(mlir::Operation *load, const Coordinates &at);
  void planTurned(mlir::Value tile, const Coordinates &at, int64_t side, bool isLoaded);
  const Turned *turnedOf(mlir::Value stored, const Coordinates &at) const;
  void fillTurned(unsigned depth);
  void turnSquare(const Turned &each, llvm::Value *first);
  llvm::Value *lineOf(const Turned &each, llvm::Value *across);
  Lanes readTurned(const Turned &each);
  enum class Quantity { All, Any };
  struct Ends;
  /// Whether the mask holds for all lanes, or for any: an answer that may be "not all", or "some",
  /// where it is not so.
  llvm::Value *quantified(Quantity quantity, mlir::Value mask, const Coordinates &at);
  llvm::Value *comparedEnds(mlir::arith::CmpIOp op, const Coordinates &at, Quantity quantity);
  std::optional<Ends> endsOf(const Lanes &value, bool asUnsigned);

  Lanes compute(mlir::Value value, const Coordinates &at);
  Lanes computeShape(mlir::Operation *op, const Coordinates &at, bool &isShape);
  Lanes computeLanewise(mlir::OpResult result, const Coordinates &at,
                        llvm::ArrayRef<Lanes> operands);
  Lanes computeAffine(mlir::Operation *op, llvm::ArrayRef<Lanes> operands);
  Lanes computeRun(mlir::OpResult result, const Coordinates &at, llvm::ArrayRef<Lanes> operands);
  Lanes computeQuotients(mlir::OpResult result, llvm::ArrayRef<Lanes> operands);
  std::optional<int64_t> stepInVector(mlir::Value value, const Coordinates &at) const;
  Lanes readStored(mlir::Value value, const Coordinates &at);
  /// Reads a stored tile, `skipped` elements further on.
  Lanes readScratch(mlir::Value value, const Coordinates &at, int64_t skipped = 0);
  /// Reads the first or second element of pairs, which are the last dimension of a stored tile.
  Lanes readHalf(mlir::Value pairs, const Coordinates &at, unsigned which);
  Lanes load(mlir::Operation *load, const Coordinates &at);
  bool hasMaskedMove(unsigned elementBytes) const;
  llvm::Value *loadContiguous(mlir::Type element, llvm::Value *address, llvm::Value *mask);
  llvm::Value *loadApart(mlir::Type element, const Lanes &pointer);
  llvm::Value *loadMasked(mlir::Type element, llvm::Value *address, llvm::Value *mask);
  void storeMasked(mlir::Type element, llvm::Value *value, llvm::Value *address, llvm::Value *mask);
  /// Lets the lanes that a vector `mask` leaves out access `slot`, and clears the mask. One select
  /// for all lanes takes less time, of the machine and of LLVM, than one or a branch for each.
  Lanes redirect(const Lanes &pointer, llvm::Value *&mask, llvm::Value *slot);
  llvm::Value *loadLanes(mlir::Type element, Lanes pointer, llvm::Value *mask);
  bool mayBranch() const;
  bool isKnownInGroups(mlir::Value value, const Coordinates &at) const;
  /// What `where` or `elsewhere` gives, null if they give nothing, by a branch.
  llvm::Value *chosen(llvm::Value *condition, llvm::function_ref<llvm::Value *()> where,
                      llvm::function_ref<llvm::Value *()> elsewhere);
  bool mayLookForRuns(mlir::Type element, const Lanes &pointer, llvm::Value *mask) const;
  llvm::Value *areApart(llvm::Value *addresses, int64_t bytes, llvm::Value *mask);
  llvm::Value *loadMaybeRun(mlir::Type element, const Lanes &pointer, llvm::Value *mask);
  void storeMaybeRun(mlir::Type element, llvm::Value *value, const Lanes &pointer,
                     llvm::Value *mask);
  llvm::Value *loadOne(mlir::Type element, llvm::Value *address, llvm::Value *mask);
  void storeContiguous(mlir::Type element, llvm::Value *value, llvm::Value *address,
                       llvm::Value *mask);
  bool storeApart(mlir::Type element, llvm::Value *value, const Lanes &pointer, llvm::Value *mask);
  void storeStreaming(llvm::Value *stored, unsigned elementBytes, llvm::Value *address);
  void storeLanes(mlir::Type element, llvm::Value *value, Lanes pointer, llvm::Value *mask);
  bool isContiguous(const Lanes &pointer, mlir::Type element) const;
  void askFor(mlir::Value pointer, mlir::Type element, llvm::Value *address, bool isWritten);
  llvm::Value *stepAhead(mlir::Value pointer, mlir::Type element);
  void remarkElements(mlir::Operation *op, llvm::StringRef access, const Lanes &pointer) const;
  llvm::Value *laneAddress(const Lanes &pointer, unsigned lane);
  /// The mask of an access as a vector or scalar, or null where it is known to be all true.
  llvm::Value *activeMask(mlir::Value mask, const Coordinates &at);
  void collectMasks(mlir::Value value, const Coordinates &at, llvm::DenseSet<mlir::Value> &seen);
  void collectMask(mlir::Value mask, const Coordinates &at);

  unsigned levelOf(const Coordinates &at) const;
  Coordinates normalized(mlir::Value value, const Coordinates &at) const;

  KernelEmitter &kernel;
  Builder &b;
  LaneBuilder &lanes;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<unsigned, 4> order;
  unsigned vectorDim, fullWidth;

  int backwards = none;
  int together = none; // the dimension of which a round takes several indices, and these
  llvm::SmallVector<llvm::Value *, 4> togetherIndices;
  unsigned currentWidth = 1;
  bool isAligned = true; // vectors begin at multiples of their width
  llvm::SmallVector<llvm::Value *, 4> indices;
  /// levels[0] is before the nest, levels[k] the body of loop k; the last is the innermost body, or
  /// the version of it being emitted.
  struct Level {
    llvm::BasicBlock *block;
    std::map<Key, Lanes> values;
  };
  llvm::SmallVector<Level, 6> levels;
  std::vector<std::pair<mlir::Value, Coordinates>> masks;
  /// Those under which stored tiles were loaded: they say only which vectors hold constants.
  std::vector<std::pair<mlir::Value, Coordinates>> storedMasks;
  std::optional<std::pair<mlir::Value, Coordinates>> effective; // where the body has an effect
  std::vector<Turned> turned;
  int64_t turnedBytes = 0; // that their lines take
  bool mayTurn = false, mayTurnLoads = false, readsStored = true;
  mlir::Operation *place = nullptr; // that asks ahead; null where nobody does
  llvm::DenseMap<mlir::Value, llvm::Value *>
      stepsAhead; // to the lanes of the next program or round
  bool isInactiveApart = false;
  bool isAllActive = false, isNoneActive = false;
  bool isVolatile = false; // the load being emitted
  Streaming streaming;
};

} // namespace nereid::backend::cpu
