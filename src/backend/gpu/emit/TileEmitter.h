// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one thread of a block does with tiles that have layouts, as LLVM IR, on any GPU: lanes, what
// threads exchange, rooms in shared memory, control flow. A back end adds its own operations, and says
// which emitter an operation has.
#pragma once

#include "analysis/AxisInfo.h"
#include "backend/gpu/Configuration.h"
#include "backend/gpu/emit/CodeSites.h"
#include "backend/gpu/emit/SharedStack.h"
#include "backend/gpu/emit/Threads.h"
#include "backend/llvm/LaneBuilder.h"
#include "dialect/nv/Nv.h"
#include "layout/Conversion.h"
#include "layout/Gather.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::gpu {

/// What a thread holds of a value: a lane for each register of a tile, one for a scalar.
using Registers = llvm::SmallVector<llvm::Value *, 8>;

class TileEmitter {
protected:
  TileEmitter(llvm::Module &module, mlir::func::FuncOp kernel, const LaneTarget &laneTarget,
              const Configuration &configuration);
  ~TileEmitter() = default;

  /// An operation of any kind.
  virtual void emitOperation(mlir::Operation *op) = 0;

  bool isOfThreads() const { return block.has_value(); }
  void emitBlock(mlir::Block &block);
  void emitLanewise(mlir::Operation *op);
  void emitConstant(mlir::arith::ConstantOp op);
  void emitRange(tile::RangeOp op);
  // EmitReduce.cpp
  void emitReduce(tile::ReduceOp op);
  // EmitScan.cpp
  void emitScan(tile::ScanOp op);
  // EmitShape.cpp
  void emitMovement(mlir::Operation *op);
  void emitJoin(tile::JoinOp op);
  void emitSplit(tile::SplitOp op);
  // EmitGather.cpp
  void emitGather(tile::GatherOp op);
  bool emitExchange(tile::GatherOp op);
  Registers exchangeBetweenWarps(const Registers &source, mlir::Type element, unsigned reg,
                                 unsigned thread);
  /// The element of a result's register that lies in the source at `index` along the axis, which is
  /// inside.
  llvm::Value *shuffleAt(const layout::GatherPlan &plan, const Registers &source, unsigned reg,
                         llvm::Value *index);
  void emitReshapeInShared(tile::ReshapeOp op);
  void emitHistogram(tile::HistogramOp op);
  /// Writes the tile to shared memory, row-major and without ghosts, for all threads to read; the
  /// address of its first element, i32.
  llvm::Value *placeInShared(mlir::Value tile);
  /// The lane of element `number` of what lies at `base`.
  llvm::Value *readShared(llvm::Value *base, llvm::Value *number, mlir::Type element);
  /// Of the element in a register, one for each dimension, i32; of a ghost beyond the tile.
  llvm::SmallVector<llvm::Value *, 4> coordinatesOf(mlir::Type tile, unsigned reg);
  /// The row-major number, without ghosts, of the element at these coordinates.
  llvm::Value *elementNumber(mlir::Type tile, llvm::ArrayRef<llvm::Value *> at);
  // EmitConvert.cpp
  void emitConvert(nv::ConvertOp op);
  Registers convertInShared(const layout::SharedPlan &plan, llvm::ArrayRef<llvm::Value *> source,
                            mlir::Type element);
  Registers shuffle(const layout::ShufflePlan &plan, llvm::ArrayRef<llvm::Value *> source);
  /// What the first holder of each element has, for all that hold it.
  Registers fromFirstHolders(const layout::LinearLayout &layout, llvm::ArrayRef<llvm::Value *> held,
                             llvm::Value *isFirst);
  /// The first thread's value of a scalar, for all threads.
  llvm::Value *fromFirstThread(llvm::Value *value);
  // EmitShared.cpp
  void emitAlloc(nv::AllocOp op);
  void emitFree(nv::FreeOp op);
  void emitSlot(nv::SlotOp op);
  void emitView(nv::ViewOp op);
  void emitRead(nv::ReadOp op);
  void emitWrite(nv::WriteOp op);
  llvm::Value *sharedPointer(const layout::SharedAccess &access, llvm::Value *base, unsigned offset,
                             unsigned elementBytes);
  void storeShared(const layout::SharedAccess &access, llvm::Value *base,
                   llvm::ArrayRef<llvm::Value *> source, mlir::Type element);
  /// `count` registers, of which those are set that the access names.
  Registers loadShared(const layout::SharedAccess &access, llvm::Value *base, unsigned count,
                       mlir::Type element);
  // EmitMemory.cpp
  /// Of those threads that hold a value, the one that acts for all; null if each acts for itself.
  llvm::Value *actor(mlir::Type type);
  void emitLoad(tile::LoadOp op);
  bool mayBeSeenDifferently(tile::LoadOp op);
  Registers agreedUpon(mlir::Type type, Registers held);
  void emitStore(tile::StoreOp op);
  void emitBarrier(tile::BarrierOp op);
  void emitSync(nv::SyncOp op);
  void release();
  void acquire();
  unsigned registersTogether(mlir::Value pointer, mlir::Value mask);
  // EmitMultiplyAdd.cpp
  void emitMultiplyAdd(nv::MultiplyAddOp op);
  void emitRounds(uint64_t count, Registers &carried, llvm::function_ref<void(llvm::Value *)> body);
  // EmitControlFlow.cpp
  void emitIf(mlir::scf::IfOp op);
  void emitFor(mlir::scf::ForOp op);
  /// A round by its counter, without what has been done of it.
  using RoundEmitter = llvm::function_ref<void(llvm::Value *, llvm::ArrayRef<mlir::Operation *>)>;
  void emitCounted(mlir::scf::ForOp op, llvm::BasicBlock *inside, llvm::BasicBlock *after,
                   RoundEmitter emitRound);
  void emitStepped(mlir::scf::ForOp op, llvm::BasicBlock *inside, llvm::BasicBlock *after,
                   RoundEmitter emitRound);
  void emitWhile(mlir::scf::WhileOp op);
  /// A counter, and the block from which the loop goes on with it.
  struct Resumed {
    llvm::Value *counter;
    llvm::BasicBlock *block;
  };
  bool goesTogether(mlir::scf::ForOp op) const;
  llvm::SmallVector<mlir::Operation *> leadOf(mlir::scf::ForOp op) const;
  void askForUnrolling(mlir::scf::ForOp op, llvm::Value *count, llvm::Instruction *back);
  Resumed emitTogether(mlir::scf::ForOp op, llvm::BasicBlock *single, llvm::BasicBlock *after,
                       RoundEmitter emitRound);

  llvm::BasicBlock *newBlock(llvm::StringRef name);
  const Registers &registersOf(mlir::Value value) const;
  llvm::Value *scalar(mlir::Value value) const { return registersOf(value)[0]; }
  static unsigned registerCount(mlir::Type type);
  /// Whether the register's element lies in the tile; null if every one does.
  llvm::Value *isInside(mlir::Type tile, unsigned reg);

  llvm::Module &module;
  mlir::func::FuncOp kernel;
  analysis::AxisAnalysis axes;
  Builder b;
  LaneBuilder lanes;
  std::shared_ptr<const Target> instructions;
  Threads threads;
  SharedStack shared;
  const std::optional<tile::BlockShape> block; // of a kernel of threads
  llvm::Function *function = nullptr;
  CodeSites *sites = nullptr;
  llvm::DenseMap<mlir::Value, Registers> values;
};

} // namespace nereid::backend::gpu
