// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a kernel whose tiles have layouts into one LLVM function: what one thread of a block does.
#pragma once

#include "analysis/AxisInfo.h"
#include "backend/llvm/LaneBuilder.h"
#include "backend/gpu/emit/CodeSites.h"
#include "backend/nvptx/Configuration.h"
#include "backend/gpu/emit/SharedStack.h"
#include "backend/gpu/emit/Threads.h"
#include "dialect/nv/Nv.h"
#include "layout/Conversion.h"
#include "layout/Gather.h"
#include "runtime/ClockRecords.h"
#include "runtime/PrintSite.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace nereid::backend::nvptx {

/// What a thread holds of a value: a lane for each register of a tile, one for a scalar.
using Registers = llvm::SmallVector<llvm::Value *, 8>;

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

class KernelEmitter {
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
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  void emitLanewise(mlir::Operation *op);
  bool isDivisionBesideProducer(mlir::Operation *op) const;
  void emitDivisionBesideProducer(mlir::Operation *op);
  void emitDivisionUnlessSmall(mlir::Operation *op);
  void emitConstant(mlir::arith::ConstantOp op);
  void emitRange(tile::RangeOp op);
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
  bool isOfThreads() const { return block.has_value(); }
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
  /// Of those threads that hold a value, the one that acts for all; null if each acts for itself.
  llvm::Value *actor(mlir::Type type);
  // EmitMemory.cpp
  void emitLoad(tile::LoadOp op);
  bool mayBeSeenDifferently(tile::LoadOp op);
  Registers agreedUpon(mlir::Type type, Registers held);
  void emitStore(tile::StoreOp op);
  void emitBarrier(tile::BarrierOp op);
  void emitSync(nv::SyncOp op);
  void release();
  void acquire();
  unsigned registersTogether(mlir::Value pointer, mlir::Value mask);
  // EmitAtomic.cpp
  void emitAtomic(mlir::Operation *op, mlir::Value mask, tile::MemoryScope scope);
  void emitAtomicRmw(tile::AtomicRmwOp op);
  bool emitVectorAtomic(tile::AtomicRmwOp op);
  void emitAtomicCas(tile::AtomicCasOp op);
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
  llvm::Value *rowOfBlock(llvm::Value *number, llvm::Value *&writes);
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
  void emitCopy(nv::CopyOp op);
  void emitAsyncCopy(llvm::Value *target, llvm::Value *source, llvm::Value *mask, unsigned bytes,
                     llvm::Value *isActing);
  void emitCommitCopies(nv::CommitCopiesOp op);
  void emitAwaitCopies(nv::AwaitCopiesOp op);
  /// Before a barrier: what this thread has written is there for the tensor cores too.
  void publish();
  llvm::Value *sharedPointer(const layout::SharedAccess &access, llvm::Value *base, unsigned offset,
                             unsigned elementBytes);
  void storeShared(const layout::SharedAccess &access, llvm::Value *base,
                   llvm::ArrayRef<llvm::Value *> source, mlir::Type element);
  /// `count` registers, of which those are set that the access names.
  Registers loadShared(const layout::SharedAccess &access, llvm::Value *base, unsigned count,
                       mlir::Type element);
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
  // EmitMultiplyAdd.cpp
  void emitMultiplyAdd(nv::MultiplyAddOp op);
  void emitRounds(uint64_t count, Registers &carried, llvm::function_ref<void(llvm::Value *)> body);
  // EmitMultiply.cpp
  void emitMultiply(nv::MultiplyOp op);
  void emitAwaitProducts(nv::AwaitProductsOp op);
  void emitFinish(nv::FinishOp op);
  // EmitDot.cpp
  void emitDot(tile::DotOp op);
  // EmitControlFlow.cpp
  void emitIf(mlir::scf::IfOp op);
  void emitFor(mlir::scf::ForOp op);
  void emitCounted(mlir::scf::ForOp op, llvm::BasicBlock *inside, llvm::BasicBlock *after,
                   llvm::function_ref<void(llvm::Value *)> emitRound);
  void emitStepped(mlir::scf::ForOp op, llvm::BasicBlock *inside, llvm::BasicBlock *after,
                   llvm::function_ref<void(llvm::Value *)> emitRound);
  void emitWhile(mlir::scf::WhileOp op);
  /// A counter, and the block from which the loop goes on with it.
  struct Resumed {
    llvm::Value *counter;
    llvm::BasicBlock *block;
  };
  bool goesTogether(mlir::scf::ForOp op) const;
  void askForUnrolling(mlir::scf::ForOp op, llvm::Value *count, llvm::Instruction *back);
  Resumed emitTogether(llvm::Value *lower, llvm::Value *upper, llvm::Value *step,
                       llvm::BasicBlock *single, llvm::BasicBlock *after,
                       llvm::function_ref<void(llvm::Value *)> emitRound);

  llvm::BasicBlock *newBlock(llvm::StringRef name);
  const Registers &registersOf(mlir::Value value) const;
  llvm::Value *scalar(mlir::Value value) const { return registersOf(value)[0]; }
  static unsigned registerCount(mlir::Type type);
  /// Whether the register's element lies in the tile; null if every one does.
  llvm::Value *isInside(mlir::Type tile, unsigned reg);

  llvm::Module &module;
  mlir::func::FuncOp kernel;
  const target::NvidiaTarget &target;
  Policy policy;
  analysis::AxisAnalysis axes;
  Builder b;
  LaneBuilder lanes;
  std::shared_ptr<const gpu::Target> instructions;
  Threads threads;
  SharedStack shared;
  unsigned producerWarps;
  const std::optional<tile::BlockShape> block; // of a kernel of threads
  llvm::Value *ringBarriers = nullptr;         // that no ring has yet
  llvm::Function *function = nullptr;
  CodeSites *sites = nullptr;
  llvm::Value *printBuffer = nullptr;
  llvm::SmallVector<llvm::Value *, 3> gridArguments; // of nv.programs, whose blocks are fewer
  std::optional<std::array<llvm::Value *, 3>> programOfRound;
  std::vector<runtime::PrintSite> prints;
  std::vector<runtime::ClockSite> clocks;
  ClockState clock;
  std::vector<mlir::Operation *> boxOps; // in the order of their parameters
  llvm::MapVector<mlir::Value, RingState> rings;
  llvm::DenseMap<mlir::Value, Registers> values;
};

} // namespace nereid::backend::nvptx
