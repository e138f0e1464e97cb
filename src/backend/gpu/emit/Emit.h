// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitters of operations on any GPU: each adds what a thread does for the operation where the
// context's builder stands, and notes in its `values` what the thread then holds of the results.
#pragma once

#include "backend/gpu/emit/EmitContext.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::gpu {

// EmitLanes.cpp
/// All operations but the terminator.
void emitBlock(EmitContext &c, mlir::Block &block);
void emitLanewise(EmitContext &c, mlir::Operation *op);
void emitConstant(EmitContext &c, mlir::arith::ConstantOp op);
void emitRange(EmitContext &c, tile::RangeOp op);
unsigned registerCount(mlir::Type type);
/// Whether the register's element lies in the tile; null if every one does.
llvm::Value *isInside(EmitContext &c, mlir::Type tile, unsigned reg);

// EmitReduce.cpp, EmitScan.cpp
void emitReduce(EmitContext &c, tile::ReduceOp op);
void emitScan(EmitContext &c, tile::ScanOp op);

// EmitShape.cpp
void emitMovement(EmitContext &c, mlir::Operation *op);
void emitJoin(EmitContext &c, tile::JoinOp op);
void emitSplit(EmitContext &c, tile::SplitOp op);

// EmitGather.cpp
void emitGather(EmitContext &c, tile::GatherOp op);
void emitReshapeInShared(EmitContext &c, tile::ReshapeOp op);
void emitHistogram(EmitContext &c, tile::HistogramOp op);
/// The coordinates of the element in a register, i32; a ghost's lie beyond the tile.
llvm::SmallVector<llvm::Value *, 4> coordinatesOf(EmitContext &c, mlir::Type tile, unsigned reg);
/// The row-major number, without ghosts, of the element at these coordinates.
llvm::Value *elementNumber(EmitContext &c, mlir::Type tile, llvm::ArrayRef<llvm::Value *> at);

// EmitConvert.cpp
void emitConvert(EmitContext &c, nv::ConvertOp op);
/// What the first holder of each element has, for all that hold it.
Registers fromFirstHolders(EmitContext &c, const layout::LinearLayout &layout,
                           llvm::ArrayRef<llvm::Value *> held, llvm::Value *isFirst);
/// The first thread's value of a scalar, for all threads.
llvm::Value *fromFirstThread(EmitContext &c, llvm::Value *value);

// EmitShared.cpp
void emitAlloc(EmitContext &c, nv::AllocOp op);
void emitFree(EmitContext &c, nv::FreeOp op);
void emitSlot(EmitContext &c, nv::SlotOp op);
void emitView(EmitContext &c, nv::ViewOp op);
void emitRead(EmitContext &c, nv::ReadOp op);
void emitWrite(EmitContext &c, nv::WriteOp op);
void storeShared(EmitContext &c, const layout::SharedAccess &access, llvm::Value *base,
                 llvm::ArrayRef<llvm::Value *> source, mlir::Type element);
/// `count` registers, of which those are set that the access names.
Registers loadShared(EmitContext &c, const layout::SharedAccess &access, llvm::Value *base,
                     unsigned count, mlir::Type element);
/// All registers of a tile out of the room at an address, i32.
Registers readShared(EmitContext &c, mlir::Type tile, nv::SharedType source, llvm::Value *address);

// EmitMemory.cpp
void emitLoad(EmitContext &c, tile::LoadOp op);
void emitStore(EmitContext &c, tile::StoreOp op);
void emitBarrier(EmitContext &c, tile::BarrierOp op);
void emitSync(EmitContext &c, nv::SyncOp op);
/// The one of the threads that hold a value which acts for all; null if each acts for itself.
llvm::Value *actor(EmitContext &c, mlir::Type type);
/// What the acting threads hold, for all that hold the value.
Registers agreedUpon(EmitContext &c, mlir::Type type, Registers held);
/// How many neighbouring registers' elements one access takes.
unsigned registersTogether(EmitContext &c, mlir::Value pointer, mlir::Value mask);
void release(EmitContext &c);
void acquire(EmitContext &c);

// EmitMultiplyAdd.cpp
void emitMultiplyAdd(EmitContext &c, nv::MultiplyAddOp op);
/// A loop of so many rounds over what they carry; `body` is given the round's number, i32.
void emitRounds(EmitContext &c, uint64_t count, Registers &carried,
                llvm::function_ref<void(llvm::Value *)> body);

// EmitControlFlow.cpp
void emitIf(EmitContext &c, mlir::scf::IfOp op);
void emitFor(EmitContext &c, mlir::scf::ForOp op);
void emitWhile(EmitContext &c, mlir::scf::WhileOp op);

} // namespace nereid::backend::gpu
