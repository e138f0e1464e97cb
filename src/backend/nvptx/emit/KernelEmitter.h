// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a kernel whose tiles have layouts into one LLVM function: what one thread of a block does.
#pragma once

#include "backend/gpu/emit/TileEmitter.h"
#include "backend/nvptx/Configuration.h"
#include "runtime/ClockRecords.h"
#include "runtime/PrintSite.h"
#include "target/NvidiaTarget.h"

#include "llvm/ADT/MapVector.h"

namespace nereid::backend::nvptx {

/// A ring's barriers, i32 addresses in shared memory, and where each role is in it: in stack slots,
/// of which LLVM makes registers.
struct RingState {
  unsigned stages = 0;
  bool isReadByProducts = false;
  llvm::Value *full = nullptr, *empty = nullptr; // of the first slot; of the next, 8 bytes on
  struct Place {
    llvm::AllocaInst *index, *parity; // of the next slot; of the barrier's phase there
  };
  Place filled, awaited;
  llvm::AllocaInst *released = nullptr;   // the index of the next slot to be released
  llvm::AllocaInst *unreleased = nullptr; // slots that are read; null where that is one, if any
};

/// Where a thread notes what its warp does: of its area's last record the low half of the address, 0
/// if it notes nothing; the high half; and of the next record, in a stack slot. All i32.
struct ClockState {
  llvm::Value *table = nullptr, *inverseOfRows = nullptr, *rows = nullptr; // parameters
  llvm::Value *last = nullptr, *high = nullptr;
  llvm::AllocaInst *next = nullptr;
};

class KernelEmitter final : public gpu::TileEmitter {
public:
  /// The kernel's nv.configuration says how many warps compute, nv.producer_warps how many more run
  /// a program, for nv.produce: where those are a warpgroup, the others get its registers. A kernel
  /// of threads has its block instead.
  KernelEmitter(llvm::Module &module, mlir::func::FuncOp kernel, const LaneTarget &laneTarget,
                const target::NvidiaTarget &target);
  unsigned threadsOfBlock() const;

  /// `sites`, if there are any, says of each instruction which operation it is of.
  void emit(llvm::StringRef symbol, CodeSites *sites = nullptr);
  /// Dynamic shared memory that the function counts on.
  uint64_t sharedBytes() const { return shared.bytes(); }
  /// The operation that takes most of it at a time; null if none takes any.
  mlir::Operation *largestShare() const { return shared.largestUser(); }
  /// Where more of it is taken than passes believed.
  const std::optional<SharedStack::Excess> &excessOfShared() const { return shared.excess(); }
  /// The print statements. Where there are any, the launch's buffer for them follows the kernel's
  /// parameters.
  std::vector<runtime::PrintSite> takePrints() { return std::move(prints); }
  /// The places where warps read the clock. Where there are any, the parameters of ClockRecords.h
  /// follow.
  std::vector<runtime::ClockSite> takeClocks() { return std::move(clocks); }
  /// Whether blocks run several programs. Then the grid's three numbers follow.
  bool loopsOverPrograms() const { return !gridArguments.empty(); }
  /// What each operation does to shared memory.
  const EmittedCosts &costs() const { return shared.costs(); }
  /// Whose tensor maps are the last parameters.
  llvm::ArrayRef<mlir::Operation *> boxes() const { return boxOps; }

