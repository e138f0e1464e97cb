// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a kernel in the tile dialect into one LLVM function that runs a range of programs.
#pragma once

#include "analysis/AxisInfo.h"
#include "backend/cpu/lanes/CpuLaneTarget.h"
#include "backend/cpu/nests/Nest.h"
#include "backend/cpu/products/ShareLoop.h"
#include "backend/cpu/storage/StoragePlan.h"
#include "backend/llvm/SourceLines.h"

#include "dialect/tile/Tile.h"
#include "runtime/PrintSite.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::cpu {

/// Arithmetic on scalars, which may run when nobody asked for it: what it gives for any operands is
/// defined (docs/decisions/0007-defined-arithmetic.md).
bool isScalarArithmetic(mlir::Operation *op);

class KernelEmitter {
public:
  KernelEmitter(llvm::Module &module, mlir::func::FuncOp function, const StoragePlan &plan,
                const target::CpuTarget &target, std::vector<runtime::PrintSite> &prints,
                SourceLines *lines = nullptr);

  /// After so many elements loops look whether the launch is to be ended: about a millisecond.
  static constexpr uint64_t workBetweenLooks = 1 << 20;

  const std::optional<ShareableLoop> &sharedLoop() const { return shareable; }
  /// Emits the entry function (runtime/cpu/CpuKernel.h says its signature) under `symbol`.
  void emit(llvm::StringRef symbol);

  /// Whether operations of this kind are emitted as they come, not lane by lane for their readers.
  static bool isRoot(mlir::Operation *op) { return rootEmitterOf(op); }

  Builder &builder() { return b; }
  LaneBuilder &lanes() { return laneBuilder; }
  const StoragePlan &storage() const { return plan; }
  const target::CpuTarget &cpu() const { return target; }
  /// Whoever wants to know which line instructions are of; null: nobody.
  SourceLines *sourceLines() { return lines; }
  /// The LLVM value of a scalar.
  llvm::Value *scalar(mlir::Value value) const;
  /// Runs `act`, which emits code at `place` in the body of the loop, with those scalars that the
  /// next round will have there, as far as they come from arithmetic alone. Others are this
  /// round's.
  void inNextRound(mlir::scf::ForOp loop, mlir::Operation *place, llvm::function_ref<void()> act);
  /// Whether this is the first round of a loop of which loopFromZero() says that a dot asks.
  llvm::Value *isFirstRound(mlir::scf::ForOp loop) const { return firstRounds.lookup(loop); }
  /// Where a store passes the caches by. May be asked before the store's place.
  Nest::Streaming streamingOf(tile::StoreOp store);
  /// Runs `act`, which emits code, with these scalars, which may stand further on; not at all if
  /// one is more than arithmetic on what is there.
  void withScalars(llvm::ArrayRef<mlir::Value> values, llvm::function_ref<void()> act);
  /// By how many bytes a tile of pointers to `element` moves from this program to the next one of
  /// its thread, or in the loop that `place` stands in from this round to the next one; null where
  /// hardware finds the way by itself, or it cannot be told. Emitted before a nest.
  llvm::Value *stepAhead(mlir::Value pointer, mlir::Type element, mlir::Operation *place);
  llvm::Value *scratch(uint64_t offset);
  /// Memory that masked-off lanes read zeros from, and memory they write to.
  llvm::Value *zeroSlot() const { return zeros; }
  llvm::Value *sinkSlot() const { return sink; }
  /// Memory on the stack for the lines of the nest that is emitted (nests/TurnStored.cpp).
  llvm::Value *turnedLines();

  /// A loop over lanes or programs; the builder stands in its body during `body`, and after it
  /// afterwards. `end` plus `step` must fit the type. With bounds known to give one round, there is
  /// only the body.
  void loop(llvm::Value *begin, llvm::Value *end, llvm::Value *step,
            llvm::function_ref<void(llvm::Value *)> body, llvm::StringRef name);
  void loop(int64_t begin, int64_t end, int64_t step, llvm::function_ref<void(llvm::Value *)> body,
            llvm::StringRef name);
  llvm::BasicBlock *newBlock(llvm::StringRef name);

