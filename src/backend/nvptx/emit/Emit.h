// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitters of what is NVIDIA's, and the table that says which emitter an operation has. What
// any GPU needs is in backend/gpu/emit/Emit.h.
#pragma once

#include "backend/gpu/emit/Emit.h"
#include "backend/nvptx/emit/KernelContext.h"

namespace nereid::backend::nvptx {

// EmitKernel.cpp
/// Turns the kernel, whose tiles have layouts, into one LLVM function. `sites`, if there are any,
/// says of each instruction which operation it is of.
void emitKernel(KernelContext &c, llvm::StringRef symbol, CodeSites *sites);
void emitOperation(KernelContext &c, mlir::Operation *op);
/// Whether the kernel's blocks may begin before earlier launches on its stream have ended, which
/// they wait for by themselves.
bool overlapsPrevious(const KernelContext &c);
/// Once in a kernel, where all threads come before any touches what other launches may touch, and
/// before any ends: a later launch waits for this one alone, which is to mean for all before it.
void awaitPrevious(KernelContext &c);
/// Whether operations of this kind have an emitter of their own; others are computed lane by lane.
bool hasEmitter(mlir::Operation *op);

// EmitDivision.cpp
bool isDivisionBesideProducer(KernelContext &c, mlir::Operation *op);
void emitDivisionBesideProducer(KernelContext &c, mlir::Operation *op);

// EmitPrograms.cpp
/// The program's number along x, y and z; i32.
std::array<llvm::Value *, 3> programIds(KernelContext &c);
void emitProgramId(KernelContext &c, tile::ProgramIdOp op);
void emitNumPrograms(KernelContext &c, tile::NumProgramsOp op);
void emitPrograms(KernelContext &c, nv::ProgramsOp op);

// EmitCluster.cpp
void beginCluster(KernelContext &c);
void emitBlockOfProgram(KernelContext &c, nv::BlockOfProgramOp op);
void emitGatherBlocks(KernelContext &c, nv::GatherBlocksOp op);

// EmitThreads.cpp, EmitShuffle.cpp
void emitThreadId(KernelContext &c, tile::ThreadIdOp op);
void emitSharedMemory(KernelContext &c, tile::SharedOp op);
void emitLocalMemory(KernelContext &c, tile::LocalOp op);
void emitTable(KernelContext &c, tile::TableOp op);
void emitSyncThreads(KernelContext &c, tile::SyncThreadsOp op);
void emitSyncThreadsCount(KernelContext &c, tile::SyncThreadsCountOp op);
void emitSyncWarp(KernelContext &c, tile::SyncWarpOp op);
void emitShuffle(KernelContext &c, tile::ShuffleOp op);
void emitBallot(KernelContext &c, tile::BallotOp op);
void emitActiveMask(KernelContext &c, tile::ActiveMaskOp op);
void emitThreadAtomic(KernelContext &c, tile::AtomicRmwOp op);
void emitThreadCas(KernelContext &c, tile::AtomicCasOp op);
/// Where threads act for themselves, too.
void emitLoad(KernelContext &c, tile::LoadOp op);
void emitStore(KernelContext &c, tile::StoreOp op);

// EmitAtomic.cpp
void emitAtomicRmw(KernelContext &c, tile::AtomicRmwOp op);
void emitAtomicCas(KernelContext &c, tile::AtomicCasOp op);

// EmitPrint.cpp
void emitPrint(KernelContext &c, tile::PrintOp op);
void emitAssert(KernelContext &c, tile::AssertOp op);

// EmitClock.cpp
void addClockParameters(KernelContext &c, llvm::SmallVectorImpl<llvm::Type *> &types);
/// `first` is the number of the first of these parameters.
void beginClocks(KernelContext &c, unsigned first);
void emitClock(KernelContext &c, nv::ClockOp op);
void noteEndOfWarp(KernelContext &c, bool isProducer);
void noteEndOfBlock(KernelContext &c);
/// Says that the instruction is a clock, or there for one alone.
void markAsClock(llvm::CallInst &call);
/// When the kernel is emitted: blocks that note nothing get code of their own.
void copyWithoutClocks(KernelContext &c);

// EmitCopies.cpp
void emitFree(KernelContext &c, nv::FreeOp op);
void emitCopy(KernelContext &c, nv::CopyOp op);
void emitCommitCopies(KernelContext &c, nv::CommitCopiesOp op);
void emitAwaitCopies(KernelContext &c, nv::AwaitCopiesOp op);
/// Before a barrier: what this thread has written is there for the tensor cores too.
void publish(KernelContext &c);

// EmitRoles.cpp
/// The parameter of this number as the address of a tensor map.
llvm::Value *tensorMap(KernelContext &c, unsigned parameter);
void emitBox(KernelContext &c, nv::BoxOp op);
void emitRing(KernelContext &c, nv::RingOp op);
void emitFetch(KernelContext &c, nv::FetchOp op);
void emitAwaitSlot(KernelContext &c, nv::AwaitSlotOp op);
void emitRelease(KernelContext &c, nv::ReleaseOp op);
void emitProduce(KernelContext &c, nv::ProduceOp op);
struct EmptySlot {
  llvm::Value *address, *full; // its barrier; i32
};
/// The next slot to be filled, once it is empty; its barrier expects so many bytes, i32.
EmptySlot awaitEmptySlot(KernelContext &c, mlir::Value ring, llvm::Value *bytes);
/// A phase of a barrier is over, i32.
void awaitPhase(Builder &b, llvm::Value *barrier, llvm::Value *parity);
/// The index of the next slot that is full, once it is; i32.
llvm::Value *awaitSlot(KernelContext &c, const RingState &ring);
/// What this thread has read of shared memory is read before the copy engine writes there.
void awaitReads(KernelContext &c);
void arriveAtEmpty(KernelContext &c, const RingState &ring, llvm::Value *index,
                   llvm::Value *condition);

// EmitRows.cpp
void emitFetchRow(KernelContext &c, nv::FetchRowOp op);
void emitReadRow(KernelContext &c, nv::ReadRowOp op);
void emitPrefetchRow(KernelContext &c, nv::PrefetchRowOp op);
void emitKeepRow(KernelContext &c, nv::KeepRowOp op);
void emitReadKept(KernelContext &c, nv::ReadKeptOp op);

// EmitSend.cpp
void emitSend(KernelContext &c, nv::SendOp op);
void emitAwaitSent(KernelContext &c, nv::AwaitSentOp op);
/// Waits for this thread's groups of copies, but for the `pending` newest.
void awaitSent(KernelContext &c, unsigned pending, bool isRead);

// EmitMultiply.cpp, TurnedFactor.cpp, EmitDot.cpp
void emitMultiply(KernelContext &c, nv::MultiplyOp op);
void emitTurn(KernelContext &c, nv::TurnOp op);
void emitAwaitProducts(KernelContext &c, nv::AwaitProductsOp op);
void emitFinish(KernelContext &c, nv::FinishOp op);
void emitDot(KernelContext &c, tile::DotOp op);

} // namespace nereid::backend::nvptx