  /// Whether operations of this kind have an emitter of their own; others are computed lane by
  /// lane.
  static bool hasEmitter(mlir::Operation *op) { return emitterOf(op); }

private:
  KernelEmitter(llvm::Module &module, mlir::func::FuncOp kernel, const LaneTarget &laneTarget,
                const target::NvidiaTarget &target, const Configuration &configuration);
  using Emit = void (*)(KernelEmitter &, mlir::Operation *);
  static Emit emitterOf(mlir::Operation *op);
  void emitEntry(llvm::StringRef symbol);
  llvm::Type *parameterType(mlir::Type type);
  llvm::Value *inReach(llvm::Argument &argument);
  void emitOperation(mlir::Operation *op) override;
  bool isDivisionBesideProducer(mlir::Operation *op) const;
  void emitDivisionBesideProducer(mlir::Operation *op);
  void emitDivisionUnlessSmall(mlir::Operation *op);
  // EmitPrograms.cpp
  /// Of the program, and of the grid, along x, y and z; i32.
  std::array<llvm::Value *, 3> programIds();
  /// Of the program of this number, where so many blocks share all of them.
  std::array<llvm::Value *, 3> programAt(llvm::Value *number, llvm::Value *blocks);
  std::array<llvm::Value *, 3> programCounts();
  void emitProgramId(tile::ProgramIdOp op);
  void emitNumPrograms(tile::NumProgramsOp op);
  void emitPrograms(nv::ProgramsOp op);
  // EmitThreads.cpp
  void emitThreadId(tile::ThreadIdOp op);
  void emitSharedMemory(tile::SharedOp op);
  void emitActiveMask(tile::ActiveMaskOp op);
  void emitTable(tile::TableOp op);
  void emitLocalMemory(tile::LocalOp op);
  void emitSyncThreads(tile::SyncThreadsOp op);
  void emitSyncBlock();
  void emitSyncThreadsCount(tile::SyncThreadsCountOp op);
  void emitSyncWarp(tile::SyncWarpOp op);
  void emitShuffle(tile::ShuffleOp op);
  /// How a shuffle finds the lane: by which instruction, with what, and its limit of lanes.
  struct Partner {
    llvm::Intrinsic::ID instruction;
    llvm::Value *lane;
    uint32_t limit;
  };
  Partner partnerOf(tile::ShuffleOp op);
  void emitBallot(tile::BallotOp op);
  void emitThreadLoad(tile::LoadOp op);
  void emitThreadStore(tile::StoreOp op);
  void emitThreadAtomic(tile::AtomicRmwOp op);
  void emitThreadCas(tile::AtomicCasOp op);
  llvm::Value *emitWhere(mlir::Value mask, llvm::Type *type,
                         llvm::function_ref<llvm::Value *()> emit);
  /// Where threads act for themselves.
  void emitLoad(tile::LoadOp op);
  void emitStore(tile::StoreOp op);
  // EmitAtomic.cpp
  void emitAtomic(mlir::Operation *op, mlir::Value mask, tile::MemoryScope scope);
  void emitAtomicRmw(tile::AtomicRmwOp op);
  bool emitVectorAtomic(tile::AtomicRmwOp op);
  void emitAtomicCas(tile::AtomicCasOp op);
  // EmitPrint.cpp
  void emitPrint(tile::PrintOp op);
  llvm::Value *askForPrints(uint64_t bytes);
  // EmitClock.cpp
  bool takesClocks() const;
  void addClockParameters(llvm::SmallVectorImpl<llvm::Type *> &types);
  /// `first` is the number of the first of these parameters.
  void beginClocks(unsigned first);
  void emitClock(nv::ClockOp op);
  void noteEndOfWarp(bool isProducer);
  void noteEndOfBlock();
  void note(runtime::ClockSite site, bool isLast);
  llvm::Value *blockNumber();
  llvm::Value *numberOfThread();
  llvm::Value *rowOfBlock(llvm::Value *number, llvm::Value *&writes);
  // EmitCopies.cpp
  void emitFree(nv::FreeOp op);
  void emitCopy(nv::CopyOp op);
  void emitAsyncCopy(llvm::Value *target, llvm::Value *source, llvm::Value *mask, unsigned bytes,
                     llvm::Value *isActing);
  void emitCommitCopies(nv::CommitCopiesOp op);
  void emitAwaitCopies(nv::AwaitCopiesOp op);
  /// Before a barrier: what this thread has written is there for the tensor cores too.
  void publish();
  // EmitRoles.cpp
  /// The parameter of this number as the address of a tensor map.
  llvm::Value *tensorMap(unsigned parameter);
  void emitBox(nv::BoxOp op);
  void emitRing(nv::RingOp op);
  llvm::Value *barriersFor(unsigned stages);
  void emitFetch(nv::FetchOp op);
  void emitBoxCopy(llvm::Value *target, llvm::Value *map, llvm::ArrayRef<llvm::Value *> at,
                   llvm::Value *barrier);
  struct EmptySlot {
    llvm::Value *address, *full; // its barrier; i32
  };
  /// The next slot to be filled, once it is empty; its barrier expects so many bytes, i32.
  EmptySlot awaitEmptySlot(mlir::Value ring, llvm::Value *bytes);
  void emitAwaitSlot(nv::AwaitSlotOp op);
  llvm::Value *awaitSlot(const RingState &ring);
  void emitRelease(nv::ReleaseOp op);
  void releaseSlot(const RingState &ring, unsigned pending);
  void awaitReads();
  void arriveAtEmpty(const RingState &ring, llvm::Value *index, llvm::Value *condition);
  llvm::Value *firstOfProducer();
  void emitProduce(nv::ProduceOp op);
  void emitApart(llvm::ArrayRef<mlir::Operation *> ops, llvm::Value *isProducer);
  void setRegisters(const char *change, unsigned registers);
  // EmitRows.cpp
  void emitFetchRow(nv::FetchRowOp op);
  void emitReadRow(nv::ReadRowOp op);
  void fillBehind(nv::ReadRowOp op, unsigned together, llvm::MutableArrayRef<llvm::Value *> piece,
                  unsigned first);
  void emitPrefetchRow(nv::PrefetchRowOp op);
  // EmitSend.cpp
  void emitSend(nv::SendOp op);
  void sendPiece(nv::SendOp op, llvm::Value *slot, unsigned column);
  /// Of this thread's groups of copies, all but the `pending` newest.
  void awaitSent(unsigned pending, bool isRead);
  // EmitMultiply.cpp
  void emitMultiply(nv::MultiplyOp op);
  void emitAwaitProducts(nv::AwaitProductsOp op);
  void emitFinish(nv::FinishOp op);
  // EmitDot.cpp
  void emitDot(tile::DotOp op);
  const target::NvidiaTarget &target;
  Policy policy;
  unsigned producerWarps;
  llvm::Value *ringBarriers = nullptr; // that no ring has yet
  llvm::Value *printBuffer = nullptr;
  llvm::SmallVector<llvm::Value *, 3> gridArguments; // of nv.programs, whose blocks are fewer
  std::optional<std::array<llvm::Value *, 3>> programOfRound;
  std::vector<runtime::PrintSite> prints;
  std::vector<runtime::ClockSite> clocks;
  ClockState clock;
  std::vector<mlir::Operation *> boxOps; // in the order of their parameters
  llvm::MapVector<mlir::Value, RingState> rings;
};

} // namespace nereid::backend::nvptx