  /// How many lanes of a nest over `roots` fill `registers` of the registers that are worth using.
  /// Two is the usual number: there are two ports for loads, and more than half a dozen live values
  /// still fit 16 registers.
  unsigned widthFor(llvm::ArrayRef<mlir::Value> roots, int64_t extent, unsigned registers) const;
  /// What is known of integers and addresses along dimensions; found when it is first asked for.
  const analysis::AxisAnalysis &axes() const;
  /// The dimension along which most memory is read and written in order.
  unsigned vectorDimFor(llvm::ArrayRef<mlir::Value> roots, llvm::ArrayRef<int64_t> shape,
                        mlir::Value written = {}) const;
  /// The same width, or that of the runs of numbers by which the nest of `roots` addresses memory,
  /// if these are shorter.
  unsigned widthOfRuns(llvm::ArrayRef<mlir::Value> roots, llvm::ArrayRef<int64_t> shape,
                       unsigned vectorDim, unsigned width) const;
  /// Writes a tile, evaluated from its definition if `isDefinition`, row-major to scratch at
  /// `offset`.
  void writeTile(mlir::Value tile, uint64_t offset, bool isDefinition);

private:
  void emitPrograms();
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  using Emit = void (*)(KernelEmitter &, mlir::Operation *);
  static Emit rootEmitterOf(mlir::Operation *op);
  void emitProgramId(tile::ProgramIdOp op) { scalars[op.getResult()] = programId[op.getAxis()]; }
  void emitNumPrograms(tile::NumProgramsOp op) { scalars[op.getResult()] = gridSize[op.getAxis()]; }
  void emitShared(tile::SharedOp op) { scalars[op.getResult()] = scratch(plan.temporaryOf(op)); }
  void emitTable(tile::TableOp op);
  void emitScalar(mlir::Operation *op);
  llvm::Value *scalarAhead(mlir::Value value);
  llvm::Value *scalarInNextProgram(mlir::Value value);
  void withNextProgram(mlir::Value tile, llvm::function_ref<void()> act);
  bool isWorthAsking(mlir::Operation *place);
  bool hasScatteredRows(mlir::Value pointer, mlir::Type element) const;
  void emitStore(mlir::Operation *op);
  // StreamStores.cpp
  bool mayStream(tile::StoreOp store);
  void emitStreamFence();
  void emitJoin(tile::JoinOp op);
  void emitAtomic(tile::AtomicRmwOp op);
  void emitAtomicCas(tile::AtomicCasOp op);
  void
  emitAtomicLanes(mlir::Operation *op,
                  llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *> operands)> act);
  llvm::Value *atomicCombine(tile::AtomicRmwOp op, llvm::Value *address, llvm::Value *value);
  llvm::Value *atomicAddSmallFloat(tile::AtomicRmwOp op, llvm::Value *address, llvm::Value *value);
  llvm::Value *atomicSwap(tile::AtomicCasOp op, llvm::Value *address, llvm::Value *expected,
                          llvm::Value *value);
  void emitBarrier(mlir::Operation *op);
  void emitSyncGrid(tile::SyncThreadsOp op);
  void emitReduce(mlir::Operation *op);
  void emitScan(mlir::Operation *op);
  void emitHistogram(mlir::Operation *op);
  void emitGather(mlir::Operation *op);
  llvm::Value *gatherExchanged(Nest &nest, tile::GatherOp gather);
  void emitDot(mlir::Operation *op);
  void emitPrint(mlir::Operation *op);
  void emitIf(mlir::scf::IfOp op);
  void emitFor(mlir::scf::ForOp op);
  void emitWhile(mlir::scf::WhileOp op);
  void emitYield(mlir::scf::ForOp loop);
  void emitTogether(mlir::scf::ForOp loop, llvm::ArrayRef<unsigned> positions);
  llvm::BasicBlock *noRound(mlir::scf::ForOp loop, llvm::ArrayRef<unsigned> fromZero,
                            llvm::BasicBlock *after);
  void emitLookUp(mlir::Operation *loop);
  void assignTile(mlir::Value source, mlir::Value target);
  // EmitSharedLoop.cpp
  void readParts();
  struct Rounds {
    llvm::Value *first, *end, *count;
  };
  Rounds roundsOfPart(llvm::Value *count);
  llvm::Value *carriedAfter(unsigned position, llvm::Value *initial, llvm::Value *rounds);
  void beginTile(mlir::Value initial, mlir::Value carried);
  llvm::Value *beginScalar(unsigned position, llvm::Value *initial, const Rounds &rounds);
  void meetParts(llvm::ArrayRef<llvm::Value *> scalarSlots);
  llvm::BasicBlock *endOfProgram();

  llvm::Module &module;
  mlir::func::FuncOp function;
  const StoragePlan &plan;
  const target::CpuTarget &target;
  std::vector<runtime::PrintSite> &prints;
  SourceLines *lines;
  Builder b;
  CpuLaneTarget laneTarget;
  LaneBuilder laneBuilder;
  llvm::Function *entry = nullptr;
  llvm::Value *scratchBase = nullptr, *zeros = nullptr, *sink = nullptr, *context = nullptr;
  llvm::Value *programId[3] = {}, *nextProgramId[3] = {}, *gridSize[3] = {};
  /// Where the rounds of a loop are shared (ShareLoop.h).
  std::optional<ShareableLoop> shareable;
  /// What the context says of it, how many parts a program has, and in a program which part of all
  /// it is and which of its program's.
  llvm::Value *loopParts = nullptr, *parts = nullptr, *part = nullptr, *partOfProgram = nullptr;
  llvm::Value *asksForRounds = nullptr;
  /// The work that is left, in elements, before loops look whether the launch is to be ended.
  llvm::Value *workLeft = nullptr;
  /// Where a program goes that is left early; null while none is.
  llvm::BasicBlock *programEnd = nullptr;
  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<mlir::Value, llvm::Value *> scalarsOfNext;
  llvm::DenseMap<mlir::Operation *, bool> worthAsking; // what isWorthAsking() has answered
  llvm::DenseMap<mlir::Operation *, llvm::Value *> firstRounds;
  mutable std::optional<analysis::AxisAnalysis> axesOfKernel;
  /// What in the kernel reads or is ordered. Found when the first store asks.
  std::optional<llvm::SmallVector<mlir::Operation *>> readers;
  llvm::DenseMap<mlir::Operation *, bool> mayBeStreamed; // what mayStream() has answered
  llvm::AllocaInst *linesOfTurned = nullptr;
  /// Whether a store has passed the caches by; null while none may.
  llvm::AllocaInst *hasStreamed = nullptr;
};

} // namespace nereid::backend::cpu
